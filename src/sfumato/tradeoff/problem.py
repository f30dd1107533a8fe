"""The problem of one class: the least weighted sum of losses over the distributions that keep some bounds.

The rule: the shares of the prior descend, and so do those of every answer. The utility losses and the entropies do not change when
shares are permuted, and the distance from the prior is least for the permutation that descends like it (the rearrangement inequality).
So a problem that no descending distribution solves has no solution, and the best descending one is the best of all.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from sfumato.statistics import TOLERANCE, Floats, entropy_of
from sfumato.tradeoff.formulas import DISTRIBUTION, ENTROPY, losses_of

# Smaller regions are searched as if they were this large: below it the tolerance decides.
_SMALLEST = 1e-7


@dataclass(frozen=True, slots=True, eq=False)
class ClassProblem:
    """Minimize `weights @ losses` where `losses <= bounds`; the prior descends and has no zeros."""

    prior: Floats
    weights: Floats
    bounds: Floats

    @property
    def entropy(self) -> float:
        """The entropy of the prior."""
        return float(entropy_of(self.prior))

    @property
    def scale(self) -> float:
        """How large the region can be: each bound except that on the entropy loss keeps it near the prior or near a vertex."""
        near = np.delete(self.bounds, ENTROPY).min()
        return float(np.clip(near, _SMALLEST, 1.0))

    @property
    def sides(self) -> tuple[int, ...]:
        """The sides of the prior's entropy to descend on; 0 is both at once, which is not possible where the entropy loss is minimized."""
        return (1, -1) if self.weights[ENTROPY] else (0,)

    def bounded(self, loss: int, bound: float) -> ClassProblem:
        """The problem with an additional or a narrower bound."""
        bounds = self.bounds.copy()
        bounds[loss] = min(bounds[loss], bound)
        return replace(self, bounds=bounds)

    def without(self, loss: int) -> ClassProblem:
        """The problem that minimizes a loss instead of bounding it."""
        bounds = self.bounds.copy()
        bounds[loss] = np.inf
        return replace(self, bounds=bounds, weights=np.eye(4)[loss])

    def losses(self, points: Floats) -> Floats:
        """The four losses of distributions."""
        return losses_of(points, self.prior)

    def excess(self, losses: Floats) -> Floats:
        """By how much the worst bound is exceeded; 0 if none is."""
        return np.asarray(np.maximum(losses - self.bounds, 0).max(axis=-1))

    def allows(self, losses: Floats) -> bool:
        """Whether one distribution keeps all bounds, within the tolerance."""
        return bool(self.excess(losses) <= TOLERANCE)

    def only_prior(self) -> bool:
        """Whether the bounds leave only the prior, within the tolerance."""
        return bool(self.bounds[DISTRIBUTION] <= TOLERANCE)


def tidy(x: Floats) -> Floats:
    """Make rounded shares a distribution again: none below zero, in descending order, their sum one."""
    shares = -np.sort(-np.where(x > 0, x, 0.0))
    return np.asarray(shares / shares.sum())
