"""The file that an owner shares: people by period and key, and a declaration of how they were protected.

A share names addresses or subnets and says how many people were there. It holds no user id, and no count of a cell that the protection
leaves out. Whoever reads one judges it again: a file whose rows do not fit its declaration is refused.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from os import PathLike
from pathlib import Path
from typing import Annotated, Any, Literal, TypedDict

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from msgspec import Meta

from sfumato._version import __version__
from sfumato.applications.ato.collaborating.counting import FAILING, SUCCEEDING, Calendar, Whole
from sfumato.applications.ato.collaborating.protecting import Protection
from sfumato.applications.ato.tables import KEYS
from sfumato.commit.writing import written_whole
from sfumato.errors import DataError, raise_alone
from sfumato.inputs import opened
from sfumato.inputs.shape import Count, Digest, Misshapen, Positive, shaped
from sfumato.signing.canonical import canonical, parsed

SCHEMA = pa.schema(
    [
        pa.field("Period", pa.int32(), nullable=False),
        pa.field("Key", pa.string(), nullable=False),
        pa.field("FailingPeople", pa.int64(), nullable=False),
        pa.field("SucceedingPeople", pa.int64(), nullable=False),
    ]
)
_PEOPLE = SCHEMA.names[2:]
_ENTRY = b"sfumato.share"
_MAKER = "'sfumato ato collaborate' makes one"
Above = Annotated[float, Meta(gt=0)]


class Private(TypedDict):
    """What noise promises: the privacy loss of a person in a period and in all, and the chance that it fails."""

    epsilon: Above
    whole_epsilon: Above
    whole_delta: Annotated[float, Meta(ge=0, le=1)]
    visits: Positive
    noise: Literal["system", "seed"]


class Declaration(TypedDict):
    """What a share says of itself. `least` is the least count that is shared, with noise; without, the least people of a cell."""

    share: Literal[1]
    made_by: str
    owner: Positive
    level: Literal["ip", "subnet"]
    begin: str
    days: Positive
    periods: Positive
    least: Positive
    private: Private | None
    rows: Count
    digest: Digest


@dataclass(frozen=True, slots=True, eq=False)
class Share:
    """What one owner shares. `table` has one row for each cell in which it shares somebody, in the order of periods and keys."""

    declaration: Declaration
    table: pa.Table

    @classmethod
    def of(
        cls, owner: int, keys: pa.Array, counts: Whole, protection: Protection, setting: tuple[str, Calendar], seed: int | None
    ) -> Share:
        """Of protected counts by period, key and kind."""
        (level, calendar), (periods, places) = setting, np.nonzero(counts.sum(axis=2))
        found = counts[periods, places]
        columns = [pa.array(periods, pa.int32()), keys.take(pa.array(places)), *(pa.array(found[:, kind]) for kind in (0, 1))]
        table = pa.table(columns, schema=SCHEMA)
        declaration: Declaration = {
            "share": 1,
            "made_by": f"sfumato {__version__}",
            "owner": owner,
            "level": "subnet" if level == "subnet" else "ip",
            "begin": calendar.begin.isoformat(),
            "days": calendar.days,
            "periods": calendar.periods,
            "least": protection.least(calendar.periods),
            "private": _private(protection, calendar.periods, seed),
            "rows": len(table),
            "digest": _digest(table),
        }
        return cls(declaration, table)

    @property
    def calendar(self) -> Calendar:
        """Its periods."""
        return Calendar(date.fromisoformat(self.declaration["begin"]), self.declaration["days"], self.declaration["periods"])

    def write(self, path: str | PathLike[str], *, force: bool = False) -> None:
        """As Parquet, with the declaration in its header."""
        with written_whole(Path(path), force) as hidden:
            self.store(hidden)

    def store(self, path: Path) -> None:
        """To a place that is free."""
        header = {_ENTRY: canonical(self.declaration).encode()}
        pq.write_table(self.table.replace_schema_metadata(header), path, compression="zstd")

    def counts(self, keys: pa.Array) -> Whole:
        """People by period, key and kind, over some keys; those of other keys are left out."""
        counts = np.zeros((self.declaration["periods"], len(keys), 2), np.int64)
        places = np.asarray(pc.fill_null(pc.index_in(self.table.column("Key"), value_set=keys), -1).to_numpy(), np.int64)
        known, period = places >= 0, self.table.column("Period").to_numpy()
        for kind in (FAILING, SUCCEEDING):
            counts[period[known], places[known], kind] = self.table.column(_PEOPLE[kind]).to_numpy()[known]
        return counts

    def as_dict(self) -> dict[str, Any]:
        """The declaration, for machines."""
        return dict(self.declaration)


def _private(protection: Protection, periods: int, seed: int | None) -> Private | None:
    if protection.epsilon is None:
        return None
    return {
        "epsilon": protection.epsilon,
        "whole_epsilon": protection.epsilon * periods,
        "whole_delta": protection.whole_delta(protection.least(periods), periods),
        "visits": protection.visits,
        "noise": "system" if seed is None else "seed",
    }


def _digest(table: pa.Table) -> str:
    """Of the rows in their order."""
    lines = zip(*(column.to_pylist() for column in table.select(SCHEMA.names).columns), strict=True)
    return hashlib.sha256("".join(f"{period},{key},{one},{other}\n" for period, key, one, other in lines).encode()).hexdigest()


def read_share(path: str | PathLike[str]) -> Share:
    """A share, judged again: its rows must be those that its declaration is about, and keep what it promises.

    Parameters
    ----------
    path : path
        A file of `sfumato ato collaborate`, or of `share`.
    """
    where = str(path)
    declared, table = _opened(Path(path), where)
    try:
        declaration = shaped(parsed(declared.decode()), Declaration, "share")
        calendar = Calendar(date.fromisoformat(declaration["begin"]), declaration["days"], declaration["periods"])
    except (Misshapen, ValueError, json.JSONDecodeError):
        raise_alone(DataError(f"its declaration is damaged; {_MAKER}", where=where))
    if _digest(table) != declaration["digest"] or len(table) != declaration["rows"]:
        raise DataError("was changed after it was made: its rows are not those that its declaration is about", where=where)
    found = Share(declaration, table)
    broken = _broken(found, calendar)
    if broken:
        raise DataError(f"does not keep what it declares: {broken}; {_MAKER}", where=where)
    return found


def _opened(path: Path, where: str) -> tuple[bytes, pa.Table]:
    with opened(path) as file:
        try:
            read = pq.ParquetFile(file)
            declared = (read.schema_arrow.metadata or {}).get(_ENTRY)
            table = read.read() if read.schema_arrow.names == SCHEMA.names else None
            table = table if table is None else pa.table(table.columns, names=SCHEMA.names).cast(SCHEMA)
        except (pa.ArrowException, OSError, ValueError):
            raise_alone(DataError(f"no share, or a damaged one; {_MAKER}", where=where))
    if declared is None or table is None:
        raise DataError(f"a Parquet file, but no share; {_MAKER}", where=where)
    return declared, table


def _broken(share: Share, calendar: Calendar) -> str | None:
    """Which promise the rows break, if any."""
    declaration, rows = share.declaration, share.table.select(SCHEMA.names)
    counts = np.column_stack([rows.column(name).to_numpy() for name in _PEOPLE]) if len(rows) else np.zeros((0, 2), np.int64)
    period = rows.column("Period").to_numpy()
    if ((period < 0) | (period >= calendar.periods)).any():
        return "a row is of a period that it has not"
    if not pc.all(pc.match_substring_regex(rows.column("Key"), KEYS[declaration["level"]]), min_count=0).as_py():
        return "a key is of another level"
    if len(rows.group_by(["Period", "Key"]).aggregate([])) < len(rows):
        return "a cell is in several rows"
    if (counts < 0).any() or not counts.any(axis=1).all():
        return "a row shares nobody"
    smallest = counts[counts > 0].min(initial=declaration["least"]) if declaration["private"] else counts.sum(axis=1)
    return "a count is smaller than the least that it shares" if (smallest < declaration["least"]).any() else None


def require_alike(shares: Sequence[Share], names: Sequence[str]) -> None:
    """Refuse shares that cannot be added up: of other periods, of another level, or several of one owner."""
    first = shares[0].declaration
    for share, name in zip(shares[1:], names[1:], strict=True):
        own = share.declaration
        if own["level"] != first["level"]:
            raise DataError(f"of level {own['level']!r}, and {names[0]} is of level {first['level']!r}", where=name)
        if any(own[key] != first[key] for key in ("begin", "days", "periods")):
            raise DataError(f"of other periods than {names[0]}; owners share counts of the same days", where=name)
    if len({share.declaration["owner"] for share in shares}) < len(shares):
        raise DataError("two shares of one owner, whose people would count twice", where=names[-1])
