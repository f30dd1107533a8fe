"""A schema for a table that has none, from the columns that somebody names: `Schema.of`.

What is named gets the role that it is named for, with the type and the hierarchy that `profile` suggests. If the quasi-identifiers are
named, nothing is published that is not named. If they are not, the roles of the other columns are those that `profile` suggests.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sfumato.errors import SchemaError, UsageError, argument, unknown
from sfumato.vocabulary.builders import Suppression
from sfumato.vocabulary.describing import with_role
from sfumato.vocabulary.kinds import Role
from sfumato.vocabulary.schema import Attribute, Schema

if TYPE_CHECKING:
    from sfumato.profiling.suggest import Suggestion
    from sfumato.table.source import Source

Names = Sequence[str] | str | None


def describe(
    data: Any,
    *,
    quasi: Names = None,
    sensitive: Names = None,
    plain: Names = None,
    identifier: Names = None,
    owner: Names = None,
    **options: Any,
) -> Schema:
    """A schema for a table, see `Schema.of`."""
    from sfumato.options import divided
    from sfumato.table.source import SOURCE_OPTIONS, source_of
    from sfumato.verbs.profile import profile

    (settings,) = divided(options, SOURCE_OPTIONS)
    source = source_of(data, None, settings)
    roles = _roles({"quasi": quasi, "sensitive": sensitive, "plain": plain, "identifier": identifier, "owner": owner})
    profiled = profile(source)
    suggested = profiled.schema
    columns = [attribute.name for attribute in suggested.attributes]
    for name in roles:
        if name not in columns:
            raise SchemaError(unknown("column", name, columns, within="the data"), where=argument(roles[name].value))
    rest = None if quasi is None else Role.IDENTIFIER
    attributes = [_in_role(each, roles.get(each.attribute.name, rest), source, suggested) for each in profiled.suggestions]
    schema = replace(suggested, attributes=tuple(_one_owner(attributes, roles)))
    with_role(schema, [], Role.PLAIN)  # as sound as any other
    return schema


def _roles(named: Mapping[str, Names]) -> dict[str, Role]:
    """The role of every column that was named."""
    from sfumato.question.question import names_of

    roles: dict[str, Role] = {}
    for role, names in named.items():
        for name in names_of(names, role) or ():
            if name in roles:
                raise UsageError(f"{name!r} is named twice; a column has one role", where=argument(role))
            roles[name] = Role(role)
    return roles


def _in_role(suggestion: Suggestion, role: Role | None, source: Source, schema: Schema) -> Attribute:
    """A suggested attribute in the role that was asked for; a QID with the hierarchy that fits its values."""
    attribute = suggestion.attribute
    if role is None or role is attribute.role:
        return attribute
    if role is not Role.QUASI:
        return replace(attribute, role=role, builder=Suppression())
    from sfumato.verbs.profile import levels_for

    known = suggestion.as_quasi
    return replace(attribute, role=role, builder=known.builder if known else levels_for(source, schema, attribute.name))


def _one_owner(attributes: Sequence[Attribute], roles: Mapping[str, Role]) -> list[Attribute]:
    """Where an owner was named, a column that only looks like one does not leave."""
    named = Role.OWNER in roles.values()
    return [
        replace(each, role=Role.IDENTIFIER) if named and each.role is Role.OWNER and each.name not in roles else each
        for each in attributes
    ]
