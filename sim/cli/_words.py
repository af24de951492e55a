"""The few words that people read in tables and key lines, in English and Chinese."""

from __future__ import annotations

_WORDS: dict[str, tuple[str, str]] = {
    "arm": ("arm", "配置"),
    "trigger": ("trigger", "触发点"),
    "calls": ("calls", "调用"),
    "compactions": ("compact.", "压缩"),
    "prunes": ("prunes", "修剪"),
    "peak": ("peak", "峰值"),
    "hit": ("cache\nhits", "缓存\n命中"),
    "cost": ("cost, $\na session", "费用 $\n每会话"),
    "saving": ("saving, $\na session", "节省 $\n每会话"),
    "verdict": ("verdict", "结论"),
    "never": ("never", "不触发"),
    "baseline": ("baseline", "基线"),
    "cheaper": ("cheaper", "更便宜"),
    "dearer": ("dearer", "更贵"),
    "no difference shown": ("no differ-\nence shown", "未见差异"),
    "from_call": ("call {n} on", "第 {n} 次起"),
    "stored": ("stored", "已存"),
    "report": ("report", "报告"),
    "sessions_line": (
        "{n} sessions an arm, paired on the same draws; ranges are 95 % intervals",
        "每个配置 {n} 个会话，同一随机数配对；区间为 95 % 置信区间",
    ),
    "session_line": (
        "one session an arm: no interval can be given",
        "每个配置只有一个会话：无法给出区间",
    ),
    "wins": (
        "{arm} saves ${mean} a session ({low} to {high}), {pct} of what {baseline} costs{since}.",
        "{arm} 每会话节省 ${mean}（{low} 至 {high}），占 {baseline} 费用的 {pct}{since}。",
    ),
    "wins_exact": (
        "{arm} saves ${mean} a session, {pct} of what {baseline} costs{since}.",
        "{arm} 每会话节省 ${mean}，占 {baseline} 费用的 {pct}{since}。",
    ),
    "since": ("; it stays ahead from call {n} on", "；自第 {n} 次调用起保持领先"),
    "keep": (
        "Keep {baseline}: every other arm is dearer; the nearest, {arm}, by ${mean} a session.",
        "保留 {baseline}：其他配置都更贵；最接近的 {arm} 每会话多花 ${mean}。",
    ),
    "unclear": (
        "No arm is shown to be cheaper than {baseline}: {arm} comes nearest ({low} to {high} dollars a session).",
        "没有配置被证明比 {baseline} 更便宜：最接近的是 {arm}（每会话 {low} 至 {high} 美元）。",
    ),
    "same_cost": ("All arms cost the same.", "所有配置费用相同。"),
    "alone": ("{arm} costs ${mean} a session.", "{arm} 每会话费用 ${mean}。"),
    "ignored": ("{arm}: {setting} = {value} has no effect: {reason}", "{arm}：{setting} = {value} 不起作用：{reason}"),
    "misplaced": (
        "{arm}: {setting} is not read where it stands; it belongs at {home}",
        "{arm}：{setting} 位置不对，不会被读取；应写在 {home}",
    ),
    "overflow": (
        "{arm}: {n} of {all} sessions ended because a request outgrew the window; its cost is that of shorter sessions",
        "{arm}：{all} 个会话中有 {n} 个因请求超出窗口而中断；其费用对应较短的会话",
    ),
    "unfinished": ("{arm}: {n} of {all} sessions did not finish", "{arm}：{all} 个会话中有 {n} 个未完成"),
    "same_trigger": ("{arms} fire at the same {trigger} tokens", "{arms} 的触发点相同：{trigger} tokens"),
    "ok": ("nothing wrong", "没有问题"),
    "engine": ("engine", "引擎"),
    "window": ("window", "窗口"),
    "rule": ("decided by", "决定规则"),
    "tail": ("tail\n(at most)", "尾部\n（上限）"),
    "check": ("check", "检查项"),
    "state": ("state", "状态"),
    "found": ("found", "情况"),
    "wider": ("a wider terminal shows more columns", "终端更宽时显示更多列"),
    "setting": ("setting", "设置"),
    "value": ("value", "值"),
    "what": ("what becomes of it", "结果"),
    "line": ("line", "行"),
    "why": ("why, and what to write", "原因与写法"),
    "works": ("works", "生效"),
    "misplaced_status": ("misplaced", "位置不对"),
    "renamed": ("renamed", "已改名"),
    "unknown": ("unknown", "未知"),
    "wrong type": ("wrong type", "类型不对"),
    "skipped": ("skipped", "跳过"),
    "ignored_status": ("ignored", "不起作用"),
}


def word(key: str, lang: str = "en", **values: object) -> str:
    """A phrase in the language asked for; braces are filled from `values`."""
    english, chinese = _WORDS[key]
    return (chinese if lang == "zh" else english).format(**values) if values else (chinese if lang == "zh" else english)


def status_word(status: str, lang: str = "en") -> str:
    """A line's status."""
    key = f"{status}_status" if f"{status}_status" in _WORDS else status
    return word(key, lang)
