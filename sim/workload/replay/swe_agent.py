"""SWE-agent trajectories (`.traj`): `history` is what the model was sent, `trajectory` times each step.

Demonstrations (`is_demo`) are in the prompt without being work; usage is known for the session only.
"""

from __future__ import annotations

import re
from typing import Any

from sim.workload.replay.drafts import Called, Carried, Draft, Said, Used
from sim.workload.replay.openai_chat import session
from sim.workload.replay.source import Source
from sim.workload.replay.texttools import results_from_messages
from sim.workload.replay.values import amount, content, listing, mapping, number, plain, string

NAME = "swe-agent"
_ANY = re.compile("")
_ELIDED = "Old environment output: ("


def recognise(source: Source) -> bool:
    """An object with `trajectory` steps of action and observation."""
    steps = listing(mapping(source.document).get("trajectory"))
    return any("action" in mapping(step) and "observation" in mapping(step) for step in steps[:3])


def read(source: Source) -> list[Draft]:
    """The session of the file."""
    document = mapping(source.document)
    steps = [mapping(step) for step in listing(document.get("trajectory"))]
    rows = [mapping(row) for row in listing(document.get("history"))]
    draft = _from_history(source.stem, rows) if rows else _from_steps(source.stem, steps)
    calls = draft.calls
    for call, step in zip(calls, steps, strict=False):
        for tool in call.tools:
            tool.seconds = number(step.get("execution_time"))
    if rows and len(steps) != len(calls):
        draft.notes.append(f"{len(steps)} steps, {len(calls)} calls in the history")
    stats = mapping(mapping(document.get("info")).get("model_stats"))
    if sent := amount(stats.get("tokens_sent")):
        draft.totals = (sent, amount(stats.get("tokens_received")), amount(stats.get("api_calls")))
    elided = sum(1 for call in calls for tool in call.tools if plain(tool.result).startswith(_ELIDED))
    if elided:
        draft.notes.append(f"{elided} observation(s) were elided from later prompts by a history processor")
    return [draft]


def _from_history(name: str, rows: list[dict[str, Any]]) -> Draft:
    demo = [row for row in rows if row.get("is_demo")]
    draft = session(name, [_message(row) for row in rows if not row.get("is_demo")])
    if demo:
        shown = session(name, [_message(row) for row in demo])
        events = [event for event in shown.events if isinstance(event, Said | Called)]
        draft.events.insert(0, Carried(events))
        draft.used += len(demo)
        draft.notes.append(f"{len(demo)} demonstration row(s) are in the prompt, none of them was a call")
    results_from_messages(draft, _ANY, "command")
    return draft


def _message(row: dict[str, Any]) -> dict[str, Any]:
    """History rows name the calls a result belongs to in a list."""
    ids = listing(row.get("tool_call_ids"))
    return {**row, "tool_call_id": string(ids[0])} if ids and not row.get("tool_call_id") else row


def _from_steps(name: str, steps: list[dict[str, Any]]) -> Draft:
    draft = Draft(name)
    for place, step in enumerate(steps):
        call = Called(text=string(step.get("response")) or string(step.get("thought")))
        call.tools.append(
            Used(f"step-{place}", "command", string(step.get("action")), content(step.get("observation")))
        )
        draft.events.append(call)
        draft.used += 1
    draft.notes.append("the file holds steps only: system prompt and task are not known")
    return draft


# mini-swe-agent ----------------------------------------------------------------------------------------------------

_RETURN = re.compile(r"\s*(?:<returncode>|<output>|Observation:|<warning>)")
_BASH = re.compile(r"```(?:mswea_bash_command|bash)\n")


def _mini_rows(source: Source) -> list[Any]:
    document = source.document
    if isinstance(document, list):
        return document
    return listing(mapping(document).get("messages"))


def recognise_mini(source: Source) -> bool:
    """A `trajectory_format` of mini-swe-agent, or messages with bash blocks answered by return codes."""
    if string(mapping(source.document).get("trajectory_format")).startswith("mini-swe-agent"):
        return True
    rows = [mapping(row) for row in _mini_rows(source)[:40]]
    asked = any(row.get("role") == "assistant" and _BASH.search(plain(content(row.get("content")))) for row in rows)
    told = any(
        string(row.get("role")) in {"user", "tool"} and _RETURN.match(plain(content(row.get("content"))))
        for row in rows
    )
    return asked and told


def read_mini(source: Source) -> list[Draft]:
    """The session of the file; versions 2.x keep the provider's response with each answer."""
    rows = []
    ended = 0
    for row in (mapping(row) for row in _mini_rows(source)):
        response = mapping(mapping(row.get("extra")).get("response"))
        if row.get("role") == "exit":
            ended += 1
            continue
        if row.get("object") == "response" or (response and row.get("role") == "assistant"):
            row = {**row, "usage": response.get("usage"), "model": response.get("model"), "id": response.get("id")}
        rows.append({"timestamp": mapping(row.get("extra")).get("timestamp"), **row})
    draft = session(source.stem, rows)
    draft.model = string(mapping(mapping(mapping(source.document).get("info")).get("config")).get("model"))
    if ended:
        draft.skipped["end of the run"] += ended
    results_from_messages(draft, _RETURN, "bash")
    last = draft.events[-1] if draft.events else None
    if isinstance(last, Said):
        draft.events.pop()
        calls = draft.calls
        if calls and not calls[-1].tools:
            calls[-1].tools.append(Used("text-end", "bash", "", last.content, last.at))
    return [draft]
