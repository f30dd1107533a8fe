"""Which prior a release is judged against, and where it came from; beliefs that somebody states beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from os import PathLike
from pathlib import Path
from typing import Any

from sfumato.beliefs import Prior
from sfumato.errors import UsageError, argument, unknown
from sfumato.inputs.files import MB
from sfumato.inputs.toml import read_toml
from sfumato.statements import Statement
from sfumato.table import Table
from sfumato.vocabulary.schema import Schema

LARGEST = 16 * MB
Stated = str | PathLike[str] | Mapping[str, Sequence[Statement]]


@dataclass(frozen=True, slots=True, eq=False)
class Priors:
    """The prior of each sensitive attribute, the stated beliefs, and where they came from (`source`)."""

    of: Mapping[str, Prior]
    source: str
    statements: Mapping[str, Sequence[Statement]] = field(default_factory=dict)

    @classmethod
    def of_table(cls, table: Table, sensitive: Sequence[str]) -> Priors:
        """The distributions of the whole original table."""
        quasi = table.schema.choose_quasi()[:1]
        top = {name: table.schema[name].height() for name in quasi}
        counts = table.count(quasi, floor=top, sensitive=sensitive)
        return cls({name: Prior.of(counts, name) for name in sensitive}, "the original table")

    def with_beliefs(self, stated: Stated | None, schema: Schema) -> Priors:
        """The same with stated beliefs over them, if there are some."""
        if stated is None:
            return self
        statements, name = stated_beliefs(stated, schema)
        return replace(self, statements=statements, source=f"{name} over {self.source}")

    def only(self, names: Sequence[str]) -> Priors:
        """Those of some attributes."""
        return replace(self, of={name: prior for name, prior in self.of.items() if name in names})


def stated_beliefs(given: Stated, schema: Schema) -> tuple[Mapping[str, Sequence[Statement]], str]:
    """Stated beliefs per sensitive attribute, from a file or as they are, and what to call them."""
    if isinstance(given, Mapping):
        for name in given:
            if name not in schema.sensitive:
                raise UsageError(
                    unknown("sensitive attribute", name, schema.sensitive, within="the schema"), where=argument("prior")
                )
        return given, "stated beliefs"
    return read_statements(Path(given), schema), Path(given).name


def read_statements(path: Path, schema: Schema) -> dict[str, list[Statement]]:
    """Stated beliefs from a TOML file: `[[SENSITIVE]]` tables with `when` and `shares`."""
    document = read_toml(path, LARGEST, error=UsageError)
    statements = {}
    for name, entries in document.items():
        if name not in schema.sensitive:
            raise UsageError(unknown("sensitive attribute", name, schema.sensitive, within="the schema"), where=str(path))
        statements[name] = [_statement(entry, str(path)) for entry in entries] if isinstance(entries, list) else []
        if not statements[name]:
            raise UsageError(f"write [[{name}]] with when = {{ … }} and shares = {{ … }}", where=str(path))
    return statements


def _statement(entry: Any, where: str) -> Statement:
    for key in entry if isinstance(entry, dict) else ():
        if key not in ("when", "shares"):
            raise UsageError(unknown("key", str(key), ("when", "shares"), within="a stated belief"), where=where)
    when = entry.get("when", {}) if isinstance(entry, dict) else None
    shares = entry.get("shares") if isinstance(entry, dict) else None
    if not isinstance(when, dict) or not isinstance(shares, dict):
        raise UsageError("a stated belief has when = { QID = label } and shares = { value = share }", where=where)
    if not all(map(_is_share, shares.values())):
        raise UsageError("the shares of a stated belief must be numbers between 0 and 1", where=where)
    return Statement(
        {str(name): str(label) for name, label in when.items()}, {value: float(share) for value, share in shares.items()}
    )


def _is_share(share: Any) -> bool:
    number = isinstance(share, int | Decimal) and not isinstance(share, bool)
    return number and Decimal(share).is_finite() and 0 <= share <= 1
