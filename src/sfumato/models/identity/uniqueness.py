"""Estimators of population uniqueness: the share of the people in a sample who are unique in the population it was drawn from.

Notation: n people in the sample in u classes, s_j classes of j people; N people in the population. A person of the sample is unique
in the population with probability S_1 / N, where S_1 is the number of classes of one person there. Only a person who is unique in the
sample can be unique in the population, so no estimate exceeds s_1 / n. If the sample is the whole population, that is the answer.

- Pitman: good for samples of at least a few percent of a population with a few large classes and a long tail of small ones;
  overestimates where most classes have similar sizes.
- Slide negative binomial: good for samples of at least a tenth of a population whose class sizes have one mode; overestimates for long
  tails.
- Zayatz: assumes that the population has the class sizes of the sample, so it overestimates; good when most of the population is in the
  sample. It always has an answer and is used where the equations of the others have no solution.

None of them says how far off it is, so that is measured: random samples of 1 % to 50 % of simulated populations of 20,000 people (classes
of equal chances, Zipf and gamma weights, four people per class on average) and of the census. Mean estimate over mean truth, where
somebody is unique at all:

| | equal chances | Zipf, gamma | census, 3 QIDs | census, 7 QIDs |
| --- | --- | --- | --- | --- |
| pitman | 7 to 12 | 1.2 to 2.8 | 1.3 to 1.6 | 0.55 to 1.1 |
| zayatz | 3 to 54 | 1.1 to 11 | 1.2 to 29 | 1.0 to 2.7 |
| snb | 0.9 to 54 | 1.0 to 11 | 1.5 to 4.5 | 0.9 to 1.6 |

The large factors are those of small samples. In classes of ten people with equal chances nobody is unique, and pitman says 0.7 % to 19 %.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import exp, inf, isfinite, lgamma, log
from typing import TypeVar

import numpy as np

from sfumato.frequency import Counts
from sfumato.statistics import Floats

# The least and the largest factor by which an estimate was off in the simulations above.
OFF_BY = {"pitman": (0.5, 12), "zayatz": (1, 54), "snb": (0.9, 54)}
_CLOSE = 2.0**-48  # of the range in which a zero is sought
_LEAST_ALPHA = 1e-4
_LARGE = 10  # from here on the series of digamma is exact
T = TypeVar("T", float, Floats)


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """The class sizes of a sample: distinct sizes, ascending, with the number of classes of each; and the size of the population."""

    sizes: Floats
    classes: Floats
    population: int

    @classmethod
    def of(cls, people: Counts, population: int) -> Sample:
        """From people per class."""
        sizes, classes = np.unique(people, return_counts=True)
        return cls(sizes.astype(np.float64), classes.astype(np.float64), population)

    @property
    def people(self) -> float:
        return float(self.sizes @ self.classes)

    @property
    def count(self) -> float:
        return float(self.classes.sum())

    @property
    def known(self) -> bool:
        """Whether there is nothing to estimate: nobody is unique in the sample, or it is the whole population."""
        return self.uniques == 0 or self.people >= self.population

    @property
    def uniques(self) -> float:
        return float(self.classes[0]) if self.sizes[0] == 1 else 0.0


def estimated(sample: Sample, method: str) -> tuple[float, str]:
    """The share of the sample's people who are unique in the population, and the estimator that had an answer."""
    most = sample.uniques / sample.people
    if sample.known:
        return most, method
    share = _ESTIMATORS[method](sample)
    if share is None:
        share, method = zayatz(sample), "zayatz"
    return min(max(share, 0.0), most), method


def zayatz(sample: Sample) -> float:
    """s_1 / n times P(F = 1 | f = 1), F and f the sizes of a class in the population and in the sample (Zayatz 1991).

    Bayes: P(F = 1 | f = 1) = P(f = 1 | F = 1) P(F = 1) / sum_j P(f = 1 | F = j) P(F = j) with P(F = j) = s_j / u and the
    hypergeometric P(f = 1 | F = j) = j C(N - j, n - 1) / C(N, n).
    """
    n, size = sample.people, sample.population
    possible = sample.sizes <= size - n + 1
    sizes, classes = sample.sizes[possible], sample.classes[possible]
    # C(N - j, n - 1) / C(N - 1, n - 1): the factor common to all j cancels.
    logs = [_log_choose(size - j, n - 1) - _log_choose(size - 1, n - 1) for j in sizes.tolist()]
    chance = float(sample.uniques / (classes * sizes * np.exp(logs)).sum())
    return sample.uniques / n * chance


def _log_choose(many: float, some: float) -> float:
    return lgamma(many + 1) - lgamma(some + 1) - lgamma(many - some + 1)


def pitman(sample: Sample) -> float | None:
    """E[S_1] / N under the Pitman sampling formula with the sample's most likely theta and alpha (Hoshino 2001).

    The log-likelihood is sum_{i<u} ln(theta + i alpha) - sum_{i<n} ln(theta + i) + sum_j s_j sum_{i<j} ln(i - alpha), 0 <= alpha < 1,
    theta > -alpha. For each alpha its derivative in theta falls through zero once; along these zeros that of the derivative in alpha is
    sought. Below alpha = 1e-4 that value is used: the formula is practically that of Ewens. E[S_1] is exact:
    N Gamma(theta + 1) Gamma(theta + alpha + N - 1) / (Gamma(theta + alpha) Gamma(theta + N)).
    No solution when every class has one person.
    """
    if sample.count == sample.people:
        return None
    alpha = _zero_of(lambda alpha: _slope_in_alpha(sample, alpha, _theta(sample, alpha)), _LEAST_ALPHA, 1 - 1e-9)
    theta, size = _theta(sample, alpha), sample.population
    return exp(lgamma(theta + 1) + lgamma(theta + alpha + size - 1) - lgamma(theta + alpha) - lgamma(theta + size))


def _theta(sample: Sample, alpha: float) -> float:
    """The most likely theta for an alpha, sought on a logarithmic scale above -alpha."""

    def slope(scale: float) -> float:
        theta = exp(scale) - alpha
        first = (_digamma(theta / alpha + sample.count) - _digamma(theta / alpha + 1)) / alpha
        return first - (_digamma(theta + sample.people) - _digamma(theta + 1))

    return exp(_zero_of(slope, -30.0, 30.0)) - alpha


def _slope_in_alpha(sample: Sample, alpha: float, theta: float) -> float:
    reached = theta / alpha
    first = (sample.count - 1 - reached * (_digamma(reached + sample.count) - _digamma(reached + 1))) / alpha
    return first - float(sample.classes @ (_digammas(sample.sizes - alpha) - _digamma(1 - alpha)))


def slide_negative_binomial(sample: Sample) -> float | None:
    """S_1 / N when the class sizes of the population are one more than negative binomial (Chen and Keller-McNulty 1998).

    P(F = j) = C(a + j - 2, j - 1) b^a (1 - b)^(j - 1). With K = N / (1 + a (1 - b) / b) classes, each person sampled with probability
    f = n / N and d = 1 - (1 - f)(1 - b), the expected numbers of sampled classes and of sample uniques are
    K (1 - (1 - f) (b / d)^a) = u and K f (b / d)^a (1 + a (1 - f)(1 - b) / d) = s_1.
    For each b the first decreases in a, so its zero is sought; then that of the second over the odds of b. S_1 = K b^a. No solution if
    the sample has more or fewer uniques than any b gives, or if every class has one person.
    """
    if sample.count == sample.people:
        return None
    size, share = sample.population, sample.people / sample.population

    def parts(odds: float) -> tuple[float, float]:
        """Expected sample uniques and S_1 for the a that gives u classes; odds = ln(b / (1 - b))."""
        mean, gap = exp(-odds), 1 / (1 + exp(odds))
        rest = 1 - (1 - share) * gap
        step = log((1 - gap) / rest)

        def classes(scale: float) -> float:
            a = exp(scale)
            return size / (1 + a * mean) * (1 - (1 - share) * exp(a * step)) - sample.count

        a = exp(_zero_of(classes, -40.0, 40.0))
        many = size / (1 + a * mean)
        return many * share * exp(a * step) * (1 + a * (1 - share) * gap / rest), many * (1 - gap) ** a

    ends = [parts(odds)[0] - sample.uniques for odds in (-20.0, 20.0)]
    if ends[0] * ends[1] > 0:
        return None
    sign = 1 if ends[0] > 0 else -1
    odds = _zero_of(lambda odds: sign * (parts(odds)[0] - sample.uniques), -20.0, 20.0)
    return parts(odds)[1] / size


_ESTIMATORS: dict[str, Callable[[Sample], float | None]] = {
    "pitman": pitman,
    "zayatz": zayatz,
    "snb": slide_negative_binomial,
}
METHODS = tuple(_ESTIMATORS)


def _zero_of(decreasing: Callable[[float], float], low: float, high: float) -> float:
    """The zero of a decreasing function; if it has none, the end that is nearer to one. The ends themselves are not looked at: there
    digits are lost.

    The secant, with the value halved of a side that stays (Illinois), and every third time the middle, for where that is slow: an
    estimate, which a search makes at every node, takes far fewer evaluations than bisecting within bisecting.
    """
    above, below, close = inf, -inf, (high - low) * _CLOSE
    step, side = 0, 0
    while high - low > close:
        step += 1
        secant = step % 3 != 0 and isfinite(above - below)
        middle = high - below * (high - low) / (below - above) if secant else (low + high) / 2
        middle = min(max(middle, low + close / 2), high - close / 2)
        value = decreasing(middle)
        if value > 0:
            low, above, below, side = middle, value, below / 2 if side > 0 else below, 1
        else:
            high, below, above, side = middle, value, above / 2 if side < 0 else above, -1
    return (low + high) / 2


def _digamma(x: float) -> float:
    """The derivative of ln Gamma for x > 0: recurrence up to 10, then the asymptotic series (Abramowitz and Stegun 6.3.5, 6.3.18)."""
    below = 0.0
    while x < _LARGE:
        below -= 1 / x
        x += 1
    return below + log(x) - 1 / (2 * x) - _series(1 / (x * x))


def _digammas(x: Floats) -> Floats:
    """The same of several numbers at once."""
    below = (1 / (x[:, None] + np.arange(_LARGE))).sum(axis=1)
    large = x + _LARGE
    return np.asarray(np.log(large) - 1 / (2 * large) - _series(1 / (large * large)) - below)


def _series(square: T) -> T:
    return square * (1 / 12 - square * (1 / 120 - square * (1 / 252 - square * (1 / 240 - square / 132))))
