"""One problem: the least weighted sum of losses over the distributions that keep some bounds.

The rule: the prior's shares fall, and so may those of every answer. The utility losses and the entropies do not change when shares
are permuted, and the distance from the prior is least for the permutation that falls like it (the rearrangement inequality); so a
problem that no falling distribution solves has no solution, and the best falling one is the best of all.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from sfumato.statistics import Floats, entropy_of
from sfumato.tradeoff.formulas import DISTRIBUTION, ENTROPY, TOLERANCE, losses_of

# Regions smaller than this are searched as if they were this large: below it the tolerance decides.
_SMALLEST = 1e-7


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """Minimize `weights @ losses` where `losses <= bounds`; the prior falls and has no zeros."""

    prior: Floats
    weights: Floats
    bounds: Floats

    @property
    def entropy(self) -> float:
        """That of the prior."""
        return float(entropy_of(self.prior))

    @property
    def scale(self) -> float:
        """How large the region can be: all bounds but the one on the entropy loss keep it near the prior or near a vertex."""
        near = np.delete(self.bounds, ENTROPY).min()
        return float(np.clip(near, _SMALLEST, 1.0))

    @property
    def sides(self) -> tuple[int, ...]:
        """On which sides of the prior's entropy to descend: 0 is both at once, which the entropy loss as an objective forbids."""
        return (1, -1) if self.weights[ENTROPY] else (0,)

    def bounded(self, loss: int, bound: float) -> Problem:
        """With a further bound, or a narrower one."""
        bounds = self.bounds.copy()
        bounds[loss] = min(bounds[loss], bound)
        return replace(self, bounds=bounds)

    def without(self, loss: int) -> Problem:
        """Minimize a loss instead of bounding it."""
        bounds = self.bounds.copy()
        bounds[loss] = np.inf
        return replace(self, bounds=bounds, weights=np.eye(4)[loss])

    def losses(self, points: Floats) -> Floats:
        """The four losses of distributions."""
        return losses_of(points, self.prior)

    def excess(self, losses: Floats) -> Floats:
        """By how much the worst bound is passed; 0 if none is."""
        return np.asarray(np.maximum(losses - self.bounds, 0).max(axis=-1))

    def allows(self, losses: Floats) -> bool:
        """Whether one distribution keeps all bounds, within the tolerance."""
        return bool(self.excess(losses) <= TOLERANCE)

    def only_prior(self) -> bool:
        """Whether the bounds leave nothing but the prior, within the tolerance."""
        return bool(self.bounds[DISTRIBUTION] <= TOLERANCE)


def tidy(x: Floats) -> Floats:
    """A distribution again, after rounding: no share below zero, all of them falling, their sum one."""
    kept = -np.sort(-np.where(x > 0, x, 0.0))
    return np.asarray(kept / kept.sum())
