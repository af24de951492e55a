"""English sentences, put together from an opening, a statement and a continuation, so that few are alike."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from sim.workload.synthetic.text.project import Project
from sim.workload.synthetic.text.words import NOUNS, VERBS


@dataclass(frozen=True, slots=True)
class Voice:
    """How somebody talks: openings, statements and continuations are joined; `short` stands alone.

    Templates use {n} and {m} (things), {v} and {w} (verbs), {f} (a file), {k} (a number).
    """

    openings: tuple[str, ...]
    statements: tuple[str, ...]
    continuations: tuple[str, ...]
    short: tuple[str, ...]


THINK = Voice(
    ("", "", "", "Okay, so ", "Hmm, ", "Wait, ", "Looking at {f}, ", "From the output, ", "Right: ", "Let me think: "),
    (
        "the {n} {m} is built before anybody calls {v}_{n}",
        "{v}_{n} still returns the old {m} when the {n} is empty",
        "the failing case comes from the {n} {m}, not from the {w} step",
        "the {n} is written twice, once in {f} and again by the {m} worker",
        "the {m} already has a default, so the {n} argument is never used",
        "there are {k} places that {v} the {n} and only one of them handles the {m}",
        "the user wants the {n} kept as it is, so only the way we {v} the {m} may change",
        "every {n} waits for the {m} lock, which explains the {k} ms",
        "the error mentions the {n}, but the cause is how {f} treats the {m}",
        "the test expects {k} entries in the {n} and gets the {m} ones too",
        "line {k} of {f} shadows the {n} that was passed in",
        "I could {v} the {m} once and hand it to the {n} instead of asking for it each time",
        "the {n} type is optional here, and nobody checks it before they {v} the {m}",
        "this only shows up when the {m} is larger than {k}",
    ),
    (
        ".", ".", ".", ", so I should read {f} first.", ", which means the {m} has to come earlier.",
        " because {w}_{m} was changed without it.", ", but let me confirm that with the tests.",
        "; the smallest fix is to {w} it once.", ", and that is safe as long as the {n} exists.", "?",
        ". I will {w} the {m} and run the suite again.",
    ),
    ("Check {f}.", "Run the {n} tests again.", "Same cause as before.", "Now the {n}.", "Read the {m} first.",
     "That looks right.", "One more: the {n}.", "{v}_{n}, then."),
)  # fmt: skip
SAY = Voice(
    ("", "", "", "Done: ", "In short, ", "As far as I can see, ", "After the change, ", "Note that "),
    (
        "`{f}` can now {v} the {n} before the {m} is used",
        "the {n} goes through `{v}_{m}`, and all {k} tests of the {m} pass",
        "the cause was the {n}: it was kept per {m}, so the second call saw old values",
        "you can {v} the {n} with `{w}_{m}()`; the old name still works",
        "the {m} is left alone, since {k} other callers depend on how it treats the {n}",
        "the {n} takes about {k} ms, most of it spent in the {m}",
        "nothing else in the repository reads the {n}",
        "the {m} migration has to run once, because the {n} column is new",
        "a missing {n} is now an error instead of an empty {m}",
        "I added {k} cases to the {n} tests, among them an empty {m}",
        "`{w}_{n}` and `{v}_{n}` did the same thing, so one of them is gone",
        "the {n} and the {m} disagree about what happens at midnight",
    ),
    (
        ".", ".", ".", ", and the {m} tests cover it.", "; shall I {w} the {m} as well?",
        ", which is why the {n} looked empty.", ". The rest of `{f}` is unchanged.", ", so merging is safe.",
        ". I kept the public interface as it was.",
    ),
    ("Done.", "All tests pass.", "The {n} is fixed.", "Nothing to report.", "Updated `{f}`.", "It was the {m}.",
     "Yes, that works.", "No new {n}."),
)  # fmt: skip
ASK = Voice(
    ("", "", "", "Hi, ", "Okay, ", "Good. ", "Thanks, that helped. ", "One more thing: ", "By the way, "),
    (
        "the {n} page shows the wrong {m} after I {v} it, can you look into {f}",
        "please {v} the {n} and make sure the {m} tests still pass",
        "can we {v} the {n} without changing the {m}",
        "it still fails with {k} errors when the {m} is empty",
        "go ahead and {v} the {n}, but keep the {m} as it is",
        "why does {f} {v} the {n} twice",
        "add a test for the {m}, then {w} the {n} in the same way",
        "I think the {n} should not know about the {m} at all",
        "do the same for the {m} and show me the {n} afterwards",
        "the {n} export takes more than {k} seconds, find out where the time goes",
        "what would break if we {v} the {n} before the {m}",
        "rename the {n} to {m} everywhere, including the docs",
    ),
    (".", ".", ".", "?", ". Ask me before you {w} anything.", ", please.", ". The {m} team needs it today.",
     ". See {f} for how we did it last time."),
    ("Yes.", "Go on.", "Try again.", "Looks good.", "And the {n}?", "Why?", "Please {v} it.", "Not the {m}."),
)  # fmt: skip
PAGE = Voice(
    ("", "", "", "In most installations ", "According to the maintainers, ", "By default, ", "Since version {k}, ",
     "For larger teams, "),
    (
        "the {n} decides how a {m} is stored and how long it lives",
        "a {n} can {v} a {m} only after its identifier is known",
        "the {n} and the {m} run on the same machine, which keeps latency low",
        "a {n} without a {m} is rejected instead of ignored",
        "everything beyond {k} entries a day goes to a {m} of its own",
        "the {m} cannot {v} the {n} while a {w} is in progress",
        "a {n} is checked when its {m} changes, not every time it is read",
        "about {k} percent of all reports concern the {n} and its {m}",
        "the {n} should be {v}ed once and shared with every {m}",
        "both the {n} and the {m} accept a `{w}` option",
        "the {m} keeps the last {k} versions of each {n}",
    ),
    (".", ".", ".", ", which is usually what you want.", "; see the section on the {m}.",
     ", unless the {n} says otherwise.",
     ". Older releases behaved differently.", ", so plan for {k} of them.", " and cannot be undone."),
    ("See also: {n}.", "Deprecated.", "Optional.", "Default: {k}.", "Requires a {m}."),
)  # fmt: skip


def sentences(r: random.Random, voice: Voice, n: int, project: Project) -> Iterator[str]:
    """`n` sentences, without line breaks."""
    random_, names, files = r.random, project.modules, project.files
    openings, statements, continuations = voice.openings, voice.statements, voice.continuations
    for _ in range(n):
        opening = openings[int(random_() * len(openings))]
        statement = statements[int(random_() * len(statements))]
        if opening.endswith(". ") and statement[0] != "{":
            statement = statement[0].upper() + statement[1:]
        template = opening + statement + continuations[int(random_() * len(continuations))]
        text = template.format(
            n=names[int(random_() * len(names))] if random_() < 0.7 else NOUNS[int(random_() * len(NOUNS))],
            m=names[int(random_() * len(names))],
            v=VERBS[int(random_() * len(VERBS))],
            w=VERBS[int(random_() * len(VERBS))],
            f=files[int(random_() * len(files))],
            k=2 + int(random_() ** 2 * 900),
        )
        yield text if opening else text[:1].upper() + text[1:]


def remark(r: random.Random, voice: Voice, project: Project) -> str:
    """A sentence of a few words."""
    return r.choice(voice.short).format(
        n=r.choice(project.modules), m=r.choice(NOUNS), v=r.choice(VERBS), f=project.file(r), k=r.randint(2, 60)
    )


def paragraphs(r: random.Random, voice: Voice, chars: int, project: Project) -> list[str]:
    """Paragraphs as lists of sentences would be; each entry is one sentence, the last of a paragraph ends its line."""
    lines: list[str] = []
    have = 0
    if chars < 90:
        lines.append(remark(r, voice, project) + " ")
        have = len(lines[0])
    while have < chars:
        group = list(sentences(r, voice, r.randint(1, 4), project))
        lines.extend(f"{text} " for text in group[:-1])
        lines.append(group[-1] + "\n")
        have += sum(map(len, group)) + len(group)
    return lines
