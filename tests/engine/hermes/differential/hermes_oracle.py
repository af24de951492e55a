"""The package's own host code, driven by a stub agent: the oracle of the differential test.

Runs inside an engine environment (0.22). Turn start, before a call, after tools and the complete compaction wrapper are
the package's own functions; replaced are only the database (an in-memory store of the durable fields), the refresh of
tool definitions from a live registry, the marks on stored rows, and clock and auxiliary call (as in our host).
"""

from __future__ import annotations

import types
from typing import Any


class Store:
    """The durable fields a session row keeps, in memory, under the names the package calls."""

    def __init__(self, clock: Any) -> None:
        self.clock = clock
        self.cooldown: tuple[float, Any] | None = None
        self.values: dict[str, Any] = {}
        self.config: dict[str, Any] = {}

    def get_compression_failure_cooldown(self, _sid: str) -> dict[str, Any] | None:
        if self.cooldown is None or self.cooldown[0] <= self.clock.now:
            return None
        until, error = self.cooldown
        return {"cooldown_until": until, "remaining_seconds": until - self.clock.now, "error": error}

    def record_compression_failure_cooldown(self, _sid: str, until: float, error: Any) -> None:
        self.cooldown = (until, error)

    def clear_compression_failure_cooldown(self, _sid: str) -> None:
        self.cooldown = None

    def get_session_model_config(self, _sid: str) -> dict[str, Any]:
        return dict(self.config)

    def get_session_model_config_value(self, _sid: str, key: str, default: Any = None) -> Any:
        return self.config.get(key, default)

    def patch_session_model_config(self, _sid: str, patch: dict[str, Any]) -> None:
        self._patch(patch)

    def _patch(self, patch: dict[str, Any] | None) -> None:
        for key, value in (patch or {}).items():
            if value is None:
                self.config.pop(key, None)
            else:
                self.config[key] = value

    def archive_and_compact(
        self, _sid: str, _messages: list[Any], *, model_config_patch: Any = None, **_more: Any
    ) -> None:
        self._patch(model_config_patch)

    def try_acquire_compression_lock(self, _sid: str, _holder: Any, **_more: Any) -> bool:
        return True

    def release_compression_lock(self, _sid: str, _holder: Any) -> None:
        return None

    def refresh_compression_lock(self, _sid: str, _holder: Any, **_more: Any) -> bool:
        return True

    def get_compression_failure_cooldown_row(self, _sid: str) -> dict[str, Any]:
        return self.get_compression_failure_cooldown(_sid) or {}

    def increment_compression_overload_streak(self, _sid: str) -> int:
        self.values["overload_streak"] = self.values.get("overload_streak", 0) + 1
        return int(self.values["overload_streak"])

    def get_session(self, _sid: str) -> dict[str, Any]:
        return {}

    def update_system_prompt(self, _sid: str, _text: str) -> None:
        return None

    def get_message_role(self, _sid: str, _row: int) -> None:
        return None

    def get_active_message_watermark(self, _sid: str) -> int:
        return 0


def _pair(name: str) -> None:
    def get(self: Store, _sid: str) -> Any:
        return self.values.get(name, 0)

    def put(self: Store, _sid: str, value: Any) -> None:
        self.values[name] = value

    setattr(Store, f"get_compression_{name}", get)
    setattr(Store, f"set_compression_{name}", put)


for _name in ("fallback_streak", "ineffective_count", "overload_streak", "recovery_deadline"):
    _pair(_name)


class Budget:
    """Counts calls; refunds are free."""

    def refund(self) -> None:
        return None


class Todo:
    """No to-do list."""

    def format_for_injection(self) -> str:
        return ""

    def has_items(self) -> bool:
        return False


class Agent:
    """The attributes that the package's gates read and write."""

    def __init__(self, session: Any, compressor: Any, store: Store) -> None:
        self.context_compressor = compressor
        self.compression_enabled = session.blocks.enabled
        self.compression_in_place = True
        self.compression_checkpoint_required = False
        self.compression_idle_compact_after_seconds = session.blocks.idle_after
        self.max_compression_attempts = session.blocks.max_attempts
        self.model, self.provider = session.model, "custom"
        self.base_url, self.api_key, self.api_mode = "https://hermes-sim.invalid/v1", "", "chat_completions"
        self.session_id = session.id
        self.tools = session.tools
        self.quiet_mode = True
        self.log_prefix = ""
        self.platform = "cli"
        self.iteration_budget = Budget()
        self._session_db = store
        self._cached_system_prompt = session.system
        self._memory_manager = None
        self._todo_store = Todo()
        self._usage_anchor = None
        self._turn_base_usage_anchor = None
        self._compression_feasibility_checked = session.blocks.auxiliary_window is None
        self._aux_compression_context_length_config = session.blocks.auxiliary_window
        self._minimum_tool_context_length = session.blocks.minimum_window
        self.max_tokens = session.blocks.max_tokens
        self._last_activity_ts = 0.0
        self._api_call_count = 0
        self._session_init_model_config: dict[str, Any] = {}
        self._flushed_db_message_ids: set[int] = set()
        self._persist_user_message_idx = 0
        self._custom_providers = None

    def _quiet(self, *_args: Any, **_kwargs: Any) -> None:
        return None

    _emit_status = _emit_warning = _emit_diagnostic_status = _vprint = _buffer_status = _safe_print = _quiet
    _warn_context_overflow_blocked = _clear_context_overflow_warn = _persist_session = commit_memory_session = _quiet
    _touch_activity = _invalidate_system_prompt = _quiet

    _flush_status_buffer = _buffer_diagnostic_status = _buffer_vprint = _quiet

    def _build_system_prompt(self, _message: Any = None) -> str:
        return str(self._cached_system_prompt)

    def _current_main_runtime(self) -> dict[str, Any]:
        return {}

    def _repair_message_sequence(self, messages: list[Any]) -> None:
        return None


def install() -> types.SimpleNamespace:
    """Import the package's gates and put the replacements in place."""
    import agent.auxiliary_client as auxiliary
    import agent.context_compressor as cc
    import agent.conversation_compression as wrapper
    import agent.conversation_compression_archive as archive
    import agent.conversation_loop as loop
    import agent.error_classifier as classifier
    import agent.model_metadata as metadata
    import agent.turn_context as turn_context
    import agent.turn_context_compaction as turn_start
    import agent.turn_overflow as overflow
    import agent.turn_preflight as preflight
    import agent.turn_preflight_gate as gate
    import agent.usage_anchor as anchor

    wrapper._refresh_agent_tool_definitions = lambda _agent: False
    wrapper._rebuild_system_prompt_at_boundary = lambda agent, _message: agent._cached_system_prompt
    cc.stamp_db_persisted_markers = lambda _messages: None
    cc._archive_watermark_for = lambda *_args: None
    archive.coverage_for_commit = lambda *_args: (frozenset(), [])
    loop._maybe_grow_local_window = lambda *_args: None
    client = types.SimpleNamespace(base_url="https://aux.invalid/v1", api_key="")
    auxiliary.get_text_auxiliary_client = lambda *_args, **_kwargs: (client, "aux-model")
    auxiliary._resolve_task_provider_model = lambda _task: ("openrouter", "aux-model", "", "", "")
    known = metadata.get_model_context_length

    def window_of(model: str, **keywords: Any) -> int:
        return int(keywords["config_context_length"] if model == "aux-model" else known(model, **keywords))

    metadata.get_model_context_length = window_of
    Agent._compress_context = lambda self, messages, system, **kw: wrapper.compress_context(
        self, messages, system, **kw
    )
    return types.SimpleNamespace(
        cc=cc,
        wrapper=wrapper,
        loop=loop,
        turn_context=turn_context,
        turn_start=turn_start,
        overflow=overflow,
        reason=classifier.FailoverReason.context_overflow,
        preflight=preflight,
        gate=gate,
        anchor=anchor,
    )


class Oracle:
    """One session driven by the package's own gates."""

    def __init__(self, modules: Any, session: Any, package: Any) -> None:
        self.m, self.clock = modules, package.clock
        store = Store(self.clock)
        blocks = session.blocks
        self.engine = package.build(
            session.model, session.window, blocks.max_tokens, blocks.compression, blocks.minimum_window
        )
        self.engine.bind_session_state(store, session.id)
        self.agent = Agent(session, self.engine, store)
        self.rows: list[Any] = []
        self.attempts, self.blocked, self.last = 0, False, None
        self.pressure: Any = None
        self.failed = self.refused = False
        self.user: Any = None
        self.limit = blocks.max_attempts

    def turn_start(self, rows: list[Any], gap: float) -> None:
        self.rows = [*self.rows, *rows]
        self.attempts, self.blocked, self.last, self.refused = 0, False, None, False
        self.user = rows[-1].get("content")
        self.agent._last_activity_ts = self.clock.now - gap
        try:
            out = self.m.turn_start.run_turn_start_compaction(
                self.agent,
                messages=self.rows,
                system_message=self.agent._cached_system_prompt,
                active_system_prompt=self.agent._cached_system_prompt,
                conversation_history=None,
                current_turn_user_idx=len(self.rows) - 1,
                user_message=self.user,
                effective_task_id="t",
            )
        except self.m.turn_context.PreflightCompressionTimedOut:
            self.failed = True
            return
        self.rows, self.blocked = out.messages, out.blocked

    def wire(self) -> list[Any]:
        """The request's rows as the loop prices them."""
        system = self.agent._cached_system_prompt
        wire = [{"role": "system", "content": system}] if system else []
        for row in self.rows:
            copy = dict(row)
            if isinstance(copy.get("content"), str):
                copy["content"] = copy["content"].strip()
            wire.append(copy)
        self.m.loop._canonicalize_api_tool_calls(wire)
        return wire

    def on_overflow(self) -> None:
        v = self.m.overflow.recover_from_overflow(
            self.agent,
            RuntimeError("prompt is too long"),
            types.SimpleNamespace(reason=self.m.reason),
            types.SimpleNamespace(),
            status_code=400,
            error_msg="prompt is too long",
            wrapped_output_cap_budget=None,
            messages=self.rows,
            api_messages=self.wire(),
            system_message=self.agent._cached_system_prompt,
            active_system_prompt=self.agent._cached_system_prompt,
            conversation_history=None,
            approx_tokens=0,
            compression_attempts=self.attempts,
            max_compression_attempts=self.limit,
            api_call_count=1,
            effective_task_id="t",
        )
        self.rows, self.attempts = v.messages, v.compression_attempts
        self.refused = v.provider_overflow_recovery_pending
        self.failed = v.action == "return"

    def before_call(self) -> None:
        while True:
            messages, system = self.rows, self.agent._cached_system_prompt
            wire = self.wire()
            replayed = self.m.turn_context._agent_stale_thinking_on_wire(self.agent)
            rough = self.m.gate_estimate(wire, charge_stale_thinking=replayed)
            pressure = self.m.loop._midturn_request_pressure_tokens(self.agent, wire, system, rough)
            anchored = self.m.anchor.anchored_context_tokens(messages, self.agent._usage_anchor)
            self.agent._request_pressure_anchored = anchored is not None
            if anchored is not None:
                pressure = anchored
            else:
                pressure = self.m.loop._pressure_with_real_floor(self.engine, pressure)
            self.pressure = pressure
            v = self.m.gate.run_preflight_gate(
                self.agent,
                request_pressure_tokens=pressure,
                _moa_prepared_request=None,
                pending_moa_prepared_request=None,
                messages=messages,
                system_message=system,
                user_message=self.user,
                active_system_prompt=system,
                conversation_history=None,
                api_call_count=1,
                compression_attempts=self.attempts,
                max_compression_attempts=self.limit,
                effective_task_id="t",
                final_response=None,
                failed=False,
                _turn_exit_reason=None,
                _compression_timeout_exhausted=False,
                _preflight_compression_blocked=self.blocked,
                _provider_overflow_recovery_pending=self.refused,
                _last_preflight_pressure=self.last,
            )
            self.rows, self.attempts = v.messages, v.compression_attempts
            self.blocked, self.last = v._preflight_compression_blocked, v._last_preflight_pressure
            self.refused, self.failed = v._provider_overflow_recovery_pending, v.action == "return"
            if v.action != "continue":
                self.last = None if v.action == "fallthrough" else self.last
                return

    def after_response(self, row: Any, usage: tuple[int, int] | None, fields: Any) -> None:
        engine = self.engine
        if usage is None:
            if engine.awaiting_real_usage_after_compression:
                engine.update_from_response({})
            engine.note_usage_less_response()
        else:
            pending = bool(engine._verify_compaction_cleared_threshold)
            engine.update_from_response(fields(*usage))
            new = self.m.anchor.capture_usage_anchor(usage[0], usage[1], self.rows)
            if new is not None:
                self.agent._usage_anchor = new
            if self.m.loop._should_rearm_compression_budget(
                self.attempts,
                completed_compaction_pending=pending,
                prompt_tokens=usage[0],
                threshold_tokens=engine.threshold_tokens,
            ):
                self.attempts, self.blocked = 0, False
        self.rows = [*self.rows, row]

    def after_tools(self, rows: list[Any]) -> None:
        self.rows = [*self.rows, *rows]
        v = self.m.preflight.compress_after_tool_results(
            self.agent,
            messages=self.rows,
            system_message=self.agent._cached_system_prompt,
            user_message=self.user,
            active_system_prompt=self.agent._cached_system_prompt,
            conversation_history=None,
            compression_attempts=self.attempts,
            max_compression_attempts=self.limit,
            effective_task_id="t",
            final_response=None,
            turn_exit_reason=None,
            current_turn_user_idx=0,
        )
        self.rows, self.attempts = v.messages, v.compression_attempts
