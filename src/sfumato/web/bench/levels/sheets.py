"""A column whose levels are shown or changed: its attribute, its values with their people, and why these are not known if they are not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sfumato.errors import SfumatoError
from sfumato.vocabulary.builders import Builder, Suppression
from sfumato.vocabulary.kinds import Kind, Role
from sfumato.vocabulary.schema import Attribute, Schema
from sfumato.web.bench import looking
from sfumato.web.bench.levels.people import Column, Rolled, column_of, rolled
from sfumato.web.bench.looking import Looked

TOO_MANY = "It has too many different values to count them here, so only the levels are shown. The commands count them."


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """A column. `column` is None if its values are not known; `why` says so, or what is wrong with its levels."""

    number: int
    attribute: Attribute
    found: looking.Column | None
    column: Column | None
    rolled: Rolled | None
    why: str | None

    @property
    def kind(self) -> Kind:
        return self.attribute.kind or Kind.TEXT


def sheet_of(number: int, attribute: Attribute, looked: Looked | None) -> Sheet:
    """What is known of a column and of its levels."""
    found = looked.columns.get(attribute.name) if looked else None
    column: Column | None = None
    try:
        column = values_of(attribute, looked)
        made = None if column is None else rolled(attribute, attribute.builder, column)
    except SfumatoError as error:
        return Sheet(number, attribute, found, column, None, str(error))
    return Sheet(number, attribute, found, column, made, TOO_MANY if column is None else None)


def sheets(schema: Schema, looked: Looked | None, name: str | None = None) -> Iterator[Sheet]:
    """The columns that have levels: every quasi-identifier, what else has more than the value or nothing, and the one that is named."""
    for number, attribute in enumerate(schema.attributes):
        judged = attribute.role in (Role.QUASI, Role.SENSITIVE)
        if attribute.role is Role.QUASI or (
            judged and (attribute.name == name or not isinstance(attribute.builder, Suppression))
        ):
            yield sheet_of(number, attribute, looked)


def values_of(attribute: Attribute, looked: Looked | None) -> Column | None:
    """The values of a column; None if there are too many, or if nobody has looked."""
    found = looked.columns.get(attribute.name) if looked else None
    return (
        None
        if looked is None or found is None or found.values is None
        else column_of(attribute, found.values, looked.owners(attribute.name))
    )


def checked(attribute: Attribute, builder: Builder, looked: Looked | None) -> Builder:
    """A builder that fits the type and the values of a column; the library refuses any other."""
    column = values_of(attribute, looked)
    builder.build(attribute.name, attribute.kind or Kind.TEXT, () if column is None else column.values)
    return builder
