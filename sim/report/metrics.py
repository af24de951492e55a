"""Engine metrics of a stored run in Prometheus exposition format, one label an arm.

Names and buckets are those of the dual engine's metrics, so one dashboard reads both.
"""

from __future__ import annotations

from pathlib import Path

from sim.errors import InputError
from sim.report.data import RunData


def write_metrics(data: RunData, path: Path) -> None:
    """Write the metrics of all arms.

    Raises:
        InputError: the file cannot be written.
    """
    from prometheus_client import CollectorRegistry, Counter, Histogram
    from prometheus_client.exposition import generate_latest

    from sim.engine.dual.metrics import BEFORE_BUCKETS, LATENCY_BUCKETS, RATIO_BUCKETS

    registry = CollectorRegistry()
    count = Counter("hermes_compression_total", "Rewrites of the history", ["arm", "engine", "kind"], registry=registry)
    before = Histogram(
        "hermes_tokens_before_compression",
        "Tokens of the request before",
        ["arm"],
        buckets=BEFORE_BUCKETS,
        registry=registry,
    )
    ratio = Histogram(
        "hermes_compression_ratio", "Share of the tokens removed", ["arm"], buckets=RATIO_BUCKETS, registry=registry
    )
    latency = Histogram(
        "hermes_compression_latency_seconds",
        "Simulated seconds of auxiliary calls",
        ["arm"],
        buckets=LATENCY_BUCKETS,
        registry=registry,
    )
    engines = {arm["arm"]: f"{arm['engine']}@{arm['engine_version']}" for arm in data.summary["arms"]}
    for row in data.rewrites[data.rewrites["kind"] != "attempt"].to_dict("records"):
        count.labels(row["arm"], engines[row["arm"]], row["kind"]).inc()
        before.labels(row["arm"]).observe(row["tokens_before"])
        ratio.labels(row["arm"]).observe(1 - row["tokens_after"] / max(row["tokens_before"], 1))
    auxiliary = data.calls[data.calls["kind"] == "auxiliary"]
    for row in auxiliary.to_dict("records"):
        latency.labels(row["arm"]).observe(row["ended_s"] - row["started_s"])
    # Creation times are wall-clock stamps; without them equal runs write equal files.
    text = "".join(
        line for line in generate_latest(registry).decode("utf-8").splitlines(keepends=True) if "_created" not in line
    )
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}", remedy="give another file") from None
