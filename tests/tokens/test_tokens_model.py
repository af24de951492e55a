"""Family multipliers, model names, classes of text."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.tokens import ContentKind, TokenModel, token_model

NAMES = {
    "claude-3": (
        "claude-3-5-sonnet-20241022 claude-3.7-sonnet claude-opus-4 claude-sonnet-4-20250514 claude-instant-1.2 "
        "claude-sonnet-4-5-20250929 claude-opus-4-6 claude-haiku-4.5 claude-4-sonnet anthropic/claude-haiku-4-5"
    ),
    "claude-4.7": (
        "claude-opus-4-7 anthropic/claude-opus-4.7 claude-opus-4-8 claude-opus-4-10 claude-opus-5 claude-sonnet-5 "
        "claude-haiku-5-5 claude-5-opus claude-opus-4-7-20260416 openrouter/anthropic/claude-opus-4.7 claude"
    ),
    "cl100k": "gpt-4 gpt-4-turbo gpt-3.5-turbo azure/gpt-35-turbo gpt-4-0613",
    "o200k": "gpt-4o gpt-4.1 gpt-5 openai/gpt-5.5 gpt-5.3-codex o1 o3 o4-mini chatgpt-4o-latest gpt-oss-120b",
    "deepseek": "deepseek-v4 deepseek-chat deepseek/deepseek-r1",
    "qwen": "qwen3-max qwen2.5-coder qwq-32b",
    "qwen-3.6": "qwen3.6-plus qwen/qwen-3.6",
    "glm": "glm-5 z-ai/glm-4.7",
    "minimax": "minimax-m3",
    "gemini": "google/gemini-2.5-flash gemini-3-pro",
    "kimi": "kimi-k2.5 moonshotai/kimi-k2",
    "grok": "grok-4",
    "mistral": "mistral-large codestral",
}


@pytest.mark.parametrize(("family", "name"), [(f, n) for f, names in NAMES.items() for n in names.split()])
def test_family_by_name(family: str, name: str) -> None:
    assert token_model(name).family == family


def test_unknown_model_counts_as_o200k_and_says_so() -> None:
    model = token_model("somebody/unheard-of-7b")
    assert (model.family, model.encoding, model.confidence) == ("o200k", "o200k_base", "assumed")
    assert "somebody/unheard-of-7b" in model.note
    assert {model.scaled(1_000, kind) for kind in ContentKind} == {1_000}


def test_multipliers_of_the_table() -> None:
    old, new = token_model("claude-opus-4-6"), token_model("claude-opus-4-7")
    assert [old.scaled(100, k) for k in ContentKind] == [124, 109, 128, 141, 116, 111]
    assert [new.scaled(100, k) for k in ContentKind] == [156, 134, 152, 142, 155, 148]
    assert token_model("deepseek-v4").scaled(100, ContentKind.CHINESE) == 75
    assert token_model("qwen3-max").scaled(100, ContentKind.LOG) == 140
    assert all(model.note for model in (old, new))


def test_cl100k_counts_chinese_with_its_own_vocabulary() -> None:
    text = "上下文压缩会改变提示前缀，缓存因此失效。" * 20
    ratio = token_model("gpt-4").count(text) / token_model("gpt-5").count(text)
    assert 1.2 < ratio < 1.9


@given(st.text(max_size=200), st.sampled_from(list(ContentKind)))
def test_billed_is_the_rounded_product(text: str, kind: ContentKind) -> None:
    model = token_model("claude-opus-4-7")
    exact = model.count(text) * model.thousandths[list(ContentKind).index(kind)] / 1_000
    assert abs(model.billed(text, kind) - exact) <= 0.5
    assert (model.billed(text, kind) == 0) == (text == "")


@given(st.integers(0, 10**7), st.sampled_from(list(ContentKind)))
def test_scaling_never_falls_when_the_count_grows(count: int, kind: ContentKind) -> None:
    model = token_model("minimax-m3")
    assert model.scaled(count, kind) <= model.scaled(count + 1, kind)


def test_lone_surrogates_and_special_tokens_are_plain_text() -> None:
    model = token_model("gpt-5")
    assert model.count("a\ud800b") > 0
    assert model.count("<|endoftext|>") > 1


def test_models_are_plain_data() -> None:
    model = token_model("claude-opus-4-7")
    assert pickle.loads(pickle.dumps(model)) == model == TokenModel(*[getattr(model, f) for f in model.__slots__])


CODE = '''
def settle(order: Order, limit: int = 5) -> Receipt:
    """Settle an order."""
    for index, item in enumerate(order.items):
        if item.count > limit:
            raise ValueError(f"too many of {item.name}")
        self._ledger[item.key] = item.price * item.count
    return Receipt(order.id, total=sum(self._ledger.values()))
'''
LOG = "\n".join(
    f"2026-11-0{i % 9 + 1} 10:23:{i:02d},{i * 37 % 1000:03d} INFO [api] request {i} done" for i in range(40)
)
JSON = (
    '{\n  "data": [\n'
    + ",\n".join(f'    {{"id": {i}, "state": "open", "owner": "ana"}}' for i in range(30))
    + "\n  ]\n}"
)
CHINESE = "压缩会重写对话历史，改变后续请求的提示前缀，可能导致缓存失效。一次压缩省下的空间，可能被未命中费用抵消。"
MARKDOWN = (
    "# Guide\n\nIntro text here.\n\n## Steps\n\n- first do this\n- then do that\n\n"
    "See [the page](https://x.example) **now**.\n"
)
PROSE = (
    "The session grew for two hours before anybody noticed that nothing had been compacted. By then each call carried "
    "the whole history, and most of what was paid went to reading it again."
)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (CODE, ContentKind.CODE),
        (LOG, ContentKind.LOG),
        (JSON, ContentKind.JSON),
        (CHINESE, ContentKind.CHINESE),
        (MARKDOWN, ContentKind.MARKDOWN),
        (PROSE, ContentKind.PROSE),
        ("", ContentKind.PROSE),
        ("\n  \n", ContentKind.PROSE),
        ('{"path": "src/a.py", "offset": 3}', ContentKind.JSON),
    ],
)
def test_classes(text: str, kind: ContentKind) -> None:
    model = token_model("gpt-5")
    assert model.classify(text) is kind
    if len(text) > 100:  # long texts are judged by samples, with the same outcome
        assert model.classify((text + "\n") * 60) is kind


@given(st.text(max_size=6_000))
def test_every_text_has_a_class(text: str) -> None:
    assert token_model("gpt-5").classify(text) in ContentKind
