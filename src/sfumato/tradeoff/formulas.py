"""The four losses as functions of one distribution, and their exact gradients.

The columns are always those of NAMES. The entropy loss has no gradient where the entropies agree, so a descent works with the
signed difference of the entropies and stays on one side of the prior.
"""

from __future__ import annotations

import numpy as np

from sfumato.statistics import Floats, entropy_of, utility_distribution_of

PRIVACY = ("distribution", "entropy")
UTILITY = ("utility-distribution", "utility-entropy")
NAMES = (*PRIVACY, *UTILITY)
# The parameter that bounds each loss (thesis, definitions 7, 10, 18 and 14).
PARAMETERS = ("epsilon", "alpha", "delta", "gamma")
DISTRIBUTION, ENTROPY, UTILITY_DISTRIBUTION, UTILITY_ENTROPY = range(4)

# The slope of the entropy is infinite where a share is zero; a share below this counts as that much.
_FLOOR = 1e-13
_LN2 = float(np.log(2))


def losses_of(points: Floats, prior: Floats) -> Floats:
    """The four losses of distributions along the last axis."""
    entropies = entropy_of(points)
    distances = np.sqrt(((points - prior) ** 2).sum(axis=-1))
    columns = (distances, np.abs(entropies - entropy_of(prior)), utility_distribution_of(points), entropies)
    return np.stack(columns, axis=-1)


def largest(prior: Floats) -> Floats:
    """The largest value that each loss takes on the simplex.

    The distances are largest at the vertex of the rarest value, the entropy loss at a vertex or at the uniform distribution, and the
    utility losses there: sum_i x_i sqrt(1 - 2 x_i + S) <= sqrt(1 - S) since the root is concave, where S = sum_j x_j^2 >= 1 / m.
    """
    values, entropy = len(prior), float(entropy_of(prior))
    farthest = np.sqrt(max(1 - 2 * prior.min() + (prior**2).sum(), 0.0)) if values > 1 else 0.0
    widest = float(np.log2(values))
    return np.array([farthest, max(entropy, widest - entropy), np.sqrt(1 - 1 / values), widest])


def signed(x: Floats, prior: Floats, entropy: float) -> tuple[Floats, Floats]:
    """The losses of one distribution, with H(x) - H(a) in the place of the entropy loss, and the gradient of each as a row."""
    utility, slope = utility_distribution(x)
    shift = x - prior
    distance = float(np.sqrt(shift @ shift))
    bits, rise = _entropy(x)
    values = np.array([distance, bits - entropy, utility, bits])
    return values, np.stack([shift / max(distance, 1e-300), rise, slope, rise])


def utility_distribution(x: Floats) -> tuple[float, Floats]:
    """sum_i x_i r_i, r_i = sqrt((1 - x_i)^2 + sum_{j != i} x_j^2), and its gradient r_k - x_k / r_k + x_k sum_i x_i / r_i.

    Near a vertex the root of the largest share vanishes. Its part of the gradient stays bounded and is computed without dividing one
    by it: -(1 - x_t) x_t / r_t for the largest share itself and x_k x_t / r_t for the others.
    """
    top = int(x.argmax())
    others = x.copy()
    others[top] = 0.0
    rest = float(others @ others)
    roots = np.sqrt((1 - x) ** 2 + rest - others**2 + x[top] ** 2)
    roots[top] = np.sqrt((1 - x[top]) ** 2 + rest)
    weight = x[top] / roots[top] if roots[top] > 0 else 0.0
    ratios = np.divide(others, roots, out=np.zeros_like(x), where=others > 0)
    slope = roots - ratios + x * ratios.sum() + others * weight
    slope[top] -= (1 - x[top]) * weight
    return float(x @ roots), slope


def _entropy(x: Floats) -> tuple[float, Floats]:
    logs = np.log2(np.maximum(x, _FLOOR))
    return float(-(x @ logs)), -(logs + 1 / _LN2)
