"""`sfumato ledger`: the owner's ledger."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli import options, show
from sfumato.cli.plugins import Group

app = typer.Typer(cls=Group, help="Your ledger: list its releases, prove that it is complete.", no_args_is_help=True)
Folder = Annotated[Path | None, typer.Argument(metavar="LEDGER", help="The folder.", show_default="your data folder")]


@app.command("show")
def show_releases(ledger: Folder = None, json: options.Json = False) -> None:
    """List the releases in a ledger: when, which file, how many people and classes, who signed.

    Example: `sfumato ledger show`
    """
    from sfumato.verbs import ledger as owners

    shown = owners.show(ledger)
    if json:
        show.emit({"ledger": str(shown.path), "releases": shown.as_dicts()})
    else:
        show.out().print(show.rows(shown.table()))


@app.command("verify")
def verify(
    ledger: Folder = None,
    head: Annotated[
        str | None,
        typer.Option(
            "--head",
            metavar="DIGEST",
            help="The digest of an entry that must be in it: an earlier head, or the key ledger of a public certificate.",
            show_default=False,
        ),
    ] = None,
    json: options.Json = False,
) -> None:
    """Prove that a ledger is complete: no entry changed, removed, inserted or swapped. Exit 1 if it is not.

    Entries removed at the end are found by --head only.

    Example: `sfumato ledger verify`
    """
    from sfumato.errors import several
    from sfumato.verbs import ledger as owners

    proved = owners.verify(ledger, head=head)
    if json:
        show.emit(
            {
                "status": "complete",
                "ledger": str(proved.path),
                "entries": proved.entries,
                "head": proved.head,
                "earlier": proved.earlier,
                "after": proved.after if head else None,
            }
        )
        return
    show.line(f"{proved.path} is complete: {several(proved.entries, 'entry', 'entries')}, each in its place")
    if proved.earlier:
        show.line(
            f"before them: {several(proved.earlier, 'entry', 'entries')} of an earlier version, unchanged since the chain began"
            if proved.entries
            else f"{several(proved.earlier, 'entry', 'entries')} of an earlier version; the chain begins with the next release"
        )
    if head:
        show.line(f"the head that you gave is in it, with {several(proved.after, 'entry', 'entries')} after it")
    show.line(f"head: {proved.head}")
