"""Readable rules that divide addresses: an address is bad if it meets all conditions of one rule, and good otherwise.

Every rule asks for several people who fail: whoever sprays passwords tries many, and an address at which one person fails may be that of
somebody who has forgotten a password, which few known addresses tell. And every rule asks for more people who fail and never succeed than
honest mistakes explain (`mistakes`), whatever it has learned: a few known addresses may give a rule that every office meets.

Rules are learned from failures and the share of failing users: successes grow with the size of an office, and one old mail program there
raises the flag of the whole address. They are learned as a small tree, whose bad leaves are the rules. Counts are whole numbers, so a
bound between two of them is the upper one; the share of failing users is rounded to hundredths, and the rounded bound is what is applied.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.applications.ato.forest.model import FEATURES
from sfumato.applications.ato.forest.trees import Floats
from sfumato.applications.ato.reputation.mistakes import Mistakes
from sfumato.errors import several

SHARE = "FailingUsers"
LEARNED = (SHARE, "IPBadUsers", "IPBadOrgs", "IPBadLogins")
_MOST_RULES, _DEPTH = 6, 4
_PRUNING = 0.002
_SMALLEST = 5
_FEWEST_PEOPLE = 2
_HALF = 0.5
_NOUNS = {
    "IPBadLogins": ("failed login", ""),
    "IPBadUsers": ("failing user", ""),
    "IPBadOrgs": ("organization", " with failures"),
}


@dataclass(frozen=True, slots=True)
class Condition:
    """A measure is at least a bound (`above`), or below it."""

    measure: str
    above: bool
    bound: float

    def holds(self, measures: dict[str, npt.NDArray[Any]]) -> npt.NDArray[np.bool_]:
        values = measures[self.measure]
        return np.asarray(values >= self.bound if self.above else values < self.bound, bool)

    def __str__(self) -> str:
        if self.measure == SHARE:
            return f"{'at least' if self.above else 'less than'} {self.bound:.0%} of its users fail".replace("%", " %")
        count = int(self.bound) if self.above else int(self.bound) - 1
        noun, rest = _NOUNS[self.measure]
        return f"{'at least' if self.above else 'at most'} {several(count, noun)}{rest}"


@dataclass(frozen=True, slots=True)
class Rules:
    """An address is bad if one rule has all its conditions met, and mistakes do not explain it."""

    bad: tuple[tuple[Condition, ...], ...]
    mistakes: Mistakes

    @classmethod
    def learned(cls, rows: npt.NDArray[Any], bad: npt.NDArray[Any], mistakes: Mistakes, seed: int) -> Rules:
        """From rows of features whose class is known; both classes weigh alike, however many there are of each."""
        from sklearn.tree import DecisionTreeClassifier

        tree = DecisionTreeClassifier(
            max_depth=_DEPTH,
            max_leaf_nodes=2 * _MOST_RULES,
            min_samples_leaf=min(_SMALLEST, max(1, int(bad.sum()) // 4)),
            ccp_alpha=_PRUNING,
            class_weight="balanced",
            random_state=seed,
        )
        measures = measured(rows)
        fitted = tree.fit(np.column_stack([measures[name] for name in LEARNED]), bad).tree_
        rules = map(_simplified, _bad_leaves(fitted, 0, ()))
        return cls(tuple(sorted((rule for rule in rules if _possible(rule)), key=len)), mistakes)

    def decide(self, rows: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        """Which rows are bad."""
        measures, found = measured(rows), np.zeros(len(rows), bool)
        for rule in self.bad:
            met = np.ones(len(rows), bool)
            for condition in rule:
                met &= condition.holds(measures)
            found |= met
        return found & self.mistakes.leave_open(rows)

    def lines(self) -> tuple[str, ...]:
        """Each rule in words."""
        return tuple(f"Bad: {', and '.join(map(str, rule))}" for rule in self.bad)


def measured(rows: npt.NDArray[Any]) -> dict[str, Floats]:
    """What rules speak of: the features, and the share of the users who fail among those who fail or succeed."""
    columns = {name: np.asarray(rows[:, place], np.float64) for place, name in enumerate(FEATURES)}
    failing, users = columns["IPBadUsers"], columns["IPBadUsers"] + columns["IPGoodUsers"]
    return columns | {SHARE: failing / np.maximum(users, 1)}


def _bad_leaves(tree: Any, node: int, path: tuple[Condition, ...]) -> Iterator[tuple[Condition, ...]]:
    """The paths to the leaves in which the bad ones weigh more."""
    if tree.children_left[node] < 0:
        if tree.value[node, 0, -1] > 0.5 and path:
            yield path
        return
    measure = LEARNED[tree.feature[node]]
    bound = _bound(measure, float(tree.threshold[node]))
    yield from _bad_leaves(tree, int(tree.children_left[node]), (*path, Condition(measure, False, bound)))
    yield from _bad_leaves(tree, int(tree.children_right[node]), (*path, Condition(measure, True, bound)))


def _bound(measure: str, threshold: float) -> float:
    return max(round(threshold, 2), 0.01) if measure == SHARE else float(np.floor(threshold)) + 1


def _simplified(path: Sequence[Condition]) -> tuple[Condition, ...]:
    """Of several bounds on one side of a measure only the closest says something; at least several people fail."""
    kept: dict[tuple[str, bool], Condition] = {}
    for condition in (*path, Condition("IPBadUsers", True, _FEWEST_PEOPLE)):
        side = condition.measure, condition.above
        closest = max if condition.above else min
        known = kept.get(side, condition)
        kept[side] = Condition(*side, closest(condition.bound, known.bound))
    return tuple(condition for condition in kept.values() if not _implied(condition, kept.values()))


# Whoever fails has a failed login and an organization: there are no fewer of the first than of the next.
_FALLING = ("IPBadLogins", "IPBadUsers", "IPBadOrgs")


def _implied(condition: Condition, others: Collection[Condition]) -> bool:
    """Whether another condition asks for no fewer of what there is less of; 2 users who fail have 2 failed logins."""
    if condition.measure not in _FALLING or not condition.above:
        return False
    rarer = _FALLING[_FALLING.index(condition.measure) + 1 :]
    return any(each.above and each.measure in rarer and each.bound >= condition.bound for each in others)


def _possible(rule: Sequence[Condition]) -> bool:
    """Whether no condition forbids what another asks for: as many users, or fewer logins than users. Mistakes explain every address at
    which no more fail than succeed."""
    if any(each.measure == SHARE and not each.above and each.bound <= _HALF for each in rule):
        return False
    bounds = [(each.measure, each.above, each.bound) for each in rule if each.measure in _FALLING]
    return not any(
        above and not over and _FALLING.index(more) <= _FALLING.index(rarer) and most <= least
        for rarer, above, least in bounds
        for more, over, most in bounds
    )
