"""Plain parts to play worlds with: a cache whose rules fit in ten lines, flat prices, engines that follow orders."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from sim.engine import (
    NOTHING,
    Engine,
    EngineInfo,
    Hook,
    Open,
    Outcome,
    Rates,
    Usage,
    nothing,
)
from sim.history import Blank, Prompt, Row, RowMaker
from sim.provider.seam import Cost, Mark, Served, TokenUse
from sim.tokens import token_model
from sim.workload.script import Reply, Script, ToolRun, Turn
from sim.world import AuxiliaryRoute, KeepAlive, Setup

MAKER = RowMaker(token_model("gpt-5"))
TTL = 300.0


class PlainCache:
    """Every row boundary is an entry; alive while now - start <= TTL; a hit refreshes it."""

    def __init__(self) -> None:
        self._alive: dict[int, float] = {}

    def serve(
        self, prompt: Prompt, marks: Sequence[Mark], now: float, *, first_byte: float, done: float, session: str = ""
    ) -> Served:
        read = 0
        for i in range(len(prompt), 0, -1):
            if now - self._alive.get(prompt.chain[i], -1e18) <= TTL:
                read = prompt.sums[i]
                break
        for i in range(1, len(prompt) + 1):
            self._alive[prompt.chain[i]] = now
        written = prompt.tokens - read
        return Served(read, {"5m": written} if written else {}, 0, "ttl")

    def settle(self, prompt: Prompt, done: float, *, session: str = "") -> None:
        """Generated tokens are not kept."""


@dataclass(frozen=True)
class PlainCard:
    """1, 10, 12 and 50 pico-dollars a token for read, fresh, written and output."""

    model: str = "plain"
    provider: str = "plain"
    effective: str = "2026-01-01"
    checked: str = "2026-01-01"
    source: str = "these tests"

    def cost(self, use: TokenUse, at: float) -> Cost:
        return Cost(use.read, 12 * sum(use.writes.values()), 10 * use.fresh, 50 * use.output)


@dataclass(frozen=True)
class PlainProvider:
    model: str = "plain"
    provider: str = "plain"
    window: int | None = 1_000_000
    card: PlainCard = field(default_factory=PlainCard)

    def open_cache(self) -> PlainCache:
        return PlainCache()

    def place(self, prompt: Prompt, *, engine_version: str, cache_ttl: str) -> list[Mark]:
        return [Mark(len(prompt), "5m")]

    def rates(self, at: float) -> Rates:
        return Rates(10, 1, 12, 50)


class Obedient:
    """An engine whose hooks are given; everything else does nothing. `seen` logs hook names in order."""

    name, version, needs = "obedient", "1", "tokens"

    def __init__(self, **hooks: Callable[..., Hook]) -> None:
        self.hooks, self.seen, self.closed = hooks, [], 0
        self.usages: list[Usage | None] = []
        self.info = EngineInfo(self.name, self.version, "tokens", None, "orders")

    def resolve(self, request: Open) -> EngineInfo:
        return self.info

    def open(self, request: Open) -> Obedient:
        return self

    def close(self) -> None:
        self.closed += 1

    def _run(self, name: str, *args: object) -> Hook:
        self.seen.append(name)
        return self.hooks[name](*args) if name in self.hooks else nothing()

    def turn_start(self, rows: Sequence[Row], gap: float, now: float) -> Hook:
        return self._run("turn_start", rows, gap, now)

    def before_call(self, now: float) -> Hook:
        return self._run("before_call", now)

    def after_response(self, row: Row, usage: Usage | None, now: float) -> Hook:
        self.usages.append(usage)
        return self._run("after_response", row, usage, now)

    def after_tools(self, rows: Sequence[Row], now: float) -> Hook:
        return self._run("after_tools", rows, now)

    def on_overflow(self, error: str, now: float) -> Hook:
        return self._run("on_overflow", error, now)

    def turn_end(self, now: float) -> Hook:
        return self._run("turn_end", now)

    def on_model_change(self, model: str, window: int, now: float) -> Hook:
        return self._run("on_model_change", model, window, now)


def once(outcome: Outcome) -> Callable[..., Hook]:
    """A hook that returns an outcome the first time it runs."""
    left = [outcome]

    def hook(*_: object) -> Hook:
        return left.pop() if left else NOTHING
        yield

    return hook


def row(role: str, tokens: int, label: str) -> Row:
    return MAKER.row(Blank(role, tokens, label))  # type: ignore[arg-type]


def script(turns: int = 2, calls: int = 3, *, gap: float = 60.0, size: int = 100, session: str = "s") -> Script:
    """Turns of `calls` calls each; every user message, reply and tool result has `size` tokens."""
    made = []
    for t in range(turns):
        replies = []
        for c in range(calls):
            last = c == calls - 1
            tools = () if last else (ToolRun("tool", row("tool", size, f"{session}-r{t}.{c}"), 2.0),)
            replies.append(Reply(row("assistant", size, f"{session}-a{t}.{c}"), 5.0, tools))
        made.append(Turn(gap if t else 0.0, (row("user", size, f"{session}-u{t}"),), tuple(replies)))
    return Script(session, (row("system", 1_000, "system"),), tuple(made), has_text=False)


def setup(
    engine: Engine,
    *,
    window: int = 1_000_000,
    auxiliary: AuxiliaryRoute | None = None,
    keep_alive: KeepAlive | None = None,
    prewarm: bool = False,
) -> Setup:
    return Setup(
        arm="arm",
        engine=engine,
        engine_version="0.22",
        window=window,
        max_tokens=None,
        settings={},
        cache_ttl="5m",
        provider=PlainProvider(),
        maker=MAKER,
        auxiliary=auxiliary,
        keep_alive=keep_alive,
        prewarm=prewarm,
    )
