"""Privacy losses: what the posterior of a class reveals beyond the prior. Zero is perfect privacy."""

from __future__ import annotations

import numpy as np

from sfumato.statistics import ClassStatistics, Floats


def distribution(statistics: ClassStatistics) -> Floats:
    """Euclidean distance of posterior and prior; deliberately not divided by the number of values (thesis, 3.3.1)."""
    return statistics.column("distribution")


def entropy(statistics: ClassStatistics) -> Floats:
    """Difference of the entropies. A pseudo-metric: a permutation of the prior has loss 0."""
    return np.asarray(np.abs(statistics.column("prior_entropy") - statistics.column("entropy")), np.float64)
