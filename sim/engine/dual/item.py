"""One chat row as the dual system sees it, made from a plain message or from a simulator row."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

Count: TypeAlias = Callable[[str], int]
Chat: TypeAlias = Mapping[str, Any]
"""OpenAI chat shape: `role`, `content`, `tool_calls`, `tool_call_id`. Never mutated."""


def content_of(message: Chat) -> str:
    """Text of a message's content: a string, None, or a list of parts."""
    content = message.get("content")
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, Mapping))
    return str(content)


def has_image(message: Chat) -> bool:
    """Whether the content holds an image part."""
    content = message.get("content")
    if not isinstance(content, list):
        return False
    return any(isinstance(part, Mapping) and "image" in str(part.get("type", "")) for part in content)


def calls_of(message: Chat) -> list[Mapping[str, Any]]:
    """Tool calls of a message; what is no call (a session file may hold anything there) is passed over."""
    calls = message.get("tool_calls")
    return [call for call in calls if isinstance(call, Mapping)] if isinstance(calls, list | tuple) else []


def function_of(call: Mapping[str, Any]) -> tuple[str, str]:
    """Name and arguments of a tool call as texts, empty where it has none."""
    function = call.get("function")
    if not isinstance(function, Mapping):
        return "", ""
    return str(function.get("name") or ""), str(function.get("arguments") or "")


def full_text(message: Chat) -> str:
    """Content, then each tool call's name and arguments: what is tokenised."""
    text = content_of(message)
    for call in calls_of(message):
        name, arguments = function_of(call)
        text += f"\n{name}{arguments}"
    return text


@dataclass(frozen=True, slots=True)
class Item:
    """A chat row.

    Attributes:
        role: `user`, `assistant`, `tool` (or `system` inside a plain message list).
        tokens: its size, counted by whoever owns the history.
        message: the message, or None when only the size is known (it is then never rewritten).
        calls: number of tool calls.
    """

    role: str
    tokens: int
    message: Chat | None
    calls: int = 0

    @property
    def text(self) -> str:
        """Text of the content, without tool calls."""
        return "" if self.message is None else content_of(self.message)


def items_of(messages: Sequence[Chat], count: Count) -> list[Item]:
    """Items of plain messages, each counted once."""
    return [Item(str(m.get("role", "")), count(full_text(m)), m, len(calls_of(m))) for m in messages]
