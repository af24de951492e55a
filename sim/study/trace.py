"""Side files of a run: the request bodies of its first replication, and engine metrics of all of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from sim.errors import InputError, UsageError
from sim.history import Prompt
from sim.provider.requests import render_request
from sim.provider.seam import Mark
from sim.streams import Streams
from sim.study.prepare import Workbench
from sim.world import play

if TYPE_CHECKING:
    from sim.scenario import Scenario
    from sim.workload.script import Script


def write_requests(scenario: Scenario, bench: Workbench, path: Path) -> int:
    """Play replication 0 once more and write every main request, one JSON document a line.

    Returns:
        Number of requests written.

    Raises:
        InputError: the file cannot be written.
        UsageError: the scenario has a fleet.
    """
    if scenario.fleet is not None:
        raise UsageError(
            "--requests does not go with a fleet", remedy="write the requests of one group's workload without `fleet`"
        )
    drawn: dict[str, list[Script]] = {}
    streams = Streams(scenario.seed).child("replication", 0)
    count = 0
    draft = path.with_name(path.name + ".part")
    try:
        with draft.open("w", encoding="utf-8", errors="surrogatepass") as out:
            for arm in scenario.arms:
                setup = bench.setup(scenario, arm)
                profile = bench.profile(arm.model, {}, scenario.prices_of(arm))

                def keep(session: str, call: int, prompt: Prompt, marks: Sequence[Mark]) -> None:
                    nonlocal count
                    body = render_request(
                        prompt,
                        marks,
                        model=profile.model,  # noqa: B023 - called within this turn of the loop
                        family=profile.family,  # noqa: B023
                        max_tokens=setup.max_tokens,  # noqa: B023
                    )
                    line = {"arm": arm.name, "session": session, "call": call, "request": body}  # noqa: B023
                    out.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")
                    count += 1

                scripts = bench.scripts(scenario, 0, drawn, arm)
                play(replace(setup, on_request=keep), scripts, replication=0, streams=streams)
        draft.replace(path)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}", remedy="give another file") from None
    finally:
        draft.unlink(missing_ok=True)
    return count
