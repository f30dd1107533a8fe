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
    "demo": (PREPARE, "prepare.demo", "demo"),
    "data": (PREPARE, "prepare.data", "data"),
    "profile": (PREPARE, "prepare.profile", "profile"),
    "init": (PREPARE, "prepare.init", "init"),
    "open": (PREPARE, "prepare.workbench", "open_workbench"),
    "hierarchies": (PREPARE, "prepare.hierarchies", "hierarchies"),
    "anonymize": (RELEASE, "release.anonymize", "anonymize"),
    "publish": (RELEASE, "release.publish", "publish"),
    "sanitize": (RELEASE, "release.sanitize", "sanitize"),
    "methods": (RELEASE, "release.sanitize", "methods"),
    "report": (RELEASE, "release.report", "report"),
    "sign": (RELEASE, "release.sign", "sign"),
    "keys": (RELEASE, "release.keys", "app"),
    "ledger": (RELEASE, "release.ledger", "app"),
    "negotiate": (NEGOTIATE, "negotiation.negotiate", "app"),
    "verify": (JUDGE, "judge.verify", "verify"),
    "check": (JUDGE, "judge.check", "check"),
    "measure": (JUDGE, "judge.measure", "measure"),
    "compare": (JUDGE, "judge.compare", "compare"),
    "attack": (JUDGE, "judge.attack", "attack"),
    "models": (JUDGE, "judge.check", "models"),
    "explore": (RESEARCH, "research.explore", "explore"),
    "space": (RESEARCH, "research.explore", "space"),
    "tradeoff": (RESEARCH, "research.tradeoff", "tradeoff"),
    "learn": (RESEARCH, "research.learn", "learn"),
    "queries": (RESEARCH, "research.queries", "queries"),
    "subsets": (RESEARCH, "research.subsets", "subsets"),
    "dimensions": (RESEARCH, "research.dimensions", "dimensions"),
    "channel": (RESEARCH, "research.channel", "app"),
    "compare-metrics": (RESEARCH, "judge.measure", "compare_metrics"),
    "serve": (NEGOTIATE, "negotiation.serve", "serve"),
    "sequence": (BEYOND, "beyond.sequence", "app"),
    "graph": (BEYOND, "beyond.graph", "app"),
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
