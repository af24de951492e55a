"""Whatever a file holds, a check ends in findings with places, never in another failure."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sim.errors import InputError
from sim.scenario import from_mapping, validate_scenario
from sim.scenario.config import judge_config
from sim.scenario.reader import read_text
from sim.scenario.starter import starter_yaml

STARTER = starter_yaml()
LINES = STARTER.splitlines()
PATHS = [
    ("schema",), ("title",), ("seed",), ("replications",), ("model",), ("model", "name"), ("model", "window"),
    ("model", "as_of"), ("workload",), ("workload", "kind"), ("workload", "preset"), ("workload", "set"),
    ("workload", "auxiliary"), ("baseline",), ("arms",), ("arms", "half"), ("arms", "half", "engine"),
    ("arms", "half", "model"), ("arms", "half", "config"), ("arms", "half", "compression"),
    ("arms", "half", "compression", "threshold"), ("arms", "half", "auxiliary"), ("arms", "half", "memory"),
    ("arms", "half", "prices"), ("arms", "half", "provider_cache"), ("arms", "half", "dual"), ("defaults",),
    ("provider_cache",), ("prices",), ("vary",), ("other",),
]  # fmt: skip
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-10, 10**13),
    st.floats(),
    st.text(max_size=8),
    st.sampled_from(["1M", "5%", "x"]),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["model", "input", "kind", "a"]), inner, max_size=3)
    ),
    max_leaves=5,
)
RELAXED = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def starter() -> dict[str, Any]:
    return read_text(STARTER, "starter").data


@given(path=st.sampled_from(PATHS), value=VALUES)
@RELAXED
def test_any_value_anywhere(path: tuple[str, ...], value: Any) -> None:
    data = starter()
    node = data
    for key in path[:-1]:
        node = node.setdefault(key, {})
    node[path[-1]] = value
    with suppress(InputError):
        assert from_mapping(data).arms


@given(
    line=st.integers(0, len(LINES) - 1),
    text=st.text(alphabet=" \t:-#{}[],&*!|>'\"%@`~?0123456789abcxyz_é中\x00\x07", max_size=12),
    at=st.integers(0, 40),
    whole=st.booleans(),
)
@RELAXED
def test_any_line_broken(line: int, text: str, at: int, whole: bool, tmp_path: Path) -> None:
    lines = list(LINES)
    lines[line] = text if whole else lines[line][:at] + text + lines[line][at:]
    path = tmp_path / "s.yaml"
    path.write_bytes("\n".join(lines).encode())
    for finding in validate_scenario(path):
        assert finding.message
        assert finding.where.file == str(path)


@given(data=st.binary(max_size=60))
@RELAXED
def test_any_bytes(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_bytes(data)
    assert [f for f in validate_scenario(path) if f.level == "error"]


@given(
    blocks=st.dictionaries(
        st.sampled_from(["compression", "auxiliary", "memory", "model", "prompt_caching", "discord", "threshold", "1"]),
        st.one_of(
            SCALARS, st.dictionaries(st.sampled_from(["threshold", "compression", "x", "api_key"]), VALUES, max_size=3)
        ),
        max_size=4,
    )
)
@RELAXED
def test_any_config(blocks: dict[str, Any]) -> None:
    from sim.scenario.reader import Document

    config = judge_config(Document("c.yaml", blocks), "0.22")
    assert len(config.lines) >= len([b for b in blocks.values() if b not in (None, "", {})]) - 5
    for line in config.lines:
        assert "api_key" not in line.name or line.value == "•••"
