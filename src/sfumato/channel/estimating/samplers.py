"""Samplers: a mechanism that can be run and not looked into. Each draw is a secret and what was observed of it.

A secret is a number. What is observed is a number, too (equal or not), or a row of numbers, which can be near each other.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from sfumato.channel.enumeration.judging import Judge
from sfumato.channel.enumeration.mechanism import Choice, choice_of, probabilities
from sfumato.channel.enumeration.multisets import LARGEST, Codes, binomials, numbers
from sfumato.channel.enumeration.universe import Universe
from sfumato.channel.matrix import ChannelMatrix
from sfumato.channel.priors import PriorLike, prior_of
from sfumato.errors import UsageError, argument
from sfumato.models import Models, models_of
from sfumato.statistics import Floats

Secrets = npt.NDArray[np.int64]
Observed = npt.NDArray[Any]


class Sampler(Protocol):
    """Draws secrets at random and runs the mechanism on each. `secrets` is how many there are."""

    @property
    def secrets(self) -> int:
        """How many secrets there are."""

    def draw(self, count: int, rng: np.random.Generator) -> tuple[Secrets, Observed]:
        """So many secrets, independent of each other, and what was observed of each."""


@dataclass(frozen=True, eq=False)
class ChannelSampler:
    """A channel whose matrix is known: for tests, and for channels that are too large for a sum over all entries."""

    channel: ChannelMatrix
    prior: Floats

    @property
    def secrets(self) -> int:
        return self.channel.inputs

    def draw(self, count: int, rng: np.random.Generator) -> tuple[Secrets, Observed]:
        rows = self.channel.rows
        secrets = rng.choice(self.channel.inputs, size=count, p=self.prior)
        ends = np.cumsum(rows.data)
        before = np.concatenate([[0.0], ends])[rows.indptr[secrets]]
        after = np.concatenate([[0.0], ends])[rows.indptr[secrets + 1]]
        entry = np.searchsorted(ends, before + rng.random(count) * (after - before), side="right")
        entry = np.clip(entry, rows.indptr[secrets], rows.indptr[secrets + 1] - 1)
        return secrets.astype(np.int64), rows.indices[entry].astype(np.int64)


def sample_channel(channel: ChannelMatrix, prior: PriorLike = None) -> ChannelSampler:
    """Draw from a channel matrix.

    Parameters
    ----------
    channel : ChannelMatrix
        The channel.
    prior : array, optional
        The probability of each input; all alike by default.

    Returns
    -------
    ChannelSampler
        A sampler whose secrets are the inputs.
    """
    return ChannelSampler(channel, prior_of(channel, prior))


@dataclass(frozen=True, eq=False)
class MechanismSampler:
    """A function that publishes one of some candidates. What it returns is numbered, unless it is a row of numbers."""

    candidates: tuple[Any, ...]
    publish: Callable[[Any, np.random.Generator], Any]
    prior: Floats
    _number_of: dict[Hashable, int] = field(default_factory=dict, repr=False)

    @property
    def secrets(self) -> int:
        return len(self.candidates)

    def draw(self, count: int, rng: np.random.Generator) -> tuple[Secrets, Observed]:
        secrets = rng.choice(len(self.candidates), size=count, p=self.prior).astype(np.int64)
        shown = [self.publish(self.candidates[secret], rng) for secret in secrets.tolist()]
        if isinstance(shown[0], np.ndarray):
            return secrets, np.stack(shown).astype(np.float64)
        return secrets, np.array([self._number_of.setdefault(each, len(self._number_of)) for each in shown], np.int64)


def sample_mechanism(
    candidates: Sequence[Any], publish: Callable[[Any, np.random.Generator], Any], prior: Sequence[float] | None = None
) -> MechanismSampler:
    """Run any mechanism on one of some candidates, such as tables that differ in one person.

    Parameters
    ----------
    candidates : sequence
        What may be the input.
    publish : callable
        From a candidate and a generator of random numbers to what is published: something that can be compared and hashed, or an array
        of numbers.
    prior : sequence of float, optional
        The probability of each candidate; all alike by default.

    Returns
    -------
    MechanismSampler
        A sampler whose secrets are the candidates.
    """
    if not len(candidates):
        raise UsageError("give at least one candidate", where=argument("candidates"))
    shares = np.full(len(candidates), 1 / len(candidates)) if prior is None else np.asarray(prior, np.float64)
    if shares.shape != (len(candidates),) or (shares < 0).any() or abs(shares.sum() - 1) > 1e-9:
        raise UsageError("a prior has one probability for each candidate, and they add up to 1", where=argument("prior"))
    return MechanismSampler(tuple(candidates), publish, shares)


@dataclass(frozen=True, eq=False)
class TableSampler:
    """A generalization mechanism that is not enumerated: a table drawn from all of a universe, or from some, and published at a node."""

    judge: Judge
    choice: Choice
    tables: Codes | None

    @property
    def secrets(self) -> int:
        return self.judge.universe.inputs() if self.tables is None else len(self.tables)

    def draw(self, count: int, rng: np.random.Generator) -> tuple[Secrets, Observed]:
        universe = self.judge.universe
        if self.tables is None:
            tables = any_tables(universe.kinds(), universe.rows, count, rng)
            secrets = numbers(tables, binomials(universe.kinds(), universe.rows))
        else:
            secrets = rng.integers(len(self.tables), size=count)
            tables = self.tables[secrets]
        return secrets, self._published(tables, rng)

    def _published(self, tables: Codes, rng: np.random.Generator) -> Observed:
        """A number for each output: nodes take turns, so that outputs at different nodes differ; 0 where nothing is published."""
        universe = self.judge.universe
        weights = probabilities(np.stack([self.judge(tables, node) for node in universe.nodes], axis=1), self.choice)
        drawn = rng.random(len(tables))[:, None] >= np.cumsum(weights, axis=1)
        place = np.where(weights.any(axis=1), np.minimum(drawn.sum(axis=1), len(universe.nodes) - 1), -1)
        shown = np.zeros(len(tables), np.int64)
        for number, node in enumerate(universe.nodes):
            here = np.flatnonzero(place == number)
            released = np.sort(universe.released(node)[tables[here]], axis=1)
            own = numbers(released, binomials(universe.kinds(node), universe.rows))
            shown[here] = own * len(universe.nodes) + number + 1
        return shown


def any_tables(kinds: int, rows: int, count: int, rng: np.random.Generator) -> Codes:
    """Multisets of rows, all equally likely: sets of `rows` among kinds + rows - 1 places, less the places of the others before them."""
    places = kinds + rows - 1
    chosen = np.argpartition(rng.random((count, places)), rows - 1, axis=1)[:, :rows]
    return np.asarray(np.sort(chosen, axis=1) - np.arange(rows), np.int64)


def sample_tables(
    universe: Universe, models: Models, *, choice: str | Choice = Choice.UNIFORM, tables: Codes | None = None
) -> TableSampler:
    """Draw tables of a universe and publish them, without enumerating any.

    Parameters
    ----------
    universe : Universe
        All tables of so many rows over small domains.
    models : str, PrivacyModel, or a collection of them
        What a published table must satisfy.
    choice : str
        `uniform` or `deterministic`, as for `enumerate_mechanism`.
    tables : array, optional
        The candidates, one per row, by the numbers of their rows; by default every table of the universe is one.

    Returns
    -------
    TableSampler
        A sampler whose secrets are the tables, all equally likely.
    """
    if universe.inputs() * len(universe.nodes) >= LARGEST:
        raise UsageError(
            f"{universe.inputs():,} inputs are more than can be numbered; take fewer rows", where=argument("universe")
        )
    candidates = None if tables is None else np.sort(np.asarray(tables, np.int64), axis=1)
    if candidates is not None and (candidates.ndim != 2 or candidates.shape[1] != universe.rows):
        raise UsageError(f"a candidate has {universe.rows:,} rows, as every table of the universe", where=argument("tables"))
    return TableSampler(Judge(universe, models_of(models)), choice_of(choice), candidates)
