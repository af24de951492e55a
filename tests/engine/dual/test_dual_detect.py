"""What a text is taken for."""

from __future__ import annotations

import json

import pytest
from dual_material import log_text, run_output, source_text

from sim.engine.dual.detect import detect

GO = """package main

import "fmt"

func main() {
\tfmt.Println(1)
}

type Box struct {
\tA int
}

func (b Box) Get() int {
\treturn b.A
}
"""
PIP = "Package    Version\n---------- -------\n" + "\n".join(f"package{i:03}  {i}.0.1" for i in range(50))
MARKDOWN_TABLE = "| a | b |\n|---|---|\n" + "\n".join(f"| {i} | x{i} |" for i in range(30))
TRACE = """Traceback (most recent call last):
  File "a.py", line 3, in <module>
    f()
  File "a.py", line 1, in f
ValueError: bad
"""
ENGLISH = "The system keeps a list of what it has seen. It never forgets the order. " * 30
CHINESE = "系统会记录它所见到的全部内容，并且从不忘记顺序。设计目标是简单可靠。\n" * 30


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (log_text(100), "log"),
        (log_text(100, chinese=True), "log"),
        ("\n".join(json.dumps({"ts": i, "level": "ERROR", "message": "m"}) for i in range(30)), "log"),
        (run_output(100), "code_output"),
        (TRACE, "code_output"),
        ("id,name,price\n" + "\n".join(f"{i},a{i},{i}" for i in range(40)), "table"),
        (PIP, "table"),
        (MARKDOWN_TABLE, "table"),
        (json.dumps([{"a": i} for i in range(9)]), "json"),
        ('{"a": 1, "b": [1, 2, {"c": "d", "e": "f", "g": 1', "json"),
        ("\n".join(json.dumps({"id": i, "name": "x", "size": i}) for i in range(30)), "json"),
        (source_text(9), "source"),
        (GO, "source"),
        (ENGLISH, "general"),
        (CHINESE, "general"),
        ("", "general"),
        ("\n\n\n", "general"),
    ],
)
def test_kind(text, kind):
    assert detect(text).kind == kind


def test_file_reads_use_the_name_in_the_call():
    assert detect(ENGLISH, tool="read_file", arguments='{"path": "docs/guide.md"}').kind == "file"
    assert detect(source_text(3), tool="read_file", arguments='{"path": "a.py"}').language == "python"


def test_line_numbers_in_front_are_seen_through():
    numbered = "\n".join(f"{i:6}|{line}" for i, line in enumerate(source_text(9).split("\n"), 1))
    found = detect(numbered, tool="read_file", arguments='{"path": "a.py"}')
    assert (found.kind, found.language, found.numbered) == ("source", "python", True)


def test_languages():
    assert detect(GO).language == "go"
    assert detect(source_text(9)).language == "python"
    js = (
        "import x from 'y';\n\nexport function go(a) {\n  return a;\n}\n\nexport class Box {\n}\n\nconst z = () => 1;\n"
    )
    assert detect(js).language == "javascript"
