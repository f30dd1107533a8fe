"""The channel that one value of one record goes through, exactly: recoding, post-randomization, swapping, noise.

Whoever knows the mechanism knows this matrix. The prior is how the values are distributed in the table. Noise on whole numbers has
endlessly many outputs: those that take less than 1e-12 on either side are one output each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, log, sqrt
from typing import cast

import numpy as np

from sfumato.channel.matrix import ChannelMatrix
from sfumato.errors import UsageError, argument, unknown
from sfumato.frequency import Counts, FrequencySet, added
from sfumato.operations import Operation, operation_of
from sfumato.operations.channel import Channel
from sfumato.operations.noise import LAPLACE, Noise, NoiseChannel
from sfumato.operations.pram import INVARIANT, Pram, PramChannel
from sfumato.operations.swaps import RankChannel, RankSwap, RecordSwap, SwapChannel
from sfumato.statistics import Floats
from sfumato.vocabulary.hierarchy import Hierarchy
from sfumato.vocabulary.kinds import Kind, natural_order

MISSING = "(missing)"
_TAIL = 1e-12
_MOST_NUMBERS = 50_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Values:
    """The values of an attribute that occur, None for the missing one, and in how many rows; their type; and their hierarchy."""

    name: str
    labels: tuple[str | None, ...]
    rows: Counts
    kind: Kind
    hierarchy: Hierarchy

    @classmethod
    def of(cls, counts: FrequencySet, name: str, kind: Kind | str = Kind.TEXT) -> Values:
        """The values of a QID or a sensitive attribute.

        Parameters
        ----------
        counts : FrequencySet
            The table, counted at level 0.
        name : str
            The attribute.
        kind : str
            Its type: `integer` or `decimal` for noise, a type with an order for rank swaps.

        Returns
        -------
        Values
            The values.
        """
        if name in counts.payloads:
            payload = counts.payloads[name]
            hierarchy, rows = payload.hierarchy, added(payload.rows, payload.values, payload.hierarchy.codes(0))
        elif name in counts.node.attributes:
            alone = counts.project([name])
            hierarchy, rows = (
                alone.hierarchies[0],
                added(alone.rows, alone.codes[:, 0], alone.hierarchies[0].codes(alone.node[name])),
            )
        else:
            names = (*counts.node.attributes, *counts.payloads)
            raise UsageError(unknown("attribute", name, names, within="the count"), where=argument("attribute"))
        present = np.flatnonzero(rows)
        labels = tuple(hierarchy.label(0, int(code)) for code in present)
        return cls(name, labels, rows[present], Kind(kind), hierarchy)

    @property
    def shares(self) -> Floats:
        """The share of the rows that have each value."""
        return np.asarray(self.rows / self.rows.sum(), np.float64)

    def numbers(self, method: str) -> Floats:
        """The values as numbers; refuses other values, and missing ones."""
        if self.kind not in (Kind.INTEGER, Kind.DECIMAL):
            raise UsageError(f"{method} changes numbers; {self.name!r} holds {self.kind.value}", where=argument("method"))
        if None in self.labels:
            raise UsageError(
                f"{self.name!r} has missing values, which noise leaves as they are; leave them out", where=argument("method")
            )
        return np.array([float(cast("str", label)) for label in self.labels])


@dataclass(frozen=True, slots=True, eq=False)
class RecordChannel:
    """What one value of a record is published as: the matrix, and the prior over its inputs."""

    attribute: str
    channel: ChannelMatrix
    prior: Floats


def record_channel(values: Values, method: int | str | Operation) -> RecordChannel:
    """The channel of one value: recoded to a level, or changed by an operation.

    Parameters
    ----------
    values : Values
        The values of the attribute in the table.
    method : int, str or Operation
        A level of its hierarchy, or an operation: `pram`, `record-swap`, `rank-swap`, or `noise` on whole numbers.

    Returns
    -------
    RecordChannel
        The channel and the prior.
    """
    if isinstance(method, int):
        return _made(values, *_recoded(values, method))
    operation = operation_of(method)
    if isinstance(operation, Noise):
        return _made(values, *_noisy(values, noise_of(values, operation)))
    labels = [(label,) for label in values.labels]
    return _made(values, known_channel(values, operation).likelihood(labels, labels), shown(values.labels))


def _made(values: Values, matrix: Floats, outputs: Sequence[str]) -> RecordChannel:
    return RecordChannel(values.name, ChannelMatrix.of(matrix, shown(values.labels), outputs), values.shares)


def shown(labels: Sequence[str | None]) -> list[str]:
    """Labels with a name for the missing value."""
    return [MISSING if label is None else label for label in labels]


def _recoded(values: Values, level: int) -> tuple[Floats, list[str]]:
    hierarchy = values.hierarchy
    if not hierarchy.floor <= level <= hierarchy.height:
        raise UsageError(
            f"level {level} of {values.name!r} does not exist; it has {hierarchy.floor} to {hierarchy.height}",
            where=argument("method"),
        )
    code_of = {label: code for code, label in enumerate((*hierarchy.at(hierarchy.floor), None))}
    up = hierarchy.ancestors(hierarchy.floor, level)
    to = np.array([up[code_of[label]] for label in values.labels])
    outputs, column = np.unique(to, return_inverse=True)
    return np.eye(len(outputs))[column], shown([hierarchy.label(level, int(code)) for code in outputs])


def known_channel(values: Values, operation: Operation) -> Channel:
    """The channel of an operation on values that are distributed like this, as the operation itself states it."""
    rows = int(values.rows.sum())
    match operation:
        case Pram():
            import pyarrow as pa

            names = pa.array([label for label in values.labels if label is not None], pa.string())
            return PramChannel(
                (values.name,), operation.kind == INVARIANT, operation.stay, names, np.arange(len(values.labels)), values.shares
            )
        case RecordSwap():
            shares: dict[tuple[str | None, ...], float] = {
                (label,): float(share) for label, share in zip(values.labels, values.shares, strict=True)
            }
            return SwapChannel((values.name,), 2 * (round(operation.share * rows) // 2) / rows, shares)
        case RankSwap():
            ordered: list[str | None] = [
                *natural_order(values.kind, {label for label in values.labels if label is not None}),
                None,
            ]
            rows_of = dict(zip(values.labels, values.rows.tolist(), strict=True))
            bounds = np.concatenate([[0], np.cumsum([rows_of.get(label, 0) for label in ordered])])
            width = min(max(2, round(operation.share * rows)), rows)
            return RankChannel((values.name,), {label: place for place, label in enumerate(ordered)}, bounds, width)
        case _:
            raise UsageError(
                f"{operation.name} has no channel of single values; it is one of pram, record-swap, rank-swap, noise, or a level",
                where=argument("method"),
            )


def noise_of(values: Values, operation: Noise) -> NoiseChannel:
    """The noise on values that are distributed like this. Of correlated noise, what one column by itself gets."""
    numbers, shares = values.numbers(operation.name), values.shares
    mean = float(shares @ numbers)
    deviation = operation.share * sqrt(float(shares @ (numbers - mean) ** 2))
    return NoiseChannel((values.name,), deviation, operation.kind == LAPLACE, values.kind is Kind.INTEGER)


def _noisy(values: Values, noise: NoiseChannel) -> tuple[Floats, list[str]]:
    """Whole numbers with noise: every number that is likely enough, and what lies below and above them."""
    if not noise.whole:
        raise UsageError(
            f"{values.name!r} holds decimal numbers, and noise makes any number of them: use guessing_noise, which needs no matrix",
            where=argument("method"),
        )
    numbers = values.numbers("noise")
    reach = ceil(noise.deviation * (log(1 / _TAIL) / sqrt(2) if noise.laplace else 7.5)) + 1
    first, last = int(numbers.min()) - reach, int(numbers.max()) + reach
    if (last - first + 3) * len(numbers) > _MOST_NUMBERS:
        raise UsageError(
            f"{last - first + 3:,} outputs for {len(numbers):,} values are too many; take less noise", where=argument("method")
        )
    if noise.deviation == 0:
        return np.eye(len(numbers)), shown(values.labels)
    edges = np.arange(first, last + 2) - 0.5
    below = np.concatenate(
        [np.zeros((len(numbers), 1)), noise.below(edges[None, :] - numbers[:, None]), np.ones((len(numbers), 1))], axis=1
    )
    return np.diff(below, axis=1), [f"< {first}", *map(str, range(first, last + 1)), f"> {last}"]
