"""Schemas changed in Python: another role, another hierarchy. Every change gives another schema, as sound as one from a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

from sfumato.errors import SchemaError, UsageError, argument, raise_alone, unknown
from sfumato.vocabulary.builders import Builder
from sfumato.vocabulary.kinds import ROLE_SYNONYMS, Kind, Role
from sfumato.vocabulary.schema import SUPPRESSION, Attribute, Schema, with_kind
from sfumato.vocabulary.toml import builder_from

_JUDGED = (Role.QUASI, Role.SENSITIVE)
# What a list means for a column of a type: the builder, and its key.
_LISTS = {
    Kind.INTEGER: ("intervals", "widths"),
    Kind.DECIMAL: ("intervals", "widths"),
    Kind.DATE: ("dates", "units"),
    Kind.TIMESTAMP: ("dates", "units"),
    Kind.TEXT: ("prefix", "keep"),
}


def role_of(role: str | Role) -> Role:
    """A role by its name."""
    known = [each.value for each in Role]
    if isinstance(role, Role):
        return role
    if not isinstance(role, str) or role not in (*known, *ROLE_SYNONYMS):
        raise UsageError(unknown("role", str(role), known, within="a schema"), where=argument("role"))
    return ROLE_SYNONYMS.get(role) or Role(role)


def with_role(schema: Schema, names: Sequence[str], role: str | Role) -> Schema:
    """The schema with another role for some columns."""
    wanted = role_of(role)
    for name in names:
        schema = _with(schema, _in_role(schema[name], wanted))
    if len(owners := schema.names(Role.OWNER)) > 1:
        raise SchemaError(f"one owner column at most; there are {len(owners)}: {', '.join(owners)}")
    return schema


def with_hierarchy(schema: Schema, name: str, levels: Any, bounds: Mapping[str, Any]) -> Schema:
    """The schema with another hierarchy for a column."""
    attribute = schema[name]
    if attribute.role not in _JUDGED:
        raise SchemaError(
            f"only quasi and sensitive attributes have a hierarchy; this one is {attribute.role.value}: give it a role first",
            where=f"attribute {name!r}",
        )
    try:
        builder = _builder(attribute, levels, {key: bound for key, bound in bounds.items() if bound is not None})
    except SchemaError as error:
        raise_alone(SchemaError(error.message, where=f"attribute {name!r}"))
    changed = replace(attribute, builder=builder)
    return _with(schema, with_kind(changed, changed.kind) if changed.kind else changed)


def _builder(attribute: Attribute, levels: Any, bounds: Mapping[str, Any]) -> Builder:
    if levels is None:
        return SUPPRESSION
    if isinstance(levels, str | PathLike):
        return builder_from({"builder": "file", "file": str(levels)}, Path())
    if isinstance(levels, Mapping):
        table = levels if {"builder", "tree", "file"} & set(levels) else {"tree": levels}
        return builder_from({**table, **bounds}, Path())
    if not isinstance(levels, Sequence):
        builder: Builder = levels if hasattr(levels, "declared") else _refuse(attribute)
        return builder
    numbers = [each for each in levels if not isinstance(each, str)]
    kind = attribute.kind or (Kind.INTEGER if numbers else Kind.DATE)
    name, key = _LISTS.get(kind) or _refuse(attribute)
    return builder_from({"builder": name, key: list(levels), **bounds}, Path())


def _refuse(attribute: Attribute) -> Any:
    kind = (attribute.kind or Kind.TEXT).value
    raise SchemaError(f"a hierarchy of type {kind} is a list of levels, a dict (a tree, or a builder) or the name of a file")


def _in_role(attribute: Attribute, role: Role) -> Attribute:
    if role in _JUDGED:
        return replace(attribute, role=role)
    return replace(attribute, role=role, builder=SUPPRESSION, normalize=False)


def _with(schema: Schema, changed: Attribute) -> Schema:
    attributes = tuple(changed if each.name == changed.name else each for each in schema.attributes)
    return replace(schema, attributes=attributes)
