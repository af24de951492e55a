"""Server logs, stack traces, package lists, listings, short answers of shell commands."""

from __future__ import annotations

import random
from collections.abc import Iterator

from sim.workload.synthetic.text.code import source_lines
from sim.workload.synthetic.text.draft import Draft, fill
from sim.workload.synthetic.text.project import Project, language_of
from sim.workload.synthetic.text.words import EXCEPTIONS, NOUNS, PACKAGES, PEOPLE, VERBS

_TINY = ("OK", "True", "0", "done", "clean", "[]", "None", "42", "active", "(no output)", "ready", "1.8G")
_LEVELS = ("INFO ",) * 14 + ("DEBUG",) * 4 + ("WARN ",) * 3 + ("ERROR",)
_MESSAGES = (
    "{v} {n} completed in {k} ms",
    "{n} {v} requested by user={u} request_id={h}",
    "connection to {n} pool established ({k} active)",
    "{n} cache miss key={n}:{k}:{m}, loading from storage",
    "retrying {v} of {n} after {k} ms (attempt {s})",
    "GET /api/v2/{n}/{k} 200 {s}ms trace={h}",
    "POST /api/v2/{n} 201 {k}ms trace={h}",
    "slow query on {n}: {k} ms, rows={k}, plan={h}",
    "memory usage {s}% of limit, {k} objects in {n}",
    "failed to {v} {n}: timeout after {k} ms (host={u}-{s})",
    "worker {s} picked job {h} from {n}",
    "heartbeat ok, lag={s}ms offset={k}{s}",
)


def _log_lines(r: random.Random, project: Project) -> object:
    clock = r.randint(0, 80_000)
    day = f"2026-{r.randint(1, 11):02d}-{r.randint(1, 28):02d}"
    # A service repeats itself: a handful of messages with changing numbers makes up most of a log.
    usual = r.sample(_MESSAGES, 7)
    names = r.sample(project.modules, 6)
    services = project.services[:4]

    def make(n: int) -> Iterator[str]:
        nonlocal clock
        random_ = r.random
        for _ in range(n):
            clock += int(random_() ** 3 * 12)
            template = usual[int(random_() ** 1.5 * 7)] if random_() < 0.95 else r.choice(_MESSAGES)
            number = int(random_() * 9_000)
            body = template.format(
                v=VERBS[number % len(VERBS)],
                n=names[int(random_() * 6)],
                m=names[number % 6],
                k=int(random_() * 5_000),
                s=number % 97,
                u=PEOPLE[number % len(PEOPLE)],
                h=f"{int(random_() * 0xFFFFFFFF):08x}",
            )
            yield (
                f"{day} {clock // 3600 % 24:02d}:{clock // 60 % 60:02d}:{clock % 60:02d},{number % 1000:03d} "
                f"{_LEVELS[int(random_() * 22)]} [{services[number % 4]}] {body}\n"
            )

    return make


def log(r: random.Random, chars: int, project: Project) -> Draft:
    """A server log with times and levels."""
    return Draft("", fill(chars, _log_lines(r, project)), "")  # type: ignore[arg-type]


def stack_trace(r: random.Random, chars: int, project: Project) -> Draft:
    """Python tracebacks, one after another when there is room."""

    def make(n: int) -> Iterator[str]:
        for _ in range(max(1, n // 12)):
            yield "Traceback (most recent call last):\n"
            for _ in range(r.randint(3, 9)):
                path = r.choice(project.python)
                name, noun = r.choice(VERBS), r.choice(project.modules)
                yield f'  File "{project.root}/{path}", line {r.randint(8, 900)}, in {name}_{noun}\n'
                yield f"    {noun} = self.{r.choice(VERBS)}_{r.choice(NOUNS)}({noun}, timeout={r.randint(1, 60)})\n"
            noun = r.choice(project.modules)
            what = f"cannot {r.choice(VERBS)} {noun}: expected {r.choice(NOUNS)}, got {r.randint(0, 999)}"
            yield f"{r.choice(EXCEPTIONS)}: {what}\n"
            if r.random() < 0.3:
                yield "During handling of the above exception, another exception occurred:\n"

    return Draft("", fill(chars, make, sample=12), "")


def error(r: random.Random, chars: int, project: Project) -> Draft:
    """What a failed call returns."""
    noun, verb = r.choice(project.modules), r.choice(VERBS)
    first = r.choice(
        (
            f"Error: {project.file(r)}: no such file or directory\n",
            f"bash: {verb}-{noun}: command not found (exit code 127)\n",
            f"Error: old_string not found in {project.file(r)}; read the file again before you edit it\n",
            f"ModuleNotFoundError: No module named '{project.package}.{noun}'\n",
            f"fatal: pathspec '{noun}/{verb}' did not match any files (exit code 128)\n",
            f"Command timed out after {r.choice((30, 60, 120, 180))} s: {verb}_{noun}\n",
            f"HTTP 503 from https://{noun}.{project.name}.example/api: upstream connect error\n",
        )
    )
    if chars <= len(first):
        return Draft("", [first], "")
    trace = stack_trace(r, chars - len(first), project)
    return Draft("", [*trace.lines, first], "")


def packages(r: random.Random, chars: int, project: Project) -> Draft:
    """A list of installed packages."""

    def make(n: int) -> Iterator[str]:
        for index in range(n):
            name = PACKAGES[index % len(PACKAGES)] if index < len(PACKAGES) else f"{r.choice(NOUNS)}-{r.choice(NOUNS)}"
            yield f"{name:<28} {r.randint(0, 9)}.{r.randint(0, 40)}.{r.randint(0, 20)}\n"

    head = f"{'Package':<28} Version\n{'-' * 28} ----------\n"
    return Draft(head, fill(chars, make, sample=max(10, chars // 36)), "")


def listing(r: random.Random, chars: int, project: Project) -> Draft:
    """`ls -l` or `find` output."""
    if project.coin:

        def found(n: int) -> Iterator[str]:
            for _ in range(n):
                yield f"./{r.choice(project.files) if r.random() < 0.6 else _deep(r)}\n"

        return Draft("", fill(chars, found), "")

    def rows(n: int) -> Iterator[str]:
        for _ in range(n):
            size = int(r.lognormvariate(8, 2))
            yield (
                f"-rw-r--r-- 1 {PEOPLE[size % 12]} staff {size:>9} {r.choice(('Sep', 'Oct', 'Nov'))} "
                f"{r.randint(1, 30):>2} {r.randint(0, 23):02d}:{size % 60:02d} {r.choice(VERBS)}_{r.choice(NOUNS)}.py\n"
            )

    return Draft(f"total {r.randint(40, 9000)}\n", fill(chars, rows), "")


def _deep(r: random.Random) -> str:
    suffix = r.choice(("py", "ts", "json", "md"))
    return f"{r.choice(NOUNS)}/{r.choice(NOUNS)}/{r.choice(VERBS)}_{r.choice(NOUNS)}.{suffix}"


def status(r: random.Random, chars: int, project: Project) -> Draft:
    """`git status`, `ps`, `df`, `docker ps` and the like."""
    if project.coin:

        def changed(n: int) -> Iterator[str]:
            for _ in range(n):
                yield f"\t{r.choice(('modified:   ', 'new file:   ', 'deleted:    '))}{project.file(r)}\n"

        head = f"On branch {r.choice(VERBS)}-{r.choice(project.modules)}\nChanges not staged for commit:\n"
        return Draft(head, fill(chars, changed, 8), "no changes added to commit\n")

    def running(n: int) -> Iterator[str]:
        for _ in range(n):
            pid = r.randint(100, 65_000)
            yield (
                f"{PEOPLE[pid % 12]:<9}{pid:>6} {pid % 90 / 10:>4} {pid % 70 / 10:>4} {pid * 13:>8} {pid * 3:>7} ?  "
                f"Ssl {pid % 24:02d}:{pid % 60:02d} {pid % 9}:{pid % 60:02d} "
                f"python -m {project.package}.{r.choice(project.modules)}\n"
            )

    head = "USER        PID %CPU %MEM      VSZ     RSS TTY STAT START TIME COMMAND\n"
    return Draft(head, fill(chars, running, 8), "")


def search_hits(r: random.Random, chars: int, project: Project) -> Draft:
    """`grep -n` output: path, line, text."""
    noun = project.topic
    paths = r.choices(project.files, k=12)

    def make(n: int) -> Iterator[str]:
        for index in range(n):
            verb = VERBS[int(r.random() * len(VERBS))]
            call = f"{verb}_{noun}({noun}_id, {r.choice(NOUNS)}={r.randint(0, 99)})"
            yield f"{paths[index // 3 % 12]}:{r.randint(3, 880)}:        {call}\n"

    return Draft("", fill(chars, make, 12), f"Found matches for '{noun}' in {r.randint(1, 12)} files\n")


def short(r: random.Random, chars: int, project: Project) -> Draft:
    """One or two lines: what most calls return."""
    if chars < 24:
        return Draft("", [r.choice(_TINY) + "\n", "exit code 0\n"], "")
    path, noun, verb = project.file(r), r.choice(project.modules), r.choice(VERBS)
    lines = [
        f"{verb}: ok, {noun} has {r.randint(1, 4000)} entries\n",
        f"{path}: {r.randint(10, 900)} lines, {r.randint(400, 90_000)} bytes\n",
        f"[{verb} {r.randint(1000, 9999):x}{r.randint(100, 999)}] {verb} the {noun}\n",
        f"Already up to date with origin/{noun}\n",
        f"exit code 0, {r.randint(1, 900)} ms\n",
        f"{noun}_{verb} = {r.random() * 1000:.3f}\n",
        f"All {r.randint(3, 80)} checks passed for {noun}\n",
    ]
    r.shuffle(lines)

    def make(n: int) -> Iterator[str]:
        for index in range(n):
            yield (
                lines[index]
                if index < len(lines)
                else f"{r.choice(VERBS)} {r.choice(project.modules)}: {r.randint(0, 999)}\n"
            )

    return Draft("", fill(chars, make, 2), "")


def edit_report(r: random.Random, chars: int, project: Project) -> Draft:
    """What an edit or write call returns."""
    path = project.at or project.file(r)
    if "write" in project.call:
        first = f"Wrote {r.randint(300, 40_000)} bytes to {path}\n"
    elif project.coin:
        first = f"Updated {path}: {r.randint(1, 9)} replacement(s)\n"
    else:
        first = f"Patch applied to {path} (+{r.randint(1, 60)} -{r.randint(0, 40)})\n"
    if chars <= len(first) + 20:
        return Draft("", [first], "")
    lines = source_lines(r, chars - len(first), project, language_of(project.at or ""))
    return Draft("", [first, *(f"{r.choice('    +-')}{line}" for line in lines)], "")
