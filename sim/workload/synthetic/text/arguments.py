"""Arguments of tool calls: commands, paths, queries, code, and whole files in write and edit calls."""

from __future__ import annotations

import random
from typing import Any

from sim.workload.synthetic.text.chinese import prose
from sim.workload.synthetic.text.code import source_lines
from sim.workload.synthetic.text.project import Project, language_of
from sim.workload.synthetic.text.sentences import ASK, PAGE, sentences
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


_COMMANDS: dict[str, tuple[str, ...]] = {
    "build": ("make -j8 {n}", "cargo build --release -p {n}", "npm run build -- --filter {n}"),
    "csv": ("head -n {k} data/{n}.csv", "cat data/{n}_{m}.csv"),
    "dataframe": ("python scripts/{n}_report.py", "python -m {p}.{n} --table"),
    "diff": ("git diff HEAD~{j} -- {f}", "git show HEAD~{j}", "git diff origin/main...{n}"),
    "json_api": ("curl -s https://{n}.example/api/v2/{m}?limit={k}", "gh api repos/{p}/{n}/{m}"),
    "log": ("tail -n {k} logs/{n}.log", "docker logs {h} --since {j}h", "journalctl -u {n} -n {k} --no-pager"),
    "packages": ("pip list", "python -m pip list --format columns"),
    "pytest": ("pytest tests/{n} -v", "python -m pytest -v -k {n}", "pytest -v"),
    "search_hits": ("grep -rn {n} src", "rg -n '{n}_' src lib", "git grep -n {n}"),
    "stack_trace": ("python -m {p}.{n} --once", "python scripts/{n}.py"),
}
_OTHERS = (
    "git log --oneline -{j}", "wc -l {f}", "git commit -qam '{n}: {m}' && git push", "python -m {p}.{n} --check",
    "make {n}", "systemctl is-active {n}", "git pull --rebase", "du -sh data/{n}", "ruff check {f}", "date -u",
)  # fmt: skip


def _first_command(r: random.Random, project: Project) -> str:
    """The command whose output the project's focus shows."""
    if project.shows == "listing":
        template = "find . -type f -name '*{n}*'" if project.coin else "ls -l src/{n}"
    elif project.shows == "status":
        template = "git status" if project.coin else "ps aux | grep {p}"
    else:
        template = r.choice(_COMMANDS.get(project.shows, _OTHERS))
    return template.format(
        n=project.topic, m=r.choice(NOUNS), f=project.at or project.file(r), p=project.package,
        h=r.choice(project.hosts), j=r.randint(1, 9), k=r.choice((20, 50, 100, 200, 500, 2000)),
    )  # fmt: skip


def path(r: random.Random, chars: int, project: Project) -> Arguments:
    """A file to read."""
    name = project.at or project.file(r)
    found: Arguments = {"path": f"{project.root}/{name}" if chars > 70 else name}
    if chars > 100:
        found.update(offset=r.randint(1, 400), limit=r.choice((100, 200, 500, 2000)))
    return found


def command(r: random.Random, chars: int, project: Project) -> Arguments:
    """A shell command, or several in a row."""
    first = _first_command(r, project)
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
                f"export {r.choice(NOUNS).upper()}={r.randint(1, 9999)}",
            )
        )
        parts.append(part)
        have += len(part) + 4
    if have > chars + 25 and len(parts) > 1:
        parts.pop()
    return {"command": " && ".join(parts)}


_PYTHON: dict[str, str] = {
    "csv": 'print(open("data/{n}_{m}.csv").read()[:{k}])\n',
    "json_api": 'import httpx\n\nprint(httpx.get("https://{n}.example/api/v2/{m}").text)\n',
    "packages": "import importlib.metadata as im\n\nfor d in im.distributions():\n    print(d.name, d.version)\n",
    "stack_trace": "from {p}.{n} import main\n\nmain({k})\n",
    "short": "from {p} import {n}\n\nprint({n}.{m}_count)\n",
}


def python(r: random.Random, chars: int, project: Project) -> Arguments:
    """Code to execute."""
    noun, other = r.choice(NOUNS), project.topic
    start = _PYTHON.get(project.shows)
    lines = [
        "import pandas as pd\n",
        f'df = pd.read_csv("data/{other}_{noun}.csv")\n',
        f"print(df.{r.choice(('head', 'describe', 'info'))}())\n",
        f'df["{noun}"] = df["{other}"].fillna({r.randint(0, 9)}).astype(float)\n',
        f'by = df.groupby("{r.choice(NOUNS)}")["{noun}"].agg(["mean", "count"])\n',
        f"print(by.sort_values('mean').tail({r.randint(3, 30)}))\n",
    ]
    if start is not None:
        text = start.format(n=other, m=noun, p=project.package, k=r.randint(2, 90) * 100)
        lines = text.splitlines(keepends=True)
    have = sum(map(len, lines))
    if chars > have + 120:
        lines.extend(source_lines(r, chars - have, project, "python"))
    return {"code": _cut(lines, max(chars, len(lines[0])))}


def file(r: random.Random, chars: int, project: Project) -> Arguments:
    """A whole file to write."""
    name = project.at or project.file(r)
    return {"path": name, "content": _cut(source_lines(r, chars, project, language_of(name)), chars)}


def document(r: random.Random, chars: int, project: Project) -> Arguments:
    """A document to write."""
    lines = [text + "\n" for text in sentences(r, PAGE, 2 + chars // 60, project)]
    return {"path": f"docs/{r.choice(project.modules)}.md", "content": _cut(lines, chars)}


def document_zh(r: random.Random, chars: int, project: Project) -> Arguments:
    """A Chinese document to write."""
    return {"path": f"docs/{r.choice(project.modules)}.md", "content": _cut(prose(r, chars, project).lines, chars)}


def edit(r: random.Random, chars: int, project: Project) -> Arguments:
    """A replacement in a file: the new text is the old one with some lines changed."""
    name = project.at or project.file(r)
    language = language_of(name)
    lines = source_lines(r, chars // 2 + 600, project, language)[12:]
    fresh = source_lines(r, chars // 2 + 600, project, language)[12:]
    old = _cut(lines, chars // 2)
    kept = old.splitlines(keepends=True)
    new = [f if r.random() < 0.35 else k for k, f in zip(kept, fresh, strict=False)]
    return {"path": name, "old_string": old, "new_string": _cut([*new, *fresh[len(new) :]], chars - len(old))}


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
