"""A generalization mechanism as a channel, by enumeration of every input (channel paper, 5).

The mechanism publishes a table at a node that satisfies all models. An output is the published multiset of rows with its node, which a
release states. Where no node satisfies the models, nothing is published: this is an output of its own, and the only one of the input.
(In the paper every table has an output: the top node satisfies k-anonymity as soon as the table has k rows.)
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from sfumato.channel.enumeration.judging import Judge
from sfumato.channel.enumeration.multisets import Codes, Counts, all_multisets, binomials, multiset_of, numbers
from sfumato.channel.enumeration.universe import Places, Universe
from sfumato.channel.matrix import ChannelMatrix
from sfumato.channel.needs import scipy_part
from sfumato.channel.vulnerability import map_error
from sfumato.errors import UsageError, argument, several
from sfumato.frequency import Mask
from sfumato.models import Models, PrivacyModel, models_of
from sfumato.statistics import Floats
from sfumato.vocabulary.node import Node

MOST_INPUTS = 2_500_000  # about 1 GB for tables of seven rows and six nodes


class Choice(Enum):
    """Which of the satisfying nodes is published: any, all equally likely; or the one with the least sum of levels, ties by level
    vector."""

    UNIFORM = "uniform"
    DETERMINISTIC = "deterministic"


@dataclass(frozen=True, eq=False)
class Enumerated:
    """A mechanism with all its inputs and outputs.

    `channel` has a row for each of `tables`, in lexicographic order, and a column for each output: those of the first node first, then
    nothing, if an input has no node that satisfies the models. `satisfied[i, j]`: table i satisfies them at node j.
    """

    universe: Universe
    models: tuple[PrivacyModel, ...]
    choice: Choice
    channel: ChannelMatrix
    tables: Codes
    satisfied: Mask
    node_of: Places
    number_of: Counts

    @property
    def unpublished(self) -> int:
        """How many inputs have no node that satisfies the models."""
        return int((~self.satisfied.any(axis=1)).sum())

    @property
    def map_error(self) -> float:
        """How often the best guess of the input is wrong if all inputs are equally likely."""
        return map_error(self.channel)

    def input(self, place: int) -> tuple[tuple[str, ...], ...]:
        """The rows of an input, by labels."""
        return tuple(self.universe.labels(int(row)) for row in self.tables[place])

    def output(self, place: int) -> tuple[Node, tuple[tuple[str, ...], ...]] | None:
        """The node and the rows of an output, by labels; None if nothing is published."""
        if place >= len(self.node_of):
            return None
        node = self.universe.nodes[self.node_of[place]]
        rows = multiset_of(int(self.number_of[place]), self.universe.kinds(node), self.universe.rows)
        return node, tuple(self.universe.labels(row, node) for row in rows)


def enumerate_mechanism(
    universe: Universe, models: Models, *, choice: str | Choice = Choice.UNIFORM, most: int = MOST_INPUTS
) -> Enumerated:
    """The channel of a generalization mechanism over all tables of a universe.

    Parameters
    ----------
    universe : Universe
        All tables of so many rows over small domains.
    models : str, PrivacyModel, or a collection of them
        What a published table must satisfy.
    choice : str
        `uniform`: any node that satisfies the models, all equally likely. `deterministic`: the one with the least sum of levels, ties
        by level vector.
    most : int
        The most inputs that are enumerated; more are refused.

    Returns
    -------
    Enumerated
        The channel, its inputs and its outputs.
    """
    chosen, wanted = choice_of(choice), models_of(models)
    require_few(universe, most)
    tables = all_multisets(universe.kinds(), universe.rows)
    judge = Judge(universe, wanted)
    satisfied = np.stack([judge(tables, node) for node in universe.nodes], axis=1)
    weights = probabilities(satisfied, chosen)
    channel, node_of, number_of = _channel(universe, tables, weights)
    return Enumerated(universe, wanted, chosen, channel, tables, satisfied, node_of, number_of)


def choice_of(choice: str | Choice) -> Choice:
    """A choice from its name."""
    try:
        return Choice(choice)
    except ValueError:
        have = " or ".join(each.value for each in Choice)
        raise UsageError(f"no choice {choice!r}; write {have}", where=argument("choice")) from None


def require_few(universe: Universe, most: int) -> None:
    """Refuse to enumerate more inputs than that."""
    inputs = universe.inputs()
    if inputs > most:
        raise UsageError(
            f"{several(inputs, 'input')} are too many to enumerate (at most {most:,}): use enumerate_orbits (--orbits), which leaves "
            "out what relabeling repeats, or sample the mechanism with estimate_map_error (--samples)",
            where="enumeration",
        )


def probabilities(satisfied: Mask, choice: Choice) -> Floats:
    """With which probability each table is published at each node."""
    if choice is Choice.UNIFORM:
        return np.asarray(satisfied / np.maximum(satisfied.sum(axis=1, keepdims=True), 1), np.float64)
    return np.asarray(satisfied & (np.cumsum(satisfied, axis=1) == 1), np.float64)


def _channel(universe: Universe, tables: Codes, weights: Floats) -> tuple[ChannelMatrix, Places, Counts]:
    """The matrix; and of each output the place of its node, and the number of its multiset there."""
    inputs, outputs, entries = [], [], []
    node_of, number_of, width = [], [], 0
    for place, node in enumerate(universe.nodes):
        chosen = np.flatnonzero(weights[:, place])
        table = binomials(universe.kinds(node), universe.rows)
        found = numbers(np.sort(universe.released(node)[tables[chosen]], axis=1), table)
        distinct, column = np.unique(found, return_inverse=True)
        inputs.append(chosen)
        outputs.append(column + width)
        entries.append(weights[chosen, place])
        node_of.append(np.full(len(distinct), place, np.int64))
        number_of.append(distinct)
        width += len(distinct)
    nothing = np.flatnonzero(~weights.any(axis=1))
    if len(nothing):
        inputs.append(nothing)
        outputs.append(np.full(len(nothing), width))
        entries.append(np.ones(len(nothing)))
        width += 1
    where = (np.concatenate(inputs), np.concatenate(outputs))
    rows = scipy_part("sparse").coo_array((np.concatenate(entries), where), shape=(len(tables), width))
    return ChannelMatrix.of(rows), np.concatenate(node_of), np.concatenate(number_of)
