"""`sfumato compare`: two releases, or several methods on one table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli import options, show
from sfumato.errors import UsageError, argument

if TYPE_CHECKING:
    from sfumato.methods import MethodsCompared
    from sfumato.verbs.compare import Compared


def two_releases(
    first: Annotated[
        Path, typer.Argument(metavar="A", help="A published file; the original table with --methods.", show_default=False)
    ],
    schema: options.SchemaFile,
    second: Annotated[
        Path | None, typer.Argument(metavar="[B]", help="Another release of the same table.", show_default=False)
    ] = None,
    original: Annotated[
        str | None,
        typer.Option("--original", help="The original table: what A and B tell together needs it.", show_default=False),
    ] = None,
) -> options.Request:
    """Two published files, the schema they were made under, and the original."""
    given = {"second": second, "original": original}
    return {"first": first, "schema": schema} | {name: value for name, value in given.items() if value is not None}


def several_methods(
    methods: Annotated[
        list[str] | None,
        typer.Option(
            "--methods",
            help="Methods to try on A, as in 'generalize noise:gaussian pram:invariant,0.8'. Repeatable.",
            show_default=False,
        ),
    ] = None,
    privacy_loss: Annotated[
        float | None,
        typer.Option("--privacy-loss", help="Each method as mild as this mean distribution loss allows.", show_default=False),
    ] = None,
    utility_loss: Annotated[
        float | None,
        typer.Option(
            "--utility-loss",
            help="Each method as strong as this loss allows: of a model with --target, else of count queries.",
            show_default=False,
        ),
    ] = None,
    target: Annotated[
        str | None, typer.Option("--target", help="The column that a model is to predict.", show_default=False)
    ] = None,
    estimator: Annotated[
        str | None, typer.Option("--estimator", help="The model, as for 'sfumato learn'.", show_default="random-forest")
    ] = None,
    queries: Annotated[
        int | None, typer.Option("--queries", help="How many count queries are asked.", show_default="200", min=1)
    ] = None,
    seed: Annotated[int | None, typer.Option("--seed", help="Seed of all that is random.", show_default="0", min=0)] = None,
) -> options.Request:
    """Several methods side by side."""
    given: options.Request = {
        "privacy_loss": privacy_loss,
        "utility_loss": utility_loss,
        "target": target,
        "estimator": estimator,
    }
    given |= {"queries": queries, "seed": seed, "methods": [name for text in methods or () for name in text.split()] or None}
    return {name: value for name, value in given.items() if value is not None}


@options.takes(two_releases, several_methods, options.reading, options.judging)
def compare(
    request: options.Request, output: options.Picture = None, force: options.Force = False, json: options.Json = False
) -> None:
    """Compare two releases of one table, or methods at equal privacy loss or equal utility loss.

    Two releases: losses, models, risk and distributions, and what somebody learns who has both. With --original, people are grouped by
    the pair of their classes in A and B. No one can learn more from both files than from this.

    Methods: A is the original table. Each method is made as mild as --privacy-loss allows, or as strong as --utility-loss allows; then its
    losses, attacks, and what it costs those who learn or count stand side by side.

    Example: `sfumato compare out.parquet safe.parquet -s adult.toml --original adult.parquet`
    """
    if "methods" in request:
        _compare_methods(request, output, force=force, json=json)
        return
    if not request.keys().isdisjoint(METHODS) or output:
        raise UsageError(f"is about methods; name them with {argument('methods')}", where=_odd(request, output))
    if "second" not in request:
        raise UsageError(f"name a second release, or methods with {argument('methods')}", where="compare")
    from sfumato.verbs.compare import compare as compare_releases

    with show.watching() as watch:
        watch("comparing", None)
        compared = compare_releases(**request)
    if json:
        show.emit(compared.as_dict())
    else:
        _show(compared)


TRIED = "how often attacks are right: finding somebody (prosecutor, marketer), or what is sensitive about them"
METHODS = ("privacy_loss", "utility_loss", "target", "estimator", "queries", "seed")
_RELEASES = ("second", "original", "models", "prior", "population", "population_size")


def _odd(request: options.Request, output: Path | None) -> str:
    return argument(next((name for name in METHODS if name in request), "output" if output else "methods"))


def _compare_methods(request: options.Request, output: Path | None, *, force: bool, json: bool) -> None:
    """Methods side by side on one table."""
    from sfumato.commit.places import require_free
    from sfumato.methods import compare_methods

    for name in _RELEASES:
        if name in request:
            where = "compare" if name == "second" else argument(name)
            raise UsageError(f"is about two releases; leave it or {argument('methods')} out", where=where)
    if output:
        require_free(output, force)
    with show.watching() as watch:
        found = compare_methods(request.pop("first"), request.pop("methods"), watch=watch, **request)
    if output:
        from sfumato.reporting.charts import write_chart
        from sfumato.reporting.methods import methods_chart

        write_chart(methods_chart(found), output, force=force)
    if json:
        show.emit(found.as_dict() | ({"written": [str(output)]} if output else {}))
        return
    _show_methods(found)
    if output:
        show.line(f"wrote {output}")


def _show_methods(found: MethodsCompared) -> None:
    """One row per method, why some could not be had, and what the attacks on others do not show."""
    for title, rows in (
        (_title(found), found.table()),
        ("how often attacks are right: finding somebody (prosecutor, marketer), or what is sensitive about them", found.tried()),
    ):
        shown = [[each[0], *map(_shown, rows.heads[1:], each[1:])] for each in rows.rows]
        heads = [head.removeprefix("record-linkage:") for head in rows.heads]
        if shown:
            show.line(title)
            show.out().print(show.unbroken(show.table(None, heads, shown, right=heads[1:])))
    for each in found.outcomes:
        if each.reason is not None:
            show.line(f"{each.method}: {each.reason}")
        if each.remark is not None:
            show.line(f"{each.released}: {each.remark}")
    show.line("ε, α: distribution and entropy loss of what somebody believes who has the release")


def _title(found: MethodsCompared) -> str:
    titles = {
        "privacy": f"as mild as a mean distribution loss of {found.bound:g} allows" if found.bound else "",
        "utility": f"as strong as a {'loss of the model' if found.target else 'query error'} of {found.bound:g} allows"
        if found.bound
        else "",
    }
    return titles.get(found.equal or "", "what each method discloses and costs")


def _shown(head: str, value: Any) -> str:
    if value is None:
        return "–"
    return f"{value:.3g}" if head[0] in "εα" or head == "query error" else f"{value:.2%}"


def _show(compared: Compared) -> None:
    console = show.out()
    console.print(show.rows(compared.table()))
    if compared.first.verdicts:
        console.print(show.rows(compared.models(), title="models satisfied"))
    for each in compared.distributions:
        rows = [["(missing)" if value is None else value, one, other] for value, one, other in each.shares]
        rows += [["(held by few)", *each.others]] if any(each.others) else []
        title = f"distribution of {each.sensitive}: {each.distance:.4f} apart"
        console.print(show.table(title, ["", "first", "second"], rows, right=["first", "second"]))
    for line in compared.unknown:
        show.line(f"not known: {line}")
    show.line(f"first: {compared.first.name}; second: {compared.second.name}; prior: {compared.prior}")
