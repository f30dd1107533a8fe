"""The group `sfumato ato` and its commands."""

from __future__ import annotations

import typer

from sfumato.cli.ato.collaborate import collaborate
from sfumato.cli.ato.detect import detect
from sfumato.cli.ato.features import features
from sfumato.cli.ato.generate import generate
from sfumato.cli.ato.importing import import_
from sfumato.cli.ato.reputation import reputation
from sfumato.cli.ato.run import run
from sfumato.cli.ato.train import train
from sfumato.cli.plugins import Group

app = typer.Typer(cls=Group, help="Find account takeovers in sign-in logs.", no_args_is_help=True, rich_markup_mode="markdown")

app.command("import")(import_)
app.command()(generate)
app.command()(features)
app.command()(reputation)
app.command()(train)
app.command()(detect)
app.command()(run)
app.command()(collaborate)
