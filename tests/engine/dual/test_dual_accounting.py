"""What was lost, the log and its statistics, metrics, cache figures, goal residency."""

from __future__ import annotations

import pytest
from dual_material import log_text, quarter, session
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client.parser import text_string_to_metric_families

from sim.engine.contract import Rates
from sim.engine.dual import (
    CacheUse,
    DualCompressionSystem,
    DualSettings,
    Goal,
    Part,
    effectiveness,
    from_anthropic,
    measure_loss,
    stable_first,
)
from sim.engine.dual.loss import add_losses
from sim.engine.dual.metrics import DualMetrics, metrics_of

SONNET = Rates(fresh=3_000_000, read=300_000, write=3_750_000, output=15_000_000)


def test_loss_counts_distinct_items_by_class():
    before = "load_config read /etc/app/main.yaml\nERROR code 4711 in load_config\nsize 9 and 17, FACT-1 FACT-2"
    loss = measure_loss([before], ["load_config: ERROR code 4711 in load_config, FACT-2"], r"FACT-\d")
    assert loss.share("numbers") == pytest.approx(2 / 5)  # 4711, 9, 17, 1, 2
    assert loss.share("paths") == 0
    assert loss.share("error_lines") == 1
    assert loss.share("facts") == 0.5
    assert loss.before["identifiers"] == 8
    assert loss.kept["identifiers"] == 4  # load_config, ERROR, code, FACT
    assert loss.flat()["retention"] == pytest.approx((4 / 8 + 2 / 5 + 0 + 1 + 0.5) / 5, abs=1e-4)


def test_loss_of_nothing():
    loss = measure_loss([], [])
    assert loss.retention is None
    assert loss.flat() == {}
    assert measure_loss(["foobar 12"], ["foobar 12"]).retention == 1.0


@given(st.text(max_size=300), st.text(max_size=300))
def test_no_more_is_kept_than_there_was(before, after):
    loss = measure_loss([before], [after], r"\d+")
    assert all(loss.kept[c] <= loss.before[c] for c in loss.before)
    same = measure_loss([before], [before], r"\d+")
    assert all(same.share(c) in (None, 1.0) for c in same.before)
    both = add_losses([loss, same])
    assert both.before["numbers"] == 2 * loss.before["numbers"]


def played():
    messages = session(60, seed=2)
    window = int(sum(quarter(str(m["content"])) for m in messages) / 0.8)
    ticks = iter(range(0, 1_000, 3))
    system = DualCompressionSystem(window, quarter, DualSettings(recent_tokens=2_000), clock=lambda: float(next(ticks)))
    results = [system.maybe_compress(messages)]
    grown = [*results[0].messages, *session(60, seed=3)[1:]]
    results.append(system.maybe_compress(grown))
    return system, results


def test_statistics_add_up():
    system, results = played()
    stats = system.statistics()
    entries = stats.timeline
    assert stats.total_compressions == len(entries) == sum(len(r.passes) for r in results)
    assert stats.total_tokens_saved == sum(r.before - r.after for r in results) > 0
    assert stats.average_compression_ratio == pytest.approx(sum(e.ratio for e in entries) / len(entries))
    assert sum(k.rows for k in stats.by_kind) == sum(e.messages_compressed for e in entries)
    assert {k.kind for k in stats.by_kind} >= {"code_output", "log"}
    assert all(0 < k.saved < 1 for k in stats.by_kind)
    assert dict(stats.by_rung)["normal"] >= 1
    assert all(e.seconds > 0 for e in entries)


def test_statistics_of_nothing():
    stats = DualCompressionSystem(1_000, quarter).statistics()
    assert (stats.total_compressions, stats.total_tokens_saved, stats.average_compression_ratio) == (0, 0, 0.0)


def test_metrics_have_the_chapters_names_and_buckets(tmp_path):
    metrics = DualMetrics()
    metrics.observe(76_000, 19_000, 0.7)
    metrics.observe(15_000, 14_000, 0.0, "aggressive")
    metrics.write(tmp_path / "metrics.prom")
    text = (tmp_path / "metrics.prom").read_text()
    samples = {(s.name, s.labels.get("le")): s.value for f in text_string_to_metric_families(text) for s in f.samples}
    assert samples["hermes_compression_total", None] == 2
    assert samples["hermes_tokens_before_compression_bucket", "80000.0"] == 2
    assert samples["hermes_tokens_before_compression_bucket", "20000.0"] == 1
    assert samples["hermes_compression_ratio_bucket", "0.7"] == 1
    assert samples["hermes_compression_latency_seconds_bucket", "0.5"] == 1
    buckets = {float(le) for (name, le) in samples if name == "hermes_compression_ratio_bucket"}
    assert buckets == {0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, float("inf")}
    assert "_created" not in text


def test_metrics_of_a_log_are_the_same_every_time():
    first, second = metrics_of(played()[0].log).text(), metrics_of(played()[0].log).text()
    assert first == second
    assert "hermes_compression_total " in first


def test_the_chapters_hit_rate_passes_one_and_ours_does_not():
    usage = {"input_tokens": 1_000, "cache_read_input_tokens": 26_000, "cache_creation_input_tokens": 500}
    uses = [from_anthropic(usage)] * 3
    assert sum(u.read for u in uses) / sum(u.fresh for u in uses) == 26
    found = effectiveness(uses, SONNET)
    assert found.hit_rate == pytest.approx(26_000 / 27_500)
    cost = 26_000 * 300_000 + 500 * 3_750_000 + 1_000 * 3_000_000
    assert found.saved_pico == 3 * (27_500 * 3_000_000 - cost)


def test_writes_that_are_never_read_cost_more_than_no_cache():
    found = effectiveness([CacheUse(0, 10_000, 100)], SONNET)
    assert found.hit_rate == 0
    assert found.saving < 0


@given(st.lists(st.builds(CacheUse, st.integers(0, 10**6), st.integers(0, 10**6), st.integers(0, 10**6))))
def test_hit_rate_and_saving_have_bounds(uses):
    found = effectiveness(uses, SONNET)
    assert 0 <= found.hit_rate <= 1
    assert -0.25 <= round(found.saving, 9) <= 0.9
    assert found.prompt == found.read + found.write + found.fresh


def test_stable_parts_come_first():
    parts = [
        Part("time", "12:00", "turn"),
        Part("skills", "s", "task"),
        Part("rules", "r", "fixed"),
        Part("m", "m", "session"),
    ]
    assert [p.name for p in stable_first(parts)] == ["rules", "m", "skills", "time"]


def test_goal_residency():
    goal = Goal("Make report.pdf from sales.csv, 3 pages")
    assert goal.state(["rules", "Make report.pdf from sales.csv, 3 pages"]).verbatim
    partly = goal.state(["[summary] the user wants report.pdf from a table"])
    assert not partly.verbatim
    assert not goal.state(["Make report.pdf from sales.csv, 4 pages"]).verbatim
    assert 0 < partly.share < 1
    assert goal.state(["nothing"]).share == 0


def test_the_dual_system_keeps_the_goal():
    messages = session(80, seed=4)
    goal = Goal(messages[0]["content"])
    system = DualCompressionSystem(20_000, quarter)
    for _ in range(3):
        done = system.maybe_compress(messages)
        messages = done.messages if done else messages
        assert goal.state(str(m["content"]) for m in messages).verbatim
        messages = [*messages, *session(40, seed=5)[1:]]


def test_log_material_has_what_the_loss_is_about():
    loss = measure_loss([log_text(200)], [""])
    assert loss.before["error_lines"] > 0
    assert loss.before["paths"] > 100
    assert loss.retention == 0
