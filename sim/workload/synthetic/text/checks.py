"""Output of test runs and builds."""

from __future__ import annotations

import random
from collections.abc import Iterator

from sim.workload.synthetic.text.draft import Draft, fill
from sim.workload.synthetic.text.project import Project
from sim.workload.synthetic.text.words import NOUNS, VERBS

_STATES = ("PASSED",) * 60 + ("FAILED", "SKIPPED", "XFAIL")


def pytest_run(r: random.Random, chars: int, project: Project) -> Draft:
    """`pytest -v`: header, one line a test, summary."""
    total = max(3, chars // 80)
    head = (
        "============================= test session starts ==============================\n"
        f"platform linux -- Python 3.12.{r.randint(1, 9)}, pytest-8.{r.randint(1, 4)}.{r.randint(0, 4)}, pluggy-1.5.0\n"
        f"rootdir: {project.root}\n"
        f"collected {total} items\n"
    )
    failed: list[str] = []

    def make(n: int) -> Iterator[str]:
        for index in range(n):
            path = project.tests[int(index / max(1, total) * 27) % 28]
            state = _STATES[int(r.random() * 63)]
            name = f"{path}::test_{VERBS[int(r.random() * len(VERBS))]}_{NOUNS[int(r.random() * len(NOUNS))]}"
            if state == "FAILED":
                failed.append(name)
            yield f"{name} {state} [{min(99, index * 100 // max(1, total)):>3}%]\n"

    lines = fill(chars, make, sample=total)
    shown = "".join(
        f"FAILED {name} - AssertionError: assert {r.randint(0, 99)} == {r.randint(0, 99)}\n" for name in failed[:5]
    )
    word = f"{len(failed)} failed, " if failed else ""
    foot = (
        f"=========================== short test summary info ============================\n{shown}"
        f"================= {word}{total - len(failed)} passed in {total * 0.031:.2f}s =================\n"
    )
    return Draft(head, lines, foot)


def build(r: random.Random, chars: int, project: Project) -> Draft:
    """A compiler's or bundler's output with warnings."""
    rust = project.main == "rust" or r.random() < 0.4

    def make(n: int) -> Iterator[str]:
        for index in range(n):
            noun, other = NOUNS[int(r.random() * len(NOUNS))], NOUNS[int(r.random() * len(NOUNS))]
            kind = r.random()
            if kind < 0.7:
                if rust:
                    yield f"   Compiling {noun}-{other} v{r.randint(0, 4)}.{r.randint(0, 30)}.{r.randint(0, 9)}\n"
                else:
                    yield f"[{index + 1}/{n}] CXX obj/{noun}/{other}_{VERBS[int(r.random() * len(VERBS))]}.o\n"
            else:
                line, col = r.randint(4, 700), r.randint(1, 80)
                yield f"warning: unused variable: `{noun}_{other}`\n"
                yield f"  --> {project.file(r)}:{line}:{col}\n"
                yield f"{line:>4} |     let {noun}_{other} = self.{VERBS[int(r.random() * len(VERBS))]}_{noun}()?;\n"

    foot = (
        f"warning: `{project.name}` generated {r.randint(1, 60)} warnings\n"
        f"Build finished in {r.randint(3, 240)}.{r.randint(10, 99)}s\n"
    )
    return Draft(f"$ make -j8 {r.choice(project.modules)}\n", fill(chars, make), foot)
