"""The group `sfumato searchlog` and its commands."""

from __future__ import annotations

import typer

from sfumato.cli.plugins import Group
from sfumato.cli.searchlog.attack import attack, report
from sfumato.cli.searchlog.find import find
from sfumato.cli.searchlog.making import generate, import_
from sfumato.cli.searchlog.publish import publish, sign, verify
from sfumato.cli.searchlog.utility import utility

app = typer.Typer(
    cls=Group,
    help="Publish search logs: what many people search, and little about one.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)

app.command()(generate)
app.command("import")(import_)
app.command()(find)
app.command()(publish)
app.command()(verify)
app.command()(sign)
app.command()(attack)
app.command()(utility)
app.command()(report)
