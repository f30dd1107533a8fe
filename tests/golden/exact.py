"""The quantities of the sources straight from their definitions: exact fractions, and decimals of 50 digits for roots and logarithms.

Nothing here knows the package. Distributions are sequences of fractions; trees are one path per value, from its parent to the root.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from itertools import accumulate

DIGITS = Context(prec=50)
Distribution = Sequence[Fraction]


def shares(counts: Sequence[int]) -> list[Fraction]:
    """The distribution that counts describe."""
    return [Fraction(count, sum(counts)) for count in counts]


def decimal(value: Fraction) -> Decimal:
    return DIGITS.divide(Decimal(value.numerator), Decimal(value.denominator))


def root(value: Fraction) -> Decimal:
    return DIGITS.sqrt(decimal(value))


def log2(value: Fraction) -> Decimal:
    return DIGITS.divide(DIGITS.ln(decimal(value)), DIGITS.ln(Decimal(2)))


def entropy(x: Distribution) -> Decimal:
    """-sum x log2 x, in bits."""
    with localcontext(DIGITS):
        return abs(sum((decimal(share) * log2(share) for share in x if share), Decimal(0)))


def distribution_squared(a: Distribution, x: Distribution) -> Fraction:
    """The square of the distribution loss."""
    return sum(((p - q) ** 2 for p, q in zip(a, x, strict=True)), Fraction(0))


def entropy_loss(a: Distribution, x: Distribution) -> Decimal:
    return DIGITS.abs(DIGITS.subtract(entropy(a), entropy(x)))


def divergence(x: Distribution, a: Distribution) -> Decimal:
    """Kullback-Leibler divergence of x from a, in bits."""
    with localcontext(DIGITS):
        return sum((decimal(q) * log2(q / p) for p, q in zip(a, x, strict=True) if q), Decimal(0))


def cross_entropy(x: Distribution, a: Distribution) -> Decimal:
    """-sum x log2 a, in bits."""
    with localcontext(DIGITS):
        return -sum((decimal(q) * log2(p) for p, q in zip(a, x, strict=True) if q), Decimal(0))


def emd_equal(a: Distribution, x: Distribution) -> Fraction:
    return sum((abs(p - q) for p, q in zip(a, x, strict=True)), Fraction(0)) / 2


def emd_ordered(a: Distribution, x: Distribution) -> Fraction:
    """Values on a line, ends at distance 1: what crosses each of the m - 1 gaps."""
    if len(a) < 2:
        return Fraction(0)
    return sum(map(abs, accumulate(q - p for p, q in zip(a, x, strict=True))), Fraction(0)) / (len(a) - 1)


def emd_hierarchical(a: Distribution, x: Distribution, paths: Sequence[Sequence[str]]) -> Fraction:
    """Leaves whose lowest common ancestor has height h at distance h / H: a tree whose edges are 1 / 2H long.

    On a tree the distance is the sum over edges of their length times what crosses them, and that is the surplus below.
    """
    below: Counter[tuple[int, str]] = Counter()
    for leaf, (p, q, path) in enumerate(zip(a, x, paths, strict=True)):
        for level, node in enumerate((str(leaf), *path)):
            below[level, node] += q - p  # type: ignore[assignment]
    return sum(map(abs, below.values()), Fraction(0)) / (2 * len(paths[0]))


def utility_distribution(x: Distribution) -> Decimal:
    """The mean over people of the distance between their own value, as a one-hot distribution, and x."""
    with localcontext(DIGITS):
        return sum((decimal(share) * root(_distance_squared(x, own)) for own, share in enumerate(x)), Decimal(0))


def _distance_squared(x: Distribution, own: int) -> Fraction:
    return sum(((int(value == own) - share) ** 2 for value, share in enumerate(x)), Fraction(0))
