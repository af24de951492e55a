"""CSV, data frames and JSON answers."""

from __future__ import annotations

import random
from collections.abc import Iterator

from sim.workload.synthetic.text.draft import Draft, fill
from sim.workload.synthetic.text.project import Project
from sim.workload.synthetic.text.words import CITIES, NOUNS, PEOPLE, VERBS

_STATES = ("active", "pending", "closed", "failed", "draft")


def csv(r: random.Random, chars: int, project: Project) -> Draft:
    """Comma-separated rows with a header."""
    columns = r.sample(NOUNS, 4)
    head = f"id,created_at,{columns[0]},{columns[1]}_count,{columns[2]}_usd,city,{columns[3]}_state\n"
    number = r.randint(1_000, 90_000)

    def make(n: int) -> Iterator[str]:
        nonlocal number
        for _ in range(n):
            number += 1 + int(r.random() * 3)
            k = int(r.random() * 100_000)
            yield (
                f"{number},2026-{k % 12 + 1:02d}-{k % 28 + 1:02d}T{k % 24:02d}:{k % 60:02d}:00Z,"
                f"{PEOPLE[k % 12]}-{k % 977},{k % 311},{k / 71:.2f},{CITIES[k % 12]},{_STATES[k % 5]}\n"
            )

    return Draft(head, fill(chars, make), "")


def dataframe(r: random.Random, chars: int, project: Project) -> Draft:
    """A data frame as pandas prints it, with its shape."""
    columns = r.sample(NOUNS, 4)
    head = "       " + "".join(f"{c:>14}" for c in columns) + "\n"
    index = 0

    def make(n: int) -> Iterator[str]:
        nonlocal index
        for _ in range(n):
            a, b = r.random(), r.random()
            yield f"{index:<7}{PEOPLE[int(a * 12)]:>14}{a * 9_000:>14.4f}{b * 1e6:>14.1f}{int(b * 5_000):>14}\n"
            index += 1

    lines = fill(chars, make)
    return Draft(head, lines, f"[{len(lines)} rows x 4 columns]\n")


def json_api(r: random.Random, chars: int, project: Project) -> Draft:
    """A paged JSON answer, indented."""
    noun = r.choice(project.modules)
    fields = r.sample(NOUNS, 3)

    def make(n: int) -> Iterator[str]:
        for _ in range(n):
            k = int(r.random() * 1_000_000)
            stamp = f"2026-{k % 12 + 1:02d}-{k % 28 + 1:02d}T{k % 24:02d}:{k % 60:02d}:{k % 59:02d}Z"
            # One entry is one line here, so that cutting to size never leaves half of it.
            yield (
                f'    {{\n      "id": "{k:06x}{k * 7 % 0xFFFF:04x}",\n'
                f'      "{fields[0]}": "{VERBS[k % len(VERBS)]}-{NOUNS[k % len(NOUNS)]}",\n'
                f'      "{fields[1]}_total": {k / 100:.2f},\n'
                f'      "{fields[2]}": {{"owner": "{PEOPLE[k % 12]}", "state": "{_STATES[k % 5]}", "n": {k % 9}}},\n'
                f'      "updated_at": "{stamp}"\n    }},\n'
            )

    head = f'{{\n  "object": "list",\n  "resource": "{noun}",\n  "data": [\n'
    more = r.choice(("true", "false"))
    foot = f'    {{"id": "end"}}\n  ],\n  "has_more": {more},\n  "total": {r.randint(3, 9000)}\n}}\n'
    return Draft(head, fill(chars, make, 2), foot)


def web_search(r: random.Random, chars: int, project: Project) -> Draft:
    """Search results as JSON: title, address, extract."""
    from sim.workload.synthetic.text.sentences import PAGE, sentences

    def make(n: int) -> Iterator[str]:
        for index in range(n):
            noun, other = r.choice(NOUNS), r.choice(NOUNS)
            text = " ".join(sentences(r, PAGE, r.randint(1, 3), project))
            yield (
                f'    {{\n      "title": "{r.choice(VERBS).capitalize()} the {noun} {other}",\n'
                f'      "url": "https://{noun}.example/{other}/{r.randint(10, 9999)}",\n'
                f'      "description": "{text}",\n      "position": {index + 1}\n    }},\n'
            )

    foot = '    {"title": "More results", "url": "https://search.example/next"}\n  ]\n}\n'
    return Draft('{\n  "success": true,\n  "results": [\n', fill(chars, make, 2), foot)
