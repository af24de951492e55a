"""The auxiliary model as the package sees it: every call leaves the host as a request and comes back decided."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

Ask = Callable[[dict[str, Any]], Mapping[str, Any]]


class AuxiliaryError(Exception):
    """A failed call, in the shape the package's classifiers read: status code and message text."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        if status is not None:
            self.status_code = status


class ConnectionLostError(AuxiliaryError, ConnectionError):
    """The connection dropped."""


class TimedOutError(AuxiliaryError, TimeoutError):
    """The call took too long."""


class NotJsonError(AuxiliaryError, ValueError):
    """The provider's body was no JSON."""


_MESSAGES = {
    "rate_limit": (429, "Rate limit exceeded, please retry later"),
    "overloaded": (503, "The model is overloaded, please try again later"),
    "auth": (401, "Unauthorized: invalid API key"),
    "budget": (402, "Payment required: insufficient credits"),
    "bad_request": (400, "Bad request: the prompt exceeds the maximum context length"),
}


def failure(kind: str, status: int | None) -> Exception:
    """The exception a client library would raise for a failure of the contract's kind."""
    if kind == "no_provider":
        return RuntimeError("No LLM provider configured for task=compression")
    if kind == "timeout":
        return TimedOutError("Request timed out")
    if kind == "connection":
        return ConnectionLostError("Connection error: peer closed connection without sending complete message body")
    if kind == "not_json":
        return NotJsonError("Expecting value: line 1 column 1 (char 0)")
    usual, message = _MESSAGES[kind]
    code = status if status is not None else usual
    return AuxiliaryError(f"Error code: {code} - {message}", code)


def response(reply: Mapping[str, Any]) -> Any:
    """What the package's client returns for a reply, good or unusable."""
    kind = reply["failure"]
    text = reply["text"] or ""
    if kind == "empty":
        return _answer("", "stop", None)
    if kind == "cut_off":
        return _answer(text or "## Active Task\nThe summary stops in the mid", "length", None)
    if kind == "refusal":
        words = "I'm sorry, but I can't help with that."
        return _answer(words, "stop", words)
    return _answer(text, "stop", None)


def _answer(content: str, finish: str, refusal: str | None) -> Any:
    message = SimpleNamespace(content=content, refusal=refusal, role="assistant", tool_calls=None)
    return SimpleNamespace(choices=[SimpleNamespace(message=message, finish_reason=finish, index=0)], usage=None)


UNUSABLE = frozenset({"empty", "cut_off", "refusal"})


def make_call(ask: Ask) -> Callable[..., Any]:
    """The function that takes the place of `call_llm`."""

    def call_llm(**keywords: Any) -> Any:
        messages = keywords.get("messages") or ()
        text = "\n\n".join(str(message.get("content") or "") for message in messages)
        route = keywords.get("route_info")
        asked = keywords.get("model")
        reply = ask(
            {
                "task": str(keywords.get("task") or "compression"),
                "text": text,
                "model": asked if isinstance(asked, str) and asked else None,
                "max_tokens": keywords.get("max_tokens"),
            }
        )
        if isinstance(route, dict):
            route["provider"], route["model"] = reply["provider"], reply["model"]
        kind = reply["failure"]
        if kind is not None and kind not in UNUSABLE:
            raise failure(kind, reply["status"])
        return response(reply)

    return call_llm
