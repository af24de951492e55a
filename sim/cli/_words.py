"""The few words that people read in tables and key lines, in English and Chinese."""

from __future__ import annotations

_WORDS: dict[str, tuple[str, str]] = {
    "arm": ("arm", "方案"),
    "trigger": ("trigger", "触发点"),
    "calls": ("calls", "调用"),
    "compactions": ("compact.", "压缩"),
    "prunes": ("prunes", "裁剪"),
    "peak": ("peak", "峰值"),
    "hit": ("cache\nhits", "缓存\n命中"),
    "cost": ("cost, $\na session", "费用 $\n每会话"),
    "saving": ("saving, $\na session", "节省 $\n每会话"),
    "cost_span": ("cost, $\na span", "费用 $\n每区间"),
    "saving_span": ("saving, $\na span", "节省 $\n每区间"),
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
        "每个方案 {n} 个会话，同一随机数配对；区间为 95 % 置信区间",
    ),
    "session_line": (
        "one session an arm: no interval can be given",
        "每个方案只有一个会话：无法给出区间",
    ),
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
    "ok": ("nothing wrong", "没有问题"),
    "engine": ("engine", "引擎"),
    "window": ("window", "窗口"),
    "rule": ("decided by", "决定规则"),
    "tail": ("tail\n(at most)", "尾部\n（上限）"),
    "check": ("check", "检查项"),
    "state": ("state", "状态"),
    "found": ("found", "情况"),
    "rule_floor_75": (
        "windows below 512,000 raise the threshold to at least 0.75",
        "窗口小于 512,000 时阈值至少提到 0.75",
    ),
    "rule_floor_64k": ("the trigger is at least 64,000 tokens", "触发点至少为 64,000 token"),
    "rule_degenerate_85": (
        "the threshold, or its floor of 64,000, comes to the whole window or more: 85 % of it applies",
        "阈值（或其下限 64,000）达到或超过整个窗口，因此取窗口的 85 %",
    ),
    "rule_auxiliary_window": (
        "the summarising model's window is smaller and lowers the trigger",
        "摘要模型的窗口更小，触发点随之降低",
    ),
    "model": ("model", "模型"),
    "provider": ("provider", "提供商"),
    "effective": ("since", "生效日期"),
    "input": ("input", "输入"),
    "output": ("output", "输出"),
    "read": ("cache\nread", "缓存\n读"),
    "writes": ("cache\nwrite", "缓存\n写"),
    "per_million": ("dollars per million tokens", "每百万 tokens 的美元价格"),
    "time_windows": ("other prices at some times of day", "部分时段另有价格"),
    "compactions_long": ("compactions", "压缩"),
    "wider": ("a wider terminal shows more columns", "终端更宽时显示更多列"),
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


def has_word(key: str) -> bool:
    """Whether there is a phrase of that name."""
    return key in _WORDS


def status_word(status: str, lang: str = "en") -> str:
    """A line's status."""
    key = f"{status}_status" if f"{status}_status" in _WORDS else status
    return word(key, lang)
