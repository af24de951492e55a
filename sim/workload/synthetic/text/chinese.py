"""Chinese prose, questions, thoughts and answers."""

from __future__ import annotations

import random
from collections.abc import Iterator

from sim.workload.synthetic.text.draft import Draft, fill
from sim.workload.synthetic.text.project import Project

_NOUNS = (
    "订单", "账户", "合同", "报表", "接口", "缓存", "索引", "队列", "权限",
    "日志", "配置", "模板", "数据表", "用户画像", "结算单", "仓库", "供应商",
    "审批流程", "消息", "会话", "上下文", "提示词", "压缩策略", "触发阈值", "工具结果",
    "摘要", "知识库", "部署环境", "监控指标", "预算", "发票", "库存", "客户", "渠道",
    "服务节点", "任务", "版本", "备份", "目录", "章节", "附件", "术语", "段落",
    "标题", "文档", "草稿", "评审意见", "规范", "流程图", "示例",
)  # fmt: skip
_VERBS = (
    "检查", "更新", "合并", "拆分", "校验", "导出", "迁移", "整理", "补充",
    "删除", "归档", "统计", "比较", "翻译", "重写", "记录", "查询", "发布",
    "回滚", "恢复", "调整", "确认", "同步", "计算", "过滤", "排序", "审核",
    "说明", "引用", "汇总",
)  # fmt: skip
_TOPICS = ("系统", "平台", "项目", "部门", "团队", "模型", "仓库", "本章", "该方案", "新版本")
_PROSE = (
    "{t}在处理{n}时需要先{v}{m}，否则后续的{n}会出现不一致。",
    "按照规范，{n}与{m}应当分开存放，每{k}天{v}一次。",
    "{t}上线以来，{n}的数量从{k}增加到{j}，主要原因是{m}没有及时{v}。",
    "如果{m}缺失，{t}会自动{v}默认的{n}，并写入一条记录。",
    "需要注意的是，{n}只在{m}发生变化时才会被{v}，读取操作不会触发。",
    "根据第{k}次评审的结论，{n}由{t}负责{v}，{m}则交给业务方确认。",
    "表{k}列出了各个{n}对应的{m}，其中有{j}项尚未{v}。",
    "为了降低成本，建议先{v}{n}，再统一{v}{m}，这样可以减少约百分之{k}的重复工作。",
    "{n}的命名应当与{m}保持一致，避免在{v}时产生歧义。",
    "当{t}负载较高时，{v}{n}的耗时会从{k}毫秒上升到{j}毫秒。",
)
_THINK = (
    "{n}里记录的{m}只有{k}条，和预期的{j}条差得很多。",
    "看来{t}在{v}之后没有重新读取{n}。",
    "{m}的格式变过一次，{n}还在按旧的方式{v}。",
    "不需要动{n}，只要在{v}之前加一个判断就够了。",
    "前面已经{v}过{n}，现在只剩下{m}。",
    "{t}给出的{n}里没有{m}，可能要换一个地方找。",
    "第{k}行提到了{m}，但没有说明怎样{v}。",
    "先看一下{n}和{m}的关系，再决定是否需要{v}。",
    "用户想要的是{v}{n}，但{m}目前还没有准备好。",
    "这里的{n}可能是第{k}次修改时留下的，应该先{v}{m}。",
    "如果直接{v}{n}，{m}会受影响，所以改成分两步进行。",
    "结果里有{k}处{n}与{m}不一致，需要逐个{v}。",
)
_SAY = (
    "{t}里的{n}一共{k}项，其中{j}项已经完成{v}。",
    "{n}和{m}现在是一致的，可以继续{v}下一部分。",
    "这一段的意思是：先{v}{n}，再看{m}是否需要变化。",
    "没有发现{m}以外的问题，{n}可以直接使用。",
    "如果希望更简单，可以把{n}并入{m}，只保留{k}个段落。",
    "原文把{n}写成了{m}，我按上下文改了过来。",
    "已经{v}了{n}，{m}保持不变，共涉及{k}处修改。",
    "{n}的问题出在{m}：它在{v}之前就被引用了。",
    "建议您先确认{m}，然后我再{v}其余的{n}。",
    "下面是{n}的说明：它负责{v}{m}，每次大约需要{k}毫秒。",
    "文档中还有{k}个{n}没有写明{m}，我已经在末尾列出。",
)
_ASK = (
    "请把{n}翻译得自然一点，{m}保留原文。",
    "{t}的{n}在哪里说明过？给我原文。",
    "第{k}节和{m}重复了，能{v}一下吗？",
    "先不要{v}，告诉我{n}一共有多少处。",
    "可以，就这样{v}，然后把{m}列成表。",
    "帮我{v}一下{n}，重点看{m}那一部分。",
    "为什么{n}和{m}对不上？请先{v}再告诉我原因。",
    "把第{k}节的{n}改得简单一些，{m}不用动。",
    "继续，接着{v}剩下的{n}。",
    "这个{n}能不能不依赖{m}？",
)


def _lines(r: random.Random, templates: tuple[str, ...], chars: int, most: int) -> list[str]:
    def make(n: int) -> Iterator[str]:
        for _ in range(n):
            yield "".join(_sentence(r, templates) for _ in range(r.randint(1, most))) + "\n"

    return fill(chars, make, sample=max(1, chars // 90))


def _sentence(r: random.Random, templates: tuple[str, ...]) -> str:
    random_ = r.random
    k = 2 + int(random_() ** 2 * 300)
    return templates[int(random_() * len(templates))].format(
        t=_TOPICS[int(random_() * len(_TOPICS))],
        n=_NOUNS[int(random_() * len(_NOUNS))],
        m=_NOUNS[int(random_() * len(_NOUNS))],
        v=_VERBS[int(random_() * len(_VERBS))],
        k=k,
        j=k + int(random_() * 900),
    )


def prose(r: random.Random, chars: int, project: Project) -> Draft:
    """Part of a Chinese document."""
    head = f"第{r.randint(1, 20)}章 {r.choice(_NOUNS)}与{r.choice(_NOUNS)}\n"
    return Draft(head, _lines(r, _PROSE, chars, 5), "")


def thinking(r: random.Random, chars: int, project: Project) -> Draft:
    """What a model thinks, in Chinese."""
    return Draft("", _lines(r, _THINK, chars, 3), "")


def answer(r: random.Random, chars: int, project: Project) -> Draft:
    """What a model says, in Chinese."""
    return Draft("", _lines(r, _SAY, chars, 3), "")


def question(r: random.Random, chars: int, project: Project) -> Draft:
    """What a person writes, in Chinese."""
    return Draft("", _lines(r, _ASK, chars, 2), "")
