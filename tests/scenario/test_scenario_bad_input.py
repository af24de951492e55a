"""Every kind of bad scenario file: what is said, where, and what to write instead."""

from __future__ import annotations

from pathlib import Path

import pytest

from sim.errors import InputError, ManyErrors
from sim.scenario import check_scenario, load_scenario

HEAD = """\
schema: 1
model: {name: claude-opus-4-7, window: 1M}
workload: {kind: synthetic, preset: long-haul}
"""
GOOD = HEAD + "arms:\n  a: {engine: none}\n"


def errors(tmp_path: Path, text: str | bytes) -> list[InputError]:
    """The errors of a file with that content, in file order."""
    path = tmp_path / "s.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InputError) as caught:
        load_scenario(path)
    assert caught.value.exit_code == 3
    return caught.value.errors if isinstance(caught.value, ManyErrors) else [caught.value]


def only(tmp_path: Path, text: str | bytes) -> tuple[str, str]:
    """(line:col, message with rule and remedy) of the one error."""
    found = errors(tmp_path, text)
    assert len(found) == 1, [str(e) for e in found]
    where = found[0].where
    assert where is not None
    assert where.file.endswith("s.yaml")
    return f"{where.line}:{where.col}", str(found[0])


ARM = HEAD + "arms:\n  a:\n    engine: hermes@0.22\n    compression:\n"

CASES = [
    # what, text, line:col, parts of the message
    ("empty", "", "1:1", ["the file is empty", "hermes-sim init"]),
    ("comments only", "# nothing\n", "1:1", ["the file is empty"]),
    ("a list", "- a\n- b\n", "1:1", ["a list", "start with `schema: 1`"]),
    ("a text", "hello\n", "1:1", ["the text 'hello'"]),
    ("two documents", GOOD + "---\nschema: 1\n", "7:1", ["several YAML documents", "`---`"]),
    ("duplicate key", GOOD + "seed: 1\nseed: 2\n", "7:1", ["duplicate key 'seed'", "line 6", "remove one"]),
    ("duplicate in an arm", ARM + "      threshold: 0.5\n      threshold: 0.6\n", "9:7", ["duplicate key 'threshold'"]),
    ("duplicate arm", GOOD + "  a: {engine: none}\n", "6:3", ["duplicate key 'a'"]),
    ("misspelt top key", GOOD + "replication: 3\n", "6:1", ["'replication'", "did you mean 'replications'?"]),
    ("misspelt model", GOOD.replace("model:", "modle:"), "2:1", ["'modle'", "did you mean 'model'?"]),
    ("misspelt setting", ARM + "      treshold: 0.5\n", "8:7", ["no such setting", "did you mean `threshold`?"]),
    ("misspelt block", HEAD + "arms:\n  a:\n    compresion: {}\n", "6:5", ["did you mean 'compression'?"]),
    ("exponent", ARM + "      threshold: 1e6\n", "8:18", ["`1e6`", "YAML 1.1", "YAML 1.2", "write 1000000"]),
    (
        "no",
        ARM + "      threshold: no\n",
        "8:18",
        ["truth value false", "the text 'no'", "must be a number", "write for example 0.5"],
    ),
    ("off", ARM + "      enabled: off\n", "8:16", ["write false"]),
    ("on", ARM + "      enabled: on\n", "8:16", ["write true"]),
    ("yes", ARM + "      enabled: yes\n", "8:16", ["write true"]),
    ("y", ARM + "      enabled: y\n", "8:16", ["must be true or false", "write for example true"]),
    ("underscores", ARM + "      threshold_tokens: 230_000\n", "8:25", ["`230_000`", "write 230000"]),
    ("octal", GOOD + "seed: 012\n", "6:7", ["the number 10", "the number 12", "write 12 or 10"]),
    ("new octal", GOOD + "seed: 0o12\n", "6:7", ["write 10"]),
    ("eight with a zero", GOOD + "seed: 08\n", "6:7", ["write 8"]),
    ("binary", GOOD + "seed: 0b101\n", "6:7", ["write 5"]),
    ("sexagesimal", ARM + "      idle_compact_after_seconds: 1:30\n", "8:35", ["the number 90", "write 90"]),
    ("bare date", GOOD + "title: 2026-12-01\n", "6:8", ["a date", "write '2026-12-01' in quotes"]),
    ("number as a key", HEAD + "arms:\n  5: {engine: none}\n", "5:3", ["`5` is not text", "write '5' in quotes"]),
    ("no as a key", HEAD + "arms:\n  no: {engine: none}\n", "5:3", ["write 'no' in quotes"]),
    ("suffix in a block", ARM + "      threshold_tokens: 230K\n", "8:25", ["a whole number", "230K", "write 230000"]),
    ("seconds in a block", ARM + "      idle_compact_after_seconds: 30m\n", "8:35", ["write 1800"]),
    ("percent in a block", ARM + "      threshold: 50%\n", "8:18", ["a number", "write 0.5"]),
    ("quoted number", ARM + "      threshold: '0.5'\n", "8:18", ["must be a number", "write 0.5"]),
    ("truth for a number", ARM + "      threshold: true\n", "8:18", ["must be a number", "not `true`"]),
    ("number for a truth", ARM + "      enabled: 1\n", "8:16", ["must be true or false"]),
    ("null threshold", ARM + "      threshold: null\n", "8:18", ["not nothing"]),
    ("fraction of a token", ARM + "      threshold_tokens: 1.5\n", "8:25", ["a whole number", "1.5"]),
    ("block is a list", HEAD + "arms:\n  a:\n    compression: [1]\n", "6:18", ["must be a mapping"]),
    ("window 0", GOOD.replace("1M", "0"), "2:40", ["`model.window` must be greater than 0", "such as 200K or 1M"]),
    ("negative window", GOOD.replace("1M", "-5"), "2:40", ["`model.window`", "-5"]),
    ("bad suffix", GOOD.replace("1M", "1G"), "2:40", ["unknown suffix 'G'", "use K or M"]),
    ("part of a token", GOOD.replace("1M", "0.0001K"), "2:40", ["not a whole number of tokens"]),
    (
        "no model",
        GOOD.replace("model: {name: claude-opus-4-7, window: 1M}\n", ""),
        "1:1",
        ["`model` is missing", "add"],
    ),
    ("no arms", HEAD, "1:1", ["`arms` is missing"]),
    ("empty arms", HEAD + "arms: {}\n", "4:7", ["`arms` is empty"]),
    ("arms is a list", HEAD + "arms: [a]\n", "4:7", ["`arms` must be a mapping"]),
    ("no kind", GOOD.replace("kind: synthetic, ", ""), "3:11", ["does not say its kind", "curve"]),
    ("unknown kind", GOOD.replace("synthetic", "syntetic"), "3:11", ["'syntetic'", "did you mean 'synthetic'?"]),
    (
        "unknown engine",
        GOOD.replace("none", "hermez"),
        "5:15",
        ["unknown engine 'hermez'", "hermes@0.22", "parametric"],
    ),
    ("unknown version", GOOD.replace("none", "hermes@0.21"), "5:15", ["hermes@0.21", "hermes@0.19"]),
    ("no version", GOOD.replace("none", "hermes"), "5:15", ["which version", "hermes@0.22"]),
    ("engine number", GOOD.replace("none", "0.22"), "5:15", ["0.22 is not an engine", "hermes@0.22"]),
    ("engine class", GOOD.replace("none", "{python: engine.py}"), "5:15", ["package.module:Class"]),
    ("no such interpreter", GOOD.replace("none", "{hermes: {python: ./no/python}}"), "5:15", ["no interpreter"]),
    (
        "engine keys",
        GOOD.replace("none", "{hermes: {pyhton: /bin/x}}"),
        "5:15",
        ["'pyhton'", "python and context_engine"],
    ),
    ("baseline", GOOD + "baseline: b\n", "6:11", ["baseline 'b' is not an arm", "there are a"]),
    ("later key", GOOD + "vary: {a: [1]}\n", "6:1", ["`vary`", "cannot be acted on", "remove `vary`"]),
    ("schema 2", GOOD.replace("schema: 1", "schema: 2"), "1:9", ["reads schema 1"]),
    ("seed text", GOOD + "seed: abc\n", "6:7", ["`seed` must be a whole number, not 'abc'"]),
    ("negative seed", GOOD + "seed: -1\n", "6:7", ["`seed` must be at least 0"]),
    ("no replications", GOOD + "replications: 0\n", "6:15", ["`replications` must be greater than 0, not 0"]),
    ("part of a rule", GOOD + "replications: {until_half_width: 2%}\n", "6:1", ["`replications.at_most` is missing"]),
    ("bad date", GOOD.replace("window: 1M", "as_of: 2026-13-01"), "2:39", ["is not a date", "2026-12-01"]),
    ("misplaced window", GOOD + "window: 1M\n", "6:1", ["`window` is misplaced", "belongs to `model:`"]),
    ("misplaced threshold", HEAD + "arms:\n  a:\n    threshold: 0.5\n", "6:5", ["belongs to `arms.a.compression:`"]),
    ("misplaced block", GOOD + "compression: {}\n", "6:1", ["`compression` is misplaced", "`arms.NAME:`"]),
    (
        "misplaced limit",
        HEAD + "arms:\n  a:\n    compression: {memory_char_limit: 8000}\n",
        "6:19",
        ["misplaced", "belongs to `memory:`"],
    ),
    (
        "misplaced free_only",
        HEAD + "arms:\n  a:\n    auxiliary: {compression: {free_only: true}}\n",
        "6:31",
        ["misplaced", "belongs to `auxiliary:`"],
    ),
    (
        "renamed",
        HEAD + "arms:\n  a:\n    compression: {summary_model: x}\n",
        "6:19",
        ["renamed", "`auxiliary.compression.model`"],
    ),
    (
        "text engine on token counts",
        HEAD.replace("{kind: synthetic, preset: long-haul}", "{kind: curve, calls: 3, first: 1K, last: 2K}")
        + "arms:\n  a:\n    engine: hermes@0.22\n",
        "6:13",
        ["needs text", "none or parametric"],
    ),
    (
        "curve without growth",
        HEAD.replace("{kind: synthetic, preset: long-haul}", "{kind: curve, calls: 3, first: 1K}")
        + "arms:\n  a: {engine: none}\n",
        "3:11",
        ["exactly one"],
    ),
    ("anchor", HEAD + "arms:\n  a: &x {engine: none}\n  b: *x\n", "6:3", ["an alias", "`defaults:`"]),
    ("merge key", HEAD + "arms:\n  a: &x {engine: none}\n  b: {<<: *x}\n", "6:7", ["merge key", "`defaults:`"]),
    ("tag", GOOD + "title: !!python/name:os.system\n", "6:8", ["the tag", "remove the tag"]),
    ("typed scalar", GOOD + "title: !!str 5\n", "6:8", ["the tag `!!str`"]),
    ("tab", "schema: 1\nmodel:\n\tname: x\n", "3:1", ["a tab", "spaces"]),
    ("two keys in a line", "schema: 1 seed: 2\n", "1:15", ["not YAML", "two keys stand on one line"]),
    ("not closed", "schema: 1\nmodel: {name: x\n", "3:1", ["not YAML"]),
    ("UTF-16", "schema: 1\n".encode("utf-16"), "1:1", ["UTF-16", "save it as UTF-8"]),
    ("latin-1", "schema: 1\ntitle: caf\xe9\n".encode("latin-1"), "2:11", ["0xe9 is not UTF-8"]),
    ("NUL byte", b"schema: 1\nti\x00tle: a\n", "2:0", ["NUL", "UTF-8"]),
    ("control character", "schema: 1\ntitle: a\x07b\n", "2:9", ["not YAML"]),
    ("arm name", HEAD + "arms:\n  a/b: {engine: none}\n", "5:3", ["arm name 'a/b'"]),
    (
        "transcript",
        GOOD.replace("synthetic, preset: long-haul", "replay, transcripts: [no.jsonl]"),
        "3:40",
        ["no.jsonl"],
    ),
    ("config", GOOD.replace("none}", "hermes@0.22, config: no.yaml}"), "5:36", ["no.yaml", "check the path"]),
]


@pytest.mark.parametrize(("text", "place", "parts"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_bad_file(tmp_path: Path, text: str | bytes, place: str, parts: list[str]) -> None:
    where, message = only(tmp_path, text)
    assert where == place, message
    for part in parts:
        assert part in message


def test_missing_file_names_the_nearest(tmp_path: Path) -> None:
    (tmp_path / "cap-vs-ratio.yaml").write_text(GOOD)
    with pytest.raises(InputError, match=r"no such scenario.*did you mean .*cap-vs-ratio\.yaml"):
        load_scenario(tmp_path / "cap-vs-rato.yaml")


def test_missing_file_in_an_empty_folder_points_to_init(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="hermes-sim init"):
        load_scenario(tmp_path / "x.yaml")


def test_a_folder_is_no_scenario(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a folder"):
        load_scenario(tmp_path)


def test_a_hermes_config_is_no_scenario(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text("compression: {threshold: 0.5}\n")
    with pytest.raises(InputError, match=r"this is a Hermes config.*explain"):
        load_scenario(path)


def test_all_errors_of_a_file_are_told_together_in_file_order(tmp_path: Path) -> None:
    text = HEAD.replace("1M", "0") + (
        "seed: 012\nreplicatons: 4\narms:\n  a:\n    engine: hermez\n    compression: {treshold: 0.5}\n"
    )
    found = errors(tmp_path, text)
    assert [e.where.line for e in found if e.where] == [2, 4, 5]
    text = text.replace("window: 0", "window: 1M").replace("012", "12").replace("replicatons", "replications")
    found = errors(tmp_path, text)
    assert [e.where.line for e in found if e.where] == [8]


def test_deep_nesting_is_refused(tmp_path: Path) -> None:
    _, message = only(tmp_path, "schema: 1\nmodel: " + "[" * 1200 + "]" * 1200 + "\n")
    assert "nested" in message


def test_an_unknown_model_names_near_ones(tmp_path: Path) -> None:
    where, message = only(tmp_path, GOOD.replace("claude-opus-4-7", "claude-opus-47"))
    assert where == "2:15"
    assert "claude-opus-4-7" in message


def test_an_unknown_preset_names_near_ones(tmp_path: Path) -> None:
    where, message = only(tmp_path, GOOD.replace("long-haul", "long-hual"))
    assert where == "3:37"
    assert "long-haul" in message


CURVE = HEAD.replace("{kind: synthetic, preset: long-haul}", "{kind: curve, calls: 3, first: 1K, last: 2K}")
OWN = [
    ("{treshold: 1}", "5:40", ["unknown key 'treshold' under `arms.a.parametric`"]),
    ("{triger: 1}", "5:40", ["did you mean 'trigger'?"]),
    ("{trigger: 1G}", "5:49", ["`arms.a.parametric.trigger`", "'1G'"]),
    ("{prune: {at: 60K, keep_lst: 3}}", "5:57", ["'keep_lst'", "did you mean 'keep_last'?"]),
    ("{trigger: 100, landing: 200}", "5:39", ["landing 200 must be below trigger 100"]),
]


@pytest.mark.parametrize(("block", "place", "parts"), OWN)
def test_blocks_of_our_own_engines(tmp_path: Path, block: str, place: str, parts: list[str]) -> None:
    where, message = only(tmp_path, CURVE + f"arms:\n  a: {{engine: parametric, parametric: {block}}}\n")
    assert where == place, message
    for part in parts:
        assert part in message


@pytest.mark.parametrize(
    ("line", "place", "part"),
    [
        ("prices: {inputs: 3, output: 5}\n", "6:9", "did you mean 'input'?"),
        ("prices: {input: -3, output: 5}\n", "6:9", "dollars per million tokens"),
        ("provider_cache: {lookbak: 3}\n", "6:17", "lookback"),
    ],
)
def test_prices_and_cache_rules(tmp_path: Path, line: str, place: str, part: str) -> None:
    where, message = only(tmp_path, GOOD + line)
    assert where == place, message
    assert part in message


def test_an_unknown_summarising_model(tmp_path: Path) -> None:
    where, message = only(
        tmp_path, HEAD + "arms:\n  a:\n    auxiliary: {compression: {model: google/gemini-2.5-flsh}}\n"
    )
    assert where == "6:38"
    assert "gemini-2.5-flash" in message


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("replications", "1" + "0" * 30, "no number that can be used"),
        ("replications", "10000000", "at most 1000000"),
        ("model.window", "9999999M", "too large"),
        ("workload.calls", "100000000", "at most 1000000"),
        ("workload.last", "9" * 15, "too large"),
        ("workload.output", "9" * 400, "no number that can be used"),
        ("workload.gap", "9999999d", "too long"),
        ("seed", ".inf", "no number that can be used"),
        ("seed", ".nan", "no number that can be used"),
        ("title", '"a\\ud800b"', "U+D800"),
        ("title", '"a\\e[31mb"', "U+001B"),
        ("arms.a.config", '"a\\0b"', "U+0000"),
        ("arms.a.config", "~nobody-of-this-name/config.yaml", "no such Hermes config"),
    ],
)
def test_numbers_without_end_and_unprintable_text_are_refused(tmp_path: Path, path: str, value: str, said: str) -> None:
    file = tmp_path / "curve.yaml"
    file.write_text(
        "schema: 1\n"
        "model: {name: claude-opus-4-7, window: 200K}\n"
        "workload: {kind: curve, calls: 20, first: 5K, last: 30K, output: 100}\n"
        "arms:\n  a: {engine: none}\n"
    )
    findings = check_scenario(file, overrides=[f"{path}={value}"]).findings
    assert any(f.level == "error" and said in f.message for f in findings), findings


def test_a_transcript_path_that_no_system_takes_is_missing(tmp_path: Path) -> None:
    file = tmp_path / "replay.yaml"
    file.write_text(
        "schema: 1\n"
        "model: {name: claude-opus-4-7, window: 200K}\n"
        f"workload: {{kind: replay, transcripts: [{'x' * 5000}]}}\n"
        "arms:\n  a: {engine: none}\n"
    )
    assert any("there is no transcript" in f.message for f in check_scenario(file).findings)


def test_a_flood_of_unknown_keys_is_told_in_short(tmp_path: Path) -> None:
    file = tmp_path / "other.yaml"
    file.write_text("".join(f"k{i}: 1\n" for i in range(5_000)))
    findings = check_scenario(file).findings
    assert len(findings) < 30
    assert any("4980 more unknown keys" in f.message for f in findings)
