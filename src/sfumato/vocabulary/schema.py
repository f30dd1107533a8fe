"""A schema: what each column is and what may happen to it. Frozen; `vocabulary.toml` reads and writes it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from os import PathLike
from pathlib import Path
from typing import Any

from sfumato.errors import SchemaError, UsageError, argument, unknown
from sfumato.upward import above
from sfumato.vocabulary.builders import Builder, Suppression
from sfumato.vocabulary.dialect import AS_FOUND, AS_IT_IS, Dialect, Written, for_columns
from sfumato.vocabulary.interval import plain
from sfumato.vocabulary.kinds import Kind, Role

SUPPRESSION = Suppression()


class Suppressed(Enum):
    """What happens to a suppressed record: it is dropped, or it stays with `*` in every QID."""

    DROP = "drop"
    STAR = "star"


@dataclass(frozen=True, slots=True)
class Attribute:
    """A declared column. Without `kind` it has the type that the source gives it (text in CSV). `normalize`: spellings of one text are
    one value. `written`: how its texts are written in the source, if not as those of other columns."""

    name: str
    role: Role
    kind: Kind | None = None
    builder: Builder = SUPPRESSION
    normalize: bool = False
    written: Written = AS_IT_IS

    def height(self) -> int:
        """The level of the root of its hierarchy."""
        return self.builder.height(self.kind or Kind.TEXT)


@dataclass(frozen=True, slots=True)
class Schema:
    """The attributes in order, how suppressed records are published, which texts mean a missing value, and how the table is read that
    the schema was made for."""

    attributes: tuple[Attribute, ...]
    suppressed: Suppressed = Suppressed.DROP
    missing: tuple[str, ...] = ("",)
    source: Dialect = AS_FOUND

    @classmethod
    def read(cls, path: str | PathLike[str]) -> Schema:
        """Read a schema from its TOML file.

        Parameters
        ----------
        path : path
            The file; hierarchy files are found relative to it.

        Returns
        -------
        Schema
            The schema.
        """
        from sfumato.vocabulary.toml import read_schema

        return read_schema(Path(path))

    @classmethod
    def parse(cls, text: str | Mapping[str, Any], *, folder: str | PathLike[str] = ".") -> Schema:
        """Make a schema from TOML text, or from a dict of the same shape.

        Parameters
        ----------
        text : str or dict
            The text, or `{"attributes": {"age": {"role": "quasi"}}}`.
        folder : path
            Hierarchy files are found relative to it.

        Returns
        -------
        Schema
            The schema.
        """
        from sfumato.vocabulary.toml import parse_schema, schema_from

        return parse_schema(text, Path(folder)) if isinstance(text, str) else schema_from(text, Path(folder))

    @classmethod
    def of(cls, data: Any, **named: Any) -> Schema:
        """A schema for a table that has none: you name the columns, their types and hierarchies are suggested from the data.

        Parameters
        ----------
        data : path, pandas or polars frame, Arrow table, Source
            The table.
        quasi : str or list of str, optional
            The quasi-identifiers: what others may know about a person. If you name them, a column that you name nowhere gets the
            role `identifier` and is not published. If you do not, the other columns get the roles that `profile` suggests.
        sensitive : str or list of str, optional
            What nobody should learn about a person.
        plain : str or list of str, optional
            Columns to publish as they are.
        identifier : str or list of str, optional
            Columns not to publish.
        owner : str, optional
            The column that says whose a row is.
        **options
            The fields of `Source`.

        Returns
        -------
        Schema
            Print its `to_toml()`, and read every line: roles decide what is published.
        """
        schema: Schema = above("Schema.of")(data, **named)
        return schema

    def with_role(self, names: str | Sequence[str], role: str | Role) -> Schema:
        """The schema with another role for one column or several.

        Parameters
        ----------
        names : str or list of str
            The columns.
        role : str
            `quasi`, `sensitive`, `plain`, `identifier` or `owner`. A column that is neither quasi nor sensitive loses its hierarchy.

        Returns
        -------
        Schema
            Another schema; this one stays as it is.
        """
        from sfumato.vocabulary.describing import with_role

        return with_role(self, [names] if isinstance(names, str) else names, role)

    def with_hierarchy(self, name: str, levels: Any, *, lower: float | None = None, upper: float | None = None) -> Schema:
        """The schema with another hierarchy for a column.

        Parameters
        ----------
        name : str
            A quasi-identifier or a sensitive attribute.
        levels : list, dict, str or None
            For numbers the widths of bands, `[5, 10, 25]`; for texts how many characters to keep, `[3, 1]`; for dates the units,
            `["month", "year"]`. A dict is a tree, `{"health": ["nurse", "doctor"]}`, or a builder as in a schema file. A text is the
            name of a hierarchy file. None: the value, or nothing.
        lower, upper : number, optional
            The bounds of bands, so that they do not depend on the data.

        Returns
        -------
        Schema
            Another schema; this one stays as it is.
        """
        from sfumato.vocabulary.describing import with_hierarchy

        return with_hierarchy(self, name, levels, {"lower": lower, "upper": upper})

    def to_toml(self) -> str:
        """The schema as TOML, hierarchies written out."""
        from sfumato.vocabulary.toml import schema_text

        return schema_text(self)

    def digest(self) -> str:
        """SHA-256 of what the schema declares, whatever the layout of its file."""
        from sfumato.vocabulary.toml import declared

        tables = declared(self)
        ordered = [tables["table"], list(tables["attributes"].items())]  # the order of the attributes orders the levels of a node
        ordered += [tables["source"]] if "source" in tables else []
        return hashlib.sha256(json.dumps(ordered, sort_keys=True, default=plain).encode()).hexdigest()

    def names(self, role: Role) -> tuple[str, ...]:
        """The attributes of one role, in schema order."""
        return tuple(attribute.name for attribute in self.attributes if attribute.role is role)

    @property
    def quasi(self) -> tuple[str, ...]:
        return self.names(Role.QUASI)

    @property
    def sensitive(self) -> tuple[str, ...]:
        return self.names(Role.SENSITIVE)

    @property
    def owner(self) -> str | None:
        return next(iter(self.names(Role.OWNER)), None)

    def __getitem__(self, name: str) -> Attribute:
        for attribute in self.attributes:
            if attribute.name == name:
                return attribute
        raise SchemaError(unknown("attribute", name, (a.name for a in self.attributes), within="the schema"))

    def choose_quasi(self, names: Sequence[str] | None = None) -> tuple[str, ...]:
        """The QIDs to publish, in schema order: all of them, or those named."""
        if names is None:
            chosen = self.quasi
        else:
            names = [names] if isinstance(names, str) else names
            for name in names:
                if self[name].role is not Role.QUASI:
                    raise UsageError(
                        f"{name!r} is declared {self[name].role.value}, not quasi; choose among {', '.join(self.quasi) or 'none'}",
                        where=argument("quasi"),
                    )
            chosen = tuple(name for name in self.quasi if name in names)
        if not chosen:
            raise SchemaError("no quasi-identifier: give at least one attribute the role 'quasi'", where="the schema")
        return chosen

    def written(self, asked: Dialect) -> dict[str, Written]:
        """How the columns of its table are written, unless something else is asked for."""
        return for_columns({each.name: (each.kind, each.written) for each in self.attributes}, self.source, asked)

    def with_kinds(self, kinds: Mapping[str, Kind]) -> Schema:
        """The schema with the types of the source where none is declared; only QIDs and sensitive attributes get one."""
        judged = (Role.QUASI, Role.SENSITIVE)
        return replace(self, attributes=tuple(with_kind(a, kinds[a.name]) if a.role in judged else a for a in self.attributes))


def with_kind(attribute: Attribute, of_source: Kind) -> Attribute:
    """The attribute with its declared type, or that of the source; refuses a builder that does not fit it."""
    kind = attribute.kind or of_source
    if kind not in attribute.builder.kinds:
        fitting = ", ".join(sorted(fit.value for fit in attribute.builder.kinds))
        name = attribute.builder.declared()["builder"]
        raise SchemaError(
            f"builder {name!r} needs type {fitting}; the attribute is {kind.value}", where=f"attribute {attribute.name!r}"
        )
    return replace(attribute, kind=kind)
