"""The utility of a mechanism: what it costs on average over its inputs and what it makes of them (channel paper, eqs. 16 and 20)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log2

import numpy as np

from sfumato.channel.enumeration.mechanism import Enumerated
from sfumato.channel.enumeration.multisets import Codes
from sfumato.channel.enumeration.universe import Universe
from sfumato.channel.information import output_probabilities
from sfumato.channel.matrix import ChannelMatrix
from sfumato.channel.priors import PriorLike, prior_of
from sfumato.channel.utility.joint import Interest, interest_of
from sfumato.channel.utility.users import User, mean_background, population
from sfumato.errors import UsageError, argument
from sfumato.statistics import Floats
from sfumato.vocabulary.node import Node


@dataclass(frozen=True, slots=True)
class MechanismUtility:
    """The mean utility of inputs and of outputs, in bits, and their difference, Utility_G."""

    before: float
    after: float

    @property
    def degradation(self) -> float:
        """Utility_G: what the mechanism costs on average."""
        return self.before - self.after


def expected_degradation(channel: ChannelMatrix, inputs: Floats, outputs: Floats, prior: PriorLike = None) -> MechanismUtility:
    """Utility_G of any channel whose inputs and outputs have known utilities.

    Parameters
    ----------
    channel : ChannelMatrix
        The mechanism.
    inputs : array
        The utility of each input.
    outputs : array
        The utility of each output.
    prior : array, optional
        The probability of each input; all alike by default.

    Returns
    -------
    MechanismUtility
        The mean utilities before and after, and the degradation.
    """
    if np.shape(inputs) != (channel.inputs,) or np.shape(outputs) != (channel.outputs,):
        raise UsageError("give one utility for every input and every output of the channel", where=argument("inputs"))
    weights = prior_of(channel, prior)
    return MechanismUtility(float(weights @ inputs), float(output_probabilities(channel, weights) @ outputs))


def mechanism_utility(
    mechanism: Enumerated, interest: Interest = None, users: Sequence[User] | User | None = None, prior: PriorLike = None
) -> MechanismUtility:
    """Utility_G of an enumerated mechanism, for a population of users.

    Parameters
    ----------
    mechanism : Enumerated
        The mechanism with all its inputs.
    interest : dict, optional
        With which probability an attribute is the one that is wanted; all alike by default.
    users : User or sequence of User, optional
        Who gets what is published; somebody who knows nothing by default.
    prior : array, optional
        The probability of each input; all alike by default.

    Returns
    -------
    MechanismUtility
        The mean utilities before and after, and the degradation. Where nothing is published, the utility is 0.
    """
    universe, everybody = mechanism.universe, population(users)
    bottom = Node.bottom(universe.names)
    inputs = utilities(universe, mechanism.tables, bottom, interest, everybody)
    outputs, columns = np.zeros(mechanism.channel.outputs), mechanism.channel.columns
    published = len(mechanism.node_of)  # what comes after is the output of nothing
    behind = mechanism.tables[columns.indices[columns.indptr[:published]]]
    for place, node in enumerate(universe.nodes):
        here = np.flatnonzero(mechanism.node_of == place)
        outputs[here] = utilities(universe, universe.released(node)[behind[here]], node, interest, everybody)
    return expected_degradation(mechanism.channel, inputs, outputs, prior)


def utilities(universe: Universe, tables: Codes, node: Node, interest: Interest, users: Sequence[User]) -> Floats:
    """The utility of many tables at a node at once, given by the numbers of their rows there."""
    names = (*universe.names, *universe.schema.sensitive)
    sizes = [len(each.at(level)) for each, level in zip(universe.hierarchies, node.levels, strict=True)]
    sizes += [universe.spread] if universe.values else []
    columns = np.unravel_index(tables, sizes)
    whole, total = entropies(tables), np.zeros(len(tables))
    for place, (name, share) in enumerate(interest_of(names, interest).items()):
        others = [column for other, column in enumerate(columns) if other != place]
        rest = np.ravel_multi_index(others, sizes[:place] + sizes[place + 1 :]) if others else np.zeros_like(tables)
        still_open = np.maximum(whole - entropies(rest), 0)
        total += share * (log2(sizes[place]) - still_open - mean_background(users, node, name))
    return total


def entropies(tables: Codes) -> Floats:
    """The entropy of the rows of each table: log2 r less the mean of log2 of how often each row occurs."""
    rows, logs = tables.shape[1], np.zeros(len(tables))
    for one in tables.T:
        logs += np.log2(sum((one == other).astype(np.int64) for other in tables.T))
    return np.asarray(np.maximum(log2(rows) - logs / rows, 0), np.float64)
