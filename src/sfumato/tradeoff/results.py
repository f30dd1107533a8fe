"""The answers of the trade-off: frozen values with their rows for tables. Shares are in the order of the prior's values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from sfumato.statistics import TOLERANCE, Floats
from sfumato.tradeoff.formulas import NAMES, PARAMETERS
from sfumato.tradeoff.given import Given
from sfumato.tradeoff.solver import Optimum

Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A distribution over the values of the prior, and its four losses by name."""

    shares: tuple[float, ...]
    losses: Mapping[str, float]

    @classmethod
    def of(cls, given: Given, x: Floats, losses: Floats) -> Candidate:
        return cls(given.expand(x), losses_by_name(losses))


@dataclass(frozen=True, slots=True)
class Recommendation:
    """The Pareto set of the two minimized losses, and the candidate of it that the weights choose.

    The weights apply to the losses divided by `scales`, the largest value of each for this prior. So they mean the same under all
    bounds, and looser bounds never give a larger weighted sum, `value`.
    """

    values: tuple[str | None, ...]
    prior: tuple[float, ...]
    bounds: Mapping[str, float]
    minimized: tuple[str, str]
    weights: tuple[float, float]
    scales: tuple[float, float]
    pareto: tuple[Candidate, ...]
    chosen: Candidate
    value: float
    kkt_residual: float
    starts: int
    seed: int

    @property
    def heads(self) -> tuple[str, ...]:
        return ("chosen", *NAMES)

    def rows(self) -> tuple[Row, ...]:
        """One row per candidate of the Pareto set."""
        return tuple((candidate == self.chosen, *candidate.losses.values()) for candidate in self.pareto)

    def shares(self) -> tuple[Row, ...]:
        """One row per value: its label, its share in the prior, and the recommended one."""
        return tuple(zip(self.values, self.prior, self.chosen.shares, strict=True))


@dataclass(frozen=True, slots=True)
class Region:
    """The distributions that keep all bounds: a sample of them, the ends, and the Pareto-optimal ones.

    `least` is the least value of each loss under the bounds on the other losses, None where no distribution keeps those. If the region
    is empty, one bound must be raised at least to this value while the others stay as they are.
    """

    values: tuple[str | None, ...]
    prior: tuple[float, ...]
    bounds: Mapping[str, float]
    feasible: bool
    least: Mapping[str, float | None]
    pareto: tuple[Candidate, ...]
    sample: tuple[Candidate, ...]
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
        """Whether the bound can be kept along with the others; None if there is no bound, or if no distribution keeps the others."""
        return None if bound is None or least is None else least <= bound + TOLERANCE


@dataclass(frozen=True, slots=True)
class JointRecommendation:
    """A distribution for every class; together the classes have the distribution of the prior.

    `value` is the mean of the minimized loss over people, `of_prior` the same if every class has the distribution of the prior.
    `mismatch` is the largest difference between the prior and the mean of the classes over people.
    """

    values: tuple[str | None, ...]
    prior: tuple[float, ...]
    sizes: tuple[int, ...]
    bounds: Mapping[str, float]
    minimized: str
    classes: tuple[Candidate, ...]
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
        return tuple((number, size, *candidate.losses.values()) for number, (size, candidate) in numbered)


def candidates(given: Given, optima: list[Optimum]) -> tuple[Candidate, ...]:
    """Optima as candidates."""
    return tuple(Candidate.of(given, each.x, each.losses) for each in optima)


def losses_by_name(losses: Floats) -> Mapping[str, float]:
    """Four losses by name."""
    return MappingProxyType({name: float(value) for name, value in zip(NAMES, losses, strict=True)})


def bounds_by_name(bounds: Floats) -> Mapping[str, float]:
    """The finite bounds by the name of their parameter."""
    return MappingProxyType({name: float(bounds[place]) for place, name in enumerate(PARAMETERS) if np.isfinite(bounds[place])})
