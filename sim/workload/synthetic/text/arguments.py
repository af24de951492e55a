"""Arguments of tool calls: commands, paths, queries, code, and whole files in write and edit calls."""

from __future__ import annotations

import random
from typing import Any

from sim.workload.synthetic.text.chinese import prose
from sim.workload.synthetic.text.code import source_lines
from sim.workload.synthetic.text.project import Project, language_of
from sim.workload.synthetic.text.prose import ASK, PAGE, sentences
from sim.workload.synthetic.text.words import NOUNS, PACKAGES, VERBS

Arguments = dict[str, Any]


def _cut(lines: list[str], chars: int) -> str:
    """The first lines, up to `chars` characters (the last one cut at a space when it is too long)."""
    taken: list[str] = []
    have = 0
    for line in lines:
        if have + len(line) > chars:
            rest = line[: max(0, chars - have)]
            taken.append(rest.rsplit(" ", 1)[0] if " " in rest.strip() else rest)
            break
        taken.append(line)
        have += len(line)
    return "".join(taken)


def path(r: random.Random, chars: int, project: Project) -> Arguments:
    """A file to read."""
    found: Arguments = {"path": f"{project.root}/{project.file(r)}" if chars > 70 else project.file(r)}
    if chars > 100:
        found.update(offset=r.randint(1, 400), limit=r.choice((100, 200, 500, 2000)))
    return found


def command(r: random.Random, chars: int, project: Project) -> Arguments:
    """A shell command, or several in a row."""
    noun = r.choice(project.modules)
    first = r.choice(
        (
            f"pytest tests/{noun} -q",
            "git status --short",
            f"git diff HEAD~{r.randint(1, 4)} -- {project.file(r)}",
            f"grep -rn {noun} src",
            f"ls -la src/{noun}",
            f"tail -n {r.choice((50, 200, 2000))} logs/{noun}.log",
            f"make {r.choice(VERBS)}-{noun}",
            f"docker logs {r.choice(project.hosts)} --since 1h",
            f"pip show {r.choice(PACKAGES)}",
        )
    )
    parts = [first]
    have = len(first)
    while have < chars - 20:
        part = r.choice(
            (
                f"cd {project.root} && {r.choice(VERBS)}_{r.choice(NOUNS)} --{r.choice(NOUNS)}={r.randint(1, 999)}",
                f"sed -n '{r.randint(1, 200)},{r.randint(201, 600)}p' {project.file(r)}",
                f"find . -name '*_{r.choice(NOUNS)}.py' | head -{r.randint(5, 50)}",
                f"echo '--- {r.choice(NOUNS)} {r.choice(NOUNS)}'",
                f"python -c \"import {r.choice(PACKAGES).replace('-', '_')}; print('{r.choice(NOUNS)}')\"",
            )
        )
        parts.append(part)
        have += len(part) + 4
    return {"command": _cut([" && ".join(parts)], max(chars, len(first)))}


def python(r: random.Random, chars: int, project: Project) -> Arguments:
    """Code to execute."""
    noun, other = r.choice(NOUNS), r.choice(project.modules)
    lines = [
        "import pandas as pd\n",
        f'df = pd.read_csv("data/{other}_{noun}.csv")\n',
        f"print(df.{r.choice(('head', 'describe', 'info'))}())\n",
        f'df["{noun}"] = df["{other}"].fillna({r.randint(0, 9)}).astype(float)\n',
        f'by = df.groupby("{r.choice(NOUNS)}")["{noun}"].agg(["mean", "count"])\n',
        f"print(by.sort_values('mean').tail({r.randint(3, 30)}))\n",
    ]
    if chars < 60:
        lines = [f'print(open("{project.file(r)}").read()[:{r.randint(200, 4000)}])\n']
    if chars > 260:
        lines.extend(source_lines(r, chars, project, "python"))
    return {"code": _cut(lines, chars)}


def file(r: random.Random, chars: int, project: Project) -> Arguments:
    """A whole file to write."""
    name = project.file(r)
    return {"path": name, "content": _cut(source_lines(r, chars, project, language_of(name)), chars)}


def document(r: random.Random, chars: int, project: Project) -> Arguments:
    """A document to write."""
    lines = [text + "\n" for text in sentences(r, PAGE, 2 + chars // 60, project)]
    return {"path": f"docs/{r.choice(project.modules)}.md", "content": _cut(lines, chars)}


def document_zh(r: random.Random, chars: int, project: Project) -> Arguments:
    """A Chinese document to write."""
    return {"path": f"docs/{r.choice(project.modules)}.md", "content": _cut(prose(r, chars, project).lines, chars)}


def edit(r: random.Random, chars: int, project: Project) -> Arguments:
    """A replacement in a file."""
    name = project.file(r)
    old = _cut(source_lines(r, chars // 2 + 600, project, language_of(name))[12:], chars // 2)
    new = _cut(source_lines(r, chars // 2 + 600, project, language_of(name))[12:], chars - len(old))
    return {"path": name, "old_string": old, "new_string": new}


def query(r: random.Random, chars: int, project: Project) -> Arguments:
    """Something to look for."""
    text = f"{r.choice(VERBS)} {r.choice(project.modules)} {r.choice(NOUNS)}"
    while len(text) < chars - 8:
        text += f" {r.choice(NOUNS)}"
    return {"query": text}


def prompt(r: random.Random, chars: int, project: Project) -> Arguments:
    """A task for a sub-agent."""
    goal = next(iter(sentences(r, ASK, 1, project)))
    context = " ".join(sentences(r, PAGE, max(1, chars // 90), project))
    return {"goal": goal, "context": _cut([context], max(0, chars - len(goal)))}


def todo(r: random.Random, chars: int, project: Project) -> Arguments:
    """A list of steps."""
    steps = [
        {"id": str(i + 1), "content": text, "status": r.choice(("done", "in_progress", "pending"))}
        for i, text in enumerate(sentences(r, ASK, max(1, chars // 115), project))
    ]
    return {"todos": steps}
