"""`sfumato ato import`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli import options, show
from sfumato.errors import several

if TYPE_CHECKING:
    from sfumato.applications.ato.importing.making import Imported


@options.takes(options.running, options.texts)
def import_(
    request: options.Request,
    logs: Annotated[list[Path], typer.Argument(metavar="LOGS", help="The files of a log, or folders.", show_default=False)],
    output: Annotated[Path, typer.Option("--output", "-o", help="The table of events, a Parquet file.", show_default=False)],
    format: Annotated[  # noqa: A002  the word of the option
        str,
        typer.Option(
            "--format", help="o365, entra or okta (JSON, or CSV of a portal), or columns (any table).", show_default=False
        ),
    ],
    columns: Annotated[
        str | None,
        typer.Option(
            "--columns",
            help="Which column is what, as in time=When,user=Who,ip=From,outcome=Result; also id, error, organization, country, agent.",
            show_default=False,
        ),
    ] = None,
    force: options.Force = False,
    json: options.Json = False,
) -> None:
    """Make a table of sign-in events from a log as it comes.

    Doubled events are removed by their id. What cannot be read is counted by reason and set aside in NAME.aside.jsonl.

    Example: `sfumato ato import audit.jsonl --format o365 -o signins.parquet`
    """
    from sfumato.applications.ato.importing.making import import_logs

    request.pop("loops")
    with show.watching() as watch:
        made = import_logs(logs, output, format=format, columns=columns, force=force, watch=watch, **request)
    if json:
        show.emit(made.as_dict())
    else:
        _show(made)


def _show(made: Imported) -> None:
    show.line(f"wrote {made.file}: {several(made.events, 'event')} of {several(made.records, 'record')}")
    if made.doubled:
        show.line(f"doubled, removed: {made.doubled:,}")
    for reason, count in made.ignored.items():
        show.line(f"ignored: {reason}: {count:,}")
    for reason, count in made.rejected.items():
        show.amber(f"set aside in {made.aside}: {reason}: {count:,}")
    if made.no_country:
        show.line(f"events without a known country: {made.no_country:,}")
    if made.no_agent:
        show.line(f"events without a user agent: {made.no_agent:,}")
