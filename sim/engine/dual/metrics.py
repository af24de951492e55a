"""The chapter's Prometheus metrics, in a registry of their own.

Names and buckets are the chapter's. Two families are added: what each rung did, and the tokens saved. Observations are
handed in; nothing here reads a clock, and the `_created` series that `prometheus_client` stamps with the wall clock are
left out, so equal runs write equal files.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.exposition import generate_latest
from prometheus_client.metrics_core import Metric

from sim.engine.dual.statistics import LogEntry

BEFORE_BUCKETS = (10_000, 20_000, 40_000, 60_000, 80_000, 100_000)
RATIO_BUCKETS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
LATENCY_BUCKETS = (0.1, 0.5, 1.0, 2.0, 5.0)


class _Plain(CollectorRegistry):
    """A registry that collects without creation times."""

    def collect(self) -> Iterator[Metric]:
        for metric in super().collect():
            metric.samples = [s for s in metric.samples if not s.name.endswith("_created")]
            if metric.samples:
                yield metric


class DualMetrics:
    """Counts compressions of any number of sessions."""

    def __init__(self) -> None:
        self.registry = _Plain()
        self._count = Counter(
            "hermes_compression_total", "Total number of compression operations", registry=self.registry
        )
        self._before = Histogram(
            "hermes_tokens_before_compression",
            "Token count before compression",
            buckets=BEFORE_BUCKETS,
            registry=self.registry,
        )
        self._ratio = Histogram(
            "hermes_compression_ratio", "Compression ratio achieved", buckets=RATIO_BUCKETS, registry=self.registry
        )
        self._latency = Histogram(
            "hermes_compression_latency_seconds",
            "Time taken for compression",
            buckets=LATENCY_BUCKETS,
            registry=self.registry,
        )
        self._rungs = Counter(
            "hermes_compression_rung_total", "Compression operations by rung", ["rung"], registry=self.registry
        )
        self._saved = Counter(
            "hermes_compression_tokens_saved_total", "Tokens taken out of requests", registry=self.registry
        )

    def observe(self, before: int, after: int, seconds: float, rung: str = "normal") -> None:
        """One compression: tokens of the request before and after, and how long it took on the caller's clock."""
        self._count.inc()
        self._before.observe(before)
        self._ratio.observe((before - after) / before if before else 0.0)
        self._latency.observe(max(seconds, 0.0))
        self._rungs.labels(rung).inc()
        self._saved.inc(max(before - after, 0))

    def text(self) -> str:
        """The exposition format."""
        return generate_latest(self.registry).decode()

    def write(self, path: str | Path) -> None:
        """Write the exposition format to a file."""
        Path(path).write_text(self.text(), encoding="utf-8")


def metrics_of(log: Iterable[LogEntry]) -> DualMetrics:
    """Metrics of a compression log."""
    metrics = DualMetrics()
    for entry in log:
        metrics.observe(entry.before, entry.after, entry.seconds, entry.rung)
    return metrics


def write_metrics(log: Iterable[LogEntry], path: str | Path) -> None:
    """Write the metrics of a compression log to a file, in exposition format."""
    metrics_of(log).write(path)
