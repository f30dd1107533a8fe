"""`sfumato check` and `sfumato models`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli import options, show

if TYPE_CHECKING:
    from sfumato.models import PrivacyModel

Models = Annotated[
    list[str] | None,
    typer.Option("--model", "-m", help="A model and its parameters, as in k-anonymity:5. Repeatable.", show_default=False),
]
Protect = Annotated[
    list[str] | None,
    typer.Option(
        "--protect",
        metavar="GROUP MODEL",
        help="A model for a group only, as in 'age=[75, 100]' distribution-loss:0.1. Repeatable.",
        show_default=False,
    ),
]
Sensitive = Annotated[str | None, typer.Option("--sensitive", help="The sensitive attributes to judge.", show_default="all")]
PriorFile = Annotated[Path | None, typer.Option("--prior", help="Stated beliefs, a TOML file.", show_default=False)]
Population = Annotated[
    str | None, typer.Option("--population", help="A larger table with the same QIDs, as k-map needs.", show_default=False)
]
PopulationSize = Annotated[
    int | None,
    typer.Option("--population-size", help="People in the population that the table is drawn from.", show_default=False, min=1),
]


def check(
    published: Annotated[
        Path, typer.Argument(metavar="PUBLISHED", help="A published file, whoever made it.", show_default=False)
    ],
    schema: options.SchemaFile,
    model: Models = None,
    protect: Protect = None,
    sensitive: Sensitive = None,
    original: Annotated[
        str | None, typer.Option("--original", help="The original table, for the prior.", show_default=False)
    ] = None,
    prior: PriorFile = None,
    certificate: Annotated[
        Path | None, typer.Option("--certificate", help="Its certificate.", show_default="NAME.certificate.json beside it")
    ] = None,
    population: Population = None,
    population_size: PopulationSize = None,
    memory: options.Memory = None,
    json: options.Json = False,
) -> None:
    """Judge a published file by privacy models. Exit 1 if one is violated.

    The prior comes from --original, from the certificate beside the file, else from the file itself; the output says which.

    Example: `sfumato check out.parquet -s adult.toml -m k-anonymity:5 -m t-closeness:0.2`
    """
    from sfumato.verbs.check import check as check_file

    found = check_file(
        published,
        schema,
        [*(model or ()), *(protect or ())],
        sensitive=options.names(sensitive),
        original=original,
        prior=prior,
        certificate=certificate,
        population=population,
        population_size=population_size,
        memory_limit=memory,
    )
    if json:
        show.emit({**found.as_dict(), "tolerance": 1e-9})
    else:
        console = show.out()
        console.print(show.rows(found.table()))
        console.print(
            f"{found.people:,} people in {found.rows:,} rows, {found.classes:,} classes; prior: {found.prior}", soft_wrap=True
        )
    if not found.satisfied:
        raise typer.Exit(1)


def models(json: options.Json = False) -> None:
    """List the privacy models: parameters, the attacks each claims to stop, and what it says.

    R record linkage, A attribute linkage, T table linkage, P probabilistic. Monotone: merging classes never makes it worse, always or
    only where a row is a person.

    Example: `sfumato models`
    """
    from sfumato.models.register import MODELS, parameters_of

    if json:
        show.emit({"models": [{**_told(model), "parameters": parameters_of(model)} for model in MODELS.values()]})
        return
    rows = [
        [f"{name}:{parameters_of(model)}", model.stops, _monotone(model), (model.__doc__ or "").strip().split("\n")[0]]
        for name, model in MODELS.items()
    ]
    show.out().print(show.table(None, ["model", "stops", "monotone", "says"], rows))


def _told(model: type[PrivacyModel]) -> dict[str, object]:
    told: dict[str, object] = {name: getattr(model, name) for name in ("name", "stops", "monotone", "monotone_with_owners")}
    return told | {"about": (model.__doc__ or "").strip()}


def _monotone(model: type[PrivacyModel]) -> str:
    """Whether merging classes never makes it worse; most models say so only where a row is a person."""
    if model.monotone_with_owners:
        return "yes"
    return "by row" if model.monotone else "no"
