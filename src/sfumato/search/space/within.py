"""Bounds on the four losses of the thesis over the nodes of a policy space: who keeps them and, if nobody, what would help.

Epsilon bounds the distribution loss, alpha the entropy loss, delta the distribution utility loss, gamma the entropy utility loss: of the
worst class (scope `class`) or on average over people (`total`). They say which nodes are looked at; nobody is suppressed for them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from math import isfinite
from types import MappingProxyType
from typing import TypedDict

import numpy as np

from sfumato.errors import UsageError, argument, unknown
from sfumato.frequency import Mask
from sfumato.models.base import TOLERANCE
from sfumato.search.evaluation import Evaluations, Measure

CLASS, TOTAL = "class", "total"
LOSS_OF: Mapping[str, str] = MappingProxyType(
    {"epsilon": "distribution", "alpha": "entropy", "delta": "utility-distribution", "gamma": "utility-entropy"}
)


@dataclass(frozen=True, slots=True)
class Least:
    """A bound, and the smallest value of it that some node keeps beside the others: None if no node keeps the others."""

    parameter: str
    column: str
    bound: float
    least: float | None
    place: int | None


class BoundOptions(TypedDict, total=False):
    """The fields of `Bounds` that verbs take as keyword arguments."""

    epsilon: float | None
    alpha: float | None
    gamma: float | None
    delta: float | None
    scope: str


@dataclass(frozen=True, slots=True)
class Bounds:
    """At most four bounds, none below zero.

    Parameters
    ----------
    epsilon : float, optional
        On the distribution loss.
    alpha : float, optional
        On the entropy loss.
    gamma : float, optional
        On the entropy utility loss.
    delta : float, optional
        On the distribution utility loss.
    scope : str
        `class`, for the worst class, or `total`, for the mean over people.
    """

    epsilon: float | None = None
    alpha: float | None = None
    gamma: float | None = None
    delta: float | None = None
    scope: str = CLASS

    def __post_init__(self) -> None:
        if self.scope not in (CLASS, TOTAL):
            raise UsageError(unknown("scope", self.scope, (CLASS, TOTAL), within="the trade-off"), where=argument("scope"))
        for name, value in self.given.items():
            if not (isfinite(value) and value >= 0):
                raise UsageError(f"a bound is a number of at least 0; left out it is none; got {value:g}", where=argument(name))

    @property
    def given(self) -> dict[str, float]:
        """The bounds that there are, by name."""
        return {name: getattr(self, name) for name in LOSS_OF if getattr(self, name) is not None}

    @property
    def privacy(self) -> dict[str, float]:
        return {name: value for name, value in self.given.items() if name in ("epsilon", "alpha")}

    @property
    def utility(self) -> dict[str, float]:
        return {name: value for name, value in self.given.items() if name in ("delta", "gamma")}

    def measure(self, parameter: str) -> Measure:
        """The measure of a node that a bound speaks of."""
        return Measure(LOSS_OF[parameter], worst=self.scope == CLASS)

    def column(self, parameter: str) -> str:
        """Its public name."""
        return str(self.measure(parameter))

    def kept(self, nodes: Evaluations, *, without: str | None = None) -> Mask:
        """Which nodes keep all bounds, or all but one."""
        holds = np.ones(len(nodes), bool)
        for name, value in self.given.items():
            if name != without:
                holds &= nodes[self.measure(name)] <= value + TOLERANCE
        return holds

    def least(self, nodes: Evaluations, allowed: Mask) -> tuple[Least, ...]:
        """For every bound the smallest value that an allowed node keeps, the other bounds as they are."""
        least = []
        for name, value in self.given.items():
            values = nodes[self.measure(name)]
            others = np.flatnonzero(allowed & self.kept(nodes, without=name))
            place = int(others[values[others].argmin()]) if len(others) else None
            least.append(Least(name, self.column(name), value, None if place is None else float(values[place]), place))
        return tuple(least)


BOUND_OPTIONS = tuple(field.name for field in fields(Bounds))
