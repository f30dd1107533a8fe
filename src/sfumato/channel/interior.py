"""Newton's method for the capacity of a channel: an interior-point method over priors.

Maximizes the leakage f(p) over priors p. Its gradient is D(P_x‖q) up to a constant, its curvature -P diag(1/q) Pᵀ. Each step solves the
conditions of an optimum, D(P_x‖q) - v + z_x = 0, z_x·p_x = m, the p_x adding up to one, to first order, and lowers m. Every p_x stays
positive.
"""

from __future__ import annotations

import numpy as np

from sfumato.channel.matrix import ChannelMatrix, Floats
from sfumato.channel.needs import scipy_part

_CENTRE = 0.1  # how much of the last m the next step aims at
_INSIDE = 0.995  # how far to go to where a probability would be zero
_SMALLEST = 1e-300


def best_prior(channel: ChannelMatrix, tolerance: float, steps: int) -> tuple[Floats, int]:
    """The prior with the largest leakage, to a tolerance in bits of the residual, and the steps that were taken."""
    matrix = _dense(channel)
    count = len(matrix)
    own = _own_terms(matrix)
    prior, slack = np.full(count, 1 / count), np.ones(count)
    level = _gradient(matrix, own, prior).max() + 1.0
    gradient, step = _gradient(matrix, own, prior), 0
    while step < steps and gradient.max() - prior @ gradient > tolerance * np.log(2) / 2:
        step += 1
        aim = _CENTRE * float(prior @ slack) / count
        move, up = _direction(matrix, prior, slack, gradient - level, aim)
        change = (aim - slack * prior - slack * move) / prior
        prior = np.maximum(prior + _room(prior, move) * move, _SMALLEST)
        prior /= prior.sum()
        slack = np.maximum(slack + _room(slack, change) * change, _SMALLEST)
        level += up
        gradient = _gradient(matrix, own, prior)
    return prior, step


def _dense(channel: ChannelMatrix) -> Floats:
    """The matrix without the outputs that no input leads to."""
    dense = channel.dense()
    return np.ascontiguousarray(dense[:, dense.any(axis=0)])


def _own_terms(matrix: Floats) -> Floats:
    """The part of D(P_x‖q) that does not depend on q, in nats."""
    return np.asarray((matrix * np.log(matrix, out=np.zeros_like(matrix), where=matrix > 0)).sum(axis=1))


def _gradient(matrix: Floats, own: Floats, prior: Floats) -> Floats:
    return np.asarray(own - matrix @ np.log(np.maximum(prior @ matrix, _SMALLEST)))


def _direction(matrix: Floats, prior: Floats, slack: Floats, ahead: Floats, aim: float) -> tuple[Floats, float]:
    """How the prior and the level move in one step of Newton's method."""
    linalg = scipy_part("linalg")
    scaled = matrix / np.sqrt(np.maximum(prior @ matrix, _SMALLEST))
    curvature = linalg.blas.dsyrk(1.0, scaled.T, trans=1, lower=1)
    curvature[np.diag_indices_from(curvature)] += slack / prior
    factor = linalg.cho_factor(curvature, lower=True, overwrite_a=True, check_finite=False)
    wanted, ones = linalg.cho_solve(factor, np.stack((ahead + aim / prior, np.ones_like(prior)), axis=1), check_finite=False).T
    up = float(wanted.sum() / ones.sum())
    return wanted - up * ones, up


def _room(values: Floats, move: Floats) -> float:
    """How far positive values can go along a direction."""
    falling = move < 0
    return min(1.0, _INSIDE * float((values[falling] / -move[falling]).min(initial=np.inf)))
