"""Secrets and home folders never come through."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.privacy import MASK, mask, masked

BODY = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4"


@pytest.mark.parametrize(
    "secret",
    [
        f"sk-or-v1-{BODY}", f"sk-ant-api03-{BODY}", f"sk-proj-{BODY}", f"sk-{BODY}", f"ghp_{BODY}", f"hf_{BODY}",
        f"github_pat_{BODY}", f"xoxb-1234-{BODY}", f"AIza{BODY}", "AKIAABCDEFGHIJKLMNOP", f"gsk_{BODY}",
        f"nvapi-{BODY}",
        f"glpat-{BODY}", f"123456789:AA{BODY}xyz-xyz", f"eyJhbGciOi.eyJzdWIiOi.{BODY}", f"sk_live_{BODY}",
        f"xai-{BODY}",
    ],
)  # fmt: skip
@pytest.mark.parametrize("around", ["{}", "key {} in a text", '{{"k": "{}"}}', "export K={};", "({})"])
def test_keys_of_the_usual_shapes(secret: str, around: str) -> None:
    shown = mask(around.format(secret))
    assert MASK in shown
    assert secret[-12:] not in shown


@pytest.mark.parametrize(
    ("text", "lost"),
    [
        ("api_key: hunter2hunter2", "hunter2"),
        ('"password": "p4ssw0rd!!"', "p4ssw0rd"),
        ("Authorization: Bearer abcdefghijklmnopqrstuvwx", "ijklmnop"),
        ("postgres://me:letmein@db/x", "letmein"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----", "MIIE"),
        ("-----BEGIN PRIVATE KEY-----\nMIIE cut off", "MIIE"),
    ],
)
def test_secrets_by_their_names(text: str, lost: str) -> None:
    assert lost not in mask(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("/home/ada/project/x.py", "~/project/x.py"),
        ("/Users/ada/x", "~/x"),
        ("C:\\Users\\ada\\x", "~\\x"),
        ("/root/.hermes/state.db", "~/.hermes/state.db"),
        ("/srv/people/ada/x", "~/x"),
        ("/srv/people/adam/x", "/srv/people/adam/x"),
        (".claude/projects/-home-ada-project/s.jsonl", ".claude/projects/-~-project/s.jsonl"),
        ("see /rooted/x and /homework", "see /rooted/x and /homework"),
    ],
)
def test_home_folders(text: str, shown: str) -> None:
    assert mask(text, home="/srv/people/ada") == shown


@pytest.mark.parametrize(
    "text", ["sk-learn is a library", "a risk-or-v1 plan", "tokens: 12345 6789", "token count 5", ""]
)
def test_ordinary_text_stays(text: str) -> None:
    assert mask(text, home="/srv/x") == text


def test_plain_data_is_masked_all_through() -> None:
    value = {"path": "/home/ada/x", "rows": [f"sk-{BODY}", 5, None, {"/home/ada": True}]}
    assert masked(value) == {"path": "~/x", "rows": [f"sk-{MASK}", 5, None, {"~": True}]}


@given(st.text(max_size=300))
def test_masking_twice_is_masking_once(text: str) -> None:
    once = mask(text, home="/srv/x")
    assert mask(once, home="/srv/x") == once
