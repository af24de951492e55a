"""Marker layouts against the published Hermes packages' own functions, on random message lists."""

from __future__ import annotations

import json
import random
import subprocess
from pathlib import Path
from typing import Any

import pytest

from sim.engine.hermes import envs
from sim.history import Prompt, RowMaker
from sim.provider.placement import hermes_layout
from sim.tokens import token_model

CASES = 300
_SCRIPT = """
import json, sys
from agent.prompt_caching import apply_anthropic_cache_control
for line in sys.stdin:
    case = json.loads(line)
    tools = []
    if case["version"] == "0.19":
        messages = apply_anthropic_cache_control(case["messages"], "5m", native_anthropic=case["native"])
    else:
        from agent.prompt_caching import build_prompt_cache_plan
        plan = build_prompt_cache_plan(
            case["messages"], case["tools"], cache_ttl="5m", native_anthropic=case["native"],
            static_system_prefix=case["static"], direct_native_tool_cache=case["native"],
        )
        messages, tools = plan.messages, plan.tools
    marks = [["tools", 0] for tool in tools if "cache_control" in tool]
    for i, message in enumerate(messages):
        if "cache_control" in message:
            marks.append([i, -1])
        content = message.get("content")
        for j, part in enumerate(content if isinstance(content, list) else ()):
            if "cache_control" in part:
                marks.append([i, j])
    print(json.dumps(marks))
"""


def message_list(rng: random.Random) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    for n in range(rng.randint(1, 8)):
        draw = rng.random()
        if draw < 0.3:
            messages.append({"role": "user", "content": f"question {n}"})
        elif draw < 0.5:
            messages.append({"role": "assistant", "content": f"answer {n}"})
        else:
            ids = [f"id{n}-{i}" for i in range(rng.randint(1, 3))]
            calls = [{"id": i, "type": "function", "function": {"name": "f", "arguments": "{}"}} for i in ids]
            text = rng.choice([None, "", f"text {n}"])
            messages.append({"role": "assistant", "content": text, "tool_calls": calls})
            if rng.random() < 0.9:
                results = [rng.choice([f"result {i}"] * 3 + [""]) for i in ids]
                messages += [
                    {"role": "tool", "tool_call_id": i, "content": r} for i, r in zip(ids, results, strict=True)
                ]
    return [*messages, {"role": "user", "content": "last"}] if rng.random() < 0.5 else messages


def case_of(rng: random.Random, version: str) -> dict[str, Any]:
    split = rng.random() < 0.6
    system = {"role": "system", "content": "static" + ("changing" if split else "")}
    tool = {"type": "function", "function": {"name": "f", "parameters": {}}}
    return {
        "version": version,
        "native": rng.random() < 0.5,
        "static": "static" if split else None,
        "tools": [tool] if rng.random() < 0.8 else [],
        "messages": [system, *message_list(rng)],
    }


def expected(case: dict[str, Any], real: list[list[Any]]) -> list[int]:
    """Row boundaries of the markers that the package set; a split system message is two rows of ours."""
    tools, systems = len(case["tools"]), 2 if case["static"] else 1
    found = []
    for place, part in real:
        if place == "tools":
            found.append(1)
        elif place == 0:
            first_of_two = systems == 2 and part == 0 and case["version"] != "0.19"
            found.append(tools + (1 if first_of_two else systems))
        else:
            found.append(tools + systems + place)
    return sorted(found)


@pytest.mark.parametrize("version", ["0.19", "0.22"])
def test_same_markers_as_the_package(version: str, tmp_path: Path) -> None:
    interpreter = envs.ensure(version)
    rng = random.Random(f"layouts {version}")
    maker = RowMaker(token_model("claude-opus-4-7"))
    cases = [case_of(rng, version) for _ in range(CASES)]
    script = tmp_path / "layouts.py"
    script.write_text(_SCRIPT)
    done = subprocess.run(
        [str(interpreter), str(script)],
        input="\n".join(json.dumps(c) for c in cases),
        capture_output=True,
        text=True,
        check=True,
        env={"HOME": str(tmp_path), "HERMES_HOME": str(tmp_path), "PATH": ""},
    )
    for case, line in zip(cases, done.stdout.splitlines(), strict=True):
        system = case["messages"][0]["content"]
        parts = ["static", "changing"] if case["static"] else [system]
        rows = [maker.tools(case["tools"])] if case["tools"] else []
        rows += [maker.row({"role": "system", "content": part}) for part in parts]
        rows += [maker.row(m) for m in case["messages"][1:]]
        got = [m.index for m in hermes_layout(Prompt(rows), engine_version=version, ttl="5m", native=case["native"])]
        assert got == expected(case, json.loads(line)), case
