"""OpenHands evaluation outputs: one run a line with `history` of actions and observations.

The provider's response is repeated on every action and observation of a call; calls are told apart by its id. Old
files have neither ids nor times: an action is a call, the observation after it its result.
"""

from __future__ import annotations

from typing import Any

from sim.workload.replay.drafts import Called, Compacted, Draft, Said, Used
from sim.workload.replay.openai_chat import usage_of
from sim.workload.replay.source import Source
from sim.workload.replay.values import as_text, content, listing, mapping, number, plain, string, when

NAME = "openhands"
_SILENT = {"recall", "change_agent_state", "null", "agent_state_changed", "send_pr"}


def _events(item: object) -> list[dict[str, Any]]:
    """Events of a run; very old files pair action and observation in a list."""
    found: list[dict[str, Any]] = []
    for one in listing(mapping(item).get("history")):
        found += [mapping(part) for part in (one if isinstance(one, list) else [one])]
    return found


def _run(item: object) -> bool:
    events = _events(item)[:30]
    return any("action" in event for event in events) and any("observation" in event for event in events)


def recognise(source: Source) -> bool:
    """Objects whose `history` holds actions and observations."""
    return any(_run(item) for item in source.objects[:3]) or _run(source.document)


def read(source: Source) -> list[Draft]:
    """One session a run."""
    if any(_run(item) for item in source.objects[:3]):
        drafts = []
        for line, item in source.records():
            if _run(item):
                drafts.append(_session(item, string(item.get("instance_id")) or f"{source.stem}-{line}"))
            else:
                source.skip("a run without history")
        return drafts
    return [_session(mapping(source.document), source.stem)]


class _Reader:
    def __init__(self, name: str) -> None:
        self.draft = Draft(name)
        self.calls: dict[str, Called] = {}
        self.tools: dict[str, Used] = {}
        self.open: Used | None = None

    def event(self, event: dict[str, Any]) -> str | None:
        """Take one event; a reason when it is left out."""
        at = when(event.get("timestamp"))
        if "observation" in event:
            return self._observation(event, at)
        action = string(event.get("action"))
        arguments = mapping(event.get("args")) or event
        if action == "system":
            self.draft.system = string(arguments.get("content")) or string(event.get("message"))
            self.draft.schemas = [tool for tool in listing(arguments.get("tools")) if isinstance(tool, dict)]
            return None
        if action == "condensation":
            self.draft.events.append(Compacted(string(arguments.get("summary")) or None, at))
            return None
        if action in _SILENT:
            return f"notice: {action}"
        metadata = mapping(event.get("tool_call_metadata"))
        if metadata:
            return self._called(event, metadata, at)
        if action == "message" and (event.get("source") == "user" or (not self.draft.events and "source" not in event)):
            text = content(arguments.get("content")) or string(event.get("message"))
            self.draft.events.append(Said(text, at))
            return None
        if not action:
            return "an event without action"
        return self._plain(action, arguments, at)

    def _called(self, event: dict[str, Any], metadata: dict[str, Any], at: float | None) -> str | None:
        response = mapping(metadata.get("model_response"))
        ident = string(response.get("id")) or f"event-{event.get('id')}"
        call = self.calls.get(ident)
        if call is None:
            choices = listing(response.get("choices"))
            message = mapping(mapping(choices[0] if choices else {}).get("message"))
            call = Called(
                id=ident,
                model=string(response.get("model")),
                text=plain(content(message.get("content"))),
                done=at,
                usage=usage_of(response.get("usage")),
            )
            for one in listing(message.get("tool_calls")):
                part = mapping(one)
                function = mapping(part.get("function"))
                tool = Used(
                    string(part.get("id")) or f"{ident}-{len(call.tools)}",
                    string(function.get("name")) or "tool",
                    as_text(function.get("arguments") or {}),
                )
                self.tools[f"{ident}/{tool.id}"] = tool
                call.tools.append(tool)
            self.calls[ident] = call
            self.draft.events.append(call)
        if event.get("action") == "finish":
            for tool in call.tools:
                tool.result = tool.result if tool.result is not None else ""
        return None

    def _plain(self, action: str, arguments: dict[str, Any], at: float | None) -> str | None:
        thought = string(arguments.get("thought"))
        call = Called(text=thought or string(arguments.get("content")), done=at)
        if action not in {"message", "finish"}:
            inside = {k: v for k, v in arguments.items() if k in {"command", "code", "path", "content", "url"}}
            self.open = Used(f"action-{len(self.draft.events)}", action, as_text(inside))
            call.tools.append(self.open)
        self.draft.events.append(call)
        return None

    def _observation(self, event: dict[str, Any], at: float | None) -> str | None:
        kind = string(event.get("observation"))
        if kind == "recall":
            known = listing(mapping(event.get("extras")).get("microagent_knowledge"))
            text = "\n".join(string(mapping(one).get("content")) for one in known)
            if not text:
                return "notice: recall"
            self.draft.events.append(Said(text, at, injected=True))
            return None
        if kind in _SILENT:
            return f"notice: {kind}"
        metadata = mapping(event.get("tool_call_metadata"))
        if metadata:
            ident = string(mapping(metadata.get("model_response")).get("id")) or f"event-{event.get('cause')}"
            tool = self.tools.get(f"{ident}/{string(metadata.get('tool_call_id'))}")
        else:
            tool, self.open = self.open, None
        if tool is None or tool.result is not None:
            return "result without its call"
        tool.result, tool.at = content(event.get("content")), at
        tool.seconds = number(mapping(event.get("extras")).get("duration"))
        tool.failed = kind == "error"
        return None


def _session(item: dict[str, Any], name: str) -> Draft:
    reader = _Reader(name)
    for event in _events(item):
        reason = reader.event(event)
        if reason:
            reader.draft.skipped[reason] += 1
        else:
            reader.draft.used += 1
    draft = reader.draft
    latencies = {
        string(one.get("response_id")): number(one.get("latency"))
        for one in map(mapping, listing(mapping(item.get("metrics")).get("response_latencies")))
    }
    for call in draft.calls:
        call.seconds = latencies.get(call.id)
    draft.model = string(mapping(mapping(item.get("metadata")).get("llm_config")).get("model"))
    return draft
