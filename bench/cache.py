"""Speed of cache and price: calls a second on append-only sessions, growth with length, and a large service trace.

    python bench/cache.py                 # generated sessions
    python bench/cache.py TRACE.jsonl     # also a Mooncake trace

Every figure is CPU time of one core. The exponent is that of whole-session time against calls (1 = the cost of a call
does not depend on what is in the context).
"""

from __future__ import annotations

import gc
import math
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

from sim.history import Blank, Prompt, RowMaker
from sim.provider import Profile, TokenUse, profile
from sim.tokens import token_model

AS_OF = datetime(2026, 12, 1, tzinfo=UTC)
MODELS = {
    "breakpoint": ("claude-opus-4-7", {}),
    "eligible breakpoint": ("gpt-6.1-sol", {}),
    "interval": ("gpt-5.4", {}),
    "unit": ("deepseek-flash", {}),
    "block": ("deepseek-flash", {"family": "block"}),
    "none": ("deepseek-flash", {"family": "none"}),
}


def session_seconds(found: Profile, calls: int) -> float:
    """Time to place markers, serve, settle and price an append-only session, rows made beforehand."""
    maker = RowMaker(token_model("gpt-4o"))
    rows = [maker.row(Blank(role, 700, f"{i}")) for i in range(calls) for role in ("tool", "assistant")]
    opening = [maker.row(Blank("tools", 9_000, "t")), maker.row(Blank("system", 3_000, "s"))]
    prompt, cache, card = Prompt(opening), found.open_cache(), found.card
    at = AS_OF.timestamp()
    gc.collect()
    begin = time.process_time()
    for call in range(calls):
        now = at + call * 10.0
        prompt.append(rows[2 * call])
        marks = found.place(prompt, engine_version="0.22", cache_ttl="5m")
        s = cache.serve(prompt, marks, now, first_byte=now + 1, done=now + 4)
        card.cost(TokenUse(s.read, s.writes, s.fresh, 700), now)
        prompt.append(rows[2 * call + 1])
        cache.settle(prompt, now + 4)
    return time.process_time() - begin


def main(paths: list[str]) -> None:
    """Print the figures."""
    lengths = (100, 300, 1_000, 3_000)
    print(f"{'family':22}{'calls/s':>10}{'exponent':>10}")
    for name, (model, cache) in MODELS.items():
        found = profile(model, as_of=AS_OF, cache=cache)
        spent = {n: min(session_seconds(found, n) for _ in range(5)) for n in lengths}
        xs = [math.log(n) for n in lengths]
        ys = [math.log(spent[n]) for n in lengths]
        mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
        slope = sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True))
        exponent = slope / sum((x - mean_x) ** 2 for x in xs)
        print(f"{name:22}{lengths[-1] / spent[lengths[-1]]:>10,.0f}{exponent:>10.3f}")
    for path in paths:
        from sim.provider.validate import hit_shares, read_trace

        begin = time.process_time()
        requests = read_trace(Path(path))
        read = time.process_time() - begin
        begin = time.process_time()
        hit_shares(requests, [None])
        print(
            f"{Path(path).name}: {len(requests)} requests, read {read:.2f} s, cache {time.process_time() - begin:.2f} s"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
