"""0.19's gates by running sums against the same figures estimated anew by the package at every gate.

Its gates cannot be called apart from a loop of 5,800 lines, so there is no oracle for the decisions; the figures they
rest on are all there is to compare.  python -P hermes_sums.py HOST_FOLDER SESSIONS FIRST_SEED [CALLS]
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any


def main() -> None:
    """Play sessions and print counts and differences as one JSON document."""
    folder, sessions, first = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    calls = int(sys.argv[4]) if len(sys.argv) > 4 else 90
    sys.path += [folder, os.path.dirname(os.path.abspath(__file__))]
    from hermes_sim_host import surroundings

    root = surroundings.make_home()
    surroundings.block_network()
    surroundings.silence_logs()
    from hermes_campaign import Session, Twins, text
    from hermes_sim_host.gates_early import EarlyGates
    from hermes_sim_host.package import Package

    package: Any = Package(lambda request: package.twins.ask(request))
    rough, request = package.metadata.estimate_messages_tokens_rough, package.metadata.estimate_request_tokens_rough
    tally: dict[str, int] = {}
    differences: list[str] = []

    for seed in range(first, first + sessions):
        draw = Session(seed)
        knob, rng = draw.knob, draw.rng
        spec = {
            "session": f"sim-{seed}",
            "model": "sim-model",
            "window": knob["window"],
            "max_tokens": None,
            "tools": [{"type": "function", "function": {"name": "run", "description": "d" * 5_000, "parameters": {}}}],
            "system": text(rng, min(knob["system"], 60_000), 0.1),
            "settings": {"compression": {k: v for k, v in knob["compression"].items() if k != "threshold_tokens"}},
            "auxiliary_window": None,
            "gateway": False,
            "context_engine": None,
            "now": 1_700_000_000.0,
        }
        clock = package.clock
        clock.now = spec["now"]
        package.twins = Twins(seed, knob, clock)
        session = EarlyGates(package, spec)

        def check(where: str, session: Any = session, seed: int = seed) -> None:
            system, tools = session.system, session.tools
            package.metadata._TOOLS_TOKENS_CACHE.clear()
            wire = [{"role": "system", "content": system}]
            for row in session.rows:
                copy = dict(row)
                if isinstance(copy.get("content"), str):
                    copy["content"] = copy["content"].strip()
                if copy.get("tool_calls"):
                    copy["tool_calls"] = [canonical(call) for call in copy["tool_calls"]]
                wire.append(copy)
            pairs = {
                "rough": (session.books.rough, rough(session.rows)),
                "request": (session.gauge.request(), request(session.rows, system_prompt=system, tools=tools)),
                "wired": (session.gauge.wired(), rough(wire) + request([], tools=tools)),
            }
            tally["gates"] = tally.get("gates", 0) + 1
            for event in session.events:
                name = f"{event['site']} {event.get('kind') or event['reason']}"
                tally[name] = tally.get(name, 0) + 1
            for name, (mine, theirs) in pairs.items():
                if mine != theirs:
                    differences.append(f"session {seed}, {where}: {name} {mine} against {theirs}")

        call = 0
        while call < calls and session.stop is None:
            gap = rng.choice((5.0, 700.0))
            clock.now += gap
            session.events = []
            session.turn_start([(draw.user(), None)], gap)
            check("turn start")
            length = min(knob["per_turn"], calls - call)
            for step in range(length):
                call += 1
                session.events = []
                session.before_call()
                check(f"before call {call}")
                clock.now += 10
                reply = draw.reply(step == length - 1)
                usage = None if knob["usage"] == "never" else (int(session.gauge.whole() * knob["count"]), 100)
                session.after_response(reply, None, usage)
                if step < length - 1:
                    session.events = []
                    session.after_tools([(row, None) for row in draw.results(reply)])
                    check(f"after tools of call {call}")
    surroundings.remove_home(root)
    print(json.dumps({"sessions": sessions, "differences": differences[:20], "tally": tally}, indent=1))


def canonical(call: dict[str, Any]) -> dict[str, Any]:
    """A call with its arguments as the loop sends them."""
    function = call["function"]
    arguments = json.dumps(json.loads(function["arguments"]), separators=(",", ":"), sort_keys=True)
    return {**call, "function": {**function, "arguments": arguments}}


if __name__ == "__main__":
    main()
