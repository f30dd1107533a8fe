"""The best guess of a number that was published with continuous noise: exact, without a matrix.

The best guess is the value whose prior times density is largest. Where all values get the same Gaussian or Laplace noise, each is best
on one interval (or nowhere): the logarithms are parabolas with one leading term, or tents with one slope, and their upper envelope
changes only between neighbors. So the probability of a right guess is a sum of differences of distribution functions.
"""

from __future__ import annotations

from math import inf, log, sqrt

import numpy as np

from sfumato.channel.records.channels import Values, noise_of
from sfumato.errors import UsageError, argument
from sfumato.operations import Operation, operation_of
from sfumato.operations.noise import Noise, NoiseChannel
from sfumato.statistics import Floats


def guessing_noise(values: Values, method: str | Operation) -> float:
    """How often the best guess of a value with noise is right.

    Parameters
    ----------
    values : Values
        The values of a numeric attribute in the table; whole numbers are not rounded here.
    method : str or Operation
        The noise, as in `noise:laplace,0.5`.

    Returns
    -------
    float
        The posterior vulnerability; the MAP error is 1 minus it.
    """
    operation = operation_of(method)
    if not isinstance(operation, Noise):
        raise UsageError(f"{operation.name} is no noise; record_channel makes its matrix", where=argument("method"))
    numbers = values.numbers(operation.name)
    order = np.argsort(numbers)
    return right_guesses(numbers[order], values.shares[order], noise_of(values, operation))


def right_guesses(numbers: Floats, prior: Floats, noise: NoiseChannel) -> float:
    """The sum over values of the prior times the probability of noise that leads into the value's interval; numbers ascending."""
    if noise.deviation == 0:
        return 1.0
    kept: list[tuple[int, float]] = []  # the value, and where its interval begins
    for place in np.flatnonzero(prior).tolist():
        begins = -inf
        while kept and (begins := _crossing(numbers, prior, noise, kept[-1][0], place)) <= kept[-1][1]:
            kept.pop()
        begins = begins if kept else -inf
        if begins < inf:
            kept.append((place, begins))
    places = np.array([place for place, _ in kept])
    starts = np.array([start for _, start in kept])
    ends = np.append(starts[1:], inf)
    inside = noise.below(ends - numbers[places]) - noise.below(starts - numbers[places])
    return float(prior[places] @ inside)


def _crossing(numbers: Floats, prior: Floats, noise: NoiseChannel, one: int, other: int) -> float:
    """Where the larger value `other` becomes the better guess: -inf if always, inf if never."""
    gap, odds = numbers[other] - numbers[one], log(prior[one] / prior[other])
    if not noise.laplace:
        return float((numbers[one] + numbers[other]) / 2 + odds * noise.deviation**2 / gap)
    slope = sqrt(2) / noise.deviation
    if abs(odds) >= slope * gap:  # one stands above the other everywhere
        return inf if odds > 0 else -inf
    return float((numbers[one] + numbers[other]) / 2 + odds / (2 * slope))
