"""The neutral form every importer writes: what was said and called, before tokens are counted.

A draft keeps the order of events. `build.py` turns it into a script; `insight/reconcile.py` reads it as it is.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from sim.workload.script import Origin, Recorded

Content: TypeAlias = str | list[dict[str, Any]]
"""Text, or OpenAI content parts when there are images (image bytes are dropped, the part stays)."""


@dataclass(slots=True)
class Said:
    """A message to the model.

    Attributes:
        at: seconds since the epoch, None when the file has no time.
        injected: put in by the harness (reminder, attachment), so it starts no turn of its own.
    """

    content: Content
    at: float | None = None
    injected: bool = False


@dataclass(slots=True)
class Used:
    """One tool call.

    Attributes:
        arguments: JSON text as the model wrote it.
        result: None when the file holds none.
        at: when the result arrived.
        seconds: measured duration, when the file says it.
    """

    id: str
    name: str
    arguments: str
    result: Content | None = None
    at: float | None = None
    seconds: float | None = None
    failed: bool = False


@dataclass(slots=True)
class Called:
    """One model call and its reply.

    Attributes:
        id: the provider's id of the response, if known.
        text: visible answer.
        thinking: visible thinking; billed as output, not kept in the history.
        began, done: when the request started and when the last token came.
        seconds: measured latency, when the file says it.
    """

    id: str = ""
    model: str = ""
    text: str = ""
    thinking: str = ""
    tools: list[Used] = field(default_factory=list)
    began: float | None = None
    done: float | None = None
    seconds: float | None = None
    usage: Recorded | None = None


@dataclass(slots=True)
class Carried:
    """Rows that are in the history at this point but were paid for elsewhere (a fork, a rewound branch)."""

    events: list[Said | Called]


@dataclass(slots=True)
class Compacted:
    """A compaction the recorded agent made; `summary` is the row that replaced the earlier ones, if the file has it."""

    summary: Content | None = None
    at: float | None = None
    tokens_before: int | None = None


Event: TypeAlias = Said | Called | Carried | Compacted


@dataclass(slots=True)
class Sized:
    """One call of a token-only session; sizes in the recorded model's tokens.

    Attributes:
        input: the whole prompt.
        started_by: `user` when a person's message started it.
        tools: (name, seconds) of the tool calls it made; empty when it made none, or none are known.
        kept: leading tokens equal to the call before, when the file shows it (prefix hashes), else None.
        gap: seconds between the end of the call before and its start.
    """

    input: int
    output: int
    seconds: float
    gap: float
    started_by: str
    model: str = ""
    id: str = ""
    tools: tuple[tuple[str, float], ...] = ()
    kept: int | None = None
    usage: Recorded | None = None


@dataclass(slots=True)
class Draft:
    """One session as the file tells it.

    Attributes:
        name: the session's id in the file, or one made from the file's name.
        system: visible system prompt.
        schemas: visible tool schemas.
        events: in order; empty for a token-only session.
        sized: calls of a token-only session.
        base: (tool tokens, system tokens) of a token-only session, if the file says them.
        used: records of the file that ended up here.
        skipped: reason → records left out.
        notes: remarks for the report.
            totals: (prompt, output, calls) of the whole session where the file counts no single call.
    """

    name: str
    system: str = ""
    schemas: list[dict[str, Any]] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    sized: list[Sized] = field(default_factory=list)
    base: tuple[int, int] | None = None
    origin: Origin = "terminal"
    model: str = ""
    started_at: float | None = None
    finished: bool = True
    used: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)
    totals: tuple[int, int, int] | None = None

    @property
    def calls(self) -> list[Called]:
        """Model calls with text, in order."""
        return [event for event in self.events if isinstance(event, Called)]

    @property
    def empty(self) -> bool:
        """Whether there is no model call in it."""
        return not self.sized and not any(isinstance(event, Called) for event in self.events)
