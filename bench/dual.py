"""Speed of the dual engine: whole sessions (bound: 0.3 s for 500K tokens, linear), strategies (bound: 20 MB/s).

Run with `python bench/dual.py`; leaves with 1 when a bound is broken. `--loose N` multiplies the time bounds for slow
machines.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Callable

from sim.engine.dual import DualSettings, ToolOutputCompressor, answer, no_model
from sim.engine.dual.body import Body
from sim.engine.dual.controller import Controller
from sim.engine.dual.item import Item, full_text
from sim.tokens import token_model

MODEL = "claude-3-5-sonnet-20241022"


def log_text(lines: int, seed: int) -> str:
    rng = random.Random(seed)
    levels = rng.choices(["INFO", "DEBUG", "WARN", "ERROR"], (85, 10, 3, 2), k=lines)
    return "\n".join(
        f"2024-01-15 10:{i // 60 % 60:02}:{i % 60:02} {level:5} worker-{i % 7} "
        f"request {i * 7919 % 999983} took {i % 300}ms"
        for i, level in enumerate(levels)
    )


def run_text(lines: int, seed: int) -> str:
    return "\n".join(
        [f"collected {lines} items"]
        + [
            f"tests/test_m{i % 13}.py::test_case_{seed}_{i} {'FAILED' if i % 97 == 5 else 'PASSED'}"
            for i in range(lines)
        ]
        + [f"=== {lines} run ==="]
    )


def table_text(lines: int, seed: int) -> str:
    return "\n".join(["id,name,price", *(f"{i},item {i * seed},{i * 1.5}" for i in range(lines))])


def json_text(lines: int, seed: int) -> str:
    return json.dumps([{"id": i, "name": f"n{i * seed}", "tags": ["a", "b"]} for i in range(lines)])


def source_text(lines: int, seed: int) -> str:
    return "\n".join(
        part
        for i in range(lines // 4)
        for part in (f"def function_{seed}_{i}(a, b={i}):", f"    c = a * {i} + b", "    return c", "")
    )


MAKERS: dict[str, Callable[[int, int], str]] = {
    "log": log_text, "code output": run_text, "table": table_text, "json": json_text, "source": source_text,
}  # fmt: skip


def best(work: Callable[[], object], rounds: int) -> float:
    """Shortest processor time of several runs, in seconds (other work on the machine does not count)."""
    times = []
    for _ in range(rounds):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def session(tokens: int, count: Callable[[str], int]) -> list[Item]:
    """Rows of a coding session: replies with calls, results of mixed kinds, sizes as real sessions have them."""
    rng = random.Random(7)
    names = ["code output", "code output", "log", "source", "table", "json", "short", "short"]
    items = [Item("user", 40, {"role": "user", "content": "Find out why the service is slow."})]
    total = 0
    while total < tokens:
        number = len(items)
        call = {
            "id": f"c{number}",
            "type": "function",
            "function": {"name": "terminal", "arguments": '{"command": "run"}'},
        }
        reply = {"role": "assistant", "content": f"Step {number}.", "tool_calls": [call]}
        name = rng.choice(names)
        lines = max(int(rng.lognormvariate(4.3, 1.0)), 5)
        text = "ok" if name == "short" else MAKERS[name](lines, number)
        result = {"role": "tool", "tool_call_id": f"c{number}", "content": text}
        items.append(Item("assistant", 30, reply, 1))
        items.append(Item("tool", count(full_text(result)), result))
        total += items[-1].tokens + 30
    return items


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--loose", type=float, default=1.0)
    loose = parser.parse_args().loose
    tokens = token_model(MODEL)
    counted: dict[str, int] = {}

    def count(text: str) -> int:
        return tokens.billed(text, tokens.classify(text))

    broken = 0
    print(f"{'whole session':16}{'tokens':>10}{'seconds':>10}{'rows':>8}{'landing':>10}")
    seconds: dict[int, float] = {}
    for size in (125_000, 250_000, 500_000, 1_000_000):
        items = session(size, count)
        for item in items:
            counted[full_text(item.message or {})] = item.tokens
        done = {}

        def work(items: list[Item] = items, size: int = size, done: dict[str, int] = done) -> None:
            settings = DualSettings(summaries="extract", target=0.05, trigger=0.5)
            controller = Controller(settings, size, count)
            body = Body(0, lambda m: count(full_text(m)), items)
            passes = answer(controller.compress(body), no_model)
            done["rows"], done["after"] = sum(len(p.rows) for p in passes), body.tokens

        seconds[size] = best(work, 5)
        print(f"{'':16}{size:>10,}{seconds[size]:>10.3f}{done['rows']:>8}{done['after']:>10,}")
    if seconds[500_000] > 0.3 * loose:
        broken += 1
        print(f"  over the bound: 500K tokens in {seconds[500_000]:.3f} s, at most {0.3 * loose:.2f}")
    growth = seconds[1_000_000] / seconds[250_000]
    print(f"  four times the tokens take {growth:.2f} times as long")
    if growth > 6:
        broken += 1
        print("  over the bound: not linear")

    print(f"{'strategy':16}{'MB':>10}{'MB/s':>10}")
    compressor = ToolOutputCompressor(DualSettings(summaries="extract"), count)
    for name, make in MAKERS.items():
        text = make(40_000, 3)
        megabytes = len(text.encode()) / 1e6
        took = best(lambda text=text: answer(compressor.compress(text, tokens=10**6), no_model), 3)  # type: ignore[misc]
        rate = megabytes / took
        print(f"{name:16}{megabytes:>10.2f}{rate:>10.1f}")
        if name in ("log", "code output") and rate < 20 / loose:
            broken += 1
            print(f"  under the bound of {20 / loose:.0f} MB/s")
    for name in ("log", "code output"):
        texts = [MAKERS[name](60, k) for k in range(300)]
        megabytes = sum(len(t.encode()) for t in texts) / 1e6
        took = best(lambda texts=texts: [answer(compressor.compress(t, tokens=999), no_model) for t in texts], 3)  # type: ignore[misc]
        print(f"{name + ', small':16}{megabytes:>10.2f}{megabytes / took:>10.1f}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
