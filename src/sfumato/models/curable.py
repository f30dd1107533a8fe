"""How many people of a class can be in parts that satisfy a condition, however the class is split: what a search prunes on.

The people who stay within the condition are a share s of the class. Their distribution z satisfies the condition too where the
distributions that do form a convex set, because z is a mean of them; and nobody is taken who is not there: s z <= x, value by value.
So s is at most the largest share for which such a z exists (docs/why-pruning.md). All functions look at cells alone: what they cost
follows the values that a class has, not those that the attribute has. They never answer less than the truth.

Zero is answered only where no distribution at all over the values that a class has satisfies the condition. As no part has other values,
this is also true where people have several rows and shares of parts do not add up.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sfumato.frequency import Counts, Mask
from sfumato.statistics import TOLERANCE, ClassStatistics, Floats

Curable = Callable[[Mask], Floats]
_SLACK = 2 * TOLERANCE  # a condition that is met within the tolerance is met
_APART = 1e-4  # denominators below are not trusted: nothing is concluded from them
_HALVINGS = 14
_SOMEBODY = 1e-12  # the least that is answered where zero is not proven


def within_caps(statistics: ClassStatistics, caps: Floats) -> Curable:
    """No share x_j of a class may be above caps[j]."""
    if len(statistics.prior) > 1:
        return _unknown

    def curable(marked: Mask) -> Floats:
        some = statistics.only(marked)
        return _largest(_class_of(some), _shares(some), (caps * (1 + _SLACK) + _SLACK)[some.values], 1.0, some.classes)

    return curable


def between(statistics: ClassStatistics, low: Floats, high: Floats) -> Curable:
    """No share x_j may be above high[j] or below low[j]."""
    if len(statistics.prior) > 1:
        return _unknown
    above = within_caps(statistics, high)

    def curable(marked: Mask) -> Floats:
        some = statistics.only(marked)
        needed = (low * (1 - _SLACK))[some.values]
        room = np.divide(_shares(some), needed, out=np.ones(len(needed)), where=needed > 0)
        least = np.minimum.reduceat(room, some.offsets[:-1])
        has = np.add.reduceat((needed > 0).astype(np.int64), some.offsets[:-1])
        return np.minimum(np.where(has == np.count_nonzero(low), least, 0.0), above(marked))

    return curable


def near_equal(statistics: ClassStatistics, t: float) -> Curable:
    """The earth mover's distance from the prior is at most t, all values equally far: what lacks adds up to the distance."""
    if len(statistics.prior) > 1:
        return _unknown

    def curable(marked: Mask) -> Floats:
        some = statistics.only(marked)
        return _largest(_class_of(some), _shares(some), some.prior[0][some.values], 1 - t - _SLACK, some.classes)

    return curable


def near_hierarchical(statistics: ClassStatistics, t: float) -> Curable:
    """The same up and down the tree: the distance is the mean over its levels below the root of what lacks there."""
    if len(statistics.prior) > 1:
        return _unknown
    tree = statistics.domain.tree

    def curable(marked: Mask) -> Floats:
        some = statistics.only(marked)
        class_of, people, nodes = _class_of(some), some.people, some.values.astype(np.int64)
        items = [(class_of, _shares(some), some.prior[0][nodes])]
        for level in tree[:-1]:
            count = int(level.max(initial=0)) + 1
            weights = np.bincount(level, weights=some.prior[0], minlength=count)
            keys, group = np.unique(class_of * count + level[nodes], return_inverse=True)
            held = np.bincount(group, weights=people, minlength=len(keys))
            items.append((keys // count, held / _mass(some)[keys // count], weights[keys % count]))
        joined = [np.concatenate(column) for column in zip(*items, strict=True)]
        return _largest(joined[0], joined[1], joined[2], len(tree) * (1 - t) - _SLACK * len(tree), some.classes)

    return curable


def near_ordered(statistics: ClassStatistics, t: float) -> Curable:
    """The same along the order. Between two values that a class has, its running share is one number, and that of the prior at its mean
    lacks no more than the prior itself; and the distance lies above its tangent."""
    if len(statistics.prior) > 1 or statistics.domain.size < 2:
        return _unknown
    steps, running = statistics.domain.along(), np.cumsum(statistics.prior[0])[:-1]
    way = np.concatenate(([0.0], np.cumsum(steps)))
    area = np.concatenate(([0.0], np.cumsum(running * steps)))

    def curable(marked: Mask) -> Floats:
        some = statistics.only(marked)
        class_of, below, starts, ends = _gaps(some)
        wide, mean = way[ends] - way[starts], area[ends] - area[starts]
        x = np.concatenate((wide * below, wide * (1 - below)))
        caps = np.concatenate((mean, wide - mean))
        lacking = _largest(np.concatenate((class_of, class_of)), x, caps, way[-1] - t - _SLACK, some.classes)
        passed = np.clip(np.searchsorted(running, below), starts, ends)
        signed = (2 * way[passed] - way[starts] - way[ends])[some.classes :]
        far = statistics.column("emd_ordered")[marked]
        return np.minimum(lacking, by_tangent(far - t, far - t + _rise(some, signed)))

    return curable


def _rise(some: ClassStatistics, signed: Floats) -> Floats:
    """How far the tangent of the distance along the order rises above the class itself: where all have the value with the largest slope,
    the sum of the signs of all differences from it on."""
    starts, owner = some.offsets[:-1], _class_of(some)
    slope = np.add.reduceat(signed, starts)[owner] - _running(signed, starts, owner) + signed
    order = np.argsort(owner * some.domain.size + some.values)
    return np.maximum.reduceat(slope, starts) - np.add.reduceat(slope * _shares(some)[order], starts)


def _gaps(some: ClassStatistics) -> tuple[Counts, Floats, Counts, Counts]:
    """The stretches of the order without a value of the class: whose they are, the share below, the first and the last place."""
    size = some.domain.size
    owner = _class_of(some)
    order = np.argsort(owner * size + some.values)
    values = some.values[order].astype(np.int64)
    running = np.concatenate(([0], np.cumsum(some.people[order])))
    below = (running[1:] - running[some.offsets[:-1]][owner]) / _mass(some)[owner]
    ends = np.append(values[1:], size - 1)
    ends[some.offsets[1:] - 1] = size - 1
    first = values[some.offsets[:-1]]
    each = np.arange(some.classes)
    return (
        np.concatenate((each, owner)),
        np.concatenate((np.zeros(some.classes), below)),
        np.concatenate((np.zeros(some.classes, np.int64), values)),
        np.concatenate((first, ends)),
    )


def near_euclidean(statistics: ClassStatistics, most: float) -> Curable:
    """The Euclidean distance from the prior is at most so much: what lacks is far away, and so is what there is too much of, however
    evenly it is spread; and the distance lies above its tangent at the class's own shares."""
    if len(statistics.prior) > 1:
        return _unknown

    def curable(marked: Mask) -> Floats:
        some = statistics.only(marked)
        return np.minimum(_by_lacking(some, most), _by_tangent(some, most))

    return curable


def _by_lacking(some: ClassStatistics, most: float) -> Floats:
    prior, starts, owner = some.prior[0], some.offsets[:-1], _class_of(some)
    x, a = _shares(some), prior[some.values]
    absent = np.maximum(prior.sum() - np.add.reduceat(a, starts), 0)
    squares = np.maximum((prior**2).sum() - np.add.reduceat(a**2, starts), 0)
    low, high = np.zeros(some.classes), np.ones(some.classes)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        kept = x / middle[owner]
        lacks = np.maximum(a - kept, 0)
        missing = absent + np.add.reduceat(lacks, starts)
        room = np.maximum(np.add.reduceat((kept > a).astype(np.int64), starts), 1)
        far = squares + np.add.reduceat(lacks**2, starts) + missing**2 / room > (most + _SLACK) ** 2 + _SLACK
        low, high = np.where(far, low, middle), np.where(far, middle, high)
    nearest = squares + absent**2 / np.diff(some.offsets)  # of all distributions over the values that a class has
    return np.where(nearest > (most + _SLACK) ** 2 + _SLACK, 0.0, high)


def _by_tangent(some: ClassStatistics, most: float) -> Floats:
    prior, starts, owner = some.prior[0], some.offsets[:-1], _class_of(some)
    x, a = _shares(some), prior[some.values]
    rest = np.maximum((prior**2).sum() - np.add.reduceat(a**2, starts), 0)
    norm = np.sqrt(np.add.reduceat((x - a) ** 2, starts) + rest)
    trusted = norm > _APART
    slope = (x - a) / np.where(trusted, norm, 1.0)[owner]
    highest = np.maximum.reduceat(slope, starts) + norm - np.add.reduceat(slope * x, starts)
    return by_tangent(np.where(trusted, norm - most, 0.0), highest - most)


def mixed(statistics: ClassStatistics, least: float) -> Curable:
    """The entropy is at least so much. It is concave: its negative is convex, with the tangent sum_i y_i log2 x_i, highest at the top
    value."""

    def curable(marked: Mask) -> Floats:
        highest = np.log2((statistics.column("top") / statistics.column("mass"))[marked])
        return by_tangent(least - statistics.column("entropy")[marked], highest + least)

    return with_distinct(statistics, 2 ** (least - _SLACK), curable)


def with_distinct(statistics: ClassStatistics, least: float, curable: Curable) -> Curable:
    """The same for a condition that no class with fewer distinct values satisfies."""
    return lambda marked: np.where(statistics.column("distinct")[marked] < least, 0.0, curable(marked))


def by_tangent(excess: Floats, peak: Floats) -> Floats:
    """A convex function f of the shares must not exceed a threshold; it does by `excess`, and its tangent by no more than `peak`
    anywhere: (1 - s) peak >= excess."""
    known = np.isfinite(peak) & (peak > _APART)
    share = np.divide(excess - _SLACK, peak, out=np.zeros(len(excess)), where=known)
    return np.asarray(1 - np.clip(share, 0, 1 - _SOMEBODY), np.float64)


def _largest(class_of: Counts, x: Floats, caps: Floats, needed: float, classes: int) -> Floats:
    """Per class the largest s up to 1 with sum_j min(x_j, s caps_j) >= s needed.

    For every set J of items the sum is at most that of x over J and of s caps over the others; so s is at most
    sum_J x / (needed - sum of the other caps) where that is positive, and sets of the least x_j / caps_j decide.
    """
    total = np.bincount(class_of, weights=caps, minlength=classes)
    some = np.flatnonzero(needed - total <= _APART)
    largest = np.zeros(classes)
    if not len(some):
        return largest
    number = np.full(classes, -1)
    number[some] = np.arange(len(some))
    chosen = number[class_of] >= 0
    owner, x, caps = number[class_of[chosen]], x[chosen], caps[chosen]
    ratio = x / np.maximum(x + caps, 1e-300)  # between 0 and 1, in the order of x / caps
    order = np.argsort(owner + 0.5 * ratio)
    starts = np.concatenate(([0], np.cumsum(np.bincount(owner, minlength=len(some)))[:-1]))
    owner = owner[order]
    taken = np.maximum(_running(x[order], starts, owner), _SOMEBODY * (x[order] > 0))
    covered = _running(caps[order], starts, owner)
    lack = needed - (total[some][owner] - covered)
    share = np.divide(taken, lack, out=np.ones(len(lack)), where=lack > _APART)
    largest[some] = np.clip(np.minimum.reduceat(share, starts), 0, 1)
    return largest


def _running(terms: Floats, starts: Counts, owner: Counts) -> Floats:
    """Sums up to each item, class by class."""
    running = np.cumsum(terms)
    return np.asarray(running - (running[starts] - terms[starts])[owner], np.float64)


def _class_of(some: ClassStatistics) -> Counts:
    return np.repeat(np.arange(some.classes), np.diff(some.offsets))


def _shares(some: ClassStatistics) -> Floats:
    return np.asarray(some.people / _mass(some)[_class_of(some)], np.float64)


def _mass(some: ClassStatistics) -> Counts:
    return np.add.reduceat(some.people, some.offsets[:-1])


def _unknown(marked: Mask) -> Floats:
    """Where every class has its own prior, nothing is known of a split."""
    return np.ones(int(np.count_nonzero(marked)))
