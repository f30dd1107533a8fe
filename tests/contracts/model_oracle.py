"""Every model with parameters, and the value and verdict that a plain reading gives it."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, isinf, log2
from typing import Any

from tests.contracts.model_plain import (
    Plain,
    Shares,
    breach,
    crowding,
    distribution_loss,
    emd,
    entropy,
    gain,
    isolation,
    log_ratio,
    numbers,
    read,
    recursive,
    utility_distribution,
    zayatz,
)
from tests.contracts.model_world import World

Levels = tuple[int, ...]
Answer = tuple[float | None, bool | None]


def at_least(value: float, bound: float) -> Answer:
    return value, value >= bound - 1e-9


def at_most(value: float, bound: float) -> Answer:
    return (None if isinf(value) else value), value <= bound + 1e-9


def top(one: Plain) -> float:
    """The people who have the most frequent value, as a share of the people."""
    return max(one.counts.values()) / one.size


def spread(one: Plain) -> int:
    return max(numbers(one), default=0) - min(numbers(one), default=0)


def entropy_loss(one: Plain, prior: Shares) -> float:
    return abs(entropy(prior) - entropy(one.shares))


def mean(classes: list[Plain], of: Callable[[Plain], float]) -> float:
    """Over people."""
    return sum(one.size * of(one) for one in classes) / sum(one.size for one in classes)


def presence(one: Plain) -> float:
    return min(one.size / one.population, 1) if one.population else 1.0


def ke(classes: list[Plain], k: int, e: float) -> Answer:
    return _first(at_least(min(spread(one) for one in classes), e), at_least(min(len(set(numbers(one))) for one in classes), k))


def _first(*answers: Answer) -> Answer:
    """What the first violated condition says, else the first."""
    return next((each for each in answers if not each[1]), answers[0])


def delta_presence(world: World, levels: Levels, low: float, high: float) -> Answer:
    result = [presence(one) for one in read(world, levels)[0]]
    if max(result) > high + 1e-9:
        return max(result), False
    everybody, kept = world.population().people(levels), world.table.people(levels)
    if low > 0 and set(everybody) - set(kept):
        return 0.0, False
    return (min(result), False) if min(result) < low - 1e-9 else (max(result), True)


def pair(one: float, other: float, bounds: tuple[float, float]) -> Answer:
    value = max(one / bounds[0], other / bounds[1])
    return value, one <= bounds[0] + 1e-9 and other <= bounds[1] + 1e-9


Oracle = Callable[[list[Plain], Shares], Answer]

# One or more settings of every model. Each takes the classes of a node and the prior.
ORACLES: dict[str, Oracle] = {
    "k-anonymity:2": lambda cs, a: at_least(min(c.size for c in cs), 2),
    "distinct-diversity:2": lambda cs, a: at_least(min(len(c.counts) for c in cs), 2),
    "probabilistic-diversity:2": lambda cs, a: at_most(max(map(top, cs)), 1 / 2),
    "entropy-diversity:2": lambda cs, a: at_least(min(entropy(c.shares) for c in cs), log2(2)),
    "recursive-diversity:2,2": lambda cs, a: _strict(max(recursive(c, 2) for c in cs), 2),
    "recursive-diversity:1.5,3": lambda cs, a: _strict(max(recursive(c, 3) for c in cs), 1.5),
    "t-closeness:0.3": lambda cs, a: at_most(max(emd(c, a, "hierarchical") for c in cs), 0.3),
    "t-closeness:0.3,equal": lambda cs, a: at_most(max(emd(c, a, "equal") for c in cs), 0.3),
    "t-closeness:0.3,ordered": lambda cs, a: at_most(max(emd(c, a, "ordered") for c in cs), 0.3),
    "distribution-loss:0.4": lambda cs, a: at_most(max(distribution_loss(c, a) for c in cs), 0.4),
    "distribution-loss:0.3,total": lambda cs, a: at_most(mean(cs, lambda c: distribution_loss(c, a)), 0.3),
    "entropy-loss:0.5": lambda cs, a: at_most(max(entropy_loss(c, a) for c in cs), 0.5),
    "entropy-loss:0.5,total": lambda cs, a: at_most(mean(cs, lambda c: entropy_loss(c, a)), 0.5),
    "privacy-loss:0.4,0.8": lambda cs, a: pair(
        max(distribution_loss(c, a) for c in cs), max(entropy_loss(c, a) for c in cs), (0.4, 0.8)
    ),
    "utility-distribution-loss:0.7": lambda cs, a: at_most(max(utility_distribution(c.shares) for c in cs), 0.7),
    "utility-entropy-loss:1": lambda cs, a: at_most(max(entropy(c.shares) for c in cs), 1),
    "utility-entropy-loss:0.6,total": lambda cs, a: at_most(mean(cs, lambda c: entropy(c.shares)), 0.6),
    "utility-loss:1.2,0.7": lambda cs, a: pair(
        max(entropy(c.shares) for c in cs), max(utility_distribution(c.shares) for c in cs), (1.2, 0.7)
    ),
    "map-error:0.3": lambda cs, a: at_least(min(1 - max(c.shares.values()) for c in cs), 0.3),
    "map-error:0.3,total": lambda cs, a: at_least(mean(cs, lambda c: 1 - max(c.shares.values())), 0.3),
    "alpha-k-anonymity:0.6,2": lambda cs, a: _first(at_most(max(map(top, cs)), 0.6), at_least(min(c.size for c in cs), 2)),
    "confidence-bounding:0.5": lambda cs, a: at_most(max(map(top, cs)), 0.5),
    "confidence-bounding:0.3,2;9": lambda cs, a: at_most(max(c.counts[v] / c.size for c in cs for v in ("2", "9")), 0.3),
    "xy-privacy:2": lambda cs, a: at_least(min(len(c.counts) for c in cs), 2),
    "xy-privacy:2,0.6": lambda cs, a: _first(at_least(min(len(c.counts) for c in cs), 2), at_most(max(map(top, cs)), 0.6)),
    "ke-anonymity:2,3": lambda cs, a: ke(cs, 2, 3),
    "em-anonymity:3,2": lambda cs, a: at_most(max(crowding(c, 3, False) for c in cs), 1 / 2),
    "em-anonymity:0.6,2,relative": lambda cs, a: at_most(max(crowding(c, 0.6, True) for c in cs), 1 / 2),
    "personalized-privacy:0.5,guard": lambda cs, a: at_most(max(map(breach, cs)), 0.5),
    "ct-isolation:1.5,4": lambda cs, a: at_least(isolation(cs, 1.5), 4),
    "ct-isolation:0.5,2": lambda cs, a: at_least(isolation(cs, 0.5), 2),
    "beta-likeness:1": lambda cs, a: at_most(max(gain(c, a) for c in cs), 1),
    "beta-likeness:2,enhanced": lambda cs, a: at_most(max(gain(c, a, 2) for c in cs), 1),
    "delta-disclosure:1": lambda cs, a: at_most(max(log_ratio(c, a) for c in cs), 1),
    "k-map:3": lambda cs, a: at_least(min(c.population for c in cs), 3),
    "average-risk:0.4": lambda cs, a: at_most(len(cs) / sum(c.size for c in cs), 0.4),
    "population-uniqueness:0.1,zayatz": lambda cs, a: at_most(zayatz(cs, 3 * sum(c.size for c in cs)), 0.1),
}
# These need to know more than classes and prior.
OTHERS = (
    "multirelational-k-anonymity:2",
    "delta-presence:0.3,0.8",
    "delta-presence:0,0.7",
    "population-uniqueness:0.1",
    "population-uniqueness:0.1,snb",
)


def _strict(value: float, bound: float) -> Answer:
    return (None if value == inf else value), value < bound - 1e-9


def answer(model: str, world: World, levels: Levels) -> Answer:
    """The value and the verdict."""
    if model.startswith("delta-presence"):
        low, high = (float(part) for part in model.split(":")[1].split(","))
        return delta_presence(world, levels, low, high)
    classes, prior = read(world, levels)
    if model.startswith("multirelational"):
        return at_least(min(c.size for c in classes), 2) if world.table.owned else (None, None)
    return ORACLES[model](classes, prior)


def close(value: Any, expected: float | None) -> bool:
    return value is None if expected is None else value is not None and abs(value - expected) <= 1e-9 * max(1, abs(expected))
