"""The answer, what it risks and its caveats: key → (English, Chinese)."""

# ruff: noqa: E501 - a message stays on one line, so that both languages are read side by side

from __future__ import annotations

ANSWERS: dict[str, tuple[str, str]] = {
    "answer.win": (
        "Use {arm}. It saves {saving} {unit} against {baseline}{pct} (95% range {low} to {high}){from_call}.",
        "选用 {arm}。与 {baseline} 相比，{unit}节省 {saving}{pct}（95% 区间 {low} 至 {high}）{from_call}。",
    ),
    "answer.win_point": (
        "Use {arm}. It saves {saving} {unit} against {baseline}{pct}, the same in every replication{from_call}.",
        "选用 {arm}。与 {baseline} 相比，{unit}节省 {saving}{pct}，每次重复都相同{from_call}。",
    ),
    "answer.win_one": (
        "Use {arm}. It saves {saving} {unit} against {baseline}{pct}, in the one replication played{from_call}.",
        "选用 {arm}。与 {baseline} 相比，在唯一一次重复中{unit}节省 {saving}{pct}{from_call}。",
    ),
    "answer.nobody_fires": (
        "No arm ever fires here: the longest context reaches {peak}, the lowest trigger is {trigger}.",
        "这里没有方案触发：最长上下文为 {peak}，最低触发点为 {trigger}。",
    ),
    "answer.pct": (", {share}", "，即 {share}"),
    "answer.from_call": (", and stays ahead from call {call} on", "，自第 {call} 次调用起一直领先"),
    "answer.from_first": (", and is ahead from the first call", "，自第一次调用起即领先"),
    "answer.keep": (
        "Keep {baseline}. Every other arm costs more: the nearest, {arm}, costs {loss} more {unit} (95% range {low} to {high}).",
        "保留 {baseline}。其他方案都更贵：最接近的 {arm} {unit}多花 {loss}（95% 区间 {low} 至 {high}）。",
    ),
    "answer.unclear": (
        "No difference shown. The best rival of {baseline} is {arm}: {saving} {unit}, but its 95% range, {low} to {high}, spans zero.",
        "未显示出差异。{baseline} 的最佳对手是 {arm}：{unit}{saving}，但其 95% 区间 {low} 至 {high} 跨越零。",
    ),
    "answer.same": (
        "No difference at all: {arm} and {baseline} cost the same in every replication.",
        "毫无差异：{arm} 与 {baseline} 在每次重复中花费相同。",
    ),
    "answer.alone": (
        "{arm} costs {cost} {unit} (95% range of the mean {low} to {high}). There is no other arm to compare it with.",
        "{arm} {unit}花费 {cost}（均值 95% 区间 {low} 至 {high}）。没有其他方案可比较。",
    ),
    "answer.alone_point": (
        "{arm} costs {cost} {unit}. There is no other arm to compare it with.",
        "{arm} {unit}花费 {cost}。没有其他方案可比较。",
    ),
    "answer.baseline_breaks": (
        "{baseline} does not finish the work: {broken} of its {sessions} sessions break off. Of the arms that do better, "
        "{arm} is the cheapest at {cost} {unit}.",
        "{baseline} 无法完成工作：{sessions} 个会话中有 {broken} 个中断。在表现更好的方案中，{arm} 最便宜，{unit} {cost}。",
    ),
    "answer.only_whole": (
        "Keep {baseline}. It is the only arm here that does not break off sessions; a bill for less work is no saving.",
        "保留 {baseline}。只有它没有中断会话；工作做得少而账单低不算节省。",
    ),
    "answer.all_break": (
        "No arm finishes the work: sessions break off under every arm, so costs do not compare.",
        "没有方案能完成工作：每个方案下都有会话中断，成本无法比较。",
    ),
    "answer.second": (
        "Next is {arm}, {gap} dearer {unit} (95% range {low} to {high}).",
        "其次是 {arm}，{unit}贵 {gap}（95% 区间 {low} 至 {high}）。",
    ),
    "answer.second_tie": (
        "{arm} is as good: {gap} apart {unit}, 95% range {low} to {high}.",
        "{arm} 与之相当：{unit}相差 {gap}，95% 区间 {low} 至 {high}。",
    ),
    "answer.second_point": ("Next is {arm}, {gap} dearer {unit}.", "其次是 {arm}，{unit}贵 {gap}。"),
    "answer.second_same": ("{arm} costs exactly the same.", "{arm} 的花费完全相同。"),
    "card.saving": ("saved {unit}", "{unit}节省"),
    "card.cost": ("{unit}", "{unit}成本"),
    "card.share": ("of the baseline's bill", "占基线账单"),
    "card.call": ("ahead for good from call", "一直领先自第几次调用"),
    "card.wins": ("replications cheaper", "次重复更便宜"),
    "card.range": ("95% range {unit}", "95% 区间（{unit}）"),
    "card.hit": ("of prompt tokens read from cache", "提示词 token 来自缓存"),
    "card.of": ("{k} of {n}", "{k} / {n}"),
    "risk.forget": (
        "{arm} compacts {n} times a session{idle}, each time putting {before} of context down to about {after}. "
        "What a summary leaves out is not priced here, nor is work done again because of it.",
        "{arm} 每会话压缩 {n} 次{idle}，每次把 {before} 上下文压到约 {after}。摘要遗漏的内容及由此返工的成本未计入。",
    ),
    "risk.idle": (" ({n} of them after a pause)", "（其中 {n} 次因停顿）"),
    "risk.prune": (
        "{arm} prunes {n} times a session; cut tool results are gone unless the agent fetches them again.",
        "{arm} 每会话裁剪 {n} 次；被裁掉的工具结果除非重新获取否则不可见。",
    ),
    "risk.no_rewrite": ("{arm} never rewrites the context here, so nothing is forgotten.", "{arm} 在此从未改写上下文，因此没有遗忘。"),
    "risk.peak": (
        "Its context reaches {peak}, {share} of the window.",
        "其上下文最高达 {peak}，占窗口的 {share}。",
    ),
    "risk.dearer": (
        "In {k} of {n} replications it costs more than {baseline}; the worst by {loss}.",
        "{n} 次重复中有 {k} 次比 {baseline} 更贵，最多贵 {loss}。",
    ),
    "risk.never_dearer": (
        "In none of the {n} replications does it cost more than {baseline}; the smallest saving is {least}.",
        "{n} 次重复中没有一次比 {baseline} 更贵；最小节省为 {least}。",
    ),
    "risk.short": (
        "A session that ends before call {call} gains nothing; at call {worst} it is {loss} behind on average.",
        "在第 {call} 次调用前结束的会话没有收益；在第 {worst} 次调用时平均落后 {loss}。",
    ),
    "risk.short_even": (
        "A session that ends before call {call} gains nothing, and loses nothing.",
        "在第 {call} 次调用前结束的会话没有收益，也没有损失。",
    ),
    "risk.length": (
        "The saving grows with length: a tenth of it is there by call {tenth}, half by call {half} of {last}.",
        "节省随会话长度增长：到第 {tenth} 次调用有十分之一，到第 {half} 次才有一半（共 {last} 次）。",
    ),
    "risk.worst": (
        "Dearest session under {arm}: {cost}; under {baseline}: {base}.",
        "{arm} 下最贵的会话：{cost}；{baseline} 下：{base}。",
    ),
    "risk.worst_replication": (
        "Dearest replication under {arm}: {cost}; under {baseline}: {base}.",
        "{arm} 下最贵的一次重复：{cost}；{baseline} 下：{base}。",
    ),
    "risk.alone": ("The dearest costs {cost}, the median {median}.", "最贵的花费 {cost}，中位数 {median}。"),
    "risk.misses": (
        "Cache misses cost {dollars} {unit}, mostly {cause}; other pauses or cache behaviour would move this.",
        "缓存未命中{unit}花费 {dollars}，主要是{cause}；停顿或缓存行为不同会改变它。",
    ),
    "caveat.breaks": (
        "{arms}: sessions broke off before their end ({counts}); their bills cover less work.",
        "{arms}：有会话中途中断（{counts}），其账单对应的工作更少。",
    ),
    "caveat.count": ("{arm} {broken} of {sessions}", "{arm} {broken}/{sessions}"),
    "caveat.same_trigger": (
        "{arms} ask for different triggers and get one and the same, {trigger}.",
        "{arms} 设置不同，实际触发点却相同：{trigger}。",
    ),
    "caveat.together": (
        "{arm} differs from {baseline} in {n} settings ({items}): the saving is theirs together. Give each an arm to tell them apart.",
        "{arm} 与 {baseline} 有 {n} 项设置不同（{items}）：节省是它们共同的结果；各设一个方案才能分清。",
    ),
    "caveat.ignored": ("Settings without effect: {items}.", "未生效的设置：{items}。"),
    "caveat.ignored_more": ("{items} and {n} more", "{items} 以及另外 {n} 项"),
    "caveat.synthetic": (
        "Sessions are synthetic (preset {preset}); replay your own to see your own saving.",
        "会话为合成（预设 {preset}）；重放自己的会话才能得到自己的节省。",
    ),
    "caveat.replay": (
        "Recorded sessions are replayed as they went: the agent does not act differently under another setting.",
        "真实会话按原样重放：设置不同，代理的行为并不改变。",
    ),
    "caveat.curve": (
        "The workload is a token curve without text: no real agent behaves this smoothly.",
        "负载是没有文本的 token 曲线：真实代理不会如此平滑。",
    ),
    "caveat.few": (
        "Only {n} replications: ranges are rough.",
        "只有 {n} 次重复：区间较粗略。",
    ),
    "caveat.one": ("One replication: no range can be given.", "只有一次重复：无法给出区间。"),
    "caveat.prices": ("Prices checked {date}; they change.", "价格核对于 {date}，可能变化。"),
    "caveat.summary": (
        "The auxiliary model is simulated: summaries of about {tokens} tokens{failures}.",
        "辅助模型为模拟：摘要约 {tokens} token{failures}。",
    ),
    "caveat.failures": (", {share} of its calls fail", "，{share} 的调用失败"),
    "caveat.no_failures": (", no failures", "，不失败"),
}  # fmt: skip
