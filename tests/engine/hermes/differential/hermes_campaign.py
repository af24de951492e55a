"""Random sessions through our gates and through the package's own, compared after every gate.

Run inside an engine environment:  python -P hermes_campaign.py HOST_FOLDER SESSIONS FIRST_SEED [CALLS]
Prints one JSON document: counts of events by gate, and the first difference of every session that has one.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import sys
import time
from typing import Any

WORDS = [
    "alpha",
    "beta",
    "gamma",
    "error",
    "warning",
    "file",
    "path",
    "src",
    "main",
    "test",
    "value",
    "return",
    "import",
    "class",
    "run",
    "build",
    "index",
    "stream",
]
HAN = "压缩上下文会改变缓存前缀所以每次调用都要重新计算文件路径与错误信息"
FAILURES = (
    "no_provider",
    "timeout",
    "rate_limit",
    "overloaded",
    "auth",
    "connection",
    "not_json",
    "bad_request",
    "empty",
)
FIELDS = [
    "threshold_tokens",
    "last_prompt_tokens",
    "last_real_prompt_tokens",
    "last_compression_rough_tokens",
    "compression_count",
    "awaiting_real_usage_after_compression",
    "_verify_compaction_cleared_threshold",
    "_ineffective_compression_count",
    "_fallback_compression_streak",
    "_summary_failure_cooldown_until",
    "_structural_no_op_backoff_until",
    "_anti_thrash_recovery_deadline",
    "_proactive_prune_rearm_tokens",
    "_provider_omits_usage",
    "_previous_summary",
    "_consecutive_timeout_failures",
    "_consecutive_overload_aborts",
    "_prellm_skip_count",
    "_fallback_probe_at",
]

TIMERS = ("_summary_failure_cooldown_until", "_structural_no_op_backoff_until")


def text(rng: random.Random, size: int, han: float) -> str:
    """About `size` characters of words, or of Chinese."""
    if rng.random() < han:
        return "".join(rng.choices(HAN, k=max(1, size // 3)))
    out: list[str] = []
    length = 0
    while length < size:
        word = rng.choice(WORDS)
        out.append(word + ("\n" if rng.random() < 0.1 else " "))
        length += len(word) + 1
    return "".join(out)[:size]


def knobs(rng: random.Random) -> dict[str, Any]:
    """Settings and circumstances of one session."""
    window = rng.choice((64_000, 100_000, 128_000, 200_000, 260_000, 400_000, 600_000, 1_000_000))
    compression: dict[str, Any] = {
        "threshold": round(rng.uniform(0.3, 0.9), 2),
        "tail_mode": rng.choice(("lean", "legacy")),
        "protect_last_n": rng.randint(4, 40),
        "protect_first_n": rng.choice((0, 3, 10)),
        "min_tail_user_messages": rng.choice((1, 3)),
        "max_attempts": rng.choice((1, 3, 10)),
        "idle_compact_after_seconds": rng.choice((0, 600, 1800)),
    }
    if rng.random() < 0.7:
        compression["threshold_tokens"] = rng.randint(30_000, 230_000)
    if rng.random() < 0.6:
        compression |= {
            "proactive_prune_tokens": rng.randint(8_000, 60_000),
            "proactive_prune_min_result_chars": rng.choice((200, 1_000, 8_000)),
            "proactive_prune_min_reclaim_tokens": rng.choice((0, 4_096, rng.randint(0, 30_000))),
        }
    return {
        "window": window,
        "max_tokens": rng.choice((None, None, 16_000)),
        "compression": compression,
        "han": rng.choice((0.0, 0.0, 0.2, 0.9)),
        "parallel": rng.choice((1, 1, 3, 25)),
        "mean": rng.choice((1_500, 4_000, 9_000)),
        "images": rng.random() < 0.2,
        "thinking": rng.random() < 0.3,
        "duplicates": rng.random() < 0.4,
        "resumed": rng.random() < 0.2,
        "blank": rng.random() < 0.2,
        "count": rng.uniform(0.7, 1.7),
        "usage": rng.choice(("always", "always", "always", "never", "sometimes")),
        "system": rng.choice((2_000, 30_000, 60_000, int(window * 1.6))),
        "fail": rng.choice((0.0, 0.0, 0.2, 0.7)),
        "long": rng.random() < 0.15,
        "per_turn": rng.randint(2, 24),
    }


class Twins:
    """The auxiliary model of both sides: the same answer for the same call number."""

    def __init__(self, seed: int, knob: dict[str, Any], clock: Any) -> None:
        self.seed, self.knob, self.clock = seed, knob, clock
        self.side = 0
        self.calls = [0, 0]
        self.prompts: list[list[str]] = [[], []]

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        self.calls[self.side] += 1
        number = self.calls[self.side]
        self.prompts[self.side].append(hashlib.sha256(request["text"].encode("utf-8", "replace")).hexdigest()[:12])
        rng = random.Random(f"{self.seed}/{number}")
        failure = rng.choice(FAILURES) if rng.random() < self.knob["fail"] else None
        self.clock.now += rng.uniform(3, 90)
        words = "Goal, files and decisions so far. " * rng.randint(20, 3_000 if self.knob["long"] else 120)
        model = rng.choice(("sim-model", "other-model"))
        return {
            "text": None if failure else f"## Active Task\n{words}",
            "failure": failure,
            "status": None,
            "finished_at": self.clock.now,
            "provider": "openrouter",
            "model": model,
        }


class Session:
    """Draws one session's rows."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.knob = knobs(self.rng)
        # Drawn apart, so that sessions stay what they were before these were added.
        self.more = random.Random(f"{seed}/more")
        self.knob["auxiliary"] = self.more.choice((None, None, None, 64_000, 100_000, 131_072, 200_000))
        self.knob["refusals"] = self.more.choice((0.0, 0.0, 0.03))
        self.count = 0
        self.old: list[str] = []

    def user(self) -> dict[str, Any]:
        if self.knob["blank"] and self.rng.random() < 0.1:
            return {"role": "user", "content": "  "}
        return {"role": "user", "content": text(self.rng, self.rng.randint(20, 2_500), self.knob["han"])}

    def reply(self, last: bool) -> dict[str, Any]:
        row: dict[str, Any] = {"role": "assistant"}
        words = text(self.rng, self.rng.randint(0, 800), self.knob["han"])
        row["content"] = words if last or self.rng.random() < 0.7 else self.rng.choice((None, ""))
        if self.knob["thinking"] and self.rng.random() < 0.5:
            row["reasoning_content"] = text(self.rng, self.rng.randint(100, 3_000), self.knob["han"])
        if not last:
            calls = []
            for _ in range(self.rng.randint(1, self.knob["parallel"])):
                self.count += 1
                name = self.rng.choice(("terminal", "read_file", "search_files", "write_file"))
                arguments = {"command": text(self.rng, self.rng.randint(5, 300), self.knob["han"]), "path": "src/a.py"}
                function = {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)}
                calls.append({"id": f"call_{self.count}", "type": "function", "function": function})
            row["tool_calls"] = calls
        return row

    def results(self, reply: dict[str, Any]) -> list[dict[str, Any]]:
        rows = []
        for call in reply["tool_calls"]:
            if self.knob["duplicates"] and self.old and self.rng.random() < 0.2:
                content: Any = self.rng.choice(self.old[-8:])
            else:
                size = int(self.rng.lognormvariate(0, 1) * self.knob["mean"] / self.knob["parallel"] ** 0.5)
                content = text(self.rng, max(2, size), self.knob["han"])
                self.old.append(content)
            if self.knob["images"] and self.rng.random() < 0.1:
                part = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
                content = [{"type": "text", "text": "screenshot"}, part]
            rows.append({"role": "tool", "content": content, "tool_call_id": call["id"]})
        return rows


def digest(rows: list[dict[str, Any]]) -> str:
    """Identity of a history, every key included."""
    return hashlib.sha256(json.dumps(rows, default=str).encode("utf-8", "surrogatepass")).hexdigest()[:16]


class DifferenceError(Exception):
    """Both sides disagree."""


def compare(where: str, ours: Any, oracle: Any, twins: Twins) -> None:
    """Rows, sums, prompts, attempts, block and engine state of both sides.

    Raises:
        DifferenceError: the first thing that is not equal.
    """
    pairs: list[tuple[str, Any, Any]] = [
        ("rows", len(ours.rows), len(oracle.rows)),
        ("prompts", twins.prompts[0], twins.prompts[1]),
        ("attempts", ours.attempts, oracle.attempts),
        ("blocked", ours.blocked, oracle.blocked),
        ("history", digest(ours.rows), digest(oracle.rows)),
        ("rough", ours.books.rough, oracle.m.rough(oracle.rows)),
    ]
    pairs += [(name, getattr(ours.engine, name, None), getattr(oracle.engine, name, None)) for name in FIELDS]
    now = ours.clock.now
    for name, mine, theirs in pairs:
        if name in TIMERS and max(mine, now) == max(theirs, now):
            continue  # a lapsed timer is a lapsed timer, whether it was set back or not
        if mine != theirs:
            raise DifferenceError(f"{where}: {name} is {str(mine)[:120]}, the package has {str(theirs)[:120]}")


def play(seed: int, calls: int, package: Any, modules: Any, tally: dict[str, int]) -> str | None:
    """One session; the first difference, None when there is none."""
    from hermes_oracle import Oracle
    from hermes_sim_host.gates_anchored import AnchoredGates, usage_fields

    draw = Session(seed)
    knob, rng = draw.knob, draw.rng
    tools = [
        {
            "type": "function",
            "function": {"name": f"tool_{i}", "description": "d" * 800, "parameters": {"type": "object"}},
        }
        for i in range(rng.randint(1, 30))
    ]
    spec = {
        "session": f"sim-{seed}",
        "model": "sim-model",
        "window": knob["window"],
        "max_tokens": knob["max_tokens"],
        "tools": tools,
        "system": text(rng, knob["system"], 0.0),
        "settings": {"compression": knob["compression"]},
        "auxiliary_window": knob["auxiliary"],
        "gateway": False,
        "context_engine": None,
        "now": 1_700_000_000.0,
    }
    clock = package.clock
    clock.now = spec["now"]
    twins = Twins(seed, knob, clock)
    package.twins = twins
    ours = AnchoredGates(package, spec)
    oracle = Oracle(modules, ours, package)

    def both(where: str, mine: Any, theirs: Any) -> None:
        start = clock.now
        twins.side = 0
        ours.events = []
        mine()
        for event in ours.events:
            kind = event.get("kind") or event["reason"]
            tally[f"{event['site']} {kind}"] = tally.get(f"{event['site']} {kind}", 0) + 1
        ended, clock.now = clock.now, start
        twins.side = 1
        theirs()
        tally["gates"] = tally.get("gates", 0) + 1
        if clock.now != ended:
            raise DifferenceError(
                f"{where}: ended at {ended - start:.1f} s, the package's gate at {clock.now - start:.1f} s"
            )
        if (ours.stop is not None) != oracle.failed:
            raise DifferenceError(f"{where}: stop is {ours.stop}, the package failed: {oracle.failed}")
        if ours.stop is None:
            compare(where, ours, oracle, twins)

    call = 0
    try:
        if knob["resumed"]:
            for _ in range(rng.randint(5, 40)):
                reply = draw.reply(False)
                for row in (draw.user(), reply, *draw.results(reply), draw.reply(True)):
                    ours.append(row)
                    oracle.rows = [*oracle.rows, dict(row)]
        while call < calls and ours.stop is None:
            gap = rng.choice((5.0, 60.0, 700.0, 2_000.0))
            clock.now += gap
            user = draw.user()
            both(
                f"turn start before call {call + 1}",
                lambda u=user, g=gap: ours.turn_start([(dict(u), None)], g),
                lambda u=user, g=gap: oracle.turn_start([dict(u)], g),
            )
            length = min(knob["per_turn"], calls - call)
            for step in range(length):
                if ours.stop is not None:
                    break
                call += 1
                both(f"before call {call}", ours.before_call, oracle.before_call)
                clock.now += rng.uniform(2, 30)
                while ours.stop is None and draw.more.random() < knob["refusals"]:
                    both(f"refused call {call}", lambda: ours.on_overflow("prompt is too long"), oracle.on_overflow)
                    if ours.stop is None:
                        both(f"again before call {call}", ours.before_call, oracle.before_call)
                if ours.stop is not None:
                    break
                usage = None
                if knob["usage"] == "always" or (knob["usage"] == "sometimes" and rng.random() < 0.5):
                    usage = (int(ours.gauge.whole() * knob["count"]), rng.randint(20, 900))
                reply = draw.reply(step == length - 1)
                ours.after_response(dict(reply), None, usage)
                oracle.after_response(dict(reply), usage, usage_fields)
                if step == length - 1:
                    continue
                clock.now += rng.uniform(0.1, 20)
                rows = draw.results(reply)
                both(
                    f"after tools of call {call}",
                    lambda r=rows: ours.after_tools([(dict(x), None) for x in r]),
                    lambda r=rows: oracle.after_tools([dict(x) for x in r]),
                )
    except DifferenceError as found:
        return str(found)
    if ours.stop is not None:
        tally[f"ended: {ours.stop}"] = tally.get(f"ended: {ours.stop}", 0) + 1
    tally["calls"] = tally.get("calls", 0) + call
    return None


def main() -> None:
    """Play the sessions asked for."""
    folder, sessions, first = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    calls = int(sys.argv[4]) if len(sys.argv) > 4 else 90
    sys.path += [folder, os.path.dirname(os.path.abspath(__file__))]
    from hermes_sim_host import surroundings

    root = surroundings.make_home()
    surroundings.block_network()
    surroundings.silence_logs()
    from hermes_oracle import install
    from hermes_sim_host import clock as clocks
    from hermes_sim_host.package import Package

    package: Any = Package(lambda request: package.twins.ask(request))
    modules = install()
    modules.gate_estimate = modules.rough = package.metadata.estimate_messages_tokens_rough
    clocks.install(package.clock)
    tally: dict[str, int] = {}
    differences: list[str] = []
    started = time.perf_counter()
    for seed in range(first, first + sessions):
        package.metadata._TOOLS_TOKENS_CACHE.clear()
        found = play(seed, calls, package, modules, tally)
        if found:
            differences.append(f"session {seed}: {found}")
    surroundings.remove_home(root)
    seconds = round(time.perf_counter() - started, 1)
    print(json.dumps({"sessions": sessions, "differences": differences, "tally": tally, "seconds": seconds}, indent=1))


if __name__ == "__main__":
    main()
