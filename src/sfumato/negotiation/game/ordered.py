"""The best menu where types and policies have one order: exact, by dynamic programming.

Types t = 1, …, T and policies have *strictly increasing differences* if the policies can be ordered so that each
worth of type t + 1 minus that of type t rises strictly from one group of policies to the next, and is the same within a group. Then
whatever types accept assigns them policies that rise with the type; prices follow from neighbors alone; and the owner's profit is a sum
over types of a score of type and policy (Mussa and Rosen 1978, Myerson 1981). A rising sequence with the largest sum of scores is found by
a walk through the table of types and policies. The condition is checked and not assumed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.negotiation.game.rents import Places
from sfumato.statistics import Floats

_SAME, _NOISE = 1e-10, 1e-14  # of the largest worth


@dataclass(frozen=True, slots=True, eq=False)
class Ordered:
    """The types, lowest first, and one policy of each group, by rising differences."""

    types: Places
    policies: Places


def order_of(worth: Floats, cost: Floats) -> Ordered | None:
    """The order of types and policies; None if there is none. The first policy is to sell nothing: worth nothing, and free.

    Of a group, whose policies all types value differently by the same amount, the one with the largest surplus is enough.
    """
    types = np.argsort(worth.sum(axis=1), kind="stable").astype(np.intp)
    differences, surplus = np.diff(worth[types], axis=0), worth[types[0]] - cost
    total, scale = differences.sum(axis=0), max(1.0, float(np.abs(worth).max()))
    order = np.argsort(total, kind="stable")
    group = np.concatenate(([0], np.cumsum(np.diff(total[order]) > _SAME * scale)))
    order = order[np.lexsort((order, -surplus[order], group))]
    policies = order[np.concatenate(([True], np.diff(group) > 0))]
    spread = differences[:, order] - differences[:, policies][:, group]
    nothing_first = group[np.flatnonzero(order == 0)[0]] == 0
    rising = (np.diff(differences[:, policies], axis=1) > _NOISE * scale).all()
    if not (nothing_first and rising and (np.abs(spread) <= _SAME * scale).all()):
        return None
    return Ordered(types, np.asarray(policies, np.intp))


def best_ordered(worth: Floats, cost: Floats, probabilities: Floats, ordered: Ordered) -> tuple[Places, float]:
    """The policy of each type, and the largest profit that any menu can have."""
    scores = _scores(worth, cost, probabilities, ordered)
    best, came_from = scores[0], []
    for row in scores[1:]:
        leading = _leading(best)
        came_from.append(leading)
        best = row + best[leading]
    place = int(np.argmax(best))
    path = [place]
    for leading in reversed(came_from):
        path.append(int(leading[path[-1]]))
    allocation = np.empty(len(worth), np.intp)
    allocation[ordered.types] = ordered.policies[path[::-1]]
    return allocation, float(best[place])


def _scores(worth: Floats, cost: Floats, probabilities: Floats, ordered: Ordered) -> Floats:
    """What a policy adds to the profit if a type gets it: its surplus, less what every higher type must be left with for it."""
    rows, likely = worth[np.ix_(ordered.types, ordered.policies)], probabilities[ordered.types]
    higher = np.append(np.cumsum(likely[::-1])[::-1][1:], 0.0)
    differences = np.vstack([np.diff(rows, axis=0), np.zeros((1, rows.shape[1]))])
    return np.asarray(likely[:, None] * (rows - cost[ordered.policies]) - higher[:, None] * differences)


def _leading(values: Floats) -> Places:
    """For each place the first place up to it with the largest value."""
    largest = np.maximum.accumulate(values)
    new = np.concatenate(([True], largest[1:] > largest[:-1]))
    return np.maximum.accumulate(np.where(new, np.arange(len(values)), 0)).astype(np.intp)
