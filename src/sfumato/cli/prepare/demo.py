"""`sfumato demo`: the main job on the bundled census sample, from a table that nobody has described to a release and its pages."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli import options, show
from sfumato.errors import several

if TYPE_CHECKING:
    from sfumato.verbs.anonymize import Anonymized
    from sfumato.verbs.profile import Profile

MODELS = ("k-anonymity:5", "distinct-diversity:2")
SUPPRESS = "1%"


def demo(
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The folder to write to.", show_default="sfumato-demo, or sfumato-tour with --all"),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Tour everything that sfumato can do, in a few minutes, ending with one page.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Do the main job on the census sample: profile it, find the best release under stated models, write the report on it and the page of
    all other releases.

    With --all, a tour of every command on bundled and generated data, in a new folder. What needs an extra that is not installed is left
    out, and said so. Exit 1 if a command of the tour fails.

    Example: `sfumato demo`
    """
    from sfumato.commit.places import made_folder
    from sfumato.data import write_adult

    if everything:
        from sfumato.cli.tour.touring import tour

        tour(output or Path("sfumato-tour"), json)
        return
    output = made_folder(output or Path("sfumato-demo"))
    write_adult(output, force=True)
    with show.watching() as watch:
        profiled, result = _made(output, watch)
    if json:
        show.emit(result.as_dict() | {"written": [str(output / name) for name in WRITTEN]})
        return
    _show(output, profiled, result)


WRITTEN = ("suggested.toml", "release.parquet", "release.parquet.certificate.json", "report.html", "tradeoff.html")


def _made(folder: Path, watch: Any) -> tuple[Profile, Anonymized]:
    from sfumato.release.judging import NONE
    from sfumato.reporting.explorer.data import FileNames
    from sfumato.reporting.explorer.writing import write_explorer
    from sfumato.table.source import Source
    from sfumato.verbs.anonymize import Anonymized, anonymize
    from sfumato.verbs.profile import profile, write_schema
    from sfumato.verbs.report import report
    from sfumato.verbs.trade_off import trade_off

    data, schema, page = (folder / name for name in ("adult.parquet", "suggested.toml", "tradeoff.html"))
    profiled = profile(data, watch=watch)
    write_schema(profiled, schema, force=True)
    asked: dict[str, Any] = {"models": MODELS, "suppress": SUPPRESS}
    with Source(data, schema).open() as table:
        where: dict[str, Any] = {"output": folder / "release.parquet", "ledger": folder / "ledger", "force": True}
        result = anonymize(table, **asked, **where, together=NONE, watch=watch)
        assert isinstance(result, Anonymized)  # noqa: S101  withholding everything would satisfy the models
        watch("writing the report", None)
        report(result.release, profiled.schema, original=table, output=folder / "report.html", force=True)
        watch("looking at every other release", None)
        explored = trade_off(table, **asked, sensitive=profiled.schema.sensitive[0], watch=watch)
        write_explorer(explored, page, FileNames(data.name, schema.name), force=True)
    return profiled, result


def _show(folder: Path, profiled: Profile, result: Anonymized) -> None:
    from sfumato.release.columns import columns_of

    certificate = result.release.certificate
    show.out().print(show.rows(columns_of(result.release)))
    for line in show.verdict_lines(result.verdicts):
        show.line(line)
    suggested = [each.attribute.role.value for each in profiled.suggestions]
    show.line("")
    show.line(
        f"The census sample was profiled: {several(len(suggested), 'column')}, {suggested.count('quasi')} of them quasi-identifiers, "
        f"{suggested.count('sensitive')} sensitive ({folder / 'suggested.toml'})."
    )
    show.line(
        f"Of {result.trace.nodes:,} possible releases the one that loses least under {' and '.join(MODELS)} was published: "
        f"{certificate.size()}, {several(result.removed.people, 'person', 'people')} suppressed ({result.release.path})."
    )
    show.line(
        f"Open {folder / 'report.html'} for what it discloses and costs, and {folder / 'tradeoff.html'} for all the others."
    )
