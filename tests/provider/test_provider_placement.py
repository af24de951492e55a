"""Markers of every layout, and request bodies as they are sent."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from sim.errors import InputError
from sim.history import Prompt, Row, RowMaker
from sim.provider import profile
from sim.provider.requests import render_request
from sim.provider.seam import Mark
from sim.tokens import token_model

AS_OF = datetime(2026, 12, 1, tzinfo=UTC)
MAKER = RowMaker(token_model("claude-opus-4-7"))


def call(name: str) -> dict[str, Any]:
    return {"id": f"id-{name}", "type": "function", "function": {"name": name, "arguments": '{"path": "a.py"}'}}


def message(role: str, text: str | None, **more: Any) -> Row:
    return MAKER.row({"role": role, "content": text, **more})


TOOLS = MAKER.tools(
    [{"type": "function", "function": {"name": "read", "description": "d", "parameters": {"type": "object"}}}]
)
STATIC, CHANGING = message("system", "You help."), message("system", "Today is Tuesday.")
ASK = message("user", "Fix it")
SILENT = message("assistant", None, tool_calls=[call("read"), call("grep")])
FIRST, SECOND = message("tool", "text", tool_call_id="id-read"), message("tool", "hits", tool_call_id="id-grep")
TELLS = message("assistant", "I look again", tool_calls=[call("read")])
THIRD = message("tool", "more", tool_call_id="id-read")
ANSWER, AGAIN = message("assistant", "Done"), message("user", "Thanks")


def places(model: str, rows: list[Row], version: str, ttl: str = "5m", **cache: Any) -> list[tuple[int, str]]:
    found = profile(model, as_of=AS_OF, cache=cache)
    return [(m.index, m.ttl) for m in found.place(Prompt(rows), engine_version=version, cache_ttl=ttl)]


LONG = [TOOLS, STATIC, CHANGING, ASK, SILENT, FIRST, SECOND, TELLS, THIRD]


@pytest.mark.parametrize(
    ("model", "version", "rows", "want"),
    [
        # 0.19: the end of the system prompt and the last three rows; silent calls count on the native API only.
        ("claude-opus-4-7", "0.19", LONG, [3, 7, 8, 9]),
        ("anthropic/claude-opus-4.7", "0.19", LONG[:6], [3, 4, 6]),
        ("claude-opus-4-7", "0.19", LONG[:6], [3, 4, 5, 6]),
        # 0.22 on other routes: static part, end of system, last two carriers.
        ("anthropic/claude-opus-4.7", "0.22", LONG, [2, 3, 8, 9]),
        ("anthropic/claude-opus-4.7", "0.22", LONG[:6], [2, 3, 4, 6]),
        ("anthropic/claude-opus-4.7", "0.22", [TOOLS, STATIC, *LONG[3:]], [2, 6, 7, 8]),
        # 0.22 on the native API with tools: last schema, static part, ends of the last two completed exchanges.
        ("claude-opus-4-7", "0.22", LONG, [1, 2, 7, 9]),
        ("claude-opus-4-7", "0.22", LONG[:4], [1, 2, 4]),
        ("claude-opus-4-7", "0.22", [*LONG, ANSWER, AGAIN], [1, 2, 10, 11]),
        ("claude-opus-4-7", "0.22", [TOOLS, STATIC, *LONG[3:]], [1, 6, 8]),
        # Without tools the native API gets the usual layout.
        ("claude-opus-4-7", "0.22", LONG[1:], [1, 2, 7, 8]),
        # Providers that place their own marker, or take none.
        ("gpt-6.1-sol", "0.22", LONG, [9]),
        ("gpt-6.1-sol", "0.22", LONG[:8], [7]),
        ("gpt-6.1-sol", "0.22", LONG[:3], [3]),
        ("gpt-5.4", "0.22", LONG, []),
        ("deepseek-flash", "0.22", LONG, []),
    ],
)
def test_layouts(model: str, version: str, rows: list[Row], want: list[int]) -> None:
    assert [index for index, _ in places(model, rows, version)] == want


def test_lifetime_classes() -> None:
    assert {ttl for _, ttl in places("claude-opus-4-7", LONG, "0.22", "1h")} == {"1h"}
    assert {ttl for _, ttl in places("qwen/qwen3.7-max", LONG, "0.22", "1h")} == {"5m"}, "this route sells no hour"
    assert places("claude-opus-4-7", LONG, "0.22", "off") == []
    assert places("gpt-6.1-sol", LONG, "0.22", "off") == [(9, "30m")], "the provider's own marker is not the client's"
    assert places("gpt-6.1-sol", LONG, "0.22", "5m", ttl_class="12h") == [(9, "12h")]


def test_automatic_mode_of_anthropic() -> None:
    assert places("claude-opus-4-7", LONG, "0.22", layout="automatic") == [(9, "5m")]


def test_own_list() -> None:
    got = places("claude-opus-4-7", LONG, "0.22", markers=["tools@1h", "static@1h", "last-2", "last"])
    assert got == [(1, "1h"), (2, "1h"), (7, "5m"), (9, "5m")]
    assert places("claude-opus-4-7", LONG[3:], "0.22", markers=["tools", "static", "system", "last"]) == [(6, "5m")]
    with pytest.raises(InputError, match="1h marker stands after a 5m marker"):
        places("claude-opus-4-7", LONG, "0.22", markers=["system", "last@1h"])
    with pytest.raises(InputError, match="lifetime '30m'"):
        places("claude-opus-4-7", LONG, "0.22", markers=["last@30m"])


def test_explicit_object_covers_the_opening() -> None:
    got = places("gemini-3.8-flash", LONG, "0.22", family="object", ttl="2h")
    assert got == [(3, "object")]
    found = profile("gemini-3.8-flash", as_of=AS_OF, cache={"family": "object", "ttl": "2h"})
    assert found.rules is not None
    assert found.rules.ttls == {"object": 7_200.0}  # type: ignore[union-attr]


def test_request_body_with_markers_as_sent() -> None:
    prompt = Prompt(LONG)
    found = profile("claude-opus-4-7", as_of=AS_OF)
    marks = found.place(prompt, engine_version="0.22", cache_ttl="1h")
    mark = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}
    read = {"name": "read", "input": {"path": "a.py"}, "type": "tool_use", "id": "id-read"}
    assert render_request(prompt, marks, model=found.model, family=found.family, max_tokens=8_000) == {
        "model": "claude-opus-4-7",
        "max_tokens": 8_000,
        "tools": [{"name": "read", "description": "d", "input_schema": {"type": "object"}, **mark}],
        "system": [{"type": "text", "text": "You help.", **mark}, {"type": "text", "text": "Today is Tuesday."}],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "Fix it"}]},
            {
                "role": "assistant",
                "content": [read, {"type": "tool_use", "id": "id-grep", "name": "grep", "input": {"path": "a.py"}}],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "id-read", "content": "text"},
                    {"type": "tool_result", "tool_use_id": "id-grep", "content": "hits", **mark},
                ],
            },
            {"role": "assistant", "content": [{"type": "text", "text": "I look again"}, read]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "id-read", "content": "more", **mark}]},
        ],
    }


def test_request_body_without_markers() -> None:
    prompt = Prompt([TOOLS, STATIC, ASK, SILENT, FIRST])
    body = render_request(prompt, [], model="gpt-5.4", family="interval")
    assert body["model"] == "gpt-5.4"
    assert body["messages"] == [dict(r.message or {}) for r in prompt.rows[1:]]
    assert "cache_control" not in str(body)


def test_five_minutes_is_not_written_out() -> None:
    body = render_request(Prompt([ASK]), [Mark(1, "5m")], model="m", family="breakpoint")
    assert body["messages"][0]["content"][0]["cache_control"] == {"type": "ephemeral"}
