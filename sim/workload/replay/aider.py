"""Aider history (`.aider.chat.history.md`): `####` lines are the user's, `>` lines the tool's, the rest the answer.

`> Tokens:` lines give rounded usage of the call before; repository map and files are not in the log.
"""

from __future__ import annotations

import re

from sim.workload.replay.drafts import Called, Draft, Said
from sim.workload.replay.source import Source
from sim.workload.replay.values import exclusive, when
from sim.workload.script import Recorded

NAME = "aider"
_START = "# aider chat started at "
_SIZE = re.compile(r"([\d.,]+)([kKmM]?) (sent|received|cache hit|cache write)")
_SCALE = {"": 1, "k": 1_000, "m": 1_000_000}


def recognise(source: Source) -> bool:
    """The heading of a chat."""
    return _START in source.start


def read(source: Source) -> list[Draft]:
    """One session for each start."""
    drafts: list[Draft] = []
    user: list[str] = []
    answer: list[str] = []
    draft: Draft | None = None

    def close(usage: Recorded | None = None) -> None:
        nonlocal user, answer
        if draft is None:
            return
        text = "\n".join(answer).strip()
        if user:
            draft.events.append(Said("\n".join(user)))
        if text or usage:
            draft.events.append(Called(text=text, model=draft.model, usage=usage))
        user, answer = [], []

    with source.path.open(encoding="utf-8", errors="replace") as file:
        for raw in file:
            line = raw.rstrip("\n")
            source.rows += 1
            if line.startswith(_START):
                close()
                draft = Draft(f"{source.stem}-{len(drafts) + 1}", started_at=when(line[len(_START) :]))
                drafts.append(draft)
            elif draft is None:
                source.skip("line before the first chat")
                continue
            elif line.startswith("#### "):
                if answer and "".join(answer).strip():
                    close()
                user.append(line[5:])
            elif line.startswith("> "):
                if line.startswith("> Tokens:"):
                    close(_usage(line))
                elif found := re.match(r"> (?:Main model|Model): (\S+)", line):
                    draft.model = found.group(1)
                else:
                    draft.skipped["line of the tool"] += 1
                    continue
            else:
                answer.append(line)
            draft.used += 1
    close()
    for one in drafts:
        one.notes.append("token counts are rounded by Aider; repository map and files are not in the log")
    return drafts


def _usage(line: str) -> Recorded | None:
    sizes = {
        what: int(float(number.replace(",", "")) * _SCALE[unit.lower()]) for number, unit, what in _SIZE.findall(line)
    }
    hit, written = sizes.get("cache hit", 0), sizes.get("cache write", 0)
    sent = sizes.get("sent", 0)
    # `sent` is the whole prompt; cached parts are named again.
    return exclusive(max(0, sent - hit - written), hit, written, sizes.get("received", 0))
