"""Options that several verbs share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

LANGS = ("en", "zh")
FORMATS = ("table", "csv", "json")


def lang_option(function: F) -> F:
    """`--lang en|zh`, or HERMES_SIM_LANG."""
    return click.option(
        "--lang",
        type=click.Choice(LANGS),
        default="en",
        envvar="HERMES_SIM_LANG",
        show_default=True,
        help="Language of what people read (also HERMES_SIM_LANG).",
    )(function)


def format_options(function: F) -> F:
    """`--format table|csv|json` and its short form `--json`; the verb receives `fmt`."""

    def as_json(ctx: click.Context, param: click.Parameter, value: bool) -> None:
        if value:
            ctx.params["fmt"] = "json"

    function = click.option(
        "--format", "fmt", type=click.Choice(FORMATS), default="table", show_default=True, help="How to print results."
    )(function)
    return click.option(
        "--json", is_flag=True, expose_value=False, callback=as_json, help="One JSON document; same as --format json."
    )(function)


def set_option(function: F) -> F:
    """`--set path=value`, repeatable; the verb receives `sets`."""
    return click.option(
        "--set",
        "sets",
        multiple=True,
        metavar="PATH=VALUE",
        help="Override one value of the scenario, such as model.window=260K; may be given again.",
    )(function)
