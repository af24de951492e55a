"""What one session is about: a repository with files, hosts and people that its texts share."""

from __future__ import annotations

import copy
import random

from sim.workload.synthetic.text import words

_SUFFIX = {"python": "py", "typescript": "ts", "go": "go", "rust": "rs", "java": "java", "sql": "sql", "yaml": "yaml"}
_MIX = ("python", "python", "python", "typescript", "go", "rust", "java", "sql", "yaml")
_KEPT_IN = {"log": ("logs", "log"), "csv": ("data", "csv"), "prose_zh": ("docs", "md"), "web_page": ("docs", "html")}


class Project:
    """Names of a made-up project, from a seed.

    Attributes:
        name: of the repository.
        root: absolute path of its checkout.
        main: its main language.
        files: paths below the root.
        modules, tests, hosts, services: names that recur in texts.
        at, topic, shows, call, coin: the file and the thing that one tool call is about, the kind of text it returns,
            the tool, and a coin that its arguments and its result both go by (`focus`).
    """

    def __init__(self, seed: int) -> None:
        r = random.Random(seed)
        self.name = f"{r.choice(words.ADJECTIVES)}-{r.choice(words.NOUNS)}"
        self.root = f"/home/{r.choice(words.PEOPLE)}/src/{self.name}"
        self.package = self.name.replace("-", "_")
        self.main = r.choice(_MIX)
        self.modules = r.sample(words.NOUNS, 28)
        self.hosts = [f"{r.choice(words.SERVICES)}-{r.randint(1, 40):02d}" for _ in range(9)]
        self.services = r.sample(words.SERVICES, 8)
        self.files: list[str] = []
        for module in self.modules:
            for _ in range(r.randint(1, 4)):
                suffix = _SUFFIX[self.main if r.random() < 0.75 else r.choice(_MIX)]
                folder = r.choice(("src", "src", "lib", "app", "internal", "core", "api", "scripts"))
                self.files.append(f"{folder}/{module}/{r.choice(words.VERBS)}_{r.choice(words.NOUNS)}.{suffix}")
        self.python = [f for f in self.files if f.endswith(".py")] or [f"src/{self.package}/main.py"]
        self.at: str | None = None
        self.topic = self.modules[0]
        self.shows = ""
        self.call = ""
        self.coin = False
        self.tests = [f"tests/{m}/test_{r.choice(words.VERBS)}_{r.choice(words.NOUNS)}.py" for m in self.modules]

    def file(self, r: random.Random) -> str:
        """One of its files; often the one in focus."""
        return self.at if self.at is not None and r.random() < 0.5 else r.choice(self.files)

    def focus(self, seed: int, shows: str, call: str = "") -> Project:
        """The same project as one tool call sees it: its arguments and its result are about the same file."""
        r = random.Random(seed)
        near = copy.copy(self)
        near.at = r.choice(self.files)
        near.topic = r.choice(self.modules)
        near.coin = r.random() < 0.5
        near.shows = shows
        near.call = call
        folder, suffix = _KEPT_IN.get(shows, ("", ""))
        if folder:
            near.at = f"{folder}/{near.topic}.{suffix}"
        return near


def language_of(path: str) -> str:
    """Programming language of a path by its suffix."""
    suffix = path.rsplit(".", 1)[-1]
    for language, known in _SUFFIX.items():
        if suffix == known:
            return language
    return "python"
