"""Second fallback: take the oldest steps out, leaving one row that says so."""

from __future__ import annotations

from sim.engine.dual.body import Body, Change, Pass
from sim.engine.dual.item import full_text
from sim.engine.dual.loss import measure_loss
from sim.engine.dual.phrases import language_of, read_removed, removed_note
from sim.engine.dual.settings import DualSettings
from sim.engine.dual.zones import Zones, step_starts


def truncate_pass(body: Body, zones: Zones, goal: int, settings: DualSettings, least: int = 0) -> Pass:
    """Remove whole steps, oldest first, until the request is no larger than `goal` tokens or nothing old is left.

    The row that stands for them carries how many messages and tokens were removed so far; a later truncation takes
    it in. Nothing happens when it would free less than `least` tokens.
    """
    before = body.tokens
    start, limit = zones.pinned_stop, zones.removable.stop
    ends = [s for s in step_starts(body.items) if start < s < limit] + [limit]
    removed_tokens = messages = told = 0
    stop = start
    for end in ends:
        if stop >= limit or before - removed_tokens <= goal:
            break
        for item in body.items[stop:end]:
            earlier = read_removed(item.text) if item.role == "user" else None
            messages += earlier[0] if earlier else 1
            told += earlier[1] if earlier else item.tokens
            removed_tokens += item.tokens
        stop = end
    if stop == start:
        return Pass("truncate", (), before, before)
    texts = [full_text(i.message) for i in body.items[start:stop] if i.message is not None]
    language = language_of("".join(t[:200] for t in texts[:20]), settings.language)
    note = {"role": "user", "content": removed_note(messages, told, language)}
    if removed_tokens - body.measure(note) < max(least, 1):
        return Pass("truncate", (), before, before)
    change = Change(start, stop, (note,))
    loss = measure_loss(texts, [note["content"]], settings.fact_pattern)
    body.apply((change,))
    return Pass("truncate", (change,), before, body.tokens, (), loss, removed=stop - start)
