"""What people ask, models think and answer, and pages say, in English."""

from __future__ import annotations

import random
from collections.abc import Iterator

from sim.workload.synthetic.text.draft import Draft, fill
from sim.workload.synthetic.text.project import Project
from sim.workload.synthetic.text.sentences import ASK, PAGE, SAY, THINK, paragraphs, sentences
from sim.workload.synthetic.text.words import NOUNS, VERBS


def thinking(r: random.Random, chars: int, project: Project) -> Draft:
    """What a model thinks."""
    return Draft("", paragraphs(r, THINK, chars, project), "")


def answer(r: random.Random, chars: int, project: Project) -> Draft:
    """What a model says, with a list now and then."""
    if chars < 500:
        return Draft("", paragraphs(r, SAY, chars, project), "")

    def make(n: int) -> Iterator[str]:
        for _ in range(n):
            if r.random() < 0.4:
                for line in sentences(r, SAY, r.randint(2, 5), project):
                    yield f"- {line}\n"
            elif r.random() < 0.2:
                yield f"## {r.choice(VERBS).capitalize()} the {r.choice(project.modules)}\n"
            else:
                yield from paragraphs(r, SAY, r.randint(60, 500), project)

    return Draft("", fill(chars, make, sample=max(2, chars // 300)), "")


def question(r: random.Random, chars: int, project: Project) -> Draft:
    """What a person writes."""
    return Draft("", paragraphs(r, ASK, chars, project), "")


def web_page(r: random.Random, chars: int, project: Project) -> Draft:
    """Text extracted from a web page, as markdown."""

    def make(n: int) -> Iterator[str]:
        for _ in range(n):
            kind = r.random()
            if kind < 0.18:
                yield f"## {r.choice(VERBS).capitalize()} a {r.choice(NOUNS)}\n"
            elif kind < 0.4:
                for line in sentences(r, PAGE, r.randint(2, 5), project):
                    yield f"- {line}\n"
            else:
                yield " ".join(sentences(r, PAGE, r.randint(2, 5), project)) + "\n"

    title = f"# {r.choice(NOUNS).capitalize()} {r.choice(NOUNS)} guide\n"
    head = f"{title}Source: https://docs.{project.name}.example/{r.choice(NOUNS)}\n"
    return Draft(head, fill(chars, make, sample=max(2, chars // 400)), "")
