"""Titles, axes, captions and sentences of the figures: key → (English, Chinese)."""

# ruff: noqa: E501 - a message stays on one line, so that both languages are read side by side

from __future__ import annotations

FIGURES: dict[str, tuple[str, str]] = {
    "axis.call": ("call of the session", "会话中的第几次调用"),
    "axis.calls_log": ("calls so far (log)", "累计调用次数（对数）"),
    "axis.context": ("prompt tokens", "提示词 token"),
    "axis.sent_log": ("input tokens sent so far (log)", "累计发送的输入 token（对数）"),
    "axis.dollars": ("US dollars", "美元"),
    "axis.dollars_unit": ("US dollars {unit}", "美元（{unit}）"),
    "axis.tokens_unit": ("tokens {unit}", "token（{unit}）"),
    "axis.hours": ("hours since the session began", "会话开始后的小时数"),
    "axis.minutes": ("minutes since the session began", "会话开始后的分钟数"),
    "axis.window_share": ("share of the window", "占窗口比例"),
    "axis.hit": ("read from cache", "缓存命中"),
    "axis.spent": ("dollars spent so far", "累计花费（美元）"),
    "axis.saved": ("saved so far", "累计节省"),
    "axis.saving_unit": ("saving against {baseline}, US dollars {unit}", "相对 {baseline} 的节省，美元（{unit}）"),
    "unit.session": ("a session", "每会话"),
    "unit.replication": ("a replication", "每次重复"),
    "unit.session_n": ("{n} sessions", "{n} 个会话"),
    "part.cache_read": ("cache read", "缓存读取"),
    "part.cache_write": ("cache write", "缓存写入"),
    "part.fresh": ("fresh input", "未缓存输入"),
    "part.output": ("output", "输出"),
    "part.auxiliary": ("auxiliary model", "辅助模型"),
    "part.storage": ("cache storage", "缓存存储"),
    "cause.compaction": ("compaction", "压缩"),
    "cause.prune": ("prune", "裁剪"),
    "cause.ttl": ("TTL expired", "TTL 过期"),
    "cause.minimum": ("below minimum length", "低于最小长度"),
    "cause.system": ("system prompt changed", "系统提示变化"),
    "cause.model": ("model changed", "模型切换"),
    "cause.lookback": ("beyond lookback", "超出回看范围"),
    "cause.other": ("other", "其他"),
    "mark.trigger": ("trigger {tokens}", "触发点 {tokens}"),
    "mark.trigger_above": ("trigger {tokens}, above this view", "触发点 {tokens}，超出图上方"),
    "mark.trigger_none": ("never fires", "从不触发"),
    "mark.window": ("window {tokens}", "窗口 {tokens}"),
    "mark.compaction": ("compaction", "压缩"),
    "mark.idle": ("compaction after a pause", "停顿后压缩"),
    "mark.prune": ("prune", "裁剪"),
    "mark.overflow": ("overflow", "溢出"),
    "mark.typical": ("typical session", "典型会话"),
    "mark.others": ("other sessions", "其他会话"),
    "mark.wins_from": ("ahead from call {call}", "自第 {call} 次调用起领先"),
    "mark.baseline": ("{arm} (baseline)", "{arm}（基线）"),
    "mark.cheaper_side": ("cheaper than {baseline} →", "比 {baseline} 便宜 →"),
    "mark.dearer_side": ("← dearer", "← 更贵"),
    "mark.slope": ("slope {n}", "斜率 {n}"),
    "mark.nothing": ("nothing lost", "无损失"),
    "mark.no_calls": ("no answered call", "没有完成的调用"),
    "mark.alone": ("one arm only: its cost, with nothing to compare it with", "只有一个方案：仅显示其成本，无可比较"),
    "mark.more_calls": ("{n} arms", "{n} 个方案"),
    "world": (
        "Workload: {workload}. {n} replications, every arm on the same scripts. Prices: {prices}.",
        "负载：{workload}。{n} 次重复，各方案使用相同脚本。价格：{prices}。",
    ),
    "world.synthetic": ("synthetic sessions, preset {preset}", "合成会话，预设 {preset}"),
    "world.replay": ("{n} recorded transcripts", "{n} 份真实会话记录"),
    "world.replay_one": ("one recorded transcript", "一份真实会话记录"),
    "world.curve": ("token-only growth curve", "仅 token 的增长曲线"),
    "world.unknown": ("as in the scenario", "见场景文件"),
    "world.no_prices": ("none", "无"),
    "world.price": ("{model}, checked {date}", "{model}，核对于 {date}"),
    "fig.context.title": ("Context at each call, and where it is rewritten", "每次调用的上下文，以及何处被改写"),
    "fig.context.caption": (
        "Dark: the session whose baseline cost is the median of all (replication {r}). Light: up to {n} others. "
        "Billed tokens of the whole prompt; the engine decides on its own estimate, so it may fire a little off the line.",
        "深色：基线成本居中的会话（第 {r} 次重复）。浅色：至多 {n} 个其他会话。"
        "纵轴为整个提示词的计费 token；引擎按自身估算决定，触发处可能略偏离虚线。",
    ),
    "fig.context.see": ("{arm} peaks at {peak}: {rewrites}.", "{arm} 峰值 {peak}，{rewrites}。"),
    "fig.context.times_idle": (
        "compactions {compactions} ({idle} after a pause, {rest} at a trigger), prunes {prunes} {unit}",
        "{unit}压缩 {compactions} 次（{idle} 次因停顿，{rest} 次因触发），裁剪 {prunes} 次",
    ),
    "fig.context.never": ("never rewritten", "从未改写"),
    "fig.context.times": ("compactions {compactions}, prunes {prunes} {unit}", "{unit}压缩 {compactions} 次、裁剪 {prunes} 次"),
    "fig.growth.title": ("How the tokens that are sent again add up", "重复发送的 token 如何累积"),
    "fig.growth.caption": (
        "Mean over replications; every call sends its whole prompt again, cached or not. Exponent: least squares on the "
        "logarithms over calls {first} to {last}; 2 is quadratic growth, 1 is linear. Triangle: median first compaction.",
        "为各次重复的均值；每次调用都重新发送整个提示词，无论是否缓存。指数由第 {first} 至 {last} 次调用的对数最小二乘拟合：2 为平方增长，1 为线性。三角：首次压缩的中位位置。",
    ),
    "fig.growth.label": ("{arm}: exponent {n}", "{arm}：指数 {n}"),
    "fig.growth.label_none": ("{arm}: too few calls to fit", "{arm}：调用太少，无法拟合"),
    "fig.growth.see": (
        "{arm} sends {sent} tokens {unit}, growing with calls to the power {n}.",
        "{arm} {unit}发送 {sent} token，随调用次数的 {n} 次方增长。",
    ),
    "fig.growth.see_none": ("{arm} sends {sent} tokens {unit}.", "{arm} {unit}发送 {sent} token。"),
    "fig.cumulative.title": ("What has been spent after each call", "每次调用之后的累计花费"),
    "fig.cumulative.key_title": ("Saved against {baseline} after each call, US dollars", "每次调用之后相对 {baseline} 的累计节省（美元）"),
    "fig.cumulative.caption": (
        "Mean over replications, auxiliary calls included; a session that has ended stays level. "
        "Band: the middle 80% of the replications' paired savings. ",
        "为各次重复的均值，含辅助调用；已结束的会话保持水平。色带：各次重复配对节省的中间 80%。",
    ),
    "fig.cumulative.wins": (
        "{arm} is ahead of {baseline} from call {call} to the end and finishes {saving} cheaper.",
        "{arm} 自第 {call} 次调用起一直领先于 {baseline}，最终便宜 {saving}。",
    ),
    "fig.cumulative.loses": (
        "{arm} ends {loss} dearer than {baseline}.",
        "{arm} 最终比 {baseline} 贵 {loss}。",
    ),
    "fig.cumulative.same": ("{arm} and {baseline} cost the same.", "{arm} 与 {baseline} 花费相同。"),
    "fig.cumulative.alone": ("{arm} spends {cost} {unit}.", "{arm} {unit}花费 {cost}。"),
    "fig.money.title": ("Where the money goes", "钱花在哪里"),
    "fig.money.caption": ("Mean dollars {unit}. ", "{unit}平均美元。"),
    "fig.money.see": (
        "The largest part of {arm} is {part}: {share} of {cost}.",
        "{arm} 最大的一项是{part}：占 {cost} 的 {share}。",
    ),
    "fig.money.free": ("{arm} costs nothing.", "{arm} 没有花费。"),
    "fig.misses.title": ("What cache misses cost, and why", "缓存未命中花了多少、为什么"),
    "fig.misses.caption": (
        "Tokens that had been sent before and were not read from cache; dollars above the read price. "
        "Tokens sent for the first time are not counted. ",
        "指此前发送过却未能从缓存读取的 token；金额为高出缓存读取价的部分。首次发送的 token 不计入。",
    ),
    "fig.misses.see": (
        "{arm} pays {dollars} {unit} for misses, {share} of its bill; the main cause is {cause}.",
        "{arm} {unit}为未命中支付 {dollars}，占账单 {share}；主要原因是{cause}。",
    ),
    "fig.misses.none": ("{arm} loses nothing that had been cached.", "{arm} 没有丢失任何已缓存的内容。"),
    "fig.saving.title": ("How surely it saves: every replication against the baseline", "节省有多可靠：每次重复与基线之差"),
    "fig.saving.caption": (
        "Dots: replications, each pair on the same script. Bar: mean with its 95% BCa bootstrap interval; "
        "it spans zero when no difference is shown. ",
        "点：各次重复，每对使用同一脚本。横条：均值及其 95% BCa 自助区间；跨越零表示未显示差异。",
    ),
    "fig.saving.see": (
        "{arm}: {mean} {unit} (95% range {low} to {high}), cheaper in {wins} of {n} replications.",
        "{arm}：{unit}{mean}（95% 区间 {low} 至 {high}），{n} 次重复中 {wins} 次更便宜。",
    ),
    "fig.saving.range": ("{mean}  ({low} to {high})", "{mean}（{low} 至 {high}）"),
    "fig.saving.alone": ("{arm} is the only arm; it costs {mean} {unit}.", "只有 {arm} 一个方案，{unit}花费 {mean}。"),
    "fig.costs.title": ("How much a session can cost: the spread of each arm", "会话成本的分布"),
    "fig.costs.title_replication": ("How much a replication can cost: the spread of each arm", "每次重复成本的分布"),
    "fig.costs.caption": ("Dots: replications. Ticks: median, 90% and 99% points (observed values). ", "点：各次重复。刻线：中位数、90% 与 99% 分位（实测值）。"),
    "fig.costs.see": (
        "{arm}: half cost {p50} or less, nine in ten {p90} or less, the dearest {top}.",
        "{arm}：一半不超过 {p50}，九成不超过 {p90}，最贵 {top}。",
    ),
    "fig.usage.title": ("Window in use and cache hits over time, typical session", "典型会话中窗口占用与缓存命中随时间的变化"),
    "fig.usage.caption": (
        "The session of the context figure (replication {r}). Hits: read tokens over prompt tokens of the last {k} calls. "
        "Time is simulated: think times, tool runs, answers and auxiliary calls.",
        "与上下文图相同的会话（第 {r} 次重复）。命中：最近 {k} 次调用中读取 token 占提示词 token 的比例。"
        "时间为模拟时间：思考、工具运行、回答与辅助调用。",
    ),
    "fig.usage.see": (
        "{arm} reads {hit} of its prompt tokens from cache and uses at most {peak} of its window.",
        "{arm} 有 {hit} 的提示词 token 来自缓存，最多占用窗口的 {peak}。",
    ),
}  # fmt: skip
