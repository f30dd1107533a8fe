"""The tables of an attack, each counted once: the original, what the attacker holds about people, and who is not in the release.

A table of an attacker need not know the schema's values: its columns are read as they stand, with the type of the original
where it fits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sfumato.attacks.view import by_rows
from sfumato.engines.base import Engine
from sfumato.errors import DataError, argument
from sfumato.frequency import FrequencySet
from sfumato.release.reading import Published
from sfumato.table import Table
from sfumato.table.source import Source
from sfumato.vocabulary.kinds import Role
from sfumato.vocabulary.schema import Attribute, Schema


def original_by(table: Table, names: Sequence[str], sensitive: Sequence[str]) -> FrequencySet:
    """The people of the original by some QIDs."""
    return by_rows(table.count(names, sensitive=sensitive))


def people_by(source: Source, schema: Schema, names: Sequence[str], sensitive: Sequence[str], what: str) -> FrequencySet:
    """The people of another table by those of the columns that it has; `what` is the argument that names it."""
    engine = source.open_engine(schema, as_declared=True)
    try:
        common = [name for name in names if name in engine.kinds]
        if not common:
            raise DataError(f"has none of the columns that the attacker holds ({', '.join(names)})", where=argument(what))
        for name in sensitive:
            if name not in engine.kinds:
                raise DataError(f"has no column {name!r}; it must have the sensitive attributes, too", where=argument(what))
        return _counted(engine, source, schema, common, sensitive)
    finally:
        engine.close()


def _counted(engine: Engine, source: Source, schema: Schema, names: Sequence[str], sensitive: Sequence[str]) -> FrequencySet:
    typed = [Attribute(name, Role.QUASI, schema[name].kind, Published(), schema[name].normalize) for name in names]
    secret = [replace(schema[name], builder=Published()) for name in sensitive]
    try:
        counts = Table(engine, Schema((*typed, *secret), missing=schema.missing), source).count()
    except DataError:  # labels in the place of values
        texts = [Attribute(name, Role.QUASI, None, Published()) for name in names]
        counts = Table(engine, Schema((*texts, *secret), missing=schema.missing), source).count()
    if not counts.classes:
        raise DataError("has no rows", where=source.name)
    return by_rows(counts)
