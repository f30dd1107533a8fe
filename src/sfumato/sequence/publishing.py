"""The next m-invariant release of a table that grows and changes: its people grouped so that whoever was published before keeps the set
of sensitive values that others may believe, and the groups published with labels that all of a group share.

Only the owner's map says who is in which group. It is all that the following release needs to know of this one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from sfumato.engines.arrays import texts
from sfumato.engines.encoding import typed_values
from sfumato.errors import DataSayNo, SchemaError, UsageError, argument
from sfumato.frequency import Counts
from sfumato.operations.randomness import Draws
from sfumato.policy import Policy
from sfumato.question import Question
from sfumato.release.grouped import GROUP
from sfumato.release.invariant import M_INVARIANCE, method_of
from sfumato.release.making import Making
from sfumato.release.output import Output
from sfumato.release.publishing import Watch, carry_out
from sfumato.release.reading import Published
from sfumato.release.release import Release
from sfumato.results import percentage
from sfumato.sequence.balancing import NOBODY, Buckets, balanced
from sfumato.sequence.files import MAPPED, GroupMap, Signature, signature_text
from sfumato.sequence.rows import Rows, by_owner
from sfumato.sequence.splitting import groups_of, labels_of
from sfumato.table import Table
from sfumato.temporary import TemporaryFolder
from sfumato.vocabulary.kinds import Kind, Role
from sfumato.vocabulary.node import Node
from sfumato.vocabulary.recoding import Sanitized
from sfumato.vocabulary.schema import Attribute, Schema

Line = tuple[str, str, str]


@dataclass(frozen=True, slots=True, eq=False)
class Grouped(Sanitized):
    """A table in groups, as it is; the map says who is in which group."""

    lines: Sequence[Line] = ()
    mapped: ClassVar[tuple[str, ...]] = MAPPED

    def mapping(self) -> Iterator[Line]:
        return iter(self.lines)


@dataclass(frozen=True, slots=True, eq=False)
class Next:
    """An m-invariant release, and what it took: people who were published before, newcomers, groups and counterfeits."""

    release: Release
    m: int
    people: int
    stayed: int
    groups: int
    counterfeits: int

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        return {
            "m": self.m,
            "people": self.people,
            "stayed": self.stayed,
            "newcomers": self.people - self.stayed,
            "groups": self.groups,
            "counterfeits": self.counterfeits,
        }


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """What is asked for: m, the QIDs to publish, the map of the release before, the largest share of counterfeits, and the seed."""

    m: int
    quasi: tuple[str, ...]
    earlier: GroupMap | None
    counterfeits: float
    seed: int


def next_release(table: Table, asked: Asked, output: Output, watch: Watch) -> Next:
    """Publish a table as the next of a sequence."""
    output.require(table)
    sensitive = _require_table(table, asked)
    watch("reading", table.engine)
    rows = by_owner(table, asked.quasi)
    watch("grouping", None)
    known = _Known.of(rows, sensitive, asked)
    buckets = balanced(
        known.values, known.earlier, known.signatures, asked.m, Draws(asked.seed, M_INVARIANCE).order(len(known.values))
    )
    _require_few(buckets, len(known.values), asked)
    codes = np.stack([rows.columns[name].codes for name in asked.quasi], axis=1)
    groups, borrowed = groups_of(buckets, codes)
    labels = labels_of(groups, borrowed, [rows.columns[name].hierarchy for name in asked.quasi])
    fakes = Counter((groups[buckets.people == NOBODY] + 1).tolist())
    with TemporaryFolder(table.source.temp) as folder:
        place = folder / "grouped.parquet"
        _write(place, table, asked, labels, groups, [known.texts[code] for code in buckets.values.tolist()])
        with table.source.beside(place, _schema(table.schema, asked.quasi)).open() as grouped:
            method = method_of(asked.m, asked.quasi, int(groups.max()) + 1, dict(fakes))
            secret = {"seed": str(asked.seed), "map": str(Path(str(output.mapping)).resolve())}
            recoding = _recoding(grouped, asked.quasi, known.lines(buckets, groups))
            policy = Policy(recoding, recoding.node, Question())
            release = carry_out(grouped, policy, None, output, watch, Making(table, method, secret))
    stayed = int((known.earlier != NOBODY).sum())
    return Next(release, asked.m, len(known.values), stayed, int(groups.max()) + 1, buckets.counterfeits)


def _require_table(table: Table, asked: Asked) -> str:
    schema = table.schema
    if schema.owner is None:
        raise SchemaError(
            "no owner column: nobody knows which rows of two tables are one person's; give a column the role 'owner'"
        )
    if len(schema.sensitive) != 1:
        raise SchemaError(f"{M_INVARIANCE} judges one sensitive attribute; the schema has {len(schema.sensitive)}")
    if any(attribute.name == GROUP for attribute in schema.attributes):
        raise SchemaError(f"{M_INVARIANCE} adds a column {GROUP!r}, and the table has one; rename it")
    if asked.m < 2:
        raise UsageError("a whole number of at least 2", where=argument("m"))
    return schema.sensitive[0]


def _require_few(buckets: Buckets, people: int, asked: Asked) -> None:
    share = buckets.counterfeits / people
    if share > asked.counterfeits:
        raise DataSayNo(
            f"{buckets.counterfeits:,} counterfeits would be needed for {people:,} people ({percentage(share)}), and at most "
            f"{percentage(asked.counterfeits)} may be; take a smaller m, or allow more; nothing was published",
            where=argument("counterfeits"),
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Known:
    """The people of a table, with the sensitive value of each as a number and the signature of each so far."""

    owners: list[str]
    values: Counts
    earlier: Counts
    signatures: tuple[tuple[int, ...], ...]
    texts: tuple[str | None, ...]
    left: tuple[Line, ...]

    @classmethod
    def of(cls, rows: Rows, sensitive: str, asked: Asked) -> _Known:
        labels, codes = rows.values[sensitive]
        values, owners = codes.astype(np.int64), rows.owners.to_pylist()
        if asked.earlier is None:
            return cls(owners, values, np.full(len(values), NOBODY, np.int64), (), (*labels, None), ())
        known = list(dict.fromkeys([*labels, None, *(each for own in asked.earlier.signatures for each in own)]))
        code_of = {value: code for code, value in enumerate(known)}
        signatures = [tuple(sorted(code_of[each] for each in own)) for own in asked.earlier.signatures]
        earlier = _signatures_of(owners, values, asked.earlier, signatures, asked.m)
        return cls(owners, values, earlier, tuple(signatures), tuple(known), _left(owners, asked.earlier))

    def lines(self, buckets: Buckets, groups: Counts) -> list[Line]:
        """The lines of the map: those of the people, then of those who have left."""
        written = [signature_text([self.texts[code] for code in each]) for each in buckets.signatures]
        real = np.flatnonzero(buckets.people != NOBODY)
        own = [
            (self.owners[person], str(group + 1), written[signature])
            for person, group, signature in zip(
                buckets.people[real].tolist(), groups[real].tolist(), buckets.signature_of[real].tolist(), strict=True
            )
        ]
        return [*own, *self.left]


def _signatures_of(
    owners: Sequence[str], values: Counts, earlier: GroupMap, signatures: Sequence[tuple[int, ...]], m: int
) -> Counts:
    """The number of each person's signature; -1 for a newcomer, and for somebody whose value is another one since."""
    number_of = dict(zip(earlier.owners.to_pylist(), earlier.signature_of.tolist(), strict=True))
    found = np.array([number_of.get(owner, NOBODY) for owner in owners], np.int64)
    sets = [frozenset(each) for each in signatures]
    if any(len(each) < m for each in sets):
        raise UsageError(
            f"the release before has groups of fewer than {m} values, and signatures do not change; take its m",
            where=argument("m"),
        )
    for place in np.flatnonzero(found != NOBODY).tolist():
        if int(values[place]) not in sets[found[place]]:
            found[place] = NOBODY
    return found


def _left(owners: Sequence[str], earlier: GroupMap) -> tuple[Line, ...]:
    """The lines of people who are not in the table any more."""
    present, written = set(owners), [signature_text(each) for each in earlier.signatures]
    pairs = zip(earlier.owners.to_pylist(), earlier.signature_of.tolist(), strict=True)
    return tuple((owner, "", written[number]) for owner, number in pairs if owner not in present)


def _write(
    place: Path,
    table: Table,
    asked: Asked,
    labels: Sequence[Sequence[str | None]],
    groups: Counts,
    values: Sequence[str | None],
) -> None:
    """The records in groups, as a file for the owner alone."""
    import pyarrow as pa
    from pyarrow import parquet

    (sensitive,) = table.schema.sensitive
    columns: dict[str, Any] = {name: texts(own).take(pa.array(groups)) for name, own in zip(asked.quasi, labels, strict=True)}
    columns[GROUP] = pa.array(groups + 1)
    columns[sensitive] = typed_values(table.schema[sensitive].kind or Kind.TEXT, values)
    parquet.write_table(pa.table(columns), place, compression="zstd")


def _schema(schema: Schema, quasi: Sequence[str]) -> Schema:
    attributes = [Attribute(name, Role.QUASI, Kind.TEXT, Published()) for name in quasi]
    sensitive = schema[schema.sensitive[0]]
    return Schema((*attributes, Attribute(GROUP, Role.PLAIN, Kind.INTEGER), sensitive), missing=())


def _recoding(grouped: Table, quasi: tuple[str, ...], lines: Sequence[Line]) -> Grouped:
    counts = grouped.count(quasi)
    hierarchies: Mapping[str, Any] = dict(zip(quasi, counts.hierarchies, strict=True))
    return Grouped(Node.bottom(quasi), hierarchies, labeled=frozenset(quasi), lines=lines)


__all__ = ["Asked", "Next", "Signature", "next_release"]
