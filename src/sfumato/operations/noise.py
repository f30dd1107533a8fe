"""Additive noise. It is noise, not differential privacy: the numbers are binary fractions, and nobody bounds what one person changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import erf, fsum, sqrt
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from sfumato.errors import UsageError
from sfumato.models.parameter import choice, number
from sfumato.operations.base import Judged, Made, Operation, Task, numeric_columns
from sfumato.operations.channel import Channel, Labels
from sfumato.operations.copied import Copy, Floats, as_numbers, numbers_of, replaced
from sfumato.operations.known import Known
from sfumato.operations.randomness import Draws
from sfumato.vocabulary.kinds import Kind
from sfumato.vocabulary.schema import Schema

if TYPE_CHECKING:
    import pyarrow as pa

GAUSSIAN, LAPLACE, CORRELATED = "gaussian", "laplace", "correlated"
_HALF = 0.5
_erf = np.frompyfunc(erf, 1, 1)


@dataclass(frozen=True, slots=True)
class Noise(Operation):
    """Adds random numbers to numeric columns: their standard deviation is `share` times the column's own.

    Correlated noise is Gaussian and has the correlations of the columns, so that these stay what they are (Kim 1986). Whole numbers are
    rounded to the nearest one, and a missing value stays missing.
    """

    kind: str = field(metadata=choice(GAUSSIAN, LAPLACE, CORRELATED))
    share: float = field(metadata=number(at_least=0, example=0.1))
    name: ClassVar[str] = "noise"
    example: ClassVar[str] = "noise:gaussian,0.1"
    judged: ClassVar[Judged] = Judged.NOTHING
    protects: ClassVar[str] = "from exact linkage by numbers; how well depends on the share"
    exposes: ClassVar[str] = "people with unusual values, and everything that is not a number"
    drawn: ClassVar[bool] = True

    def check_parameters(self) -> None:
        if not self.share > 0:
            raise UsageError("share must be more than 0; it is '0'", where=f"method {self.name}")

    def chosen(self, schema: Schema, quasi: Sequence[str], columns: Sequence[str] | None) -> tuple[str, ...]:
        return numeric_columns(self.name, schema, quasi, columns)

    def memory(self, rows: int, columns: int) -> int:
        return 8 * rows * (columns if self.kind == CORRELATED else 1)

    def apply(self, copy: Copy, task: Task) -> Made:
        factor = self._factor(copy, task.columns)

        def change(batch: pa.RecordBatch, start: int) -> pa.RecordBatch:
            drawn = [self._standard(Draws(task.seed, name), start, batch.num_rows) for name in task.columns]
            added = np.stack(drawn, axis=1) @ factor.T
            return replaced(
                batch,
                {
                    name: as_numbers(numbers_of(batch.column(name), name) + added[:, place], task.kind(name))
                    for place, name in enumerate(task.columns)
                },
            )

        kinds = {name: task.kind(name) for name in task.columns}
        return Made(copy.changed(change), channels=self._channels(factor, kinds))

    def _standard(self, draws: Draws, start: int, rows: int) -> Floats:
        """Numbers of mean 0 and variance 1."""
        return draws.laplace(start, rows) / sqrt(2) if self.kind == LAPLACE else draws.normal(start, rows)

    def _factor(self, copy: Copy, columns: Sequence[str]) -> Floats:
        """What turns independent numbers of variance 1 into the noise of each column."""
        if self.kind != CORRELATED:
            return np.diag([self.share * copy.moments(name)[1] for name in columns])
        return self.share * _root(_covariance([copy.numbers(name) for name in columns]))

    def channels(self, known: Known, columns: Sequence[str]) -> tuple[Channel, ...]:
        kinds = {name: known.kinds[name] for name in columns}
        if self.kind == CORRELATED:
            return self._channels(self.share * _root(known.covariance(columns)), kinds)
        alone = [sqrt(known.covariance([name])[0, 0]) for name in columns]  # each over the rows that have it
        return self._channels(self.share * np.diag(alone), kinds)

    def _channels(self, factor: Floats, kinds: Mapping[str, Kind]) -> tuple[Channel, ...]:
        if self.kind == CORRELATED:
            return (JointNoise(tuple(kinds), factor @ factor.T),)
        return tuple(
            NoiseChannel((name,), float(factor[place, place]), self.kind == LAPLACE, kind is Kind.INTEGER)
            for place, (name, kind) in enumerate(kinds.items())
        )


def _covariance(columns: Sequence[Floats]) -> Floats:
    """The covariances over the rows that have all values, added up exactly."""
    table = np.stack(columns, axis=1)
    table = table[~np.isnan(table).any(axis=1)]
    rows = max(len(table), 1)
    centered = table - np.array([fsum(column) / rows for column in table.T])
    return np.array([[fsum(a * b) / rows for a in centered.T] for b in centered.T])


def _root(covariance: Floats) -> Floats:
    """A factor of a covariance matrix, also of one whose columns depend on each other."""
    values, vectors = np.linalg.eigh(covariance)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0)), np.float64)


@dataclass(frozen=True, slots=True)
class NoiseChannel:
    """Noise on one column: the density of a published number or, for whole numbers, the probability of being rounded to it."""

    attributes: tuple[str, ...]
    deviation: float
    laplace: bool
    whole: bool

    def likelihood(self, true: Labels, published: Labels) -> Floats:
        before, after = _numbers(true)[:, 0], _numbers(published)[:, 0]
        away = after[None, :] - before[:, None]
        if self.deviation == 0:
            found = (away == 0) * 1.0
        elif self.whole:
            found = self.below(away + _HALF) - self.below(away - _HALF)
        else:
            found = self._density(away)
        return _missing_stays(found, before, after)

    def below(self, away: Floats) -> Floats:
        """The probability of noise of at most so much."""
        scaled = away / self.deviation
        if self.laplace:
            tail = np.exp(-np.abs(scaled) * sqrt(2)) / 2
            return np.where(scaled < 0, tail, 1 - tail)
        return (1 + np.asarray(_erf(scaled / sqrt(2)), np.float64)) / 2

    def _density(self, away: Floats) -> Floats:
        scaled = away / self.deviation
        return np.exp(-np.abs(scaled) * sqrt(2)) if self.laplace else np.exp(-(scaled**2) / 2)


@dataclass(frozen=True, slots=True, eq=False)
class JointNoise:
    """Gaussian noise on several columns at once; for whole numbers, the density at the published one."""

    attributes: tuple[str, ...]
    covariance: Floats

    def likelihood(self, true: Labels, published: Labels) -> Floats:
        before, after = _numbers(true), _numbers(published)
        inverse = np.linalg.pinv(self.covariance, hermitian=True)
        found = np.ones((len(before), len(after)))
        for place, each in enumerate(before):
            away = np.nan_to_num(after - each)
            found[place] = np.exp(-np.einsum("ni,ij,nj->n", away, inverse, away) / 2)
        for column in range(before.shape[1]):
            found = _missing_stays(found, before[:, column], after[:, column])
        return found


def _numbers(labels: Labels) -> Floats:
    return np.array([[np.nan if text is None else float(text) for text in each] for each in labels], np.float64)


def _missing_stays(found: Floats, before: Floats, after: Floats) -> Floats:
    """A missing value is published as missing, and no other."""
    one, other = np.isnan(before)[:, None], np.isnan(after)[None, :]
    return np.where(one & other, 1.0, np.where(one | other, 0.0, found))
