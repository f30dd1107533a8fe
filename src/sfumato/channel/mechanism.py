"""A channel as the models of mechanisms see it: with neighbors, the laws that inputs are drawn by, and the tuples of each input."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.channel.matrix import ChannelMatrix, Floats
from sfumato.channel.needs import scipy_part
from sfumato.channel.priors import PriorLike, prior_of
from sfumato.channel.tuples import extreme_beliefs
from sfumato.errors import UsageError, argument, several
from sfumato.models.of_mechanisms.mechanism import Beliefs, Found, MechanismModel, MechanismVerdict
from sfumato.models.of_mechanisms.mechanisms import mechanism_model_of
from sfumato.statistics import TOLERANCE

_BLOCK = 4_000_000  # cells of a dense block
_MOST = 2_000_000_000  # cells of all pairs of inputs by outputs
Pairs = npt.NDArray[np.int64]


def judge(
    channel: ChannelMatrix,
    model: str | MechanismModel,
    *,
    neighbors: Any = None,
    laws: Sequence[PriorLike] = (),
    members: Any = None,
) -> MechanismVerdict:
    """Judge a mechanism.

    Parameters
    ----------
    channel : ChannelMatrix
        How likely each output is for each input.
    model : str or MechanismModel
        `differential-privacy:1`, `d-gamma-privacy:0.1,0.5`, `distributional-privacy:1,0.05`.
    neighbors : pairs of inputs, or a square array of bools, optional
        Which inputs are neighbors, by name or place from 0; all inputs if omitted. A pair counts in both directions.
    laws : sequence of priors, optional
        For distributional privacy: how tables are drawn; uniform if omitted.
    members : array of bools, optional
        For (d, gamma)-privacy: a row per input and a column per tuple, whether it is in the table. All sets of tuples must be there.

    Returns
    -------
    MechanismVerdict
        The value, which may be infinite, the threshold, and the inputs that decided.
    """
    return mechanism_model_of(model).judge(ChannelMechanism(channel, neighbors, tuple(laws), members))


@dataclass(frozen=True, slots=True, eq=False)
class ChannelMechanism:
    """What models ask of a mechanism, answered from its channel (`models.mechanism.Mechanism`)."""

    channel: ChannelMatrix
    neighbors: Any = None
    laws: tuple[PriorLike, ...] = ()
    members: Any = None

    def log_ratio(self) -> Found:
        """The largest ln P(y|x) / P(y|x') over outputs y and neighbors x, x'."""
        if self.neighbors is None:
            return _over_all(self.channel)
        pairs = _pairs(self.channel, self.neighbors)
        both = np.concatenate((pairs, pairs[:, ::-1]))
        if not len(both):
            return Found(0.0)
        ratios = np.concatenate([log_ratios(self.channel, block) for block in _blocks(both, self.channel.outputs)])
        return self._found(float(ratios.max()), both[int(ratios.argmax())])

    def drawn_log_ratio(self, failing: float) -> Found:
        """The least bound that two drawn inputs keep, but for a share of the draws; the worst of the laws."""
        found = [self._drawn(prior_of(self.channel, law), failing) for law in self.laws or (None,)]
        return max(found, key=lambda each: each.value)

    def _drawn(self, law: Floats, failing: float) -> Found:
        drawn = np.flatnonzero(law > 0)
        if len(drawn) ** 2 * self.channel.outputs > _MOST:
            raise UsageError(f"{len(drawn):,} inputs are too many to compare any two of them", where=argument("laws"))
        pairs = np.stack(np.meshgrid(drawn, drawn, indexing="ij"), axis=-1).reshape(-1, 2)
        ratios = np.concatenate([log_ratios(self.channel, block) for block in _blocks(pairs, self.channel.outputs)])
        order = np.argsort(ratios)
        reached = np.cumsum((law[pairs[:, 0]] * law[pairs[:, 1]])[order]) >= 1 - failing - TOLERANCE
        place = int(order[int(reached.argmax())])
        return self._found(float(ratios[place]), pairs[place])

    def beliefs(self, most: float) -> Beliefs:
        """What d-independent adversaries believe of a tuple, at the most and at the least."""
        if self.members is None:
            raise UsageError("(d, gamma)-privacy judges tuples: say which are in each input", where=argument("members"))
        return extreme_beliefs(self.channel, self.members, most)

    def _found(self, value: float, pair: npt.NDArray[np.integer]) -> Found:
        return Found(max(value, 0.0), tuple(self.channel.input(int(place)) for place in pair))


def log_ratios(channel: ChannelMatrix, pairs: Pairs) -> Floats:
    """For each pair of inputs the largest ln P(y|x) / P(y|x') over outputs; infinite where x has an output that x' cannot have."""
    over, under = (channel.rows[pairs[:, side]].toarray() for side in (0, 1))
    ratio = np.divide(over, under, out=np.where(over > 0, inf, 0.0), where=under > 0)
    return np.asarray(np.log(ratio.max(axis=1)))


def _over_all(channel: ChannelMatrix) -> Found:
    """All inputs neighbors of each other: for each output, the largest probability over the least."""
    columns = channel.columns
    used = np.flatnonzero(np.diff(columns.indptr))
    starts = columns.indptr[used]
    largest = np.maximum.reduceat(columns.data, starts)
    full = np.diff(columns.indptr)[used] == channel.inputs
    with np.errstate(divide="ignore"):
        ratios = np.log(largest / np.where(full, np.minimum.reduceat(columns.data, starts), 0))
    place = int(used[int(ratios.argmax())])
    column = columns[:, [place]].toarray().ravel()
    inputs = channel.input(int(column.argmax())), channel.input(int(column.argmin()))
    return Found(max(float(ratios.max()), 0.0), inputs)


def _blocks(pairs: Pairs, outputs: int) -> Iterator[Pairs]:
    width = max(_BLOCK // outputs, 1)
    ends = [*range(0, len(pairs), width), len(pairs)]
    return (pairs[first:last] for first, last in pairwise(ends))


def _pairs(channel: ChannelMatrix, neighbors: Any) -> Pairs:
    """Pairs of places, from pairs of names or places or from a square array of bools."""
    if scipy_part("sparse").issparse(neighbors) or (isinstance(neighbors, np.ndarray) and neighbors.dtype == bool):
        if neighbors.shape != (channel.inputs, channel.inputs):
            raise UsageError(f"a square array for {several(channel.inputs, 'input')}", where=argument("neighbors"))
        first, second = neighbors.nonzero()
        return np.asarray(np.stack((first, second), axis=1)[first != second], np.int64)
    places = {name: place for place, name in enumerate(channel.input_labels or ())}
    return np.array([_pair(pair, places, channel.inputs) for pair in neighbors], np.int64).reshape(-1, 2)


def _pair(pair: Iterable[Any], places: dict[str, int], inputs: int) -> list[int]:
    found = [places.get(each, -1) if isinstance(each, str) else each for each in pair]
    if len(found) != 2 or not all(isinstance(each, int | np.integer) and 0 <= each < inputs for each in found):
        raise UsageError("neighbors are pairs of inputs, each by its name or its place from 0", where=argument("neighbors"))
    return [int(each) for each in found]
