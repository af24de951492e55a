"""Figures of docs/dual.md that need no prices: steps in the recent zone, shares by kind, usage, retention, the goal.

Run with `python bench/dual_study.py [--hermes] [--replications N] [--figure FILE]`. Sessions are the simulator's own
`coding-2h`; the driver below feeds them to an engine as the world does, without a provider, and looks at the history
before each call.
"""

from __future__ import annotations

import argparse
import statistics as st
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from sim.engine import AuxReply, Engine, Hook, Open, Rates, Rewrite, Usage
from sim.engine.dual import DualEngine, Goal, Loss, Statistics, measure_loss
from sim.engine.dual.loss import add_losses
from sim.engine.none import NoneEngine
from sim.history import History, RowMaker
from sim.streams import Streams
from sim.tokens import token_model
from sim.workload import draw, load_preset, summary_text
from sim.workload.script import Script

MODEL = "claude-sonnet-4-6"
RATES = Rates(fresh=3_000_000, read=300_000, write=3_750_000, output=15_000_000)


@dataclass
class Played:
    """One session under one engine."""

    calls: int = 0
    tool_calls: int = 0
    end: str = "finished"
    usage: list[tuple[float, int]] = field(default_factory=list)
    goal: list[bool] = field(default_factory=list)
    facts: list[bool] = field(default_factory=list)
    rewrites: list[Rewrite] = field(default_factory=list)
    landings: list[int] = field(default_factory=list)
    kept_prefix: list[int] = field(default_factory=list)
    loss: list[Loss] = field(default_factory=list)
    auxiliary: int = 0

    @property
    def peak(self) -> int:
        return max((tokens for _, tokens in self.usage), default=0)


class Player:
    """Feeds a script to an engine."""

    def __init__(self, engine: Engine, script: Script, window: int, settings: dict[str, Any], maker: RowMaker) -> None:
        self.script, self.window, self.maker = script, window, maker
        self.history = History(script.prefix)
        self.now = script.started_at
        self.session = engine.open(
            Open("study", MODEL, window, None, script.prefix, settings, RATES, auxiliary_window=1_000_000, now=self.now)
        )
        self.played = Played()

    def run(self) -> Played:
        """Play to the end or to an overflow."""
        done, goal = self.played, Goal(self.script.turns[0].users[0].text)
        for turn in self.script.turns:
            self.now += turn.gap
            for row in turn.users:
                self.history.append(row)
            self._take(self.session.turn_start(turn.users, turn.gap, self.now))
            for reply in turn.replies:
                self._take(self.session.before_call(self.now))
                if self.history.tokens > self.window:
                    self._take(self.session.on_overflow("context_length_exceeded", self.now))
                if self.history.tokens > self.window:
                    done.end = "overflow"
                if done.end == "overflow":
                    self.session.close()
                    return done
                texts = [row.text for row in self.history.prompt.rows]
                done.calls += 1
                done.usage.append(((self.now - self.script.started_at) / 60, self.history.tokens))
                done.goal.append(goal.state(texts).verbatim)
                everything = "\n".join(texts)
                done.facts += [self.script.facts[n] in everything for n in reply.needs]
                self.now += reply.seconds
                usage = Usage(self.history.tokens, reply.row.tokens + reply.hidden_tokens)
                self.history.append(reply.row)
                self._take(self.session.after_response(reply.row, usage, self.now))
                if reply.tools:
                    rows = [tool.result for tool in reply.tools]
                    done.tool_calls += len(rows)
                    self.now += max(tool.seconds for tool in reply.tools)
                    for row in rows:
                        self.history.append(row)
                    self._take(self.session.after_tools(rows, self.now))
            self._take(self.session.turn_end(self.now))
        self.session.close()
        return done

    def _take(self, hook: Hook) -> None:
        try:
            request = next(hook)
            while True:
                self.played.auxiliary += 1
                wanted = min(request.target_tokens or 1_500, request.max_tokens or 10**9)
                text = summary_text(Streams(self.played.auxiliary).rng("summary"), wanted, self.maker)
                request = hook.send(AuxReply(text, wanted, self.now))
        except StopIteration as stop:
            outcome = stop.value
        for event in outcome.events:
            if not isinstance(event, Rewrite):
                continue
            before = list(self.history.body)
            splices = [(s.start, s.stop, [self.maker.row(m) for m in s.rows]) for s in event.splices]
            first = self.history.splice(splices, event.kind)
            if event.prefix is not None:
                first = min(first, self.history.set_prefix(event.prefix, "system"))
            self.played.rewrites.append(event)
            self.played.kept_prefix.append(self.history.prompt.sums[min(first, len(self.history.prompt))])
            old = [row.text for a, b, _ in splices for row in before[a:b]]
            new = [row.text for _, _, rows in splices for row in rows]
            self.played.loss.append(measure_loss(old, new))
        if any(isinstance(event, Rewrite) for event in outcome.events):
            self.played.landings.append(self.history.tokens)
        if outcome.stop:
            self.played.end = "overflow"


def scripts(scale: str, replications: int, maker: RowMaker, **more: Any) -> Iterator[Script]:
    """Sessions of `coding-2h`, with the tool schemas that Hermes sends."""
    settings: dict[str, Any] = {"scale": scale, "prefix": {"tools_tokens": 8_800}, "facts": {"share": 0.5}, **more}
    preset = load_preset("coding-2h", overrides=settings)
    for replication in range(replications):
        yield draw(preset, Streams(16).child("replication", replication), 0, maker)


def step_sizes(script: Script) -> list[int]:
    """Tokens of each step: a reply with its tool results; user messages are steps of their own."""
    sizes = []
    for turn in script.turns:
        sizes += [row.tokens for row in turn.users]
        sizes += [r.row.tokens + sum(t.result.tokens for t in r.tools) for r in turn.replies]
    return sizes


def tool_steps_in(script: Script, budget: int) -> list[int]:
    """Replies with tools among the last `budget` tokens, at each point that has as many behind it."""
    steps: list[tuple[int, bool]] = []
    for turn in script.turns:
        steps += [(row.tokens, False) for row in turn.users]
        steps += [(r.row.tokens + sum(t.result.tokens for t in r.tools), bool(r.tools)) for r in turn.replies]
    found = []
    for end in range(1, len(steps) + 1):
        held = tools = 0
        for size, with_tools in reversed(steps[:end]):
            if held + size > budget:
                found.append(tools)
                break
            held += size
            tools += with_tools
    return found


def _only(wanted: str, tool: str) -> dict[str, int]:
    """Weights that leave one kind of result text of a `coding-2h` tool."""
    kinds = load_preset("coding-2h").tools[tool].result_text
    return {kind: int(kind == wanted) for kind in kinds}


def mean(values: list[float] | list[int] | list[bool]) -> float:
    return st.fmean(values) if values else float("nan")


def summary(runs: list[Played]) -> list[str]:
    """The cells of an arm's line."""
    losses = add_losses(loss for run in runs for loss in run.loss)
    landings = [size for run in runs for size in run.landings]
    facts = [fact for run in runs for fact in run.facts]
    return [
        f"{mean([r.calls for r in runs]):.0f}",
        f"{mean([r.tool_calls for r in runs]):.0f}",
        f"{max(r.peak for r in runs):,}",
        f"{mean([len(r.rewrites) for r in runs]):.1f}",
        f"{mean([r.auxiliary for r in runs]):.1f}",
        f"{mean(landings):,.0f}",
        f"{mean([k for r in runs for k in r.kept_prefix]):,.0f}",
        "-" if losses.retention is None else f"{losses.retention:.1%}",
        f"{mean(facts):.0%}",
        f"{mean([g for r in runs for g in r.goal]):.0%}",
    ]


def ends(runs: list[Played]) -> str:
    return "/".join(sorted({run.end for run in runs}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hermes", action="store_true", help="also play the two Hermes engines")
    parser.add_argument("--replications", type=int, default=3)
    parser.add_argument("--figure", metavar="FILE", help="draw usage and goal residency to this SVG")
    parser.add_argument("--scale", choices=["mix", "full"], action="append")
    options = parser.parse_args()
    maker = RowMaker(token_model(MODEL))
    arms: dict[str, tuple[Engine, dict[str, Any]]] = {
        "none": (NoneEngine(), {}),
        "dual": (DualEngine(), {}),
        "dual, oldest first": (DualEngine(), {"dual": {"order": "oldest-first"}}),
        "dual, cache-aware": (DualEngine(), {"dual": {"order": "cache-aware"}}),
        "dual, context-aware": (DualEngine(), {"dual": {"context_aware": True}}),
        "dual, adaptive zone": (DualEngine(), {"dual": {"recent": "adaptive"}}),
    }
    if options.hermes:
        from sim.engine.factory import open_engine
        from sim.scenario.model import EngineSpec

        for version in ("0.19", "0.22"):
            arms[f"hermes@{version}"] = (open_engine(EngineSpec(kind="hermes", version=version)), {})
    if options.figure:
        draw_goal(options.figure, maker, arms)
        forget(arms)
    for scale in options.scale or ["mix", "full"]:
        drawn = list(scripts(scale, options.replications, maker))
        sizes = [size for script in drawn for size in step_sizes(script)]
        inside = [n for script in drawn for n in tool_steps_in(script, 20_000)]
        totals = [sum(step_sizes(s)) + sum(r.tokens for r in s.prefix) for s in drawn]
        count = len(sizes) // len(drawn)
        print(f"\n== coding-2h, {scale}: {mean(totals):,.0f} tokens, {count} steps of {mean(sizes):.0f} tokens")
        if inside:
            quartiles = st.quantiles(inside, n=4)
            print(f"   tool steps in the last 20K tokens: quartiles {quartiles}, range {min(inside)}..{max(inside)}")
        heads = ("calls", "tools", "peak", "passes", "aux", "landing", "kept prefix", "retention", "facts", "goal")
        print(f"   {'arm':20}" + "".join(f"{head:>12}" for head in heads) + "  end")
        for name, (engine, settings) in arms.items():
            runs = [Player(engine, script, 100_000, settings, maker).run() for script in drawn]
            print(f"   {name:20}" + "".join(f"{cell:>12}" for cell in summary(runs)) + f"  {ends(runs)}")
            if isinstance(engine, DualEngine) and name == "dual":
                dual = engine.statistics()
        kinds(dual)
        forget(arms)
    for arm in arms.values():
        arm[0].close()
    bursts(options.replications, maker)
    windows(1, maker)


BURSTS: dict[str, Any] = {
    "turns": 6,
    "tools": {
        "read_file": {
            "count": 1,
            "result": 15_000,
            "fails": 0,
            "repeats": 0,
            "result_text": {"file": 0, "csv": 0, "log": 1},
        },
        "terminal": {"count": 1, "result": 12_000, "fails": 0, "result_text": _only("pytest", "terminal")},
        "execute_code": {"count": 1, "result": 3_000, "fails": 0, "result_text": _only("packages", "execute_code")},
    },
    "totals": {
        "user": {"target": 500},
        "thinking": {"target": 500},
        "text": {"target": 600},
        "arguments": {"target": 240},
        "results": {"target": 30_000},
        "span": {"target": "10m"},
    },
}
"""The chapter's three bursts: a log, a test run, a list of packages."""


def bursts(replications: int, maker: RowMaker) -> None:
    """The three bursts on a 32K window, without and with the tool schemas that Hermes sends."""
    print("\n== three bursts (15K log, 12K tests, 3K packages) on 32K")
    for tools in (0, 8_800):
        preset = load_preset("coding-2h", overrides={**BURSTS, "prefix": {"tools_tokens": tools}})
        drawn = [draw(preset, Streams(3).child("replication", n), 0, maker) for n in range(replications)]
        for name, engine in (("none", NoneEngine()), ("dual", DualEngine())):
            runs = [Player(engine, script, 32_000, {}, maker).run() for script in drawn]
            rungs = sorted({r.note for run in runs for r in run.rewrites})
            peak, calls = max(r.peak for r in runs), mean([r.calls for r in runs])
            print(
                f"   tools {tools:>5}  {name:6} calls {calls:>4.1f}  peak {peak:>6,}  {ends(runs)}  {' '.join(rungs)}"
            )


def windows(replications: int, maker: RowMaker) -> None:
    """All window sizes, in English and in Chinese, with a small prefix and with Hermes's own."""
    print("\n== coding-2h, full, on windows of all sizes")
    for language in ("english", "chinese"):
        for prefix in ({"system_tokens": 1_000, "tools_tokens": 0, "memory_tokens": 500}, {"tools_tokens": 8_800}):
            drawn = list(scripts("full", replications, maker, language=language, prefix=prefix))
            fixed = sum(row.tokens for row in drawn[0].prefix)
            for window in (8_000, 16_000, 32_000, 64_000, 200_000, 1_000_000):
                engine = DualEngine()
                runs = [Player(engine, script, window, {}, maker).run() for script in drawn]
                rungs = ", ".join(f"{rung} {n}" for rung, n in engine.statistics().by_rung)
                peak, calls = max(r.peak for r in runs), mean([r.calls for r in runs])
                line = f"   {language:8} prefix {fixed:>6,} window {window:>9,} calls {calls:>4.0f} peak {peak:>7,}"
                print(f"{line} {ends(runs):9} {rungs}")


def forget(arms: dict[str, tuple[Engine, dict[str, Any]]]) -> None:
    """Empty the compression logs."""
    for engine, _ in arms.values():
        if isinstance(engine, DualEngine):
            engine.log.clear()


def draw_goal(path: str, maker: RowMaker, arms: dict[str, tuple[Engine, dict[str, Any]]]) -> None:
    """Chart of the window in use and of whether the task stands in the request word for word, call by call."""
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    plt.rcParams["svg.hashsalt"] = "dual"
    script = next(scripts("full", 1, maker))
    shown = [name for name in ("none", "dual", "hermes@0.19", "hermes@0.22") if name in arms]
    figure, (usage, goal) = plt.subplots(2, 1, figsize=(9, 6), sharex=True, height_ratios=(3, 1))
    for place, name in enumerate(shown):
        engine, settings = arms[name]
        run = Player(engine, script, 100_000, settings, maker).run()
        calls = range(1, run.calls + 1)
        line = usage.plot(calls, [tokens / 1_000 for _, tokens in run.usage], label=name)[0]
        there = [place if seen else float("nan") for seen in run.goal]
        goal.plot(calls, there, color=line.get_color(), linewidth=5, solid_capstyle="butt")
    usage.axhline(75, color="grey", linewidth=0.8, linestyle=":")
    usage.set_ylabel("thousand tokens in the request")
    usage.legend(loc="lower right")
    goal.set_yticks(range(len(shown)), shown)
    goal.set_ylim(-0.6, len(shown) - 0.4)
    goal.set_xlabel("call")
    goal.set_title("the task of the first message stands in the request word for word", fontsize=9, loc="left")
    figure.suptitle("coding-2h at full scale on a window of 100K, one session")
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def kinds(found: Statistics) -> None:
    """Compression share by kind of content."""
    print(f"   {'kind':14}{'rows':>6}{'before':>10}{'after':>9}{'saved':>8}")
    for kind in found.by_kind:
        print(f"   {kind.kind:14}{kind.rows:>6}{kind.before:>10,}{kind.after:>9,}{kind.saved:>8.1%}")
    before, after = sum(k.before for k in found.by_kind), sum(k.after for k in found.by_kind)
    if before:
        print(f"   {'all':14}{sum(k.rows for k in found.by_kind):>6}{before:>10,}{after:>9,}{1 - after / before:>8.1%}")
    for name in ("identifiers", "numbers", "paths", "error_lines"):
        share = found.loss.share(name)
        print(f"   kept {name}: {share:.1%}" if share is not None else f"   kept {name}: none there")


if __name__ == "__main__":
    main()
