"""Post-randomization: each value stays with a stated probability, else it is replaced by a random one (Gouweleeuw et al. 1998)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from sfumato.errors import UsageError
from sfumato.models.parameter import choice, share
from sfumato.operations.base import Judged, Made, Operation, Task, named_columns
from sfumato.operations.channel import Channel, Labels
from sfumato.operations.copied import Copy, Counted, Floats, canonical_texts, replaced, taken
from sfumato.operations.known import Known
from sfumato.operations.randomness import Draws
from sfumato.vocabulary.schema import Schema

if TYPE_CHECKING:
    import pyarrow as pa

UNIFORM, INVARIANT = "uniform", "invariant"


@dataclass(frozen=True, slots=True)
class Pram(Operation):
    """Each value of a column stays with probability `stay` (uniform), and is otherwise replaced by another value, all equally likely.

    Invariant: otherwise it is replaced by a draw from the column's own distribution, which may be the value itself. Then the shares of
    all values are kept in expectation. The values are those that occur, and the missing value is one of them if it occurs.
    """

    kind: str = field(metadata=choice(UNIFORM, INVARIANT))
    stay: float = field(metadata=share(example=0.8))
    name: ClassVar[str] = "pram"
    example: ClassVar[str] = "pram:invariant,0.8"
    judged: ClassVar[Judged] = Judged.NOTHING
    protects: ClassVar[str] = "by doubt: any published value may be another one, with stated probabilities"
    exposes: ClassVar[str] = "those whose values together are unusual, if most of them stay"
    drawn: ClassVar[bool] = True

    @classmethod
    def read(cls, text: str) -> Self:
        words = text.split(",")
        return super(Pram, cls).read(text if len(words) > 1 or not text.strip() else f"{UNIFORM},{text}")

    def chosen(self, schema: Schema, quasi: Sequence[str], columns: Sequence[str] | None) -> tuple[str, ...]:
        within = (*quasi, *schema.sensitive)
        return named_columns(self.name, columns, within, "attribute") if columns else schema.sensitive or tuple(quasi)

    def memory(self, rows: int, columns: int) -> int:
        return 16 * rows

    def apply(self, copy: Copy, task: Task) -> Made:
        channels = {name: self._channel(name, copy.coded(name).counted()) for name in task.columns}

        def change(batch: pa.RecordBatch, start: int) -> pa.RecordBatch:
            new = {name: _drawn(channels[name], batch.column(name), Draws(task.seed, name), start) for name in task.columns}
            return replaced(batch, new)

        return Made(copy.changed(change), channels=tuple(channels.values()))

    def channels(self, known: Known, columns: Sequence[str]) -> tuple[Channel, ...]:
        return tuple(self._channel(name, known.counted(name)) for name in columns)

    def _channel(self, name: str, counted: Counted) -> PramChannel:
        counts = counted.counts
        present = np.flatnonzero(counts)
        if self.kind == UNIFORM and self.stay < 1 and len(present) < 2:
            raise UsageError("every row has the same value; there is no other to replace it", where=f"column {name!r}")
        shares = counts[present] / counts.sum()
        return PramChannel((name,), self.kind == INVARIANT, self.stay, counted.values, present, shares)


@dataclass(frozen=True, slots=True, eq=False)
class PramChannel:
    """The matrix of one column, in which a row has the probability of each published value: the values that occur, and their shares."""

    attributes: tuple[str, ...]
    invariant: bool
    stay: float
    values: pa.Array
    present: np.ndarray[tuple[int], np.dtype[np.int64]]
    shares: Floats

    def likelihood(self, true: Labels, published: Labels) -> Floats:
        texts = canonical_texts(self.values)
        row_of = {texts[code]: place for place, code in enumerate(self.present)}
        rows, columns = (np.array([row_of[each[0]] for each in labels], np.int64) for labels in (true, published))
        same = rows[:, None] == columns[None, :]
        if self.invariant:
            return np.asarray(self.stay * same + (1 - self.stay) * self.shares[columns][None, :], np.float64)
        other = (1 - self.stay) / max(len(self.present) - 1, 1)
        return np.asarray(np.where(same, self.stay, other), np.float64)


def _drawn(channel: PramChannel, column: pa.Array, draws: Draws, start: int) -> pa.Array:
    """A batch of a column, each value drawn from its row of the matrix."""
    import pyarrow.compute as pc

    found = pc.fill_null(pc.index_in(column, value_set=channel.values), len(channel.values))
    places = np.searchsorted(channel.present, np.asarray(found.to_numpy(zero_copy_only=False)))
    uniform = draws.uniform(start, len(column))
    size = len(channel.present)
    if channel.invariant:
        other = np.minimum(np.searchsorted(np.cumsum(channel.shares), uniform[:, 1], side="right"), size - 1)
    else:
        other = np.floor(uniform[:, 1] * max(size - 1, 1)).astype(np.int64)
        other += other >= places  # any value but the row's own
    new = np.where(uniform[:, 0] < channel.stay, places, np.minimum(other, size - 1))
    return taken(channel.values, channel.present[new])
