"""From a model's name, as people write it, to the provider and the id whose prices hold."""

from __future__ import annotations

import difflib
from typing import Any

from sim.errors import PriceError
from sim.provider import owncards

_VENDORS = (
    ("claude", ("anthropic",)),
    ("gpt", ("openai",)),
    ("chatgpt", ("openai",)),
    ("o1", ("openai",)),
    ("o3", ("openai",)),
    ("o4", ("openai",)),
    ("deepseek", ("deepseek",)),
    ("gemini", ("google",)),
    ("grok", ("x-ai",)),
    ("mistral", ("mistral",)),
    ("devstral", ("mistral",)),
    ("kimi", ("moonshotai",)),
    ("glm", ("zai", "zhipuai")),
    ("minimax", ("minimax",)),
)
"""First letters of a model id → its own vendor; other names are looked for at OpenRouter first."""
FREE = ":free"


def find_entry(model: str, provider: str | None) -> tuple[str, str, Any]:
    """(provider, model id, price data of the package or None when only our own card knows it).

    Raises:
        PriceError: unknown name, with near ones.
    """
    from genai_prices.data import providers

    name = model.strip()
    if provider is not None and provider not in {p.id for p in providers}:
        known = sorted(p.id for p in providers)
        near = difflib.get_close_matches(provider, known, n=3)
        raise PriceError(
            f"no prices are known for provider {provider!r}",
            remedy=f"did you mean {', '.join(near)}?" if near else f"there are {', '.join(known)}",
        )
    wanted = [name, name.split("/", 1)[1]] if "/" in name else [name]
    preferred = (provider,) if provider else _preferred(name)
    ordered = sorted(providers, key=lambda p: preferred.index(p.id) if p.id in preferred else len(preferred))
    for candidate in wanted:
        for owner in ordered:
            if provider and owner.id != provider:
                continue
            if owncards.own_card(owner.id, candidate.lower()) is not None:
                return str(owner.id), candidate.lower(), None
            found = owner.find_model(candidate)
            if found is not None:
                return str(owner.id), str(found.id), found
    raise unknown_model(model)


def unknown_model(model: str) -> PriceError:
    """The error for a name without prices, with the nearest names."""
    from genai_prices.data import providers

    known = sorted({m.id for p in providers for m in p.models} | {m for _, m in owncards.own_models()})
    name = model.strip().lower()
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.6)
    near = near or difflib.get_close_matches(name.split("/")[-1], known, n=3, cutoff=0.5)
    return PriceError(
        f"no price is known for model {model!r}",
        rule="an unknown price is never taken as 0",
        remedy=f"did you mean {', '.join(near)}?" if near else "give its prices under `prices:` in the scenario",
    )


def _preferred(name: str) -> tuple[str, ...]:
    if "/" in name:
        return ("openrouter",)
    for start, owners in _VENDORS:
        if name.lower().startswith(start):
            return owners
    return ("openrouter",)
