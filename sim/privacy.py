"""Masks secrets and home folders in anything that is printed or stored.

Keys are recognised by the shapes their issuers give them and by names such as `api_key=`; what is masked keeps a short
start, so that a person can tell which key it was. Home folders become `~`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any

MASK = "…masked"

_SHAPES = re.compile(
    r"""
    \b(?:
        sk-or-v1-[0-9a-zA-Z]{8,}                      # OpenRouter
      | sk-ant-(?:api|admin|oat)?[0-9]{0,2}-?[\w-]{8,}  # Anthropic
      | sk-(?:proj|svcacct|admin)-[\w-]{8,}           # OpenAI, newer
      | sk-[0-9a-zA-Z]{16,}                           # OpenAI, DeepSeek and those who follow them
      | (?:rk|pk|sk)_(?:live|test)_[0-9a-zA-Z]{8,}    # Stripe
      | gh[pousr]_[0-9a-zA-Z]{16,} | github_pat_\w{16,} | glpat-[\w-]{16,}
      | xox[abprs]-[0-9a-zA-Z-]{8,} | xapp-[0-9a-zA-Z-]{8,}
      | AIza[\w-]{20,} | ya29\.[\w-]{16,}             # Google
      | (?:AKIA|ASIA)[0-9A-Z]{16}                     # AWS
      | hf_[0-9a-zA-Z]{16,} | gsk_[0-9a-zA-Z]{16,} | xai-[0-9a-zA-Z]{16,} | r8_[0-9a-zA-Z]{16,}
      | pplx-[0-9a-zA-Z]{16,} | nvapi-[\w-]{16,} | tvly-[\w-]{12,} | fw_[0-9a-zA-Z]{16,} | npm_[0-9a-zA-Z]{16,}
      | pypi-[\w-]{16,} | dop_v1_[0-9a-f]{16,} | SG\.[\w-]{12,}\.[\w-]{12,}
      | [0-9]{8,10}:AA[\w-]{30,}                      # Telegram bots
      | eyJ[\w-]{6,}\.eyJ[\w-]{6,}\.[\w-]{8,}         # JSON web tokens
    )
    """,
    re.VERBOSE,
)
_BEARER = re.compile(r"\b(bearer|basic|token)(\s+)([A-Za-z0-9+/_.=~-]{16,})", re.IGNORECASE)
_NAMED = re.compile(
    r"""((?:api[_-]?key|secret|passw(?:or)?d|access[_-]?token|auth[_-]?token|private[_-]?key|client[_-]?secret)
        ["']?\s*[:=]\s*["']?)([^\s"',;}]{6,})""",
    re.VERBOSE | re.IGNORECASE,
)
_BLOCK = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL)
_ADDRESS = re.compile(r"([a-z][a-z0-9+.-]*://[^\s:/@]{0,100}:)([^\s@/]{1,200})(@)", re.IGNORECASE)
_HOMES = re.compile(r"(?:/home/|/Users/|[A-Za-z]:[\\/]+Users[\\/]+)([^\s/\\:\"'<>|*?,;)]+)|/root(?=[/\\\s:\"',;)]|$)")
_DASHED = re.compile(r"(?<![\w-])-(?:home|Users)-([A-Za-z0-9_.]+)(?=-)")
"""Claude Code names a project's folder by its path with dashes."""


def mask(text: str, home: str | None = None) -> str:
    """The text with secrets and home folders masked.

    Args:
        home: the home folder of this person; `$HOME` when None.
    """
    if "PRIVATE KEY" in text:
        text = _BLOCK.sub(f"-----PRIVATE KEY {MASK}-----", text)
    text = _SHAPES.sub(_short, text)
    text = _BEARER.sub(rf"\1\2{MASK}", text)
    text = _NAMED.sub(lambda found: found[0] if MASK in found[2] else f"{found[1]}{MASK}", text)
    text = _ADDRESS.sub(rf"\1{MASK}\3", text)
    own = os.path.expanduser("~") if home is None else home
    if len(own) > 1 and own in text:
        text = re.sub(re.escape(own.rstrip("/\\")) + r"(?=[/\\\s:\"',;)]|$)", "~", text)
    return _DASHED.sub("-~", _HOMES.sub("~", text))


def _short(found: re.Match[str]) -> str:
    key = found[0]
    cut = max(key.rfind("-", 0, 10), key.rfind("_", 0, 10))
    return f"{key[: cut + 1 if cut >= 2 else 4]}{MASK}"


def masked(value: Any, home: str | None = None) -> Any:
    """Plain data (as it would become JSON) with every text in it masked, keys of mappings too."""
    if isinstance(value, str):
        return mask(value, home)
    if isinstance(value, Mapping):
        return {mask(str(key), home): masked(item, home) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [masked(item, home) for item in value]
    return value
