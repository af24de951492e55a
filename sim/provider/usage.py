"""How providers report usage, read into and written from our own convention (`input` is the whole prompt).

Exclusive convention (Anthropic, Bedrock Converse): `input_tokens` leaves cached tokens out. Inclusive convention
(OpenAI, Azure, Gemini, xAI, Mistral, OpenRouter): the prompt count includes them. DeepSeek reports hits and misses,
whose sum is the prompt. Mixing the two up doubles or loses the cached part, so a negative remainder is an error.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sim.errors import TranscriptError
from sim.provider.seam import TokenUse

CONVENTIONS: Mapping[str, str] = {
    "anthropic": "anthropic",
    "aws": "bedrock",
    "openai": "openai",
    "azure": "openai",
    "x-ai": "openai",
    "mistral": "openai",
    "moonshotai": "openai",
    "zai": "openai",
    "zhipuai": "openai",
    "openrouter": "openai",
    "google": "gemini",
    "deepseek": "deepseek",
}
"""Provider → convention."""
EXCLUSIVE = frozenset({"anthropic", "bedrock"})
"""Conventions whose input count leaves cached tokens out."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A usage report in our convention, and what had to be assumed to read it."""

    use: TokenUse
    assumed: tuple[str, ...] = ()


def read_usage(
    convention: str, usage: Mapping[str, Any], *, default_class: str = "5m", reasoning_included: bool = True
) -> Reading:
    """Read a provider's usage object.

    Args:
        convention: one of `anthropic`, `bedrock`, `openai`, `gemini`, `deepseek`.
        default_class: TTL class of written tokens when no breakdown is reported.
        reasoning_included: whether the reported output already contains reasoning tokens (OpenAI: yes).

    Raises:
        TranscriptError: the parts do not fit into the reported whole, or a count is no whole number of tokens.
    """
    readers = {
        "anthropic": _anthropic,
        "bedrock": _bedrock,
        "openai": _openai,
        "gemini": _gemini,
        "deepseek": _deepseek,
    }
    if convention not in readers:
        raise TranscriptError(
            f"unknown usage convention {convention!r}", remedy=f"there are {', '.join(sorted(readers))}"
        )
    reading = readers[convention](usage, default_class)
    if reasoning_included:
        return reading
    details = usage.get("completion_tokens_details") or usage.get("output_tokens_details") or usage
    extra = _count(details, "reasoning_tokens")
    use = reading.use
    return Reading(TokenUse(use.read, use.writes, use.fresh, use.output + extra, use.storage), reading.assumed)


def write_usage(convention: str, use: TokenUse) -> dict[str, Any]:
    """The usage object a provider of that convention would have sent."""
    written = sum(use.writes.values())
    if convention == "anthropic":
        return {
            "input_tokens": use.fresh,
            "cache_read_input_tokens": use.read,
            "cache_creation_input_tokens": written,
            "cache_creation": {f"ephemeral_{ttl}_input_tokens": n for ttl, n in sorted(use.writes.items())},
            "output_tokens": use.output,
        }
    if convention == "bedrock":
        return {
            "inputTokens": use.fresh,
            "cacheReadInputTokens": use.read,
            "cacheWriteInputTokens": written,
            "outputTokens": use.output,
            "totalTokens": use.input + use.output,
        }
    if convention == "gemini":
        return {
            "promptTokenCount": use.input,
            "cachedContentTokenCount": use.read,
            "candidatesTokenCount": use.output,
            "thoughtsTokenCount": 0,
        }
    if convention == "deepseek":
        return {
            "prompt_tokens": use.input,
            "prompt_cache_hit_tokens": use.read,
            "prompt_cache_miss_tokens": use.input - use.read,
            "completion_tokens": use.output,
        }
    if convention == "openai":
        details: dict[str, int] = {"cached_tokens": use.read}
        if written:
            details["cache_write_tokens"] = written
            details |= {f"ttl_{ttl}_tokens": n for ttl, n in sorted(use.writes.items())}
        return {"prompt_tokens": use.input, "prompt_tokens_details": details, "completion_tokens": use.output}
    raise TranscriptError(f"unknown usage convention {convention!r}", remedy="see CONVENTIONS")


def _count(data: Mapping[str, Any], *names: str) -> int:
    """The first of several fields that is there; 0 when none is."""
    for name in names:
        value = data.get(name)
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, int | float) or value != int(value) or value < 0:
            raise TranscriptError(f"usage field {name} is {value!r}", rule="token counts are whole numbers from 0")
        return int(value)
    return 0


def _remainder(whole: int, part: int, whole_name: str, part_name: str) -> int:
    if part > whole:
        raise TranscriptError(
            f"usage reports {part_name} = {part} of {whole_name} = {whole}",
            rule=f"{whole_name} includes the cached tokens in this convention",
            remedy="the report follows the exclusive convention: read it as `anthropic`",
        )
    return whole - part


def _classes(total: int, split: Mapping[str, int], default: str, name: str) -> tuple[dict[str, int], tuple[str, ...]]:
    """Written tokens by class; what no breakdown covers goes to the default class, which is said."""
    known = {ttl: n for ttl, n in split.items() if n}
    covered = sum(known.values())
    if covered > total:
        raise TranscriptError(
            f"usage reports {covered} written tokens by lifetime but {name} = {total}",
            rule="the lifetimes add up to the total",
            remedy="check the transcript; the provider's report contradicts itself",
        )
    if covered == total:
        return known, ()
    known[default] = known.get(default, 0) + total - covered
    return known, (f"{total - covered} written tokens without a lifetime are taken as {default}",)


def _anthropic(usage: Mapping[str, Any], default: str) -> Reading:
    split = usage.get("cache_creation") or {}
    by_class = {
        key.removeprefix("ephemeral_").removesuffix("_input_tokens"): _count(split, key)
        for key in sorted(split)
        if key.startswith("ephemeral_")
    }
    total = _count(usage, "cache_creation_input_tokens") or sum(by_class.values())
    writes, assumed = _classes(total, by_class, default, "cache_creation_input_tokens")
    read, fresh = _count(usage, "cache_read_input_tokens"), _count(usage, "input_tokens")
    return Reading(TokenUse(read, writes, fresh, _count(usage, "output_tokens")), assumed)


def _bedrock(usage: Mapping[str, Any], default: str) -> Reading:
    writes, assumed = _classes(_count(usage, "cacheWriteInputTokens"), {}, default, "cacheWriteInputTokens")
    read, fresh = _count(usage, "cacheReadInputTokens"), _count(usage, "inputTokens")
    return Reading(TokenUse(read, writes, fresh, _count(usage, "outputTokens")), assumed)


def _openai(usage: Mapping[str, Any], default: str) -> Reading:
    details = usage.get("prompt_tokens_details") or usage.get("input_tokens_details") or {}
    by_class = {
        key.removeprefix("ttl_").removesuffix("_tokens"): _count(details, key)
        for key in sorted(details)
        if key.startswith("ttl_")
    }
    whole = _count(usage, "prompt_tokens", "input_tokens")
    read = _count(details, "cached_tokens")
    total = _count(details, "cache_write_tokens") or sum(by_class.values())
    writes, assumed = _classes(total, by_class, default, "cache_write_tokens")
    rest = _remainder(whole, read, "prompt_tokens", "cached_tokens")
    fresh = _remainder(rest, total, "uncached prompt tokens", "cache_write_tokens")
    return Reading(TokenUse(read, writes, fresh, _count(usage, "completion_tokens", "output_tokens")), assumed)


def _gemini(usage: Mapping[str, Any], default: str) -> Reading:
    whole, read = _count(usage, "promptTokenCount"), _count(usage, "cachedContentTokenCount")
    fresh = _remainder(whole, read, "promptTokenCount", "cachedContentTokenCount")
    # Gemini counts thoughts beside the candidates; both are billed as output.
    output = _count(usage, "candidatesTokenCount") + _count(usage, "thoughtsTokenCount")
    return Reading(TokenUse(read, {}, fresh, output))


def _deepseek(usage: Mapping[str, Any], default: str) -> Reading:
    hit, miss = _count(usage, "prompt_cache_hit_tokens"), _count(usage, "prompt_cache_miss_tokens")
    if "prompt_tokens" in usage and _count(usage, "prompt_tokens") != hit + miss:
        raise TranscriptError(
            f"usage reports prompt_tokens = {usage['prompt_tokens']} but hits {hit} + misses {miss} = {hit + miss}",
            rule="hits and misses add up to the prompt",
            remedy="check the transcript",
        )
    return Reading(TokenUse(hit, {}, miss, _count(usage, "completion_tokens")))
