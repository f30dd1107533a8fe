"""The commands by name, each loaded when it is called: the options of all of them take longer to make than many a command runs."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Annotated

import typer

from sfumato._version import __version__
from sfumato.cli.plugins import Commands

PREPARE, RELEASE, NEGOTIATE, JUDGE, RESEARCH, BEYOND, APPLY = (
    "Prepare a table",
    "Release it",
    "Negotiate it",
    "Judge a release",
    "Research",
    "Beyond one table",
    "Apply it",
)

# In the order of the help: where it is listed, its module here, and its function there; `app` is a group of commands.
COMMANDS = {
    "demo": (PREPARE, "demo", "demo"),
    "data": (PREPARE, "data", "data"),
    "profile": (PREPARE, "profile", "profile"),
    "init": (PREPARE, "init", "init"),
    "open": (PREPARE, "workbench", "open_workbench"),
    "hierarchies": (PREPARE, "hierarchies", "hierarchies"),
    "anonymize": (RELEASE, "anonymize", "anonymize"),
    "publish": (RELEASE, "publish", "publish"),
    "sanitize": (RELEASE, "sanitize", "sanitize"),
    "methods": (RELEASE, "sanitize", "methods"),
    "report": (RELEASE, "report", "report"),
    "sign": (RELEASE, "sign", "sign"),
    "keys": (RELEASE, "keys", "app"),
    "ledger": (RELEASE, "ledger", "app"),
    "negotiate": (NEGOTIATE, "negotiate", "app"),
    "verify": (JUDGE, "verify", "verify"),
    "check": (JUDGE, "check", "check"),
    "measure": (JUDGE, "measure", "measure"),
    "compare": (JUDGE, "compare", "compare"),
    "attack": (JUDGE, "attack", "attack"),
    "models": (JUDGE, "check", "models"),
    "explore": (RESEARCH, "explore", "explore"),
    "space": (RESEARCH, "explore", "space"),
    "tradeoff": (RESEARCH, "tradeoff", "tradeoff"),
    "learn": (RESEARCH, "learn", "learn"),
    "queries": (RESEARCH, "queries", "queries"),
    "subsets": (RESEARCH, "subsets", "subsets"),
    "dimensions": (RESEARCH, "dimensions", "dimensions"),
    "channel": (RESEARCH, "channel", "app"),
    "compare-metrics": (RESEARCH, "measure", "compare_metrics"),
    "serve": (NEGOTIATE, "serve", "serve"),
    "searchlog": (BEYOND, "searchlog.group", "app"),
    "ato": (APPLY, "ato.group", "app"),
}


def application(words: Sequence[str] = ()) -> typer.Typer:
    """The command line: with the one command that the words begin with, or with all, which help and suggestions need."""
    app = typer.Typer(
        name="sfumato",
        cls=Commands,
        help="Publish tables about people: describe them, generalize them, release them with a certificate.",
        no_args_is_help=True,
        rich_markup_mode="markdown",
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    for name in words[:1] if words and words[0] in COMMANDS else COMMANDS:
        panel, module, function = COMMANDS[name]
        found = getattr(import_module(f"sfumato.cli.{module}"), function)
        if isinstance(found, typer.Typer):
            app.add_typer(found, name=name, rich_help_panel=panel)
        else:
            app.command(name, rich_help_panel=panel)(found)
    app.callback()(_options)
    return app


def _print_version(wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"sfumato {__version__}\n")
        raise typer.Exit


def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", is_eager=True, callback=_print_version)
    ] = False,
) -> None:
    pass
