"""Engine `dual`: its gate, its ladder, small windows, and what it tells the world."""

from __future__ import annotations

import pytest
from dual_material import log_text, quarter, run_output, session

from sim.engine.contract import Attempt, AuxReply, Engine, Open, Rates, Rewrite
from sim.engine.dual import DualEngine
from sim.errors import ScenarioError
from sim.history import Blank, History, Row, RowMaker, unpaired_calls
from sim.tokens import TokenModel, token_model

MODEL = "claude-3-5-sonnet-20241022"


def run_hook(hook, ask=None):
    try:
        request = next(hook)
        while True:
            reply = ask(request) if ask else AuxReply(None, 0, 0.0, "no_provider")
            request = hook.send(reply)
    except StopIteration as stop:
        return stop.value


class Player:
    """Plays messages against the engine and keeps the history the world would keep."""

    def __init__(self, window, settings=None, *, prefix_tokens=1_000, ask=None, rates=None):
        self.ask = ask
        self.engine = DualEngine(quarter)
        prefix = (RowMaker(token_model(MODEL)).row(Blank("system", prefix_tokens, "system")),)
        self.history = History(prefix)
        self.session = self.engine.open(Open("s", MODEL, window, None, prefix, {"dual": settings or {}}, rates=rates))
        self.events: list[tuple[int, Rewrite | Attempt]] = []
        self.peak = 0
        self.stop = None
        self.now = 0.0

    def row(self, message) -> Row:
        from sim.history.row import message_text

        maker = RowMaker(token_model(MODEL))
        row = maker.row(message)
        return Row(row.role, row.ident, quarter(message_text(message)), message, row.has_text, row.calls, row.kind)

    def append(self, message):
        row = self.row(message)
        if message["role"] == "assistant":
            self.call()
            self.history.append(row)
            self.take(self.session.after_response(row, None, self.now))
        else:
            self.history.append(row)
            is_user = message["role"] == "user"
            session = self.session
            self.take(session.turn_start((row,), 1.0, self.now) if is_user else session.after_tools((row,), self.now))
        self.now += 1

    def call(self):
        self.take(self.session.before_call(self.now))
        if self.history.tokens > self.session.controller.limits.window:
            self.take(self.session.on_overflow("context_length_exceeded", self.now))
        assert self.session.body.tokens == self.history.tokens
        self.peak = max(self.peak, self.history.tokens)

    def take(self, hook):
        before_rows = list(self.history.body)
        outcome = run_hook(hook, self.ask)
        for event in outcome.events:
            self.events.append((self.history.body_length, event))
            if isinstance(event, Rewrite):
                assert event.estimate_before == self.history.tokens
                splices = [(s.start, s.stop, [self.row(m) for m in s.rows]) for s in event.splices]
                self.history.splice(splices, event.kind)
                if event.prefix is not None:
                    self.history.set_prefix(event.prefix, "system")
                assert event.estimate_after == self.history.tokens
                assert event.estimate_after < event.estimate_before
        if outcome.stop:
            self.stop = outcome.stop
        lost_calls, lost_results = unpaired_calls(self.history.body)
        assert not lost_results
        assert lost_calls <= unpaired_calls(before_rows)[0]

    def play(self, messages):
        for message in messages:
            self.append(message)
            if self.stop:
                break
        return self

    @property
    def rewrites(self):
        return [e for _, e in self.events if isinstance(e, Rewrite)]


def test_it_is_an_engine():
    engine = DualEngine()
    assert isinstance(engine, Engine)
    assert engine.needs == "text"
    info = engine.resolve(Open("s", MODEL, 100_000, None, (), {}))
    assert (info.trigger_tokens, info.tail_tokens, info.details["target_tokens"]) == (75_000, 20_000, 50_000)


def test_nothing_happens_at_the_trigger_only_above_it():
    player = Player(10_000, prefix_tokens=7_497)
    player.append({"role": "user", "content": "x" * 12})
    player.call()
    assert not player.events
    player.append({"role": "user", "content": "y"})
    player.call()
    assert len(player.events) == 1


def test_a_long_session_stays_under_trigger_plus_a_step():
    messages = session(300, seed=3)
    player = Player(40_000, prefix_tokens=6_000).play(messages)
    assert player.stop is None
    step = max(quarter(m["content"] or "") for m in messages) * 2 + 400
    assert player.peak <= 30_000
    assert player.history.tokens <= 30_000 + step
    normal = [e for e in player.rewrites if e.note in ("normal", "fallback_text")]
    assert normal
    assert all(e.estimate_after <= 20_000 + step for e in normal[:3])


def test_the_task_stays_verbatim():
    messages = session(300, seed=4)
    player = Player(40_000).play(messages)
    assert player.rewrites
    assert player.history.body[0].message == messages[0]
    assert player.history.body[1].message == messages[1]


def test_rewrites_tell_what_was_dropped():
    player = Player(40_000, {"fact_pattern": r"/items/\d+"}).play(session(120, seed=5))
    dropped = player.rewrites[0].dropped
    assert 0 < dropped["identifiers_kept"] < dropped["identifiers_before"]
    assert dropped["numbers_kept"] < dropped["numbers_before"]
    assert 0 < dropped["retention"] < 1
    assert dropped["facts_before"] > dropped["facts_kept"]
    assert sum(v for k, v in dropped.items() if k.endswith("_rows")) == len(player.rewrites[0].splices)


def test_model_summaries_make_it_a_compaction():
    player = Player(30_000, ask=lambda r: AuxReply("A short note.", 4, 3.0)).play(session(80, seed=6))
    assert {e.kind for e in player.rewrites} >= {"compaction"}
    plain = Player(30_000, {"summaries": "extract"}).play(session(80, seed=6))
    assert {e.kind for e in plain.rewrites} == {"prune"}


def test_cache_aware_leaves_more_of_the_prefix():
    def kept(order):
        player = Player(60_000, {"order": order, "summaries": "extract"}, rates=Rates(300, 30, 375, 1500))
        player.play(session(160, seed=7))
        first = player.rewrites[0]
        return first.splices[0].start

    assert kept("cache-aware") > kept("largest-first")
    assert kept("cache-aware") > kept("oldest-first")


def test_cache_aware_without_write_prices_is_largest_first():
    player = Player(60_000, {"order": "cache-aware"}, rates=Rates(300, 300, 300, 1500))
    assert player.session.controller.order == "largest-first"


def filler(i, size=400):
    """A step that content strategies cannot shrink: long arguments, no result to speak of."""
    call = {
        "id": f"c{i}",
        "type": "function",
        "function": {"name": "write_file", "arguments": '{"text": "' + "ab " * size + '"}'},
    }
    return [
        {"role": "assistant", "content": "w" * size, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"c{i}", "content": "ok"},
    ]


def test_the_ladder_first_squeezes():
    player = Player(20_000)
    player.append({"role": "user", "content": "write the files"})
    for i in range(60):
        player.play(filler(i))
    notes = [e.note for e in player.rewrites]
    assert "aggressive" in notes
    assert player.stop is None
    assert player.peak <= 20_000


def test_the_ladder_then_truncates():
    player = Player(20_000)
    player.append({"role": "user", "content": "let us talk"})
    player.append({"role": "assistant", "content": "gladly"})
    for i in range(60):
        # User messages are never squeezed, so only truncation helps.
        player.append({"role": "user", "content": f"{i} " + "words " * 300})
        player.append({"role": "assistant", "content": "yes"})
    kinds = [e.kind for e in player.rewrites]
    assert "truncation" in kinds
    assert player.stop is None
    note = player.history.body[2].text
    assert note.startswith("[dual:removed ")
    assert sum(row.text.startswith("[dual:removed ") for row in player.history.body) == 1


def test_the_ladder_restarts_with_a_summary():
    asked = []

    def ask(request):
        asked.append(request)
        return AuxReply("Done: 3 files. Pending: the fourth.", 12, 9.0)

    player = Player(20_000, {"recent_share": "100%", "small_window": "shrink"}, ask=ask)
    player.append({"role": "user", "content": "let us talk"})
    player.append({"role": "assistant", "content": "gladly"})
    for i in range(40):
        player.append({"role": "user", "content": f"{i} " + "words " * 1_000})
        player.append({"role": "assistant", "content": "yes"})
    restarts = [e for e in player.rewrites if e.kind == "restart"]
    assert restarts
    assert asked[-1].task == "session_summary"
    assert (asked[-1].max_tokens, asked[-1].target_tokens) == (500, 500)
    assert "let us talk" in asked[-1].text
    assert player.stop is None
    assert player.peak <= 20_000
    assert any("Done: 3 files." in row.text for row in player.history.body)


def test_a_restart_starts_cold():
    player = Player(20_000, {"recent_share": "100%"})
    maker = RowMaker(token_model(MODEL))
    system = maker.row({"role": "system", "content": "You are careful."})
    player.session = player.engine.open(Open("s", MODEL, 20_000, None, (system,), {"dual": {"recent_share": "100%"}}))
    player.history = History((system,))
    player.append({"role": "user", "content": "let us talk"})
    player.append({"role": "assistant", "content": "gladly"})
    for i in range(20):
        player.append({"role": "user", "content": f"{i} " + "words " * 1_000})
        player.append({"role": "assistant", "content": "yes"})
    prefixes = [e.prefix for e in player.rewrites if e.prefix is not None]
    assert prefixes
    assert prefixes[0][0].text == "You are careful.\n\nSession 2, continued from an archived session."


def test_a_burst_too_large_for_the_window_is_cut_in_hand():
    player = Player(8_000, prefix_tokens=500)
    player.append({"role": "user", "content": "read the log"})
    call = {"id": "c", "type": "function", "function": {"name": "terminal", "arguments": "{}"}}
    player.append({"role": "assistant", "content": None, "tool_calls": [call]})
    player.append({"role": "tool", "tool_call_id": "c", "content": log_text(2_000)})
    player.call()
    assert player.stop is None
    assert player.history.tokens <= 8_000
    assert player.rewrites[-1].note == "step_in_hand"


def test_a_session_that_cannot_fit_ends_as_overflow():
    player = Player(8_000)
    player.append({"role": "user", "content": "word " * 10_000})
    player.call()
    assert player.stop == "overflow"


@pytest.mark.parametrize("window", [8_000, 16_000, 32_000, 64_000, 200_000, 1_000_000])
@pytest.mark.parametrize("chinese", [False, True])
def test_windows_of_all_sizes(window, chinese):
    prefix = min(6_000, window // 3)
    player = Player(window, prefix_tokens=prefix).play(session(150, seed=8, size=1, chinese=chinese))
    assert player.stop is None
    assert player.peak <= window
    if window <= 64_000:
        assert player.rewrites


def test_a_window_too_small_for_the_sacred_zone():
    prefix = (RowMaker(token_model(MODEL)).row(Blank("system", 7_000, "system")),)
    request = Open("s", MODEL, 8_000, None, prefix, {"dual": {"small_window": "error"}})
    with pytest.raises(ScenarioError, match="too small for the sacred zone"):
        DualEngine().resolve(request)
    degraded = DualEngine().resolve(Open("s", MODEL, 8_000, None, prefix, {}))
    assert {i.setting for i in degraded.ignored} == {"dual.recent_tokens", "dual.target"}


def test_hermes_blocks_are_reported_as_ignored():
    info = DualEngine().resolve(Open("s", MODEL, 100_000, None, (), {"compression": {"threshold": 0.5}}))
    assert [i.setting for i in info.ignored] == ["compression.threshold"]


@pytest.mark.parametrize(
    "block",
    [
        {"triger": 0.5},
        {"target": 0.8},
        {"trigger": "x"},
        {"truncate_above": 0.5},
        {"fact_pattern": "("},
        {"order": "newest"},
    ],
)
def test_bad_settings_name_the_key(block):
    with pytest.raises(ScenarioError) as caught:
        DualEngine().resolve(Open("s", MODEL, 100_000, None, (), {"dual": block}))
    assert next(iter(block)) in str(caught.value)


def test_overflow_refused_by_the_provider_climbs_the_ladder():
    player = Player(100_000, {"recent_tokens": "2K"}).play(session(60, seed=9))
    assert not player.rewrites
    before = player.history.tokens
    player.session.controller.resize(before)
    player.take(player.session.on_overflow("context_length_exceeded", 1.0))
    assert player.history.tokens <= before * 0.75


def test_by_default_it_counts_as_the_rest_of_the_simulator_bills():
    model: TokenModel = token_model(MODEL)
    maker = RowMaker(model)
    engine = DualEngine()
    opened = engine.open(Open("s", MODEL, 30_000, None, (), {"dual": {"summaries": "extract"}}))
    history = History(())
    for message in session(60, seed=10):
        row = maker.row(message)
        history.append(row)
        hook = opened.after_tools((row,), 0.0)
        run_hook(hook)
        outcome = run_hook(opened.before_call(0.0))
        for event in outcome.events:
            if isinstance(event, Rewrite):
                history.splice([(s.start, s.stop, [maker.row(m) for m in s.rows]) for s in event.splices], event.kind)
                assert event.estimate_after == history.tokens
    assert engine.log


def test_adaptive_zone_moves_with_the_session():
    small = Player(100_000, {"recent": "adaptive", "adaptive_min_tokens": "1K"}).play(session(40, seed=11))
    many_small = Player(100_000, {"recent": "adaptive", "adaptive_min_tokens": "1K"})
    many_small.append({"role": "user", "content": "go"})
    for i in range(60):
        many_small.play(filler(i, 20))
    assert 1_000 <= many_small.session.controller.recent_budget() < small.session.controller.recent_budget() <= 25_000


def test_adaptive_zone_reaches_what_the_agent_refers_to():
    player = Player(200_000, {"recent": "adaptive", "adaptive_min_tokens": "1K", "adaptive_steps": 1})
    player.append({"role": "user", "content": "go"})
    player.play(filler(0))
    call = {"id": "far", "type": "function", "function": {"name": "terminal", "arguments": "{}"}}
    player.append({"role": "assistant", "content": None, "tool_calls": [call]})
    player.append({"role": "tool", "tool_call_id": "far", "content": "the_secret_value = 77123"})
    for i in range(1, 30):
        player.play(filler(i))
    before = player.session.controller.recent_budget()
    player.append({"role": "assistant", "content": "use the_secret_value again"})
    assert player.session.controller.recent_budget() > max(before, 10_000)


def test_three_bursts_on_a_small_window():
    packages = "[" + ", ".join(f"package-{i} {i % 9}.{i % 5}.1" for i in range(400)) + "]"
    player = Player(32_000, prefix_tokens=6_003)
    player.append({"role": "user", "content": "look at the log, run the tests, list the packages"})
    for i, text in enumerate([log_text(2_000)[:60_000], run_output(847), packages]):
        call = {"id": f"c{i}", "type": "function", "function": {"name": "terminal", "arguments": "{}"}}
        player.append({"role": "assistant", "content": "next", "tool_calls": [call]})
        player.append({"role": "tool", "tool_call_id": f"c{i}", "content": text})
    player.append({"role": "assistant", "content": "all seen"})
    assert player.stop is None
    assert player.peak <= 32_000


def test_a_pass_that_frees_too_little_is_left_out():
    def play(least):
        player = Player(20_000, {"min_reclaim": least, "truncate_above": "90%"}, prefix_tokens=8_000)
        player.append({"role": "user", "content": "write the files"})
        player.play([*filler(0, 20), *filler(1, 150)])
        call = {"id": "big", "type": "function", "function": {"name": "terminal", "arguments": "{}"}}
        player.append({"role": "assistant", "content": None, "tool_calls": [call]})
        player.append({"role": "tool", "tool_call_id": "big", "content": "x" * 28_000})
        player.call()
        return player

    assert [e.note for e in play("0%").rewrites] == ["aggressive"]
    kept = play("2%")
    assert not kept.rewrites
    assert [e.reason for _, e in kept.events] == ["unchanged"]


@pytest.mark.parametrize(
    "text", ["x" * 800_000, "a1" * 300_000, "字" * 300_000, "1," * 300_000], ids=["x", "a1", "zh", "1,"]
)
def test_monstrous_rows_in_a_session(text):
    settings = {"recent": "adaptive", "context_aware": True, "fact_pattern": r"\w{1,20}_key=[0-9a-f]{12}"}
    player = Player(50_000, settings)
    player.play([{"role": "user", "content": "look at it"}, *filler(0, 20)])
    call = {"id": "big", "type": "function", "function": {"name": "terminal", "arguments": "{}"}}
    player.append({"role": "assistant", "content": None, "tool_calls": [call]})
    player.append({"role": "tool", "tool_call_id": "big", "content": text})
    player.play(filler(1, 20))
    assert player.stop is None
    assert player.peak <= 50_000


def test_images_are_left_alone():
    part = [{"type": "text", "text": log_text(200)}, {"type": "image_url", "image_url": {"url": "data:x"}}]
    call = {"id": "pic", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    player = Player(20_000, {"truncate_above": "95%"})
    player.play([{"role": "user", "content": "look"}, *filler(0, 20)])
    player.append({"role": "assistant", "content": None, "tool_calls": [call]})
    player.append({"role": "tool", "tool_call_id": "pic", "content": part})
    for i in range(1, 32):
        player.play(filler(i))
    assert {e.note for e in player.rewrites} == {"aggressive"}
    assert [row.message["content"] for row in player.history.body if row.message.get("tool_call_id") == "pic"] == [part]


def test_the_note_of_removed_rows_counts_all_of_them():
    player = Player(20_000)
    player.append({"role": "user", "content": "let us talk"})
    player.append({"role": "assistant", "content": "gladly"})
    sizes = []
    for i in range(60):
        for message in ({"role": "user", "content": f"{i} " + "words " * 300}, {"role": "assistant", "content": "yes"}):
            player.append(message)
            sizes.append(quarter(message["content"]))
    assert sum(e.kind == "truncation" for e in player.rewrites) >= 2
    note, kept = player.history.body[2].text, player.history.body_length - 3
    gone = len(sizes) - kept
    assert note.startswith(f"[dual:removed {gone} messages, {sum(sizes[:gone])} tokens]")
