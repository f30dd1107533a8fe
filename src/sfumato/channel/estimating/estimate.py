"""The MAP error of a mechanism that can only be run: an estimate from a sample, with bounds that say what they bound.

Upper bound. A guesser that is fixed before it sees the test sample errs at least as often as the best one. The errors on the test sample
are binomial, so the Clopper-Pearson limit bounds its error rate, and with it the MAP error, at the stated confidence. This holds for any
mechanism and any size of the sample.

Lower bound, `frequentist`. On its own sample the most frequent secret looks better than it is: the expectation of its error there is at
most the MAP error, because the mean of a maximum is at least the maximum of the means. One draw changes it by at most 1/N, so by
McDiarmid's inequality it is rarely more than sqrt(ln(1/a) / 2N) above its expectation. This, too, holds always; where observations hardly
repeat, it is near 0 and says nothing.

Lower bound, `nearest`. With a large training sample the nearest neighbor errs at most R (2 - R n / (n - 1)) times, R being the MAP error
and n the secrets (Cover and Hart 1967); solved for R. This speaks of the mean over training samples, and the error of one of them varies
by no more than the test does: the limit is that of a test half as large. It holds asymptotically and not for every size.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log, sqrt
from typing import Any

import numpy as np

from sfumato.channel.estimating.guessers import most_frequent, nearest, resubstitution_error
from sfumato.channel.estimating.samplers import Sampler
from sfumato.channel.needs import scipy_part
from sfumato.errors import UsageError, argument
from sfumato.results import Printed, Rows

FREQUENTIST, NEAREST = "frequentist", "nearest"


@dataclass(frozen=True, slots=True)
class Estimate(Printed):
    """An estimated MAP error. `error` is that of the guesser on its test sample, so it is rather too large than too small; the true one
    lies between `low` and `high` with probability `confidence`, half of what is left on each side. `asymptotic`: whether `low` holds only
    in the limit of large samples."""

    estimator: str
    error: float
    low: float
    high: float
    confidence: float
    samples: int
    tested: int
    seed: int
    asymptotic: bool

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        return {name: getattr(self, name) for name in self.__slots__}

    def table(self) -> Rows:
        """One row."""
        row = (self.estimator, self.error, self.low, self.high, self.confidence, self.samples)
        return Rows(("estimator", "MAP error", "at least", "at most", "confidence", "samples"), (row,))


def estimate_map_error(
    sampler: Sampler, *, samples: int = 10_000, seed: int = 0, estimator: str = FREQUENTIST, confidence: float = 0.95
) -> Estimate:
    """Estimate how often the best guess of the secret is wrong.

    Parameters
    ----------
    sampler : Sampler
        The mechanism, made by `sample_channel`, `sample_mechanism` or `sample_tables`.
    samples : int
        How often the mechanism is run. Half of the runs train the guesser, the others test it.
    seed : int
        Of the random numbers.
    estimator : str
        `frequentist`: the most frequent secret of each observation, for observations that repeat. `nearest`: the secret of the nearest
        observation, for rows of numbers.
    confidence : float
        With which probability the true error is between the bounds.

    Returns
    -------
    Estimate
        The error on the test sample, and the bounds.
    """
    _require(samples, estimator, confidence)
    rng, half = np.random.default_rng(seed), samples // 2
    secrets, observed = sampler.draw(samples, rng)
    train, shown = (secrets[:half], observed[:half]), observed[half:]
    guesses = most_frequent(train, shown) if estimator == FREQUENTIST else nearest(train, shown, rng)
    wrong, tested = int((guesses != secrets[half:]).sum()), samples - half
    side = (1 - confidence) / 2
    if estimator == FREQUENTIST:
        low = max(resubstitution_error(secrets, observed) - sqrt(log(1 / side) / (2 * samples)), 0.0)
    else:
        low = cover_hart(clopper_pearson(wrong / 2, tested / 2, side)[0], sampler.secrets)
    high = min(clopper_pearson(wrong, tested, side)[1], 1 - 1 / sampler.secrets)
    return Estimate(estimator, wrong / tested, min(low, high), high, confidence, samples, tested, seed, estimator == NEAREST)


def _require(samples: int, estimator: str, confidence: float) -> None:
    """Refuse what is no request."""
    if estimator not in (FREQUENTIST, NEAREST):
        raise UsageError(f"no estimator {estimator!r}; write {FREQUENTIST} or {NEAREST}", where=argument("estimator"))
    if isinstance(samples, bool) or samples < 2:
        raise UsageError("at least two runs are needed, one to learn from and one to test", where=argument("samples"))
    if not 0 < confidence < 1:
        raise UsageError("a confidence lies between 0 and 1", where=argument("confidence"))


def clopper_pearson(wrong: float, tested: float, side: float) -> tuple[float, float]:
    """Limits of a binomial rate, each of which fails with at most the probability `side`."""
    inverse = scipy_part("special").betaincinv
    low = 0.0 if wrong == 0 else float(inverse(wrong, tested - wrong + 1, side))
    high = 1.0 if wrong == tested else float(inverse(wrong + 1, tested - wrong, 1 - side))
    return low, high


def cover_hart(error: float, secrets: int) -> float:
    """The least MAP error that is consistent with an error of the nearest neighbor on large samples."""
    if secrets < 2:
        return 0.0
    most = 1 - 1 / secrets
    return most * (1 - sqrt(max(1 - min(error, most) / most, 0.0)))
