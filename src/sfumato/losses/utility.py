"""Utility losses: how much of each person's own sensitive value the class blurs."""

from __future__ import annotations

import numpy as np

from sfumato.statistics import ClassStatistics, Floats, entropy_of


def distribution(statistics: ClassStatistics) -> Floats:
    """Mean distance between a person's own value (as a one-hot distribution) and the class's distribution."""
    return statistics.column("utility_distribution")


def entropy(statistics: ClassStatistics) -> Floats:
    """Entropy of the class."""
    return statistics.column("entropy")


def distribution_of_prior(statistics: ClassStatistics) -> float:
    """The loss of one class of everybody."""
    a = statistics.prior.mean(axis=0)
    return float((a * np.sqrt(np.maximum(1 - 2 * a + (a**2).sum(), 0))).sum())


def entropy_of_prior(statistics: ClassStatistics) -> float:
    """The loss of one class of everybody."""
    return float(entropy_of(statistics.prior.mean(axis=0)))
