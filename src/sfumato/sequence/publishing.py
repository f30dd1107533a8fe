"""The next m-invariant release of a table that grows and changes: its people grouped so that whoever was published before keeps the set
of sensitive values that others may believe, and the groups published with labels that all of a group share.

Only the owner's map says who is in which group. It is all that the following release needs to know of this one.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from sfumato.engines.arrays import texts
from sfumato.engines.encoding import typed_values
from sfumato.errors import DataSayNo, SchemaError, TogetherWarning, UsageError, argument
from sfumato.frequency import Counts
from sfumato.operations.randomness import Draws
from sfumato.policy import Policy
from sfumato.question import Question
from sfumato.release.grouped import GROUP
from sfumato.release.invariant import M_INVARIANCE, method_of
from sfumato.release.judging import Asked as Together
from sfumato.release.judging import judged_by
from sfumato.release.making import Making
from sfumato.release.output import Output
from sfumato.release.publishing import Watch, carry_out
from sfumato.release.reading import Published
from sfumato.release.release import Release
from sfumato.results import percentage
from sfumato.sequence.balancing import NOBODY, Buckets, balanced
from sfumato.sequence.files import MAPPED, GroupMap, Placed, Signature, read_groups, signature_text
from sfumato.sequence.guard import NEW, judged
from sfumato.sequence.kinds import texts_of
from sfumato.sequence.members import InGroups, Planned
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
    """An m-invariant release, and what it took: people who were published before, newcomers, groups and counterfeits. `changed` are those
    newcomers who were published before with values among which theirs is not."""

    release: Release
    m: int
    people: int
    stayed: int
    groups: int
    counterfeits: int
    changed: int = 0

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        return {
            "m": self.m,
            "people": self.people,
            "stayed": self.stayed,
            "newcomers": self.people - self.stayed,
            "changed": self.changed,
            "groups": self.groups,
            "counterfeits": self.counterfeits,
        }


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """What is asked for: m, the QIDs to publish, the map of the release before, the largest share of counterfeits, the seed, and what it
    must keep together with earlier releases."""

    m: int
    quasi: tuple[str, ...]
    earlier: GroupMap | None
    counterfeits: float
    seed: int
    together: Together = None


def next_release(table: Table, asked: Asked, output: Output, watch: Watch) -> Next:
    """Publish a table as the next of a sequence."""
    output.require(table)
    sensitive = _require_table(table, asked)
    watch("reading", table.engine)
    rows = by_owner(table, asked.quasi)
    watch("grouping", None)
    known = _Known.of(rows, sensitive, asked)
    _warn_of_other_values(known, sensitive)
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
        plan = partial(_planned, table, asked, place, known.placed(buckets, groups))
        judging = partial(judged, table, plan, output, promises=True, watch=watch)
        judge = judged_by(judging, output, asked.together, watch)
        with table.source.beside(place, _schema(table.schema, asked.quasi)).open() as grouped:
            method = method_of(asked.m, asked.quasi, int(groups.max()) + 1, dict(fakes))
            secret = {"seed": str(asked.seed), "map": str(Path(str(output.mapping)).resolve())}
            recoding = _recoding(grouped, asked.quasi, known.lines(buckets, groups))
            policy = Policy(recoding, recoding.node, Question())
            release = carry_out(grouped, policy, None, output, watch, Making(table, method, secret), judge=judge)
    stayed = int((known.earlier != NOBODY).sum())
    return Next(release, asked.m, len(known.values), stayed, int(groups.max()) + 1, buckets.counterfeits, known.changed)


def _warn_of_other_values(known: _Known, sensitive: str) -> None:
    """Where nobody has the value of before, the values are likely to be written in another way, and then nobody is protected."""
    if known.changed > 1 and not (known.earlier != NOBODY).any():
        warnings.warn(
            TogetherWarning(
                f"{known.changed:,} people come again, and nobody has the {sensitive} of before, so that all begin anew; is {sensitive} "
                "written as it was?"
            ),
            stacklevel=2,
        )


def _planned(table: Table, asked: Asked, file: Path, placed: Placed) -> Planned:
    """What the release will be, for those who judge it together with earlier ones. `file` has its records in groups."""
    after = None if asked.earlier is None else str(Path(asked.earlier.place).resolve())
    return Planned(NEW, table.digest(), in_groups=InGroups(asked.m, read_groups(table, file), placed, after))


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
    """The people of a table, with the sensitive value of each as a number and the signature of each so far. `histories` are the numbers
    of all signatures that anybody ever had, the oldest first."""

    owners: list[str]
    values: Counts
    earlier: Counts
    signatures: tuple[tuple[int, ...], ...]
    texts: tuple[str | None, ...]
    histories: Mapping[str, tuple[int, ...]]

    @classmethod
    def of(cls, rows: Rows, sensitive: str, asked: Asked) -> _Known:
        labels, codes = rows.values[sensitive]
        values, owners = codes.astype(np.int64), rows.owners.to_pylist()
        if asked.earlier is None:
            return cls(owners, values, np.full(len(values), NOBODY, np.int64), (), (*labels, None), {})
        written = [texts_of(rows.kinds[sensitive], own) for own in asked.earlier.signatures]
        known = list(dict.fromkeys([*labels, None, *(each for own in written for each in own)]))
        code_of = {value: code for code, value in enumerate(known)}
        signatures = [tuple(sorted(code_of[each] for each in own)) for own in written]
        histories = _histories(asked.earlier)
        earlier = _signatures_of(owners, values, histories, signatures, asked.m)
        return cls(owners, values, earlier, tuple(signatures), tuple(known), histories)

    @property
    def changed(self) -> int:
        """How many people come again with a value that no signature of theirs has."""
        return sum(
            owner in self.histories for owner, number in zip(self.owners, self.earlier.tolist(), strict=True) if number == NOBODY
        )

    def placed(self, buckets: Buckets, groups: Counts) -> Placed:
        """Who is in which group."""
        real = np.flatnonzero(buckets.people != NOBODY)
        return Placed(texts([self.owners[person] for person in buckets.people[real].tolist()]), groups[real] + 1)

    def lines(self, buckets: Buckets, groups: Counts) -> list[Line]:
        """The lines of the map: those of the people, then of those who have left; a line for each signature of somebody."""
        written = [signature_text([self.texts[code] for code in each]) for each in buckets.signatures]
        lines, real = [], np.flatnonzero(buckets.people != NOBODY)
        for person, group, current in zip(
            buckets.people[real].tolist(), groups[real].tolist(), buckets.signature_of[real].tolist(), strict=True
        ):
            owner = self.owners[person]
            own = dict.fromkeys((*self.histories.get(owner, ()), current))
            lines += [(owner, str(group + 1) if number == current else "", written[number]) for number in own]
        present = set(self.owners)
        absent = ((owner, numbers) for owner, numbers in self.histories.items() if owner not in present)
        return lines + [(owner, "", written[number]) for owner, numbers in absent for number in numbers]


def _histories(earlier: GroupMap) -> dict[str, tuple[int, ...]]:
    """The signatures that everybody ever had, as they stand in the map: the oldest first."""
    found: dict[str, tuple[int, ...]] = {}
    for owner, number in zip(earlier.owners.to_pylist(), earlier.signature_of.tolist(), strict=True):
        found[owner] = (*found.get(owner, ()), number)
    return found


def _signatures_of(
    owners: Sequence[str], values: Counts, histories: Mapping[str, tuple[int, ...]], signatures: Sequence[tuple[int, ...]], m: int
) -> Counts:
    """The number of each person's signature: the oldest that has the value, as when somebody had it first; -1 for a newcomer, and for
    somebody with a value that no signature of the person has."""
    sets = [frozenset(each) for each in signatures]
    if any(len(each) < m for each in sets):
        raise UsageError(
            f"the release before has groups of fewer than {m} values, and signatures do not change; take its m",
            where=argument("m"),
        )
    known = (
        next((number for number in histories.get(owner, ()) if value in sets[number]), NOBODY)
        for owner, value in zip(owners, values.tolist(), strict=True)
    )
    return np.fromiter(known, np.int64, len(owners))


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
