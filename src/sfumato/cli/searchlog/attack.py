"""`sfumato searchlog attack` and `report`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli import options, show
from sfumato.cli.searchlog.given import KNOWN, Known, Knows, Log, Owners, People, Release, Seed, Targets, Topics
from sfumato.errors import several


@options.takes(options.running)
def attack(
    request: options.Request,
    log: Log,
    release: Annotated[
        Path | None, typer.Argument(metavar="[RELEASE]", help="What was published of it.", show_default=False)
    ] = None,
    owners: Owners = None,
    knows: Knows = 3,
    targets: Targets = 500,
    common: Annotated[int, typer.Option("--common", help="A query with at least so many people is common.")] = 10,
    people: People = None,
    known: Known = KNOWN,
    topics: Topics = None,
    seed: Seed = 0,
    json: options.Json = False,
) -> None:
    """How often does somebody find a person by a few queries, or by name, town and age? In the log with new ids alone, and in the release.

    Losses say what is inferred about a secret topic. It names no query and nobody.

    Example: `sfumato searchlog attack searches release.parquet --owners owners.parquet --people searches/truth`
    """
    from sfumato.searchlog import attack as run

    request.pop("loops")
    who: options.Request = {"owners": owners, "people": people, "known": options.names(known) or (), "topics": topics}
    sizes: options.Request = {"knows": knows, "targets": targets, "common": common, "seed": seed}
    with show.watching() as watch:
        found = run(log, release, **who, **sizes, watch=watch, **request)
    if json:
        show.emit(found.as_dict())
        return
    ids = "" if found.ids is None else f"; {several(found.ids, 'id')} in the release"
    show.line(f"{several(found.people, 'person', 'people')} in the log{ids}")
    show.out().print(show.unbroken(show.rows(found.table(), title="finding a person")))
    show.out().print(show.unbroken(show.rows(found.leaks(), title="inferring a topic")))
    for reason in sorted({each.reason for each in found.attempts if each.reason}):
        show.line(f"not tried: {reason}")


@options.takes(options.running)
def report(
    request: options.Request,
    log: Log,
    release: Release,
    output: Annotated[Path, typer.Option("--output", "-o", help="The page, an HTML file.", show_default=False)],
    owners: Owners = None,
    knows: Knows = 3,
    targets: Targets = 500,
    people: People = None,
    known: Known = KNOWN,
    topics: Topics = None,
    seed: Seed = 0,
    force: options.Force = False,
    json: options.Json = False,
) -> None:
    """One page about a log and its release, for you and not for others: what identifies, attacks before and after, what is left to use.

    Example: `sfumato searchlog report searches release.parquet --owners owners.parquet -o searches.html`
    """
    from sfumato.searchlog import report as make

    request.pop("loops")
    who: options.Request = {"owners": owners, "people": people, "known": options.names(known) or (), "topics": topics}
    sizes: options.Request = {"knows": knows, "targets": targets, "seed": seed, "force": force}
    with show.watching() as watch:
        made = make(log, release, output, **who, **sizes, watch=watch, **request)
    if json:
        show.emit(made.as_dict())
    else:
        show.line(f"wrote {made.file}")
