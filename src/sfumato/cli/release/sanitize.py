"""`sfumato sanitize` and `sfumato methods`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli import options, show
from sfumato.cli.release.publish import record
from sfumato.errors import several

if TYPE_CHECKING:
    from sfumato.verbs.sanitize import Sanitized

# The losses that fit into a terminal.
SHOWN = ("distribution", "entropy", "utility-distribution", "utility-entropy")
# What the certificate says about the operation, in words.
FACTS = {"cells": "cells suppressed", "groups": "groups", "swapped": "records swapped", "keys": "keys counted"}


@options.takes(options.table, options.reading, options.judging, options.placing, options.entering)
def sanitize(
    request: options.Request,
    method: Annotated[
        str,
        typer.Option(
            "--method",
            metavar="NAME:PARAMETERS",
            help="The operation, as in noise:gaussian,0.1; 'sfumato methods' lists all.",
            show_default=False,
        ),
    ],
    columns: Annotated[
        str | None,
        typer.Option("--columns", help="The columns to change, as in age,zip.", show_default="the method's own choice"),
    ] = None,
    quasi: options.Quasi = None,
    json: options.Json = False,
) -> None:
    """Change the values of a table by an operation, and release what comes out with its certificate.

    The rows are shuffled, and the file is read back before it gets its name. The seed of a random operation is drawn anew unless --seed
    gives it; it is in your copy of the certificate only, because it would undo what was drawn. With models, the file must satisfy them;
    a model that the operation cannot keep is refused.

    Example: `sfumato sanitize adult.parquet -s adult.toml --method cell-suppression:5 -o cells.parquet`
    """
    from sfumato.verbs.sanitize import sanitize as sanitize_table

    options.require_output(request)
    request |= {"quasi": options.names(quasi)} if quasi else {}
    with show.watching() as watch:
        result = sanitize_table(
            **request,
            method=method,
            columns=options.names(columns),
            watch=watch,
            progress=show.progress(watch, method.partition(":")[0]),
        )
    if json:
        show.emit({**record(result.release), **result.as_dict(), "seed": None if result.seed is None else str(result.seed)})
        return
    _show(result)


def _show(result: Sanitized) -> None:
    certificate = result.release.certificate
    method: Mapping[str, Any] = dict(certificate.method or {})
    show.line(f"{result.method} on {', '.join(method['columns'])}")
    show.line(f"{certificate.size()}, the smallest of {certificate.smallest_class:,}")
    for name, what in FACTS.items():
        if name in method:
            show.line(f"{method[name]:,} {what}")
    _show_losses(result)
    for line in show.verdict_lines(result.release.verdicts):
        show.line(line)
    if spent := result.spent:
        show.line(
            f"spent on this table so far: epsilon {spent.epsilon:g}, delta {spent.delta:g}, in {several(spent.releases, 'release')}"
        )
    _show_files(result, method)


def _show_losses(result: Sanitized) -> None:
    heads = ["loss", "max", "min", "class mean", "people mean"]
    for name, believed in result.losses.items():
        shown = {loss: each for loss, each in believed.losses.items() if loss in SHOWN}
        rows = [[loss, each.max, each.min, each.class_mean, each.people_mean] for loss, each in shown.items()]
        title = f"what somebody learns of {name} who knows QIDs and method"
        show.out().print(show.table(title, heads, rows, right=heads[1:]))
        if believed.errors["distribution"]:
            error = show.cell(believed.errors["distribution"])
            sample = several(believed.people, "person", "people")
            show.line(f"measured on {sample} drawn at random; standard error of the mean distribution loss {error}")
    for name in result.unmeasured:
        show.line(f"{name} has too many different values; what somebody learns of it was not measured")


def _show_files(result: Sanitized, method: Mapping[str, Any]) -> None:
    from sfumato.release import certificate_path

    release = result.release
    if release.path:
        show.line(f"release:     {release.path}")
        if "beside" in method:
            show.line(f"groups:      {release.path.with_name(method['beside']['file'])}")
        show.line(f"certificate: {certificate_path(release.path)}")
        show.line(f"your copy:   {release.ledger}{', with the seed' if result.seed is not None else ''}")
    for signature in release.certificate.signatures:
        show.line(f"signed by:   {signature.name} ({signature.fingerprint})")


def methods(json: options.Json = False) -> None:
    """List the operations of `sanitize`: what each does for people, and what it does not.

    Example: `sfumato methods`
    """
    from sfumato.operations import OPERATIONS, operation_named

    found = [operation_named(name) for name in OPERATIONS]
    if json:
        keys = ("name", "example", "protects", "exposes")
        each = [{**{key: getattr(cls, key) for key in keys}, "judged": cls.judged.value, "random": cls.drawn} for cls in found]
        show.emit({"methods": each})
        return
    rows = [[cls.example, cls.protects, cls.exposes] for cls in found]
    show.out().print(show.table(None, ["method", "protects", "does not protect"], rows))
