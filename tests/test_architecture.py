"""The rooms of docs/architecture.md, top to bottom: a room imports only rooms above it, and none of Hermes's names."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
ORDER = (
    ("errors", "units", "streams", "privacy"),
    ("tokens",),
    ("history",),
    ("workload",),
    ("engine",),
    ("provider",),
    ("ledger",),
    ("scenario",),
    ("world",),
    ("study",),
    ("insight",),
    ("report",),
    ("result",),
    ("api", "testing"),
    ("cli",),
)
LEVEL = {room: level for level, rooms in enumerate(ORDER) for room in rooms}


def imports(path: Path) -> set[str]:
    """Rooms a file imports at run time; names used for types only do not bind rooms together."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    typing_only = {
        id(node)
        for branch in ast.walk(tree)
        if isinstance(branch, ast.If) and ast.unparse(branch.test) == "TYPE_CHECKING"
        for node in ast.walk(branch)
    }
    found = set()
    for node in ast.walk(tree):
        if id(node) in typing_only:
            continue
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("sim."):
            found.add(node.module.split(".")[1])
        elif isinstance(node, ast.Import):
            found |= {alias.name.split(".")[1] for alias in node.names if alias.name.startswith("sim.")}
    return found


def test_a_room_imports_only_rooms_above_it() -> None:
    wrong = []
    for path in sorted((ROOT / "sim").rglob("*.py")):
        room = path.relative_to(ROOT / "sim").parts[0].removesuffix(".py")
        if room in LEVEL:
            wrong += [f"{path.relative_to(ROOT)} imports sim.{r}" for r in imports(path) if LEVEL[r] > LEVEL[room]]
    assert wrong == []


def test_every_room_is_on_the_page() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rooms = {p.name for p in (ROOT / "sim").iterdir() if p.is_dir() and (p / "__init__.py").exists()}
    assert rooms <= set(LEVEL)
    for room in rooms:
        assert f"sim/{room}/" in page


def test_importing_is_light_and_does_nothing() -> None:
    code = (
        "import sys, threading, sim\n"
        "assert threading.active_count() == 1\n"
        "import sim.cli\n"
        "heavy = {'pandas', 'matplotlib', 'scipy', 'pyarrow', 'typst', 'simpy', 'numpy'} & set(sys.modules)\n"
        "print(sorted(heavy))\n"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert out.stdout.strip() == "[]"


def test_nothing_of_ours_shadows_a_name_that_hermes_installs() -> None:
    names = {"agent", "tools", "utils", "cli", "cron", "gateway", "plugins", "providers"}
    tops = {p.name.removesuffix(".py") for p in ROOT.iterdir() if p.is_dir() or p.suffix == ".py"}
    assert not names & tops
