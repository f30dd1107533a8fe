"""Swapping: values change places between records, so that every column keeps exactly the values it had."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.errors import UsageError, argument
from sfumato.frequency import packed
from sfumato.models.parameter import share
from sfumato.operations.base import Judged, Made, Operation, Task, named_columns
from sfumato.operations.channel import Channel, Labels
from sfumato.operations.copied import Copy, Counted, Floats, canonical_texts, sliced
from sfumato.operations.known import Known
from sfumato.operations.randomness import Draws
from sfumato.vocabulary.kinds import Kind, natural_order
from sfumato.vocabulary.schema import Schema

if TYPE_CHECKING:
    import pyarrow as pa

Places = npt.NDArray[np.int64]
OFFSETS = 16  # where the first block of ranks may end: an adversary does not know which, and can average over all


@dataclass(frozen=True, slots=True)
class RankSwap(Operation):
    """Values change places with others of near rank (Moore 1996), column by column: the ranks are cut into blocks of `share` of the rows,
    at one of 16 random offsets, and in each block the values of random pairs of records are swapped.

    Missing values are the last ranks. A value with no partner, in a block of odd size, stays.
    """

    share: float = field(metadata=share(example=0.05))
    name: ClassVar[str] = "rank-swap"
    example: ClassVar[str] = "rank-swap:5%"
    judged: ClassVar[Judged] = Judged.NOTHING
    protects: ClassVar[str] = "from exact linkage by the swapped columns; each column keeps its values"
    exposes: ClassVar[str] = "about where in its column a person's value lies"
    drawn: ClassVar[bool] = True

    def check_parameters(self) -> None:
        _require_share(self.name, self.share)

    def chosen(self, schema: Schema, quasi: Sequence[str], columns: Sequence[str] | None) -> tuple[str, ...]:
        within = (*quasi, *schema.sensitive)
        chosen = named_columns(self.name, columns, within, "attribute") if columns else tuple(quasi)
        ordered = [name for name in chosen if schema[name].kind not in (None, Kind.TEXT, Kind.BOOLEAN)]
        if columns and len(ordered) < len(chosen):
            odd = next(name for name in chosen if name not in ordered)
            raise UsageError(f"{self.name} needs an order; {odd!r} holds text", where=argument("columns"))
        if not ordered:
            raise UsageError(f"{self.name} needs numbers or dates, and no QID holds any", where=argument("columns"))
        return tuple(ordered)

    def memory(self, rows: int, columns: int) -> int:
        return 40 * rows + 16 * rows * columns

    def apply(self, copy: Copy, task: Task) -> Made:
        arrays, channels = {}, []
        for name in task.columns:
            column = copy.column(name)
            ranks = _ranked(column)
            draws = Draws(task.seed, name)
            cut = int(draws.uniform(copy.rows, 1)[0, 0] * OFFSETS)
            arrays[name] = column.take(_swapped(ranks, _cuts(copy.rows, self._width(copy.rows), cut), draws))
            channels.append(RankChannel.of(name, copy.coded(name).counted(), task.kind(name), self._width(copy.rows)))
        return Made(copy.changed(sliced(arrays)), channels=tuple(channels))

    def channels(self, known: Known, columns: Sequence[str]) -> tuple[Channel, ...]:
        width = self._width(known.total)
        return tuple(RankChannel.of(name, known.counted(name), known.kinds[name], width) for name in columns)

    def _width(self, rows: int) -> int:
        """The ranks of a block."""
        return min(max(2, round(self.share * rows)), rows)


@dataclass(frozen=True, slots=True)
class RecordSwap(Operation):
    """A share of the records, chosen at random, change places in pairs: the two exchange all chosen columns.

    By default these are the sensitive attributes, together; what a published record says of a person is then somebody else's with this
    probability.
    """

    share: float = field(metadata=share(example=0.1))
    name: ClassVar[str] = "record-swap"
    example: ClassVar[str] = "record-swap:10%"
    judged: ClassVar[Judged] = Judged.NOTHING
    protects: ClassVar[str] = "by doubt: a share of the records is in two parts that belong to different people"
    exposes: ClassVar[str] = "everybody whose record was not swapped, which is most"
    drawn: ClassVar[bool] = True

    def check_parameters(self) -> None:
        _require_share(self.name, self.share)

    def chosen(self, schema: Schema, quasi: Sequence[str], columns: Sequence[str] | None) -> tuple[str, ...]:
        within = (*quasi, *schema.sensitive)
        chosen = named_columns(self.name, columns, within, "attribute") if columns else schema.sensitive or tuple(quasi[:1])
        if len({name in quasi for name in chosen}) > 1:
            raise UsageError("swap QIDs or sensitive attributes, not both at once", where=argument("columns"))
        return chosen

    def memory(self, rows: int, columns: int) -> int:
        return 40 * rows + 32 * rows * columns

    def apply(self, copy: Copy, task: Task) -> Made:
        order = Draws(task.seed, "records").order(copy.rows)
        pairs = round(self.share * copy.rows) // 2
        if not pairs:
            raise UsageError(f"no two of {copy.rows:,} records would be swapped; take a larger share", where=argument("method"))
        source = np.arange(copy.rows)
        source[order[:pairs]], source[order[pairs : 2 * pairs]] = order[pairs : 2 * pairs], order[:pairs]
        arrays = {name: copy.column(name).take(_index(source)) for name in task.columns}
        rate = 2 * pairs / copy.rows
        facts = {"swapped": 2 * pairs}
        if task.columns[0] in task.quasi:  # they move together
            return Made(copy.changed(sliced(arrays)), facts=facts, channels=(SwapChannel.of(copy, task.columns, rate),))
        channels = tuple(SwapChannel.of(copy, (name,), rate) for name in task.columns)
        return Made(copy.changed(sliced(arrays)), facts=facts, channels=channels)

    def channels(self, known: Known, columns: Sequence[str]) -> tuple[Channel, ...]:
        rate = 2 * (round(self.share * known.total) // 2) / known.total
        return (SwapChannel(tuple(columns), rate, known.shares(columns)),)


def _require_share(name: str, share: float) -> None:
    if not 0 < share < 1:
        raise UsageError("share must be more than 0 and less than 1, as in 5%", where=f"method {name}")


def _index(places: Places) -> pa.Array:
    import pyarrow as pa

    return pa.array(places)


def _ranked(column: pa.Array) -> Places:
    """The rows in the order of their values, those that have none at the end; equal ones in the order of the rows."""
    import pyarrow.compute as pc

    return np.asarray(pc.array_sort_indices(column).to_numpy(zero_copy_only=False), np.int64)


def _cuts(rows: int, width: int, cut: int) -> Places:
    """The number of the block that each rank is in; the first block ends at one of the possible offsets."""
    return (np.arange(rows) + width - (cut * width) // OFFSETS) // width


def _swapped(ranked: Places, blocks: Places, draws: Draws) -> pa.Array:
    """For each row, the row whose value it gets."""
    rows = len(ranked)
    shuffled = np.lexsort((draws.raw(0, rows)[:, 0], blocks))  # ranks, block by block, at random in each
    first = np.searchsorted(blocks, blocks)[shuffled]
    place = np.arange(rows) - first
    size = np.bincount(blocks, minlength=int(blocks[-1]) + 1)[blocks][shuffled]
    partner = place ^ 1
    partner = np.where(partner < size, partner, place)
    source = np.empty(rows, np.int64)
    source[ranked[shuffled]] = ranked[shuffled[first + partner]]
    return _index(source)


@dataclass(frozen=True, slots=True, eq=False)
class RankChannel:
    """How likely a value is swapped for each other one: `rows` of every value in every block, for each possible offset."""

    attributes: tuple[str, ...]
    place_of: Mapping[str | None, int]
    bounds: Places  # ranks where each value begins, in order, and the end
    width: int

    @classmethod
    def of(cls, name: str, counted: Counted, kind: Kind, width: int) -> RankChannel:
        """The channel of a column."""
        texts, counts = canonical_texts(counted.values), counted.counts
        code_of = {text: code for code, text in enumerate(texts)}
        ordered: list[str | None] = [*natural_order(kind, {text for text in texts if text is not None}), None]
        bounds = np.concatenate([[0], np.cumsum(counts[[code_of[text] for text in ordered]])])
        return cls((name,), {text: place for place, text in enumerate(ordered)}, bounds, width)

    def likelihood(self, true: Labels, published: Labels) -> Floats:
        one, other = (np.array([self.place_of[each[0]] for each in labels]) for labels in (true, published))
        rows = int(self.bounds[-1])
        found = np.zeros((len(one), len(other)))
        for cut in range(OFFSETS):
            edges = np.unique([0, *range((cut * self.width) // OFFSETS, rows, self.width), rows])
            sizes = np.diff(edges)
            mine, theirs = self._inside(one, edges), self._inside(other, edges)
            partners = np.maximum(sizes - 1, 1)
            odd = (sizes % 2) / sizes  # the probability of having no partner
            found += (mine * ((1 - odd) / partners)) @ theirs.T
            same = one[:, None] == other[None, :]
            stays = (mine * (odd - (1 - odd) / partners)).sum(axis=1)  # alone, or not its own partner
            found += same * stays[:, None]
        shares = found / OFFSETS / np.maximum(np.diff(self.bounds)[one], 1)[:, None]
        return np.asarray(np.maximum(shares, 0), np.float64)

    def _inside(self, places: Places, edges: Places) -> Floats:
        """How many of the ranks of each value lie in each block."""
        low = np.maximum(self.bounds[places][:, None], edges[None, :-1])
        high = np.minimum(self.bounds[places + 1][:, None], edges[None, 1:])
        return np.asarray(np.maximum(high - low, 0), np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class SwapChannel:
    """Columns that move together: they stay with their record, or come from a random other one."""

    attributes: tuple[str, ...]
    rate: float
    share_of: Mapping[tuple[str | None, ...], float]

    @classmethod
    def of(cls, copy: Copy, columns: Sequence[str], rate: float) -> SwapChannel:
        """The channel of some columns."""
        coded = [copy.coded(name) for name in columns]
        keys = packed([each.codes for each in coded], [each.width for each in coded], copy.rows)
        _, first, counts = np.unique(keys, return_index=True, return_counts=True)
        texts = [canonical_texts(each.values) for each in coded]
        shares = {
            tuple(names[each.codes[row]] for names, each in zip(texts, coded, strict=True)): count / copy.rows
            for row, count in zip(first.tolist(), counts.tolist(), strict=True)
        }
        return cls(tuple(columns), rate, shares)

    def likelihood(self, true: Labels, published: Labels) -> Floats:
        shares = np.array([self.share_of.get(each, 0.0) for each in published])
        number_of = {each: number for number, each in enumerate(dict.fromkeys((*true, *published)))}
        one, other = (np.array([number_of[each] for each in labels]) for labels in (true, published))
        return np.asarray(self.rate * shares[None, :] + (1 - self.rate) * (one[:, None] == other[None, :]), np.float64)
