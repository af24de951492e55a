"""Last fallback: archive the session and go on in a new one that starts with a summary."""

from __future__ import annotations

from collections.abc import Sequence

from sim.engine.contract import AuxReply, AuxRequest
from sim.engine.dual.body import Body, Change, Pass, RowChange
from sim.engine.dual.compressor import Asking, ToolOutputCompressor
from sim.engine.dual.fit import Piece, fit
from sim.engine.dual.item import Item, calls_of, content_of, full_text, function_of, has_image
from sim.engine.dual.lines import clip
from sim.engine.dual.loss import measure_loss
from sim.engine.dual.phrases import Language, head, language_of, say
from sim.engine.dual.zones import find_zones

_STEPS_TOLD = 40


def summary_prompt(items: Sequence[Item], language: Language) -> str:
    """The chapter's prompt: task, done, state, pending."""
    users = [i.text for i in items if i.role == "user"]
    replies = [i.text for i in items if i.role == "assistant" and i.text.strip()]
    task = clip(users[0], language, 2_000) if users else ""
    state = clip(replies[-1], language, 1_000) if replies else ""
    pending = clip(users[-1], language, 1_000) if users else ""
    done = "\n".join(_steps(items, language)[-_STEPS_TOLD:])
    if language == "zh":
        return (
            "请为以下进行中的会话创建摘要，以便在新会话中继续工作：\n\n"
            f"原始任务：{task}\n已完成步骤：\n{done}\n当前状态：{state}\n待完成事项：{pending}\n\n"
            "请用 300 字以内写出继续工作所需的全部关键信息（路径、数值、决定、约束）："
        )
    return (
        "Summarise this session in progress so that the work can go on in a new one.\n\n"
        f"Original task: {task}\nSteps done:\n{done}\nCurrent state: {state}\nPending: {pending}\n\n"
        "In at most 300 words, give everything needed to go on (paths, figures, decisions, constraints):"
    )


def _steps(items: Sequence[Item], language: Language) -> list[str]:
    told = []
    for item in items:
        if item.message is None:
            continue
        for call in calls_of(item.message):
            name, arguments = function_of(call)
            told.append(f"- {name} {clip(arguments, language, 120)}")
        if item.role == "user" and item.text.startswith("[dual:"):
            told.append(clip(item.text, language, 2_000))
    return told


def restart_pass(body: Body, limit: int, compressor: ToolOutputCompressor) -> Asking[Pass]:
    """Keep the first exchange and the step in hand, put a summary between them, and drop the rest.

    Results of the step in hand are left alone unless the request would still exceed `limit` tokens; then they are
    compressed to the room there is. Results of the first exchange's own calls are compressed like any old result.
    """
    s = compressor.settings
    before = body.tokens
    zones = find_zones(body.items, 0, keep_first=s.first_exchange)
    start, stop = zones.pinned_stop, max(zones.recent_start, zones.pinned_stop)
    draft = _Draft(body, compressor)
    for row in range(zones.first_stop, min(zones.pinned_stop, zones.recent_start)):
        yield from draft.shorten(row, s.result_target_tokens)
    removed = 0
    told = stop == start + 1 and body.items[start].text.startswith("[dual:archived ")
    if stop > start and not told and (yield from draft.summarise(start, stop)):
        removed = stop - start
    if before - draft.saved > limit:
        large = [
            r for r in range(zones.recent_start, len(body.items)) if _shrinkable(body.items[r], s.result_target_tokens)
        ]
        held = sum(body.items[r].tokens for r in large)
        room = max(limit * 9 // 10 - (before - draft.saved - held), 0)
        for row in large:
            share = room * body.items[row].tokens // max(held, 1)
            yield from draft.shorten(row, max(share, s.result_target_tokens))
    changes = tuple(sorted(draft.changes, key=lambda c: c.start))
    if not changes:
        return Pass("restart", (), before, before, asked=draft.asked)
    loss = measure_loss(draft.old_texts, draft.new_texts, s.fact_pattern)
    body.apply(changes)
    cold = s.restart_cold and removed > 0
    return Pass("restart", changes, before, body.tokens, tuple(draft.rows), loss, draft.asked, removed, cold)


def _shrinkable(item: Item, least: int) -> bool:
    return item.role == "tool" and item.tokens > least and item.message is not None and not has_image(item.message)


class _Draft:
    """Changes of a restart as they gather."""

    def __init__(self, body: Body, compressor: ToolOutputCompressor) -> None:
        self._body, self._compressor = body, compressor
        self.changes: list[Change] = []
        self.rows: list[RowChange] = []
        self.old_texts: list[str] = []
        self.new_texts: list[str] = []
        self.saved = 0
        self.asked = 0

    def summarise(self, start: int, stop: int) -> Asking[bool]:
        """Put a summary in the place of rows `start:stop`; False when it would not be smaller.

        Without an answer, and for rows no larger than a summary, the list of the last steps stands in for it.
        """
        items, s = self._body.items, self._compressor.settings
        texts = [full_text(i.message) for i in items[start:stop] if i.message is not None]
        language = language_of("".join(t[:200] for t in texts[:20]), s.language)
        dropped = sum(i.tokens for i in items[start:stop])
        summary = ""
        if dropped > s.restart_summary_tokens:
            reply: AuxReply = yield AuxRequest(
                task="session_summary",
                text=summary_prompt(items, language),
                model=s.summary_model,
                max_tokens=s.restart_summary_tokens,
                target_tokens=s.restart_summary_tokens,
            )
            self.asked += 1
            summary = (reply.text or "").strip() if reply.failure in (None, "cut_off") else ""
        if not summary:
            summary = "\n".join(_steps(items, language)[-12:])
        opening = f"{head('archived', dropped)}\n{say('restart', language)}"
        pieces = [Piece(0, opening), *(Piece(1 + i, line) for i, line in enumerate(summary.split("\n")))]
        text = fit(pieces, s.restart_summary_tokens, self._compressor.count, language).text
        return self._take(Change(start, stop, ({"role": "user", "content": text},)), texts)

    def shorten(self, row: int, target: int) -> Asking[None]:
        """Compress one tool result to `target` tokens."""
        item = self._body.items[row]
        if not _shrinkable(item, target):
            return
        assert item.message is not None
        done = yield from self._compressor.compress(
            content_of(item.message), tokens=item.tokens, target=target, threshold=target, use_model=False
        )
        message = {**item.message, "content": done.text}
        if done.changed and self._take(Change(row, row + 1, (message,)), [content_of(item.message)]):
            self.rows.append(RowChange(row, done.kind, item.tokens, self._body.measure(message), done.why))

    def _take(self, change: Change, old: list[str]) -> bool:
        before = sum(i.tokens for i in self._body.items[change.start : change.stop])
        after = sum(self._body.measure(m) for m in change.messages)
        if after >= before:
            return False
        self.changes.append(change)
        self.saved += before - after
        self.old_texts += old
        self.new_texts += [full_text(m) for m in change.messages]
        return True
