"""What the trade-off answers: frozen values that know their rows; shares are in the order of the prior's values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from sfumato.statistics import Floats
from sfumato.tradeoff.formulas import NAMES, PARAMETERS, TOLERANCE
from sfumato.tradeoff.given import Given
from sfumato.tradeoff.solver import Optimum

Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Point:
    """A distribution over the values of the prior, and its four losses by name."""

    shares: tuple[float, ...]
    losses: Mapping[str, float]

    @classmethod
    def of(cls, given: Given, x: Floats, losses: Floats) -> Point:
        return cls(given.whole(x), named(losses))


@dataclass(frozen=True, slots=True)
class Recommendation:
    """The Pareto set of the two losses that were minimized, and the point of it that the weights choose.

    The weights stand before the losses divided by `scales`, the largest values that each can take for this prior: they mean the
    same under all bounds, and looser bounds never give a larger weighted sum, `value`.
    """

    values: tuple[str | None, ...]
    prior: tuple[float, ...]
    bounds: Mapping[str, float]
    minimized: tuple[str, str]
    weights: tuple[float, float]
    scales: tuple[float, float]
    pareto: tuple[Point, ...]
    chosen: Point
    value: float
    kkt_residual: float
    starts: int
    seed: int

    @property
    def heads(self) -> tuple[str, ...]:
        return ("chosen", *NAMES)

    def rows(self) -> tuple[Row, ...]:
        """One row per point of the Pareto set."""
        return tuple((point == self.chosen, *point.losses.values()) for point in self.pareto)

    def shares(self) -> tuple[Row, ...]:
        """One row per value: its label, its share in the prior, and the recommended one."""
        return tuple(zip(self.values, self.prior, self.chosen.shares, strict=True))


@dataclass(frozen=True, slots=True)
class Region:
    """The distributions that keep all bounds: some of them, the ends, and the Pareto-optimal ones.

    `least` is the least value of each loss under the bounds on the other losses, None where already these allow nothing. If the region
    is empty, a bound must be raised to it at least, the others staying as they are.
    """

    values: tuple[str | None, ...]
    prior: tuple[float, ...]
    bounds: Mapping[str, float]
    feasible: bool
    least: Mapping[str, float | None]
    pareto: tuple[Point, ...]
    sample: tuple[Point, ...]
    starts: int
    seed: int

    @property
    def heads(self) -> tuple[str, ...]:
        return ("loss", "bound", "least under the other bounds", "kept")

    def rows(self) -> tuple[Row, ...]:
        """One row per loss."""
        bounds = {name: self.bounds.get(parameter) for name, parameter in zip(NAMES, PARAMETERS, strict=True)}
        return tuple((name, bounds[name], self.least[name], self._kept(bounds[name], self.least[name])) for name in NAMES)

    @staticmethod
    def _kept(bound: float | None, least: float | None) -> bool | None:
        """Whether the bound can be kept beside the others; None where there is none, or where the others allow nothing."""
        return None if bound is None or least is None else least <= bound + TOLERANCE


@dataclass(frozen=True, slots=True)
class JointRecommendation:
    """A distribution for every class, such that together they are the prior.

    `value` is the mean of the minimized loss over people, `of_prior` what it is if every class has the distribution of the prior;
    `mismatch` is the largest difference between the mean of the classes over people and the prior.
    """

    values: tuple[str | None, ...]
    prior: tuple[float, ...]
    sizes: tuple[int, ...]
    bounds: Mapping[str, float]
    minimized: str
    classes: tuple[Point, ...]
    value: float
    of_prior: float
    mismatch: float
    kkt_residual: float
    starts: int
    seed: int

    @property
    def improvement(self) -> float:
        """By how much the mean loss is smaller than with the prior in every class."""
        return self.of_prior - self.value

    @property
    def heads(self) -> tuple[str, ...]:
        return ("class", "people", *NAMES)

    def rows(self) -> tuple[Row, ...]:
        """One row per class."""
        numbered = enumerate(zip(self.sizes, self.classes, strict=True), start=1)
        return tuple((number, size, *point.losses.values()) for number, (size, point) in numbered)


def points(given: Given, found: list[Optimum]) -> tuple[Point, ...]:
    """Optima as points."""
    return tuple(Point.of(given, each.x, each.losses) for each in found)


def named(losses: Floats) -> Mapping[str, float]:
    """Four losses by name."""
    return MappingProxyType({name: float(value) for name, value in zip(NAMES, losses, strict=True)})


def stated(bounds: Floats) -> Mapping[str, float]:
    """The bounds that there are, by parameter."""
    return MappingProxyType({name: float(bounds[place]) for place, name in enumerate(PARAMETERS) if np.isfinite(bounds[place])})
