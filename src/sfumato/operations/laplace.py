"""Discrete Laplace noise, and the thresholds that follow from it.

The noise Z has P(Z = z) = (1 - p) / (1 + p) * p^|z| with p = exp(-1 / scale). Thresholds and their delta are computed here: opendp's own
delta of a threshold is too small (opendp issue 2922).
"""

from __future__ import annotations

from math import ceil, exp, log

import numpy as np
import numpy.typing as npt

from sfumato.errors import UsageError, argument

Counts = npt.NDArray[np.int64]


def noisy(counts: Counts, scale: float, rows: int, epsilon: float) -> Counts:
    """Counts with noise; a person changes at most `rows` of them by one each, or one by `rows`. Refuses a scale that costs more than
    epsilon."""
    try:
        import opendp.prelude as dp
    except ImportError:
        raise UsageError(
            "differential privacy needs the extra 'dp': pip install 'sfumato[dp]'", where=argument("method")
        ) from None
    dp.enable_features("contrib")
    domain, metric = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
    measurement = dp.m.make_laplace(domain, metric, scale=scale)
    while measurement.map(rows) > epsilon:  # type: ignore[no-untyped-call]  # the last digit of the division
        scale = float(np.nextafter(scale, np.inf))
        measurement = dp.m.make_laplace(domain, metric, scale=scale)
    return np.array(measurement(counts.tolist()), np.int64)


def at_least(scale: float, least: int) -> float:
    """The probability of noise of at least so much."""
    p = exp(-1 / scale)
    return p**least / (1 + p) if least >= 1 else 1 - p ** (1 - least) / (1 + p)


def threshold_for(scale: float, keys: int) -> int:
    """The least count that is published of a declared histogram: of so many empty cells, at most one is expected to reach it."""
    p = exp(-1 / scale)
    return max(1, ceil(scale * log(keys / (1 + p)))) if keys > 1 + p else 1


def delta_of(scale: float, threshold: int, rows: int = 1) -> float:
    """The probability that a count shows which holds one person only, who has at most so many rows."""
    return min(1.0, rows * at_least(scale, threshold - rows))


def threshold_of_delta(scale: float, delta: float, rows: int = 1) -> int:
    """The least count that may be published of the cells that occur."""
    threshold = rows + max(1, ceil(scale * log(rows / delta / (1 + exp(-1 / scale)))))
    while delta_of(scale, threshold, rows) > delta:
        threshold += 1
    return threshold
