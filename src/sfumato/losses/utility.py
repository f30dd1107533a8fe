"""Utility losses: how much of each person's own sensitive value the class blurs."""

from __future__ import annotations

import numpy as np

from sfumato.statistics import ClassStatistics, Floats, entropy_of, utility_distribution_of


def distribution(statistics: ClassStatistics) -> Floats:
    """Mean distance between a person's own value (as a one-hot distribution) and the class's distribution."""
    return statistics.column("utility_distribution")


def entropy(statistics: ClassStatistics) -> Floats:
    """Entropy of the class."""
    return statistics.column("entropy")


def map_error(statistics: ClassStatistics) -> Floats:
    """How often the best guess of a person's value is wrong: 1 less the share of the most frequent value."""
    return np.asarray(1 - statistics.column("largest"), np.float64)


def map_error_of_prior(statistics: ClassStatistics) -> float:
    """The loss of one class of everybody."""
    return float(1 - _prior_of_all(statistics).max())


def distribution_of_prior(statistics: ClassStatistics) -> float:
    """The loss of one class of everybody."""
    return float(utility_distribution_of(_prior_of_all(statistics)))


def entropy_of_prior(statistics: ClassStatistics) -> float:
    """The loss of one class of everybody."""
    return float(entropy_of(_prior_of_all(statistics)))


def _prior_of_all(statistics: ClassStatistics) -> Floats:
    """The prior of everybody; if each class has its own prior, their mean over people."""
    if len(statistics.prior) == 1:
        return np.asarray(statistics.prior[0], np.float64)
    return np.asarray((statistics.prior * statistics.sizes[:, None]).sum(axis=0) / statistics.sizes.sum(), np.float64)
