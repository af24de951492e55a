"""Every failure hermes-sim can report, in one tree; each class knows its process exit code.

A message says what is wrong, where, and what to try next:

>>> str(ScenarioError("unknown key 'treshold'", where=Where("a.yaml", 3, 5), remedy="did you mean 'threshold'?"))
"a.yaml:3:5: unknown key 'treshold'; did you mean 'threshold'?"
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Where:
    """A place in a file; lines and columns count from 1, 0 means unknown."""

    file: str
    line: int = 0
    col: int = 0

    def __str__(self) -> str:
        if not self.line:
            return self.file
        return f"{self.file}:{self.line}:{self.col}" if self.col else f"{self.file}:{self.line}"


class HermesSimError(Exception):
    """Base of all our errors.

    Args:
        message: what is wrong, with the value concerned.
        where: the place in an input file, if there is one.
        remedy: what to try next.
        rule: the rule that was broken, in a few words.
    """

    exit_code = 1

    def __init__(
        self, message: str, *, where: Where | None = None, remedy: str | None = None, rule: str | None = None
    ) -> None:
        self.message = message
        self.where = where
        self.remedy = remedy
        self.rule = rule
        super().__init__(message)

    def __str__(self) -> str:
        text = f"{self.where}: {self.message}" if self.where else self.message
        if self.rule:
            text += f" ({self.rule})"
        if self.remedy:
            text += f"; {self.remedy}"
        return text


class SimulationError(HermesSimError):
    """The simulation itself broke one of its own rules (a bug here, never the user's fault)."""


class UsageError(HermesSimError):
    """The command line does not make sense."""

    exit_code = 2


class InputError(HermesSimError):
    """An input file is missing or invalid."""

    exit_code = 3


class ScenarioError(InputError):
    """A scenario file breaks a rule of the format."""


class ConfigError(InputError):
    """A Hermes `config.yaml` cannot be read."""


class TranscriptError(InputError):
    """A transcript cannot be read or is not one."""


class PriceError(InputError):
    """A price that the run needs is unknown or malformed."""


class ManyErrors(InputError):
    """Several input errors found in one pass, reported together."""

    def __init__(self, errors: list[InputError]) -> None:
        self.errors = errors
        super().__init__("\n".join(str(e) for e in errors))


class EngineError(HermesSimError):
    """An engine failed, or answered in a way its contract forbids."""


class EngineMissing(EngineError):
    """An engine's environment is not installed and cannot be installed now."""


class EngineCrashed(EngineError):
    """The engine's host process died and replaying its journal did not help."""


class LimitBroken(HermesSimError):
    """A limit declared with `--fail-if` is broken."""

    exit_code = 4


class Interrupted(HermesSimError):
    """The user stopped the run; finished work is kept."""

    exit_code = 130
