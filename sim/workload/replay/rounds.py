"""Token-only logs of single requests: TraceLab rounds, Azure and BurstGPT CSV, LiteLLM spend logs, OTel GenAI spans."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from sim.workload.replay.drafts import Draft, Sized
from sim.workload.replay.source import Source
from sim.workload.replay.values import amount, count, exclusive, inclusive, listing, mapping, number, string, when
from sim.workload.script import Recorded


@dataclass(slots=True)
class Request:
    """One request of a log: start and end in seconds since the epoch."""

    session: str
    usage: Recorded
    began: float
    done: float
    model: str
    started_by: str = "user"
    tools: tuple[tuple[str, float], ...] = field(default=())


def drafts_of(requests: Iterable[Request], note: str = "") -> list[Draft]:
    """Requests grouped by session, in the order of their starts."""
    groups: dict[str, list[Request]] = {}
    for request in requests:
        groups.setdefault(request.session, []).append(request)
    drafts = []
    for name, members in groups.items():
        members.sort(key=lambda one: one.began)
        draft = Draft(name, started_at=members[0].began, used=len(members))
        if note:
            draft.notes.append(note)
        end: float | None = None
        for one in members:
            gap = 0.0 if end is None else max(0.0, one.began - end)
            seconds = max(0.0, one.done - one.began)
            usage = one.usage
            draft.sized.append(
                Sized(
                    usage.input_tokens, usage.output_tokens, seconds, gap, one.started_by, one.model,
                    usage.call_id, one.tools, usage=usage,
                )
            )  # fmt: skip
            end = max(end or 0.0, one.done)
        drafts.append(draft)
    return drafts


# TraceLab ----------------------------------------------------------------------------------------------------------


def recognise_tracelab(source: Source) -> bool:
    """Lines with `round_index`, `prefix_tokens` and `newly_append_tokens`."""
    return any({"round_index", "prefix_tokens", "newly_append_tokens"} <= item.keys() for item in source.objects[:5])


def read_tracelab(source: Source) -> list[Draft]:
    """One session for each `session_id`; Claude's writes and Codex's lack of them are kept apart."""
    return drafts_of(_rounds(source), "rounds of TraceLab: the cache's life time of a write is not in the file")


def _rounds(source: Source) -> Iterator[Request]:
    for _, item in source.records():
        whole, output = count(item.get("input_tokens_total")), count(item.get("output_tokens"))
        events = [mapping(one) for one in listing(item.get("timing_events"))]
        times = [(string(one.get("event_type")), when(one.get("timestamp"))) for one in events]
        heard = [t for kind, t in times if t is not None and kind in {"user_message", "tool_result"}]
        said = [t for kind, t in times if t is not None and kind not in {"user_message", "tool_result"}]
        if whole is None or output is None or not (heard or said):
            source.skip("round without sizes or times")
            continue
        done = max(said or heard)
        began = min(max(heard or said), done)
        if item.get("claude_uncached_input_tokens") is not None:
            usage = exclusive(
                item.get("claude_uncached_input_tokens"),
                item.get("claude_cache_read_input_tokens"),
                item.get("claude_cache_creation_input_tokens"),
                output,
                call_id=string(item.get("round_id")),
            )
        else:
            usage = inclusive(whole, item.get("prefix_tokens"), output, call_id=string(item.get("round_id")))
        if usage is None:
            source.skip("round without tokens")
            continue
        tools = tuple(
            (string(tool.get("tool_name")) or "tool", (number(tool.get("tool_wall_latency_ms")) or 0.0) / 1_000)
            for tool in map(mapping, listing(item.get("tools")))
        )
        by = (
            "user" if string(item.get("first_input_event_type")) == "user_message" or not _tool_first(times) else "tool"
        )
        yield Request(string(item.get("session_id")), usage, began, done, string(item.get("model")), by, tools)


def _tool_first(times: list[tuple[str, float | None]]) -> bool:
    return any(kind == "tool_result" for kind, _ in times)


# CSV ---------------------------------------------------------------------------------------------------------------

_AZURE = ("timestamp", "contexttokens", "generatedtokens")
_BURST = ("timestamp", "model", "request tokens", "response tokens")


def _header(source: Source) -> list[str]:
    first = source.start.splitlines()[:1]
    return [name.strip().lower() for name in first[0].split(",")] if first else []


def recognise_csv(source: Source) -> bool:
    """The header of an Azure or BurstGPT trace."""
    names = _header(source)
    return set(_AZURE) <= set(names) or set(_BURST) <= set(names)


def read_csv(source: Source) -> list[Draft]:
    """One session a row: the trace does not say which requests belong together."""
    names = _header(source)
    azure = set(_AZURE) <= set(names)
    drafts: list[Draft] = []
    with source.path.open(encoding="utf-8", errors="replace", newline="") as file:
        rows = csv.reader((line.replace("\x00", "") for line in file), strict=False)
        next(rows, None)
        while True:
            try:
                row = next(rows)
            except StopIteration:
                break
            except csv.Error:
                source.rows += 1
                source.skip("row that is no CSV")
                continue
            if not row:
                continue
            source.rows += 1
            draft = _row(dict(zip(names, row, strict=False)), azure, f"{source.stem}-{source.rows}")
            if draft is None:
                source.skip("row without sizes or time")
            else:
                drafts.append(draft)
    if drafts:
        drafts[0].notes.append("each row is a session of one call: the trace does not say which belong together")
    return drafts


def _row(row: dict[str, str], azure: bool, name: str) -> Draft | None:
    size = count(row.get("contexttokens" if azure else "request tokens"))
    output = count(row.get("generatedtokens" if azure else "response tokens"))
    at = when(row.get("timestamp", ""))
    if size is None or output is None or at is None:
        return None
    usage = Recorded(size, 0, 0, 0, output)
    model = row.get("model", "")
    return Draft(name, started_at=at, used=1, sized=[Sized(size, output, 0.0, 0.0, "user", model, usage=usage)])


# LiteLLM -----------------------------------------------------------------------------------------------------------


def _objects(source: Source) -> list[dict[str, Any]]:
    document = source.document
    return [mapping(one) for one in document] if isinstance(document, list) else source.objects


def recognise_litellm(source: Source) -> bool:
    """Rows with `request_id`, `spend` and `startTime`."""
    return any({"request_id", "spend", "startTime"} <= item.keys() for item in _objects(source)[:5])


def read_litellm(source: Source) -> list[Draft]:
    """One session for each `session_id`; answers of LiteLLM's own response cache are no calls."""
    rows = _objects(source) if isinstance(source.document, list) else (item for _, item in source.records())
    return drafts_of(_spent(source, rows), "`prompt_tokens` of LiteLLM is the whole prompt")


def _spent(source: Source, rows: Iterable[dict[str, Any]]) -> Iterator[Request]:
    for item in rows:
        if str(item.get("cache_hit")).lower() == "true":
            source.skip("answered by LiteLLM's own cache")
            continue
        began, done = when(item.get("startTime")), when(item.get("endTime"))
        held = item.get("metadata")
        if isinstance(held, str):
            try:
                held = json.loads(held)
            except (ValueError, RecursionError):
                held = {}
        told = mapping(mapping(held).get("usage_object"))
        details = mapping(told.get("prompt_tokens_details"))
        usage = inclusive(
            item.get("prompt_tokens"),
            told.get("cache_read_input_tokens", details.get("cached_tokens")),
            item.get("completion_tokens"),
            written=told.get("cache_creation_input_tokens"),
            call_id=string(item.get("request_id")),
        )
        if usage is None or began is None:
            source.skip("row without sizes or time")
            continue
        name = string(item.get("session_id")) or string(item.get("request_id"))
        yield Request(name, usage, began, done if done is not None else began, string(item.get("model")))


# OpenTelemetry -----------------------------------------------------------------------------------------------------


def _spans(value: object) -> Iterator[dict[str, Any]]:
    """Spans of an OTLP export, or a flat one; attributes as a plain mapping under `attributes`."""
    item = mapping(value)
    if "resourceSpans" in item:
        for resource in listing(item["resourceSpans"]):
            for scope in listing(mapping(resource).get("scopeSpans")):
                for span in listing(mapping(scope).get("spans")):
                    yield _flat(mapping(span))
    elif "attributes" in item:
        yield _flat(item)


def _flat(span: dict[str, Any]) -> dict[str, Any]:
    attributes = span.get("attributes")
    if isinstance(attributes, list):
        found = {}
        for one in map(mapping, attributes):
            held = mapping(one.get("value"))
            found[string(one.get("key"))] = next(iter(held.values()), None)
        attributes = found
    return {**span, "attributes": mapping(attributes)}


def _all_spans(source: Source) -> Iterator[dict[str, Any]]:
    document = source.document
    if isinstance(document, list):
        items: Iterable[Any] = document
    elif document is not None:
        items = [document]
    else:
        items = source.objects
    for item in items:
        yield from _spans(item)


def recognise_otel(source: Source) -> bool:
    """Spans with `gen_ai.` attributes."""
    return any(any(str(key).startswith("gen_ai.") for key in span["attributes"]) for span in _all_spans(source))


def read_otel(source: Source) -> list[Draft]:
    """One session for each conversation id, else for each trace.

    Whether input counts include cached tokens differs by instrumentation: a session in which any cached count is
    larger than the input leaves them out.
    """
    if source.document is None:
        spans = [span for _, item in source.records() for span in _spans(item)]
    else:
        spans = list(_all_spans(source))
    chats: dict[str, list[tuple[dict[str, Any], dict[str, Any]]]] = {}
    for span in spans:
        attributes = span["attributes"]
        if "gen_ai.usage.input_tokens" not in attributes:
            source.skip("span without usage")
            continue
        name = string(attributes.get("gen_ai.conversation.id")) or string(span.get("traceId")) or source.stem
        chats.setdefault(name, []).append((span, attributes))
    requests: list[Request] = []
    for name, members in chats.items():
        apart = any(
            _cached(attributes) > amount(attributes.get("gen_ai.usage.input_tokens")) for _, attributes in members
        )
        for span, attributes in members:
            request = _span(name, span, attributes, apart)
            if request is None:
                source.skip("span without sizes or time")
            else:
                requests.append(request)
    note = "cached tokens are taken as part of the input unless a cached count is larger than the input"
    return drafts_of(requests, note)


def _cached(attributes: dict[str, Any]) -> int:
    read = amount(attributes.get("gen_ai.usage.cache_read.input_tokens"))
    return read + amount(attributes.get("gen_ai.usage.cache_creation.input_tokens"))


def _span(name: str, span: dict[str, Any], attributes: dict[str, Any], apart: bool) -> Request | None:
    sizes = (
        attributes.get("gen_ai.usage.input_tokens"),
        attributes.get("gen_ai.usage.cache_read.input_tokens"),
        attributes.get("gen_ai.usage.cache_creation.input_tokens"),
        attributes.get("gen_ai.usage.output_tokens"),
    )
    ident = string(attributes.get("gen_ai.response.id")) or string(span.get("spanId"))
    if apart:
        usage = exclusive(*sizes, call_id=ident)
    else:
        usage = inclusive(sizes[0], sizes[1], sizes[3], written=sizes[2], call_id=ident)
    began = when(span.get("startTimeUnixNano", span.get("start_time")))
    done = when(span.get("endTimeUnixNano", span.get("end_time")))
    if usage is None or began is None:
        return None
    model = string(attributes.get("gen_ai.response.model")) or string(attributes.get("gen_ai.request.model"))
    return Request(name, usage, began, done if done is not None else began, model)
