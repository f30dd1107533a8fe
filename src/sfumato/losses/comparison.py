"""Do two losses measure the same? Metrics compared along a path, and the independence of a loss from the others.

Along the path of the leakage paper's Fig. 1 the posterior moves from the prior to a permutation of it: every metric is shown as a share
of its maximum, and ranks are correlated. A loss that ranks releases like another one adds nothing; the entropy loss ranks differently.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.losses.base import LOSSES, ClassLoss, loss_named
from sfumato.statistics import ClassStatistics, Domain, Floats, Held
from sfumato.upward import above

METRICS = ("distribution", "entropy", "l1", "kl", "js", "hellinger", "chi2", "emd")
# People per class: enough that their shares are precise enough for a chart.
_PEOPLE = 1_000_000
PRIOR = (0.4, 0.3, 0.15, 0.1, 0.05)


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """`shares[i, j]`: metric j at step i of the path as a share of its maximum; `correlation`: of the metrics' ranks along it."""

    metrics: tuple[str, ...]
    path: Floats
    shares: Floats
    correlation: Floats

    def plot(self) -> Any:
        """The metrics along the path, and the correlation of their ranks: an altair chart. Needs the extra `report`."""
        return above("Comparison.plot")(self)


def compare_metrics(prior: Sequence[float] = PRIOR, *, steps: int = 101, metrics: Sequence[str] = METRICS) -> Comparison:
    """Compare metrics while the posterior moves from the prior to its reverse.

    Parameters
    ----------
    prior : list of float
        The shares of the values.
    steps : int
        The points of the path.
    metrics : list of str
        The losses to compare.

    Returns
    -------
    Comparison
        The metrics along the path, and the correlation of their ranks.
    """
    a = np.asarray(prior, np.float64) / np.sum(prior)
    path = np.linspace(0, 1, steps)
    posteriors = (1 - path)[:, None] * a + path[:, None] * a[::-1]
    statistics = _statistics(a, posteriors)
    values = np.stack([loss_named(name).of(statistics) for name in metrics], axis=1)
    largest = values.max(axis=0)
    shares = np.divide(values, largest, out=np.zeros_like(values), where=largest > 0)
    return Comparison(tuple(metrics), path, shares, rank_correlation(values))


@dataclass(frozen=True, slots=True)
class Independence:
    """How the ranks of a loss correlate with those of the others over random classes; `nearest` has the strongest correlation."""

    loss: str
    correlations: dict[str, float]
    nearest: str


def independence(loss: ClassLoss | str, *, values: int = 6, classes: int = 2_000, seed: int = 0) -> Independence:
    """Test a loss, registered or not, against all registered ones, over random priors and classes.

    Parameters
    ----------
    loss : ClassLoss or str
        The loss, or its name.
    values : int
        How many sensitive values there are.
    classes : int
        How many classes are drawn.
    seed : int
        Of the random numbers.

    Returns
    -------
    Independence
        How its ranks correlate with those of every other loss.
    """
    tested = loss_named(loss) if isinstance(loss, str) else loss
    rng = np.random.default_rng(seed)
    prior = rng.dirichlet(np.ones(values))
    statistics = _statistics(prior, rng.dirichlet(prior * values + 0.5, size=classes))
    others = [name for name in LOSSES if name != tested.name]
    columns = np.stack([tested.of(statistics), *(LOSSES[name].of(statistics) for name in others)], axis=1)
    correlations = dict(zip(others, (float(each) for each in rank_correlation(columns)[0, 1:]), strict=True))
    return Independence(tested.name, correlations, max(correlations, key=lambda name: abs(correlations[name])))


def _statistics(prior: Floats, posteriors: Floats) -> ClassStatistics:
    """Classes with the given posteriors, as closely as whole people allow."""
    size = len(prior)
    counts = np.round(posteriors * _PEOPLE).astype(np.int64)
    offsets = np.arange(len(counts) + 1, dtype=np.int64) * size
    codes = np.tile(np.arange(size, dtype=np.int32), len(counts))
    domain = Domain("value", tuple(map(str, range(size))), (np.zeros(size, np.int32),), np.arange(size, dtype=np.float64))
    return ClassStatistics(counts.sum(axis=1), Held(offsets, codes, counts.ravel()), prior[None, :], domain)


def rank_correlation(columns: Floats) -> Floats:
    """Spearman's correlation between columns; a column that never changes correlates with nothing."""
    ranks = np.stack([_ranks(column) for column in columns.T], axis=1)
    centered = ranks - ranks.mean(axis=0)
    norms = np.sqrt((centered**2).sum(axis=0))
    scaled = np.divide(centered, norms, out=np.zeros_like(centered), where=norms > 0)
    return np.asarray(np.clip(scaled.T @ scaled, -1, 1))


def _ranks(column: Floats) -> npt.NDArray[np.float64]:
    """Ranks with ties at their mean."""
    _, place, count = np.unique(np.round(column, 12), return_inverse=True, return_counts=True)
    last = np.cumsum(count)
    return np.asarray((last - (count - 1) / 2)[place], np.float64)
