"""`make validate DATA=FOLDER`: real transcripts and traces through the product; the figures go to `docs/validation.md`.

    python -m tests.validation FOLDER docs/validation.md

Files are read where they lie; nothing of them is kept.
"""

from __future__ import annotations

import sys
from pathlib import Path

from sim.provider.validate import markdown, validate_folder
from tests.validation.replay_page import sections

_HEAD = """\
# Validation

What was held against something outside this project, and what came out. This page is written by
`make validate DATA=FOLDER`, with FOLDER holding the public files named in each table (their sources and licences are
in the trace repositories of the same names). Beside it stand
[the engine's differential campaign](validation-engine.md), [predictions committed before they were
scored](predictions.md) and [presets held against measured figures](workloads.md).
"""
_CACHE = """\
## Prompt caches on real traces

Token-weighted share of the prompt that is read from cache, through the cache alone, beside an independent brute force
over whole token lists. `claude_kv_trace` has exact 64-token prefix identities and real times; Mooncake is a service
trace with 512-token blocks."""


def page(data: Path) -> str:
    """The page's text."""
    replay = sections(data)[1:]
    parts = [_HEAD.rstrip(), _CACHE, markdown(validate_folder(data)).rstrip(), *replay]
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def main(folder: str, target: str) -> int:
    """Write the page; exit code 2 when there is no such folder."""
    data = Path(folder)
    if not data.is_dir():
        print(f"{folder} is not a folder: make validate DATA=FOLDER", file=sys.stderr)
        return 2
    Path(target).write_text(page(data), encoding="utf-8")
    print(f"wrote {target}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:3]))
