"""ATIF trajectories (Harbor): `{schema_version: "ATIF-v1.x", agent, steps, final_metrics}`.

`prompt_tokens` includes the cached ones. Steps of the agent are calls; a step without metrics that follows one of the
same response is still a call of its own.
"""

from __future__ import annotations

from typing import Any

from sim.workload.replay.drafts import Called, Draft, Said, Used
from sim.workload.replay.source import Source
from sim.workload.replay.values import amount, as_text, content, inclusive, listing, mapping, plain, string, when

NAME = "atif"


def recognise(source: Source) -> bool:
    """A `schema_version` that starts with ATIF."""
    return string(mapping(source.document).get("schema_version")).startswith("ATIF")


def read(source: Source) -> list[Draft]:
    """The session of the file."""
    document = mapping(source.document)
    agent = mapping(document.get("agent"))
    draft = Draft(string(document.get("session_id")) or source.stem, model=string(agent.get("model_name")))
    draft.schemas = [tool for tool in listing(agent.get("tool_definitions")) if isinstance(tool, dict)]
    for one in listing(document.get("steps")):
        reason = _step(draft, mapping(one))
        if reason:
            draft.skipped[reason] += 1
        else:
            draft.used += 1
    final = mapping(document.get("final_metrics"))
    if prompt := amount(final.get("total_prompt_tokens")):
        draft.totals = (prompt, amount(final.get("total_completion_tokens")), len(draft.calls))
    return [draft]


def _step(draft: Draft, step: dict[str, Any]) -> str | None:
    source, at = step.get("source"), when(step.get("timestamp"))
    text = content(step.get("message"))
    if source == "system":
        if draft.events:
            draft.events.append(Said(text, at, injected=True))
        else:
            draft.system += ("\n\n" if draft.system else "") + plain(text)
        return None
    if source == "user":
        draft.events.append(Said(text, at))
        return None
    if source != "agent":
        return f"unknown source: {source!r}"[:60]
    metrics = mapping(step.get("metrics"))
    call = Called(
        id=string(step.get("step_id")),
        model=string(step.get("model_name")),
        text=plain(text),
        thinking=string(step.get("reasoning_content")),
        done=at,
        usage=inclusive(metrics.get("prompt_tokens"), metrics.get("cached_tokens"), metrics.get("completion_tokens")),
    )
    for one in listing(step.get("tool_calls")):
        part = mapping(one)
        ident = string(part.get("tool_call_id")) or f"call-{len(draft.events)}-{len(call.tools)}"
        call.tools.append(
            Used(ident, string(part.get("function_name")) or "tool", as_text(part.get("arguments") or {}))
        )
    for one in listing(mapping(step.get("observation")).get("results")):
        part = mapping(one)
        ident = string(part.get("source_call_id"))
        open_tools = [tool for tool in call.tools if tool.result is None]
        tool = next((t for t in open_tools if t.id == ident), open_tools[0] if open_tools and not ident else None)
        if tool is not None:
            tool.result = content(part.get("content"))
    draft.events.append(call)
    return None
