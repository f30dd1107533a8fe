"""The models worked out from the rows with dictionaries and sets: the oracle of their contract. No codes of classes, no arrays."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from math import comb, dist, inf, log, log2, sqrt

from tests.contracts.model_world import GUARDS, UNDER, VALUES, World
from tests.strategies import Labels

Shares = dict[str | None, float]


@dataclass
class Plain:
    """A class: its people, people per sensitive value, the guards that occur, and where it stands in the unit cube."""

    size: int
    counts: Counter[str | None]
    guards: set[str | None]
    point: tuple[float, ...]
    population: int

    @property
    def shares(self) -> Shares:
        return {value: count / self.counts.total() for value, count in self.counts.items()}


def read(world: World, levels: tuple[int, ...]) -> tuple[list[Plain], Shares]:
    """The classes of a node and the prior."""
    table = world.table
    sizes, population = table.people(levels), world.population().people(levels)
    cells: set[tuple[Labels, str | None, int]] = set()
    whole: set[tuple[str | None, int]] = set()
    guards: dict[Labels, set[str | None]] = {}
    for number, (row, value, guard) in enumerate(zip(table.rows, world.values, world.guards, strict=True)):
        labels, label = table.labels(row, levels), None if value is None else VALUES[value]
        for time in range(row.times):
            person = row.owner if table.owned else 10 * number + time
            cells.add((labels, label, person))
            whole.add((label, person))
        guards.setdefault(labels, set()).add(None if guard is None else GUARDS[guard])
    prior = Counter(value for value, _ in whole)
    result = []
    for labels, size in sizes.items():
        counts = Counter(value for where, value, _ in cells if where == labels)
        result.append(Plain(size, counts, guards[labels], _point(world, labels, levels, list(sizes)), population[labels]))
    return result, {value: count / prior.total() for value, count in prior.items()}


def _point(world: World, labels: Labels, levels: tuple[int, ...], released: list[Labels]) -> tuple[float, ...]:
    """The middle of the leaves under each label, divided by the last place; a missing one, if released, has the place after them."""
    point = []
    for place, label in enumerate(labels):
        paths = world.table.paths[place]
        last = len(paths) if any(other[place] is None for other in released) else len(paths) - 1
        under = [leaf for leaf, path in enumerate(paths) if path[levels[place]] == label]
        point.append(sum(under) / len(under) / max(last, 1) if label is not None else 1.0)
    return tuple(point)


def entropy(shares: Shares) -> float:
    return -sum(share * log2(share) for share in shares.values() if share)


def distribution_loss(one: Plain, prior: Shares) -> float:
    return sqrt(sum((prior[value] - one.shares.get(value, 0)) ** 2 for value in prior))


def utility_distribution(shares: Shares) -> float:
    """The mean over people of the distance between their own value and the class's distribution."""
    return sum(
        share * sqrt(sum(((value == own) - other) ** 2 for value, other in shares.items())) for own, share in shares.items()
    )


def emd(one: Plain, prior: Shares, distance: str) -> float:
    """Equal: half the sum of differences; ordered: work along the line; hierarchical: what crosses each node of the tree."""
    held = [value for value in (*VALUES, None) if value in prior]
    gaps = {value: one.shares.get(value, 0) - prior[value] for value in held}
    if distance == "equal":
        return sum(map(abs, gaps.values())) / 2
    if distance == "ordered":
        listed = [*VALUES, *([None] if None in prior else [])]
        steps = [sum(gaps.get(value, 0) for value in listed[: place + 1]) for place in range(len(listed) - 1)]
        return sum(map(abs, steps)) / max(len(steps), 1)
    groups = [[value for value in held if value in UNDER[name]] for name in ("low", "high")] + [[None] * (None in held)]
    inside = [[gaps[value] for value in group] for group in groups]
    work = sum(_crossing(group) for group in inside) + 2 * _crossing([sum(group) for group in inside])
    return work / 2


def _crossing(extras: list[float]) -> float:
    return min(sum(extra for extra in extras if extra > 0), -sum(extra for extra in extras if extra < 0))


def gain(one: Plain, prior: Shares, beta: float | None = None) -> float:
    """The largest relative gain; with beta, as a share of min(beta, -ln of the prior)."""
    most = 0.0
    for value, before in prior.items():
        relative = max((one.shares.get(value, 0) - before) / before, 0)
        bound = 1.0 if beta is None else min(beta, -log(before))
        most = max(most, 0 if relative == 0 else relative / bound if bound else inf)
    return most


def log_ratio(one: Plain, prior: Shares) -> float:
    return max(abs(log(one.shares[value] / before)) if one.counts[value] else inf for value, before in prior.items())


def recursive(one: Plain, l: int) -> float:  # noqa: E741
    falling = sorted(one.counts.values(), reverse=True)
    return falling[0] / sum(falling[l - 1 :]) if sum(falling[l - 1 :]) else inf


def numbers(one: Plain) -> list[int]:
    """The numbers of a class, one per person."""
    return [int(value) for value, count in one.counts.items() if value is not None for _ in range(count)]


def crowding(one: Plain, epsilon: float, relative: bool) -> float:
    held = numbers(one)
    near = (sum(abs(other - own) <= epsilon * (abs(own) if relative else 1) for other in held) for own in held)
    return max(near, default=0) / one.counts.total()


def breach(one: Plain) -> float:
    """The largest share of the class's people under a node that somebody of it guards; counted value by value, everybody at most."""
    guarded = (min(sum(one.counts[value] for value in UNDER[guard]), one.size) for guard in one.guards if guard)
    return max(guarded, default=0) / one.size


def isolation(classes: list[Plain], c: float) -> int:
    """The fewest people in a ball around q of radius c |q - p|, over all pairs of classes."""
    if len(classes) == 1:
        return classes[0].size
    least = sum(one.size for one in classes)
    for one, other in combinations(classes, 2):
        for q, p in ((one, other), (other, one)):
            radius = c * dist(q.point, p.point) + 1e-9
            least = min(least, sum(one.size for one in classes if dist(one.point, q.point) <= radius))
    return least


def zayatz(classes: list[Plain], population: int) -> float:
    """Bayes over the class sizes of the sample, in whole numbers."""
    n, sizes = sum(one.size for one in classes), Counter(one.size for one in classes)
    if not sizes[1] or population == n:
        return sizes[1] / n
    weight = {j: j * comb(population - j, n - 1) * classes for j, classes in sizes.items()}
    return sizes[1] / n * weight[1] / sum(weight.values())
