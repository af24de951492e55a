"""Does the simulator predict what was really billed? Recorded against predicted, call by call, and on to a bill.

Two questions, kept apart. With `exact=True` prompt sizes and times are taken from the recording and only the cache is
predicted. With `exact=False` prompts are counted from the texts too, with a token multiplier and a frame a tool
call for each session, taken from its first calls.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sim.errors import PriceError
from sim.history import RowMaker
from sim.insight.recorded import Calibration, Request, Sent, markers, shared_base, sized_requests
from sim.provider import Profile, PromptCache, TokenUse, profile
from sim.tokens import token_model
from sim.workload.replay import read_drafts
from sim.workload.replay.build import Gauge, recorded_model
from sim.workload.replay.drafts import Draft
from sim.workload.script import Recorded

_LAST = 253_402_300_799.0  # the end of the year 9999, beyond which there are no dates

LONG_GAP = 300.0
"""Seconds after which a 5-minute entry is gone."""
UNEXPLAINED = "not explained"
CLOSE = 0.01
"""A predicted read within this share of the prompt (64 tokens at least) needs no explanation."""


@dataclass(frozen=True, slots=True)
class Split:
    """One prompt by class; `input = read + write_5m + write_1h + fresh`."""

    input: int
    read: int
    write_5m: int
    write_1h: int
    output: int

    @property
    def fresh(self) -> int:
        """Tokens neither read nor written."""
        return self.input - self.read - self.write_5m - self.write_1h

    def use(self) -> TokenUse:
        """The same for a price card."""
        writes = {name: n for name, n in (("5m", self.write_5m), ("1h", self.write_1h)) if n}
        return TokenUse(self.read, writes, self.fresh, self.output)


@dataclass(frozen=True, slots=True)
class Line:
    """One call; money in pico-dollars, None where the model has no known price.

    Attributes:
        cause: why the read differs, empty when it does not.
        start: whether the cache's state before the file decides it (first call, warm in the recording).
    """

    session: str
    call: int
    started_by: str
    began: float
    model: str
    recorded: Split
    predicted: Split
    recorded_pico: int | None
    predicted_pico: int | None
    cause: str
    start: bool


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """All calls, and how the prediction was made.

    Attributes:
        calibrations: session → how its tokens were counted (multiplier 1 and no frame with `exact`).
        left_out: calls without recorded usage.
        notes: remarks for the reader.
    """

    lines: tuple[Line, ...]
    calibrations: Mapping[str, Calibration]
    left_out: int
    exact: bool
    notes: tuple[str, ...]

    def read_share(self, who: str = "", *, started: bool = False) -> tuple[float, float]:
        """(recorded, predicted) tokens read over tokens sent.

        Args:
            who: `user` or `tool` for the calls these started; all when empty.
            started: count calls too whose outcome was decided before the file begins.
        """
        chosen = [x for x in self.lines if (not who or x.started_by == who) and (started or not x.start)]
        recorded, predicted = sum(x.recorded.input for x in chosen), sum(x.predicted.input for x in chosen)
        return (
            sum(x.recorded.read for x in chosen) / recorded if recorded else 0.0,
            sum(x.predicted.read for x in chosen) / predicted if predicted else 0.0,
        )

    @property
    def causes(self) -> dict[str, tuple[int, int]]:
        """Cause → (calls, tokens by which reads differ)."""
        found: dict[str, tuple[int, int]] = {}
        for line in self.lines:
            if line.cause:
                calls, tokens = found.get(line.cause, (0, 0))
                found[line.cause] = (calls + 1, tokens + abs(line.recorded.read - line.predicted.read))
        return dict(sorted(found.items(), key=lambda pair: (-pair[1][1], pair[0])))

    @property
    def explained(self) -> float:
        """Share of calls whose read is predicted, or differs for a cause the recording shows."""
        unknown = sum(1 for line in self.lines if line.cause in {UNEXPLAINED, "best-effort cache"})
        return 1 - unknown / len(self.lines) if self.lines else 1.0


def reconcile(
    paths: Sequence[str], *, format: str = "auto", exact: bool = False, as_of: datetime | None = None
) -> Reconciliation:
    """Predict every recorded call of transcripts; all their sessions share one account's caches.

    Args:
        paths, format: as in `import_transcripts`.
        exact: take prompt sizes from the recording.
        as_of: date of the prices; the time of the first call when None.

    Raises:
        TranscriptError: not a transcript, or no call in it has recorded usage.
    """
    drafts: list[Draft] = []
    for _, _, found in read_drafts(paths, format=format):
        drafts += found
    worker = _Worker(drafts, exact, as_of)
    lines = tuple(worker.line(request) for request in worker.requests())
    calls = sum(len(draft.calls) + len(draft.sized) for draft in drafts)
    return Reconciliation(lines, worker.calibrations, calls - len(lines), exact, tuple(worker.notes))


class _Worker:
    def __init__(self, drafts: list[Draft], exact: bool, as_of: datetime | None) -> None:
        self.calibrations: dict[str, Calibration] = {}
        self.notes: list[str] = []
        self._streams: list[Iterator[Request]] = []
        self._caches: dict[str, PromptCache] = {}
        self._profiles: dict[str, Profile | None] = {}
        self._ttl: dict[str, str] = {}
        self._model: dict[str, str] = {}
        self._as_of = as_of
        shared = shared_base(drafts)
        makers: dict[str, RowMaker] = {}
        for draft in drafts:
            model = recorded_model(draft)
            tokens = token_model(model)
            maker = makers.setdefault(tokens.family, RowMaker(tokens))
            self._ttl[draft.name] = _lifetime(draft)
            if draft.sized:
                self.calibrations[draft.name] = Calibration()
                self._streams.append(sized_requests(draft, maker))
                continue
            gauge = Gauge(maker, tokens)
            sent = Sent(draft, maker, gauge, exact=exact, base=shared.get((model, draft.origin)))
            self.calibrations[draft.name] = sent.calibration
            self._streams.append(sent.requests())
        if any(name == "1h" for name in self._ttl.values()):
            self.notes.append("the life time of cache entries is the class that was really written")
        if shared:
            self.notes.append("the prefix that sessions share is what a first call read in the recording")

    def requests(self) -> Iterator[Request]:
        """Requests of all sessions by their start; each session's prompt grows only when it is its turn."""
        queue: list[tuple[float, int, Request, Iterator[Request]]] = []
        for place, stream in enumerate(self._streams):
            if (request := next(stream, None)) is not None:
                heapq.heappush(queue, (request.began, place, request, stream))
        while queue:
            _, place, request, stream = heapq.heappop(queue)
            yield request
            if (following := next(stream, None)) is not None:
                heapq.heappush(queue, (following.began, place, following, stream))

    def line(self, request: Request) -> Line:
        """Serve a request from the predicted cache and set it beside the recording."""
        known = self._profile(request.model, request.began)
        split = self._served(request, known)
        recorded = _recorded(request.usage)
        switched = self._model.get(request.session, request.model) != request.model
        self._model[request.session] = request.model
        start = request.first and recorded.read > split.read
        return Line(
            request.session,
            request.call,
            request.started_by,
            request.began,
            request.model,
            recorded,
            split,
            _cost(known, recorded, request.began),
            _cost(known, split, request.began),
            _cause(request, recorded, split, switched, self._ttl[request.session], known),
            start,
        )

    def _served(self, request: Request, known: Profile | None) -> Split:
        prompt, output = request.prompt, request.usage.output_tokens
        if known is None or known.family == "none":
            return Split(prompt.tokens, 0, 0, 0, output)
        if request.model not in self._caches:
            self._caches[request.model] = known.open_cache()
        cache = self._caches[request.model]
        ttl = self._ttl[request.session]
        first_byte = request.began + (request.done - request.began) / 3
        served = cache.serve(
            prompt,
            markers(known, prompt, ttl),
            request.began,
            first_byte=first_byte,
            done=request.done,
            session=request.session,
        )
        # The answer is in the request's prompt from now on: put it there for the cache, the session appends it itself.
        size = len(prompt)
        prompt.append(request.reply)
        cache.settle(prompt, request.done, session=request.session)
        prompt.truncate(size)
        long = sum(n for name, n in served.writes.items() if name != "5m")
        return Split(prompt.tokens, served.read, sum(served.writes.values()) - long, long, output)

    def _profile(self, model: str, at: float) -> Profile | None:
        if model not in self._profiles:
            moment = self._as_of or datetime.fromtimestamp(min(max(at, 0.0), _LAST), UTC)
            try:
                self._profiles[model] = profile(model, as_of=moment)
            except PriceError as error:
                self._profiles[model] = None
                self.notes.append(f"{model or 'a model without a name'} has no known price or cache: {error.message}")
        return self._profiles[model]


def _recorded(usage: Recorded) -> Split:
    return Split(
        usage.input_tokens,
        usage.cache_read_tokens,
        usage.cache_write_5m_tokens,
        usage.cache_write_1h_tokens,
        usage.output_tokens,
    )


def _cost(known: Profile | None, split: Split, at: float) -> int | None:
    if known is None:
        return None
    use = split.use()
    tier = known.card.tier(use.input, at)
    if tier.read is None and use.read:
        return None
    if any(name not in tier.writes for name in use.writes):
        # A provider without write prices bills writes as plain input.
        use = TokenUse(use.read, {}, use.input - use.read, use.output)
    return known.card.cost(use, at).total


def _lifetime(draft: Draft) -> str:
    """The TTL class a session wrote most of."""
    written: Counter[str] = Counter()
    for usage in [*(call.usage for call in draft.calls), *(call.usage for call in draft.sized)]:
        if usage is not None:
            written["5m"] += usage.cache_write_5m_tokens
            written["1h"] += usage.cache_write_1h_tokens
    return "1h" if written["1h"] > written["5m"] else "5m"


def _cause(request: Request, recorded: Split, split: Split, switched: bool, ttl: str, known: Profile | None) -> str:
    """Why the predicted read differs from the recorded one; empty when it does not."""
    difference = split.read - recorded.read
    if abs(difference) <= max(64, CLOSE * recorded.input):
        return ""
    if known is None:
        return "no cache rules known"
    if request.first:
        return "state of the cache before the file" if difference < 0 else "first call found nothing to read"
    if request.rewritten:
        return request.rewritten
    if switched:
        return "model switch"
    if request.image:
        return "image"
    if request.gap > LONG_GAP:
        wrote = recorded.write_1h if ttl == "5m" else recorded.write_5m
        return "TTL class" if wrote or difference < 0 else "gap longer than the life time"
    if abs(split.input - recorded.input) > max(64, CLOSE * recorded.input) and split.read < split.input:
        return "prompt size"
    if known.family == "interval":
        return "answers kept in the cache" if difference < 0 else "best-effort cache"
    return UNEXPLAINED


def waterfall(
    counted: Reconciliation, exact: Reconciliation, bill: Mapping[str, Any] | None = None
) -> list[dict[str, Any]]:
    """Steps from our estimate to what was billed; `pico` of the steps adds up to the last one's `total`.

    Args:
        counted: the prediction from texts.
        exact: the prediction with recorded prompt sizes.
        bill: `{"pico": …, "source": …}`, the amount really paid, if known.
    """
    priced = [x for x in counted.lines if x.predicted_pico is not None and x.recorded_pico is not None]
    estimate = sum(x.predicted_pico or 0 for x in priced)
    sized = sum(x.predicted_pico or 0 for x in exact.lines if x.recorded_pico is not None)
    usage = sum(x.recorded_pico or 0 for x in exact.lines if x.predicted_pico is not None)
    steps = [
        {"step": "our estimate", "pico": estimate, "total": estimate},
        {"step": "prompt sizes (tokenizer, hidden base)", "pico": sized - estimate, "total": sized},
        {"step": "cache split (read, write, fresh)", "pico": usage - sized, "total": usage},
    ]
    if bill is not None:
        left = {"step": f"not in these transcripts ({bill['source']})", "pico": int(bill["pico"]) - usage}
        steps.append({**left, "total": int(bill["pico"])})
    return steps
