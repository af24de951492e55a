"""How fast sessions are drawn and tokenised; prints one line a figure. Run: `python bench/workload.py`."""

from __future__ import annotations

import random
import time
from collections.abc import Callable

from sim.history import RowMaker
from sim.streams import Streams
from sim.tokens import encoding, token_model
from sim.workload import draw, load_preset
from sim.workload.check import check
from sim.workload.script import Script
from sim.workload.synthetic.text import RESULTS, Project

MODEL = token_model("claude-opus-4-7")


def texts(script: Script) -> list[str]:
    """Every text of a session once."""
    rows = [*script.prefix]
    for turn in script.turns:
        rows.extend(turn.users)
        for reply in turn.replies:
            rows.append(reply.row)
            rows.extend(tool.result for tool in reply.tools)
    return [row.text for row in rows]


def best(work: Callable[[int], object], times: int = 5) -> float:
    """CPU seconds of the best of several runs."""
    found = []
    for number in range(times):
        start = time.process_time()
        work(number)
        found.append(time.process_time() - start)
    return min(found)


def main() -> None:
    """Measure and print."""
    encoding("o200k_base")
    preset = load_preset("long-haul")

    def session(number: int, text: bool = True) -> Script:
        return draw(preset, Streams(number), 0, RowMaker(MODEL), text=text)

    session(0)
    made = texts(session(0))
    size = sum(map(len, made)) / 1e6
    drawing = best(session)
    tokenising = best(lambda _: [MODEL.count(text) for text in made])
    print(f"long-haul, 436 calls, {size:.2f} MB of text: drawn and tokenised in {drawing:.3f} s CPU")
    print(f"  tokenising the same text once: {tokenising:.3f} s, so drawing alone {drawing - tokenising:.3f} s")
    print(f"  sizes only: {best(lambda n: session(n, False)) * 1e3:.1f} ms")
    project = Project(3)
    slowest, name_of = 1e9, ""
    for name, make in sorted(RESULTS.items()):
        seconds = best(lambda n, make=make: make(random.Random(n), 400_000, project), 3)
        speed = 0.4 / seconds
        if speed < slowest:
            slowest, name_of = speed, name
        print(f"  text {name:<14} {speed:7.1f} million characters a second")
    print(f"  slowest kind: {name_of}, {slowest:.1f}")
    start = time.process_time()
    check(load_preset("coding-2026"), sessions=500)
    spent = time.process_time() - start
    print(f"coding-2026: {spent / 500 * 1e3:.2f} ms a token-only session, {spent * 4:.1f} s for a check of 2,000")
    fleet = load_preset("coding-2026", overrides={"calls": 250})
    start = time.process_time()
    maker = RowMaker(MODEL)
    calls = sum(draw(fleet, Streams(1), number, maker, text=False).calls for number in range(200))
    print(f"fleet of 200 sessions, {calls:,} calls, drawn without text in {time.process_time() - start:.2f} s")


if __name__ == "__main__":
    main()
