"""The rule "every class has at least k people" for every k from 1 to the number of rows: what it leaves to guess, what it tells, and what
the best channel would tell that leaves the adversary no better off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.channel.design.information import best_bits
from sfumato.channel.enumeration.mechanism import MOST_INPUTS, Choice, Enumerated, choice_of, enumerate_mechanism
from sfumato.channel.enumeration.universe import Universe
from sfumato.channel.information import mutual_information
from sfumato.channel.priors import uniform
from sfumato.channel.utility.mechanism import mechanism_utility
from sfumato.errors import UsageError, argument
from sfumato.results import Printed, Rows
from sfumato.statistics import TOLERANCE
from sfumato.upward import above

HEADS = ("k", "choice", "outputs", "MAP error", "information", "best", "wasted", "utility")
CURVE = 60  # points of the curve of the best channels


@dataclass(frozen=True, slots=True)
class RuleK:
    """The mechanism of one k and one choice: its outputs, its MAP error under a uniform prior, the information of its outputs about the
    input and the most of any channel on which the adversary is right as often (`best`), and the mean utility of what is published; all
    three in bits."""

    k: int
    choice: str
    outputs: int
    map_error: float
    information: float
    best: float
    utility: float

    @property
    def adversary(self) -> float:
        """How often the best guess of the input is right."""
        return 1 - self.map_error

    @property
    def wasted(self) -> float:
        """What the best channel would tell beyond this one, in bits."""
        return max(self.best - self.information, 0.0)


@dataclass(frozen=True, slots=True)
class RulesK(Printed):
    """The rules for each k and choice, the number of inputs, and the mean utility of the inputs themselves in bits."""

    inputs: int
    before: float
    rules: tuple[RuleK, ...]

    def table(self) -> Rows:
        """One row per rule."""
        return Rows(HEADS, tuple((each.k, each.choice, *_numbers(each)) for each in self.rules))

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        names = [head.replace(" ", "_").lower() for head in HEADS]
        return {
            "inputs": self.inputs,
            "utility_of_inputs": self.before,
            "rules": [dict(zip(names, row, strict=True)) for row in self.table().rows],
        }

    def best_curve(self) -> list[tuple[float, float]]:
        """How often the adversary is right, and the most information of a channel that allows it; from all inputs alike to certainty."""
        alike = uniform(self.inputs)
        rights = np.geomspace(1 / self.inputs, 1, CURVE).tolist()
        return [(right, best_bits(alike, alike, right)) for right in rights]

    def plot(self, picture: str = "error") -> Any:
        """The MAP error against k, or `utility` against privacy: an altair chart. Needs the extra `report`."""
        return above("RulesK.plot")(self, picture)


def rules_by_k(universe: Universe, *, choices: Sequence[str] | None = None, most: int = MOST_INPUTS) -> RulesK:
    """k-anonymity for every k from 1 to the number of rows, all inputs equally likely.

    Parameters
    ----------
    universe : Universe
        All tables of so many rows over small domains.
    choices : sequence of str, optional
        `uniform`, `deterministic`; both if omitted.
    most : int
        The most inputs that are enumerated; more are refused.

    Returns
    -------
    RulesK
        For each k and choice: error, information, the best possible at the same error, utility.
    """
    chosen = tuple(Choice) if choices is None else tuple(map(choice_of, choices))
    if not chosen:
        raise UsageError("name one choice or more", where=argument("choices"))
    rules, before = [], 0.0
    for choice in chosen:
        for k in range(1, universe.rows + 1):
            mechanism = enumerate_mechanism(universe, f"k-anonymity:{k}", choice=choice, most=most)
            utility = mechanism_utility(mechanism)
            before = utility.before
            rules.append(_rule(k, mechanism, utility.after))
    return RulesK(universe.inputs(), before, tuple(rules))


def _rule(k: int, mechanism: Enumerated, utility: float) -> RuleK:
    channel, error = mechanism.channel, mechanism.map_error
    error = error if error > TOLERANCE else 0.0  # sums of many fractions
    alike = uniform(channel.inputs)
    best = best_bits(alike, alike, 1 - error)
    information = mutual_information(channel)
    information = best if abs(information - best) <= TOLERANCE else information
    return RuleK(k, mechanism.choice.value, channel.outputs, error, information, best, utility)


def _numbers(rule: RuleK) -> tuple[float, ...]:
    return rule.outputs, rule.map_error, rule.information, rule.best, rule.wasted, rule.utility
