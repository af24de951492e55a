"""Rows: the unit of a request that an engine rewrites and a cache matches."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from sim.tokens import ContentKind, TokenModel

Role: TypeAlias = Literal["tools", "system", "user", "assistant", "tool"]
Message: TypeAlias = Mapping[str, Any]
"""OpenAI chat shape: `role`, `content` (text or None), `tool_calls`, `tool_call_id`. Never mutated once made."""


@dataclass(frozen=True, slots=True)
class Blank:
    """A row known by its size only (token-only workloads and engines).

    Attributes:
        label: identity; two blanks with equal role, tokens and label are the same text.
    """

    role: Role
    tokens: int
    label: str
    has_text: bool = True
    calls: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """One row of a request.

    Attributes:
        role: `tools` holds the tool schemas, `system` the system prompt, the rest are chat rows.
        ident: 64-bit identity of the bytes the provider sees; equal idents are equal rows.
        tokens: billed tokens of the scenario's model.
        message: the chat message, or None for a token-only row.
        has_text: whether it holds a text block (an assistant row of pure tool calls does not).
        calls: number of tool calls it holds.
        kind: class of its text, which decides the token multiplier.
    """

    role: Role
    ident: int
    tokens: int
    message: Message | None = None
    has_text: bool = True
    calls: int = 0
    kind: ContentKind = ContentKind.PROSE

    @property
    def text(self) -> str:
        """All characters of the row in request order; empty for a token-only row."""
        return "" if self.message is None else message_text(self.message)

    def shared_tokens(self, other: Row) -> int:
        """Tokens at the start of this row that `other` starts with too, by share of common characters.

        0 when either row has no text (unless they are the same row): unknown text is never assumed equal.
        """
        if self.ident == other.ident:
            return self.tokens
        if self.message is None or other.message is None or self.role != other.role:
            return 0
        mine, theirs = self.text, other.text
        if not mine:
            return 0
        return self.tokens * _common_length(mine, theirs) // len(mine)


def _common_length(a: str, b: str) -> int:
    """Length of the common start of two strings, by bisection over slices."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a[:middle] == b[:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def content_text(content: object) -> str:
    """The text of a message's content, whether a string, None or a list of parts."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return str(content)


def message_text(message: Message) -> str:
    """Content, then each tool call's name and arguments, as one string (what is tokenised)."""
    text = content_text(message.get("content"))
    for call in message.get("tool_calls") or ():
        function = call.get("function", {})
        text += f"\n{function.get('name', '')}{function.get('arguments', '')}"
    return text


IMAGE_TOKENS = 1_500
"""Flat charge for one image part, the figure Hermes itself assumes (facts of the engine, section 1)."""


def _images(message: Message) -> int:
    content = message.get("content")
    if not isinstance(content, list):
        return 0
    return sum(1 for part in content if isinstance(part, dict) and "image" in str(part.get("type", "")))


class RowMaker:
    """Turns messages into rows, tokenising each unique text once.

    Args:
        tokens: the scenario model's token counts; one maker per token family.
    """

    def __init__(self, tokens: TokenModel) -> None:
        self.tokens = tokens
        self._counts: dict[tuple[int, ContentKind], int] = {}

    def row(self, message: Message | Blank, kind: ContentKind | None = None, counted: int | None = None) -> Row:
        """The row of a message, or of a blank.

        Args:
            message: chat message, or a size.
            kind: class of the text; guessed from the text when None.
            counted: the vocabulary's count of the row's text, when the caller has it already.
        """
        if isinstance(message, Blank):
            ident = _digest(f"{message.role}\x1f{message.tokens}\x1f{message.label}")
            return Row(message.role, ident, message.tokens, None, message.has_text, message.calls)
        text = message_text(message)
        chosen = kind if kind is not None else self.tokens.classify(text)
        calls = message.get("tool_calls") or ()
        ident = _digest(json.dumps(message, ensure_ascii=True, sort_keys=True, default=str))
        if counted is not None:
            self._counts[(_digest(text), chosen)] = self.tokens.scaled(counted, chosen)
        count = self.count(text, chosen) + IMAGE_TOKENS * _images(message)
        role: Role = message["role"]
        return Row(role, ident, count, message, bool(content_text(message.get("content"))), len(calls), chosen)

    def tools(self, schemas: list[dict[str, Any]]) -> Row:
        """The row that stands for the request's tool definitions (compact JSON, as providers receive them)."""
        text = json.dumps(schemas, ensure_ascii=False, separators=(",", ":"))
        message = {"role": "tools", "content": text, "schemas": schemas}
        return Row("tools", _digest(text), self.count(text, ContentKind.JSON), message, True, 0, ContentKind.JSON)

    def count(self, text: str, kind: ContentKind) -> int:
        """Billed tokens of a text, remembered."""
        key = (_digest(text), kind)
        count = self._counts.get(key)
        if count is None:
            count = self._counts[key] = self.tokens.billed(text, kind)
        return count

    def recount(self, row: Row) -> Row:
        """The same row under this maker's token family; a token-only row stays as it is."""
        if row.message is None:
            return row
        if row.role == "tools":
            return self.tools(row.message["schemas"])
        return self.row(row.message, row.kind)


def _digest(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")
