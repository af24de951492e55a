"""English sentences: what people ask, models think and answer, and pages say."""

from __future__ import annotations

import random
from collections.abc import Iterator

from sim.workload.synthetic.text.draft import Draft, fill
from sim.workload.synthetic.text.project import Project
from sim.workload.synthetic.text.words import NOUNS, VERBS

THINK = (
    "The {n} {m} looks wrong here, because {f} calls {v}_{n} before the {m} is ready.",
    "Let me check whether {v}_{n} still returns the old {m} when the {n} is empty.",
    "I should read {f} first; the failing case probably comes from the {n} {m}.",
    "So the {n} is written twice: once in {f} and again by the {m} worker.",
    "If I {v} the {n} lazily, the {m} test should pass without touching the public interface.",
    "Wait, the {m} already has a default, so the {n} argument is never used.",
    "There are {k} places that {v} the {n}; only one of them handles the {m}.",
    "The user wants the {n} kept as it is, so I only change how we {v} the {m}.",
    "Next I run the tests for the {m} and look at what the {n} contains.",
    "That explains the {k} ms delay: every {n} waits for the {m} lock.",
    "Maybe the simplest fix is to {v} the {m} once and pass it to the {n}.",
    "The error message mentions the {n}, but the cause is in how {f} handles the {m}.",
)
SAY = (
    "I changed `{f}` so that it can {v} the {n} before the {m} is used.",
    "The {n} now goes through `{v}_{m}`, and all {k} tests of the {m} pass.",
    "The cause was the {n}: it was cached per {m}, so the second call saw old values.",
    "You can {v} the {n} with `{v}_{m}()`; the old name still works.",
    "One thing to decide: should a missing {n} be an error, or fall back to the {m}?",
    "I left the {m} alone, since {k} other callers depend on how it treats the {n}.",
    "The {n} takes about {k} ms now, mostly spent in the {m}.",
    "Nothing else in the repository reads the {n}, so removing the {m} is safe.",
    "Before you merge, run the {m} migration once, because the {n} column is new.",
)
ASK = (
    "The {n} page shows the wrong {m} after I {v} it, can you look into {f}?",
    "Please {v} the {n} and make sure the {m} tests still pass.",
    "Can we {v} the {n} without changing the {m}?",
    "It still fails with {k} errors when the {m} is empty.",
    "Yes, go ahead and {v} the {n}, but keep the {m} as it is.",
    "Why does {f} {v} the {n} twice?",
    "Add a test for the {m}, then {v} the {n} in the same way.",
    "I think the {n} should not know about the {m} at all.",
    "Good. Now do the same for the {m} and show me the {n} afterwards.",
    "The {n} export takes more than {k} seconds, find out where the time goes.",
)
PAGE = (
    "The {n} is the part of the system that decides how a {m} is stored and how long it lives.",
    "To {v} a {n}, create a {m} first and pass its identifier along with the request.",
    "In most installations the {n} and the {m} run on the same machine, which keeps latency low.",
    "Version {k} changed the default: a {n} without a {m} is now rejected instead of ignored.",
    "Teams that {v} more than {k} entries a day should move the {m} to its own {n}.",
    "This section describes what happens when the {m} cannot {v} the {n} in time.",
    "Note that a {n} is only checked when its {m} changes, not every time it is read.",
    "According to the maintainers, about {k} percent of all reports concern the {n} and its {m}.",
    "A good rule is to {v} the {n} once, keep the result, and share it with every {m}.",
)


def sentences(r: random.Random, templates: tuple[str, ...], n: int, project: Project) -> Iterator[str]:
    """`n` sentences, without line breaks."""
    names = project.modules
    files = project.files
    for template in r.choices(templates, k=n):
        yield template.format(
            n=names[int(r.random() * len(names))] if r.random() < 0.7 else r.choice(NOUNS),
            m=names[int(r.random() * len(names))],
            v=VERBS[int(r.random() * len(VERBS))],
            f=files[int(r.random() * len(files))],
            k=2 + int(r.random() ** 2 * 900),
        )


def _paragraphs(r: random.Random, templates: tuple[str, ...], chars: int, project: Project, least: int) -> list[str]:
    """Lines that are paragraphs of a few sentences."""

    def make(n: int) -> Iterator[str]:
        for _ in range(n):
            yield " ".join(sentences(r, templates, r.randint(least, least + 3), project)) + "\n"

    return fill(chars, make, sample=max(1, chars // 400))


def thinking(r: random.Random, chars: int, project: Project) -> Draft:
    """What a model thinks."""
    return Draft("", _paragraphs(r, THINK, chars, project, 1), "")


def answer(r: random.Random, chars: int, project: Project) -> Draft:
    """What a model says, with a list now and then."""
    if chars < 500:
        return Draft("", _paragraphs(r, SAY, chars, project, 1), "")

    def make(n: int) -> Iterator[str]:
        for _ in range(n):
            if r.random() < 0.4:
                for line in sentences(r, SAY, r.randint(2, 5), project):
                    yield f"- {line}\n"
            elif r.random() < 0.2:
                yield f"## {r.choice(VERBS).capitalize()} the {r.choice(project.modules)}\n"
            else:
                yield " ".join(sentences(r, SAY, r.randint(1, 4), project)) + "\n"

    return Draft("", fill(chars, make, sample=max(2, chars // 300)), "")


def question(r: random.Random, chars: int, project: Project) -> Draft:
    """What a person writes."""
    return Draft("", _paragraphs(r, ASK, chars, project, 1), "")


def web_page(r: random.Random, chars: int, project: Project) -> Draft:
    """Text extracted from a web page, as markdown."""

    def make(n: int) -> Iterator[str]:
        for _ in range(n):
            kind = r.random()
            if kind < 0.15:
                yield f"## {r.choice(VERBS).capitalize()} a {r.choice(NOUNS)}\n"
            elif kind < 0.3:
                for line in sentences(r, PAGE, r.randint(2, 5), project):
                    yield f"- {line}\n"
            else:
                yield " ".join(sentences(r, PAGE, r.randint(2, 5), project)) + "\n"

    head = f"# {r.choice(NOUNS).capitalize()} {r.choice(NOUNS)} guide\nSource: https://docs.{project.name}.example/{r.choice(NOUNS)}\n"
    return Draft(head, fill(chars, make, sample=max(2, chars // 400)), "")
