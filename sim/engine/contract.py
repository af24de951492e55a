"""The seam between the world and a compression engine.

An engine keeps whatever it needs of one session and is told of everything that is appended, once. At its hooks it may
rewrite the history. A hook is a generator: it yields an `AuxRequest` when it needs a model, is sent the `AuxReply`,
and returns an `Outcome`. Rows are numbered over the body of the history (prefix excluded), as before the rewrite.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

from sim.history import Row, Splice

Needs: TypeAlias = Literal["text", "tokens"]
Site: TypeAlias = Literal["turn_start", "idle", "hygiene", "before_call", "after_tools", "overflow", "turn_end"]
RewriteKind: TypeAlias = Literal["compaction", "prune", "micro_compaction", "mask", "truncation", "restart"]
AuxFailure: TypeAlias = Literal[
    "no_provider",
    "timeout",
    "rate_limit",
    "overloaded",
    "auth",
    "connection",
    "not_json",
    "bad_request",
    "empty",
    "cut_off",
    "refusal",
    "budget",
]


@dataclass(frozen=True, slots=True)
class Ignored:
    """A setting that will not take effect, with the reason."""

    setting: str
    value: str
    reason: str


@dataclass(frozen=True, slots=True)
class EngineInfo:
    """What an engine made of its settings.

    Attributes:
        trigger_tokens: where it will really fire (its own measure), None if it never does.
        trigger_rule: the setting or rule that decided it (`threshold`, `floor_75`, `threshold_tokens`, …).
        tail_tokens: budget of recent rows kept verbatim by a compaction.
        tail_kept_tokens: the most that budget can keep (soft ceiling).
        details: more resolved figures for `explain`, flat and JSON-safe.
    """

    name: str
    version: str
    needs: Needs
    trigger_tokens: int | None
    trigger_rule: str
    tail_tokens: int | None = None
    tail_kept_tokens: int | None = None
    ignored: tuple[Ignored, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Rates:
    """Relative prices an engine may weigh: integer pico-dollars a token."""

    fresh: int
    read: int
    write: int
    output: int


@dataclass(frozen=True, slots=True)
class Open:
    """What a session starts with.

    Attributes:
        session: id; engines that key things on it must see the same id at every run.
        window: context window in tokens.
        max_tokens: configured output limit of the model, if any.
        prefix: tool schemas and system prompt rows.
        settings: Hermes's own blocks (`compression`, `auxiliary`, `memory`, `prompt_caching`, `model`) as plain data,
            or the engine's own settings under its own name (`parametric`, `dual`).
        auxiliary_window: context window of the auxiliary model, if known.
        gateway: whether turns arrive through a messaging gateway (turns hygiene on).
        now: engine clock at the start, seconds since the epoch.
    """

    session: str
    model: str
    window: int
    max_tokens: int | None
    prefix: tuple[Row, ...]
    settings: Mapping[str, Any]
    rates: Rates | None = None
    auxiliary_window: int | None = None
    gateway: bool = False
    now: float = 0.0


@dataclass(frozen=True, slots=True)
class Usage:
    """What the provider reported for a response; `prompt` counts the whole prompt, cached or not."""

    prompt: int
    completion: int


@dataclass(frozen=True, slots=True)
class AuxRequest:
    """A model call the engine asks for.

    Attributes:
        task: `compression`, `micro_compaction`, `file_summary`, …
        text: the prompt, or None when only its size is known.
        tokens: prompt size when `text` is None.
        model: model asked for, None for the configured auxiliary model.
        max_tokens: output limit of the request, if any.
        target_tokens: length the prompt asks for, if any.
        cached_tokens: leading tokens equal to the main conversation's cached prefix (0 for a separate prompt).
    """

    task: str
    text: str | None
    tokens: int = 0
    model: str | None = None
    max_tokens: int | None = None
    target_tokens: int | None = None
    cached_tokens: int = 0


@dataclass(frozen=True, slots=True)
class AuxReply:
    """How an auxiliary call ended.

    Attributes:
        text: the answer; None when it failed or only its size is known.
        tokens: size of the answer.
        failure: None for success.
        status: HTTP status of a failure, if it had one.
        finished_at: engine clock when it ended.
        provider, model: who answered.
    """

    text: str | None
    tokens: int
    finished_at: float
    failure: AuxFailure | None = None
    status: int | None = None
    provider: str = ""
    model: str = ""


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A change of the history.

    Attributes:
        kind: `compaction` summarises with a model (or its fallback text), `prune` needs no model.
        site: the hook's gate that fired.
        splices: replaced stretches, ascending and disjoint.
        estimate_before, estimate_after: the engine's own figure around the rewrite.
        stored: False when only this request's view changes (masking engines).
        prefix: new prefix rows when the rewrite rebuilt the system prompt, else None.
        note: one word for special outcomes (`fallback_text`, `salvaged`).
        dropped: what was lost, for engines that measure it (flat, JSON-safe).
    """

    kind: RewriteKind
    site: Site
    splices: tuple[Splice, ...]
    estimate_before: int
    estimate_after: int
    stored: bool = True
    prefix: tuple[Row, ...] | None = None
    note: str = ""
    dropped: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Attempt:
    """A gate that fired without changing the history, with the engine's reason (`aborted`, `unchanged`, `blocked`)."""

    site: Site
    reason: str
    estimate: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a hook did.

    Attributes:
        events: rewrites and failed attempts, in order.
        estimate: the engine's own size of the request after the hook, None when it kept none.
        stop: reason when the session cannot go on, else None.
    """

    events: tuple[Rewrite | Attempt, ...] = ()
    estimate: int | None = None
    stop: str | None = None


NOTHING = Outcome()
Hook: TypeAlias = Generator[AuxRequest, AuxReply, Outcome]


class EngineSession(Protocol):
    """One session inside an engine; the world calls the hooks in the order of the session."""

    info: EngineInfo

    def turn_start(self, rows: Sequence[Row], gap: float, now: float) -> Hook:
        """User rows arrive `gap` seconds after the last activity (they are appended before the gates)."""
        ...

    def before_call(self, now: float) -> Hook:
        """A request is about to be sent."""
        ...

    def after_response(self, row: Row, usage: Usage | None, now: float) -> Hook:
        """The response arrived and is appended; `usage` is None when the provider reports none."""
        ...

    def after_tools(self, rows: Sequence[Row], now: float) -> Hook:
        """Tool results arrived and are appended before the gates."""
        ...

    def on_overflow(self, error: str, now: float) -> Hook:
        """The provider refused the request as too large."""
        ...

    def turn_end(self, now: float) -> Hook:
        """The final answer was given."""
        ...

    def on_model_change(self, model: str, window: int, now: float) -> Hook:
        """The session goes on with another model."""
        ...

    def close(self) -> None:
        """Free what the session holds."""
        ...


@runtime_checkable
class Engine(Protocol):
    """A compression engine of one version; opens any number of sessions."""

    name: str
    version: str
    needs: Needs

    def resolve(self, request: Open) -> EngineInfo:
        """What the settings would come to, without a session."""
        ...

    def open(self, request: Open) -> EngineSession:
        """A new session."""
        ...

    def close(self) -> None:
        """Stop helper processes, if any."""
        ...


def nothing() -> Hook:
    """A hook that does nothing."""
    return NOTHING
    yield  # makes this a generator
