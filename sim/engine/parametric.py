"""Engine `parametric`: compaction and prune as a handful of numbers, on token counts only.

It stands for policies that are known by their figures (other agents', closed forms in tests), and for quick what-ifs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from sim.engine.contract import (
    Attempt,
    AuxRequest,
    EngineInfo,
    Hook,
    Needs,
    Open,
    Outcome,
    Rewrite,
    Site,
    Usage,
)
from sim.engine.none import settings_not_read
from sim.errors import ScenarioError
from sim.history import Blank, Message, Row, Splice
from sim.history.row import content_text
from sim.units import parse_seconds, parse_share, parse_tokens

Level: TypeAlias = int | float
"""A size: an integer is tokens, a float a share of the window."""


def parse_level(value: Any) -> Level:
    """Tokens from `230K` or a whole number, a share of the window from `50%` or a fraction.

    Raises:
        ValueError: neither, or a share that is not between 0 and 1.
    """
    text = value.strip() if isinstance(value, str) else ""
    fraction = text.endswith("%") or ("." in text and not text[-1:].isalpha())
    if not isinstance(value, float) and not fraction:
        return parse_tokens(value)
    share = parse_share(value)
    if not 0 < share <= 1:
        raise ValueError(f"{value!r} is not a share of the window; write 50% or 0.5, or tokens as 230K")
    return share


def in_tokens(level: Level, window: int) -> int:
    """The level in tokens, rounded down."""
    return int(window * level) if isinstance(level, float) else level


Size = Annotated[int | float, BeforeValidator(parse_level)]
Tokens = Annotated[int, BeforeValidator(parse_tokens), Field(ge=0)]
Share = Annotated[float, BeforeValidator(parse_share), Field(ge=0, le=1)]
Seconds = Annotated[float, BeforeValidator(parse_seconds), Field(ge=0)]


class PruneRule(BaseModel):
    """Shortening of old tool results without a model; after a compaction that did not fire, at the same gate."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    at: Size
    """Size of the request from which it is tried."""
    min_reclaim: Tokens = 4_096
    """It is made only if it gives back this many tokens."""
    keep_last: int = Field(default=20, ge=0)
    """Newest rows left alone."""
    share_reclaimed: Share = 0.9
    """Share of each shortened result that goes."""
    min_result: Tokens = 200
    """Smaller results are left alone."""


class ParametricSettings(BaseModel):
    """Every knob of the parametric engine. Sizes take `230K` or `50%` (of the window)."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    trigger: Size | None = 0.5
    """A request of this size or more is compacted first; None: never."""
    landing: Size | None = None
    """Size of the request after a compaction, exactly; None: what prefix, summary and tail come to."""
    summary_tokens: Tokens = 2_000
    """Size of the summary, when no landing is set; also the length asked of the auxiliary model."""
    keep_tail: Tokens = 10_000
    """Newest tokens kept verbatim, in whole exchanges; fewer when the landing leaves no room."""
    check: Literal["before_call", "after_tools"] = "before_call"
    """Where the gates stand: before a request is sent, or when tool results have come in."""
    auxiliary_tokens: Tokens | None = None
    """Prompt of the auxiliary call; None: what is summarised, 0: no call."""
    on_failure: Literal["keep", "fallback"] = "keep"
    """A failed summary: keep the history and wait, or compact without the model's text."""
    retry_after: Seconds = 60.0
    """Pause after a failed summary that kept the history."""
    prune: PruneRule | None = None

    @model_validator(mode="after")
    def _shrinks(self) -> Self:
        same_kind = isinstance(self.landing, float) == isinstance(self.trigger, float)
        if self.landing is not None and self.trigger is not None and same_kind and self.landing >= self.trigger:
            raise ValueError(f"landing {self.landing} must be below trigger {self.trigger}")
        return self


def read_settings(data: Mapping[str, Any] | None) -> ParametricSettings:
    """Settings from a scenario's `parametric:` block (None or empty: all defaults).

    Raises:
        ScenarioError: an unknown key, a wrong type, or values that contradict each other.
    """
    try:
        return ParametricSettings(**dict(data or {}))
    except ValidationError as error:
        parts = []
        for item in error.errors():
            key = ".".join(str(p) for p in item["loc"]) or "parametric"
            parts.append(f"{key}: {item['msg'].removeprefix('Value error, ')}")
        known = ", ".join(ParametricSettings.model_fields)
        raise ScenarioError(
            "; ".join(parts), rule="settings of engine parametric", remedy=f"the keys are {known}"
        ) from error


class ParametricEngine:
    """Compaction and prune by numbers."""

    name = "parametric"
    version = "1"
    needs: Needs = "tokens"

    def resolve(self, request: Open) -> EngineInfo:
        """What the settings come to on this window.

        Raises:
            ScenarioError: bad settings.
        """
        settings = read_settings(request.settings.get("parametric"))
        trigger, rule = None, "never"
        if settings.trigger is not None:
            trigger, rule = in_tokens(settings.trigger, request.window), "trigger"
            if trigger > request.window:
                trigger, rule = request.window, "window"
        prune = settings.prune
        return EngineInfo(
            name=self.name,
            version=self.version,
            needs=self.needs,
            trigger_tokens=trigger,
            trigger_rule=rule,
            tail_tokens=settings.keep_tail,
            tail_kept_tokens=settings.keep_tail,
            ignored=settings_not_read(request.settings, "parametric", "has its own settings under `parametric:`"),
            details={
                "landing_tokens": None if settings.landing is None else in_tokens(settings.landing, request.window),
                "summary_tokens": settings.summary_tokens,
                "check": settings.check,
                "proactive_prune_tokens": in_tokens(prune.at, request.window) if prune else 0,
                "proactive_prune_min_reclaim_tokens": prune.min_reclaim if prune else 0,
            },
        )

    def open(self, request: Open) -> ParametricSession:
        """A new session."""
        return ParametricSession(self.resolve(request), read_settings(request.settings.get("parametric")), request)

    def close(self) -> None:
        """Nothing to stop."""


@dataclass(slots=True)
class _Held:
    """A body row as this engine keeps it."""

    role: str
    tokens: int
    message: Message | None
    shortened: bool = False


class ParametricSession:
    """One session of engine `parametric`."""

    def __init__(self, info: EngineInfo, settings: ParametricSettings, request: Open) -> None:
        self.info = info
        self.settings = settings
        self._window = request.window
        self._prefix = sum(row.tokens for row in request.prefix)
        self._body: list[_Held] = []
        self._tokens = self._prefix
        self._not_before = float("-inf")
        self._made = 0

    # hooks ------------------------------------------------------------------------------------------------------

    def turn_start(self, rows: Sequence[Row], gap: float, now: float) -> Hook:
        """The message is noted."""
        self._append(rows)
        return self._idle()

    def before_call(self, now: float) -> Hook:
        """The default gate."""
        if self.settings.check == "before_call":
            return (yield from self._gates("before_call", now))
        return (yield from self._idle())

    def after_response(self, row: Row, usage: Usage | None, now: float) -> Hook:
        """The reply is noted; a reading of the provider corrects what shortened texts were taken for."""
        if usage is not None:
            self._tokens = usage.prompt
        self._append((row,))
        return self._idle()

    def after_tools(self, rows: Sequence[Row], now: float) -> Hook:
        """Results are noted; the other gate."""
        self._append(rows)
        if self.settings.check == "after_tools":
            return (yield from self._gates("after_tools", now))
        return (yield from self._idle())

    def on_overflow(self, error: str, now: float) -> Hook:
        """Compact, whatever the trigger and the pause after a failure say."""
        if self.settings.trigger is None:
            return Outcome(estimate=self._tokens)
        return (yield from self._compact("overflow", now))

    def turn_end(self, now: float) -> Hook:
        """Nothing to do."""
        return self._idle()

    def on_model_change(self, model: str, window: int, now: float) -> Hook:
        """Shares of the window move with it."""
        self._window = window
        return self._idle()

    def close(self) -> None:
        """Nothing to free."""

    # inside -----------------------------------------------------------------------------------------------------

    def _idle(self) -> Hook:
        return Outcome(estimate=self._tokens)
        yield  # makes this a generator

    def _append(self, rows: Sequence[Row]) -> None:
        for row in rows:
            self._body.append(_Held(row.role, row.tokens, row.message))
            self._tokens += row.tokens

    def _gates(self, site: Site, now: float) -> Hook:
        trigger = self.settings.trigger
        if trigger is not None and self._tokens >= min(in_tokens(trigger, self._window), self._window):
            if now < self._not_before:
                return Outcome(estimate=self._tokens)
            return (yield from self._compact(site, now))
        return self._prune(site)

    def _compact(self, site: Site, now: float) -> Hook:
        settings, before = self.settings, self._tokens
        cut, summary = self._plan()
        middle = sum(row.tokens for row in self._body[:cut])
        if cut == 0 or summary >= middle:
            return Outcome((Attempt(site, "unchanged", before),), before)
        note = ""
        size = middle if settings.auxiliary_tokens is None else settings.auxiliary_tokens
        if size:
            reply = yield AuxRequest("compression", None, size, target_tokens=settings.summary_tokens)
            if reply.failure is not None:
                if settings.on_failure == "keep":
                    self._not_before = reply.finished_at + settings.retry_after
                    return Outcome((Attempt(site, "aborted", before),), before)
                note = "fallback_text"
        self._made += 1
        row = Blank("user", summary, f"summary-{self._made}")
        self._body[:cut] = [_Held("user", summary, None)]
        self._tokens += summary - middle
        event = Rewrite("compaction", site, (Splice(0, cut, (row,)),), before, self._tokens, note=note)
        return Outcome((event,), self._tokens)

    def _plan(self) -> tuple[int, int]:
        """Rows to summarise, and the size of the summary."""
        settings = self.settings
        fixed = self._tokens - sum(row.tokens for row in self._body)
        room = settings.keep_tail
        landing = None if settings.landing is None else in_tokens(settings.landing, self._window)
        if landing is not None:
            room = min(room, landing - fixed)
        cut, kept = len(self._body), 0
        for start in range(len(self._body) - 1, -1, -1):
            kept_here = sum(row.tokens for row in self._body[start:cut])
            if kept + kept_here > room:
                break
            # A tail never starts with results whose calls would be gone.
            if self._body[start].role != "tool":
                cut, kept = start, kept + kept_here
        summary = settings.summary_tokens if landing is None else landing - fixed - kept
        return cut, max(summary, 0)

    def _prune(self, site: Site) -> Outcome:
        rule, before = self.settings.prune, self._tokens
        if rule is None or before < in_tokens(rule.at, self._window):
            return Outcome(estimate=before)
        splices: list[Splice] = []
        shorter: dict[int, _Held] = {}
        for place, row in enumerate(self._body[: max(len(self._body) - rule.keep_last, 0)]):
            if row.role == "tool" and not row.shortened and row.tokens >= rule.min_result:
                held, new = _shorten(row, rule.share_reclaimed, f"pruned-{self._made}-{place}")
                shorter[place] = held
                splices.append(Splice(place, place + 1, (new,)))
        reclaimed = sum(self._body[place].tokens - held.tokens for place, held in shorter.items())
        if not splices or reclaimed < max(rule.min_reclaim, 1):
            return Outcome(estimate=before)
        for place, held in shorter.items():
            self._body[place] = held
        self._tokens -= reclaimed
        self._made += 1
        return Outcome((Rewrite("prune", site, tuple(splices), before, self._tokens),), self._tokens)


def _shorten(row: _Held, share: float, label: str) -> tuple[_Held, Message | Blank]:
    """The row without `share` of it; a row with text keeps its call's id and the start of its text."""
    if row.message is None:
        tokens = row.tokens - int(row.tokens * share)
        return _Held(row.role, tokens, None, True), Blank("tool", tokens, label)
    text = content_text(row.message.get("content"))
    kept = len(text) - int(len(text) * share)
    tokens = row.tokens * kept // max(len(text), 1)
    message = {**row.message, "content": text[:kept]}
    return _Held(row.role, tokens, message, True), message
