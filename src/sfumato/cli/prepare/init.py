"""`sfumato init`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli import options, show
from sfumato.errors import UsageError, argument, raise_alone

if TYPE_CHECKING:
    from sfumato.verbs.init import Asked, Begun
    from sfumato.vocabulary.kinds import Role


@options.takes(options.reading)
def init(
    request: options.Request,
    data: options.Data,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder for schema.toml and recipe.toml.", show_default="this one")
    ] = Path(),
    template: Annotated[
        str | None,
        typer.Option(
            "--template", help="public-use, research-use or hipaa-safe-harbor.", show_default="none: k-anonymity:5 is asked for"
        ),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Take the suggestions without asking.")] = False,
    force: options.Force = False,
    json: options.Json = False,
) -> None:
    """Begin with a table: asks about each column, then writes a schema and a recipe.

    Example: `sfumato init patients.csv --template research-use --yes -o begun`
    """
    from sfumato.verbs.init import init as begin

    if json and not yes:
        raise UsageError(f"nobody can be asked; add {argument('yes')}", where=argument("json"))
    if yes:
        with show.watching() as watch:
            begun = begin(data, output=output, template=template, force=force, watch=watch, **request)
    else:
        begun = begin(data, output=output, template=template, ask=_ask, force=force, **request)
    if json:
        show.emit(begun.as_dict())
        return
    _show(begun, data)


def _show(begun: Begun, data: str) -> None:
    rows = [[each.attribute.name, each.attribute.role.value, each.kind, each.reason] for each in begun.suggestions]
    show.out().print(show.table(None, ["column", "role", "type", "why"], rows))
    for path in begun.files:
        show.line(f"wrote {path}")
    if begun.absent:
        show.line(
            f"{begun.template}: no column was taken for {' or '.join(begun.absent)}; if there is one, correct its role and levels"
        )
    if begun.models:
        show.line(f"asks for {', '.join(begun.models)}; may suppress {begun.suppress.removesuffix('%')} % of the people")
    show.line("read every line of it, then make the release:")
    show.line("  " + begun.next.replace("DATA", data, 1))


def _ask(asked: Asked) -> Role | None:
    """Show the evidence and read an answer; an empty one takes the suggestion."""
    from sfumato.vocabulary.kinds import Role

    suggestion = asked.suggestion
    missing = f", {suggestion.missing:,} missing" if suggestion.missing else ""
    show.line(f"[{asked.place}/{asked.columns}] {suggestion.attribute.name}")
    show.line(
        f"    {suggestion.kind}, {suggestion.distinct:,} distinct{missing}; {suggestion.alone:,} records have a value of their own"
    )
    show.line(f"    suggested: {suggestion.attribute.role.value}: {suggestion.reason}")
    if asked.alone is not None and asked.alone_with is not None:
        show.line(
            f"    as quasi: {asked.alone_with:,} of {asked.people:,} people alone in their combination, {asked.alone:,} without it"
        )
    possible = [role for role in Role if role is not Role.OWNER or asked.owner is None]
    roles = [role.value for role in possible]
    while True:
        word = _read(f"    {', '.join(roles)} [{suggestion.attribute.role.value}]: ").strip().lower()
        fitting = [role for role in possible if word and role.value.startswith(word)]
        if not word or len(fitting) == 1:
            return fitting[0] if fitting else None
        show.line("    one of these words or its first letter; nothing takes the suggestion")


def _read(prompt: str) -> str:
    try:
        return input(prompt)
    except EOFError:
        raise_alone(
            UsageError(f"the answers ended before the columns did; nothing was written ({argument('yes')} takes the suggestions)")
        )
