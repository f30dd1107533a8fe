"""The channel with the least expected loss within a bound on Shannon leakage: Blahut's alternating minimization, with a certificate.

For a price s of loss in bits, leakage + s·loss is least at P(y|x) in proportion to q(y)·2^(-s·loss(x,y)), where q are the probabilities
of the outputs; both are found in turn. Any q proves a lower bound: with z(x) = sum of q(y)·2^(-s·loss(x,y)) and c the largest over y of
the sum of belief(x)·2^(-s·loss(x,y))/z(x), no channel has less than -sum of belief(x)·log2 z(x) - log2 c. Hence no channel that leaks at
most R has a loss below (that bound - R)/s. The price is bisected until the leakage is R; what two prices leave open, mixing their
channels closes.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log2
from typing import Any

import numpy as np

from sfumato.channel.design.results import Designed, loss_table, rows_of
from sfumato.channel.information import mutual_information
from sfumato.channel.matrix import ChannelMatrix, Floats
from sfumato.channel.priors import probabilities_of
from sfumato.errors import UsageError, argument

_STEPS = 5_000
_HALVINGS = 60
_HIGHEST = 1e6  # price of one unit of loss, of a loss between 0 and 1
_CLOSE = 1e-12
_NONE = 1e-100  # an output that is less likely is left out


@dataclass(frozen=True, slots=True, eq=False)
class _Priced:
    """The channel that is best at a price, its leakage in bits, and the least of leakage + price·loss that is proved."""

    price: float
    rows: Floats
    leakage: float
    proved: float


def least_loss_at_leakage(loss: Any, most: float, *, prior: Any = None, belief: Any = None) -> Designed:
    """Design the channel with the least expected loss among those with bounded Shannon leakage.

    Parameters
    ----------
    loss : table of numbers
        What each output costs the user for each input: a row per input, a column per output.
    most : float
        How many bits the adversary may learn of the input at the most.
    prior : sequence of float, optional
        How likely the inputs are, for the expected loss; uniform if omitted.
    belief : sequence of float, optional
        What the adversary believes beforehand, no input impossible; as the prior, if omitted.

    Returns
    -------
    Designed
        The channel, its expected loss, its leakage in bits, and by how much another channel could be better at the most.
    """
    table = loss_table(loss)
    weights = probabilities_of(prior, len(table), "prior")
    believed = weights if belief is None else probabilities_of(belief, len(table), "belief")
    if not (believed > 0).all():
        raise UsageError("an input that the adversary rules out needs no protection; leave it out", where=argument("belief"))
    if not most >= 0:
        raise UsageError("a number of bits of at least 0", where=argument("most"))
    cost = weights[:, None] * table
    span = float(np.ptp(cost / believed[:, None])) or 1.0
    rows, bound = _within(cost / believed[:, None] / span, believed, most)
    channel = ChannelMatrix.of(rows)
    value = float((cost * rows).sum())
    return Designed(channel, value, mutual_information(channel, believed), max(value - bound * span, 0.0))


def _within(loss: Floats, believed: Floats, most: float) -> tuple[Floats, float]:
    """The rows of the best channel that leaks no more, and what its loss cannot fall below; for a loss that spans one unit."""
    free = _cheapest(loss)
    if _leakage(free, believed) <= most:
        return free, float((believed[:, None] * loss * free).sum())
    silent = np.zeros_like(loss)
    silent[:, int((believed @ loss).argmin())] = 1.0
    if most == 0:  # all rows are equal
        return silent, float((believed @ loss).min())
    low, high = _Priced(0.0, silent, 0.0, 0.0), _priced(loss, believed, _HIGHEST)
    for _ in range(_HALVINGS):
        price = (low.price + high.price) / 2 if low.price else high.price / 4
        tried = _priced(loss, believed, price)
        low, high = (tried, high) if tried.leakage <= most else (low, tried)
        if high.price - low.price <= _CLOSE * high.price:
            break
    rows = _mixed(low, high, believed, most)
    bounds = [(each.proved - most) / each.price for each in (low, high) if each.price > 0]
    return rows, max([*bounds, float((believed[:, None] * loss * free).sum())])


def _cheapest(loss: Floats) -> Floats:
    """Each input has the output that costs it least."""
    return np.asarray(np.eye(loss.shape[1])[loss.argmin(axis=1)], np.float64)


def _priced(loss: Floats, believed: Floats, price: float) -> _Priced:
    """Alternate between the rows and the probabilities of the outputs until the proof is as good as the channel."""
    kernel = np.exp2(-price * (loss - loss.min(axis=1, keepdims=True)))
    shift = price * float(believed @ loss.min(axis=1))
    outputs = np.full(loss.shape[1], 1 / loss.shape[1])
    for _ in range(_STEPS):
        scale = kernel @ outputs
        ahead = (believed / scale) @ kernel
        if log2(ahead.max()) <= _CLOSE * max(price, 1):
            break
        outputs = outputs * ahead
        outputs[outputs < _NONE] = 0.0
    scale = kernel @ outputs
    rows = outputs * kernel / scale[:, None]
    rows = rows_of(np.where(rows < _NONE, 0.0, rows))
    proved = -float(believed @ np.log2(scale)) - log2(float(((believed / scale) @ kernel).max())) + shift
    return _Priced(price, rows, _leakage(rows, believed), proved)


def _mixed(low: _Priced, high: _Priced, believed: Floats, most: float) -> Floats:
    """As much of the channel that leaks too much as the bound allows."""
    if high.leakage <= most:
        return high.rows
    share, step = 0.0, 0.5
    for _ in range(_HALVINGS):
        tried = share + step
        if _leakage(tried * high.rows + (1 - tried) * low.rows, believed) <= most:
            share = tried
        step /= 2
    return np.asarray(share * high.rows + (1 - share) * low.rows, np.float64)


def _leakage(rows: Floats, believed: Floats) -> float:
    outputs = believed @ rows
    ratio = np.divide(rows, np.where(outputs > 0, outputs, 1), out=np.ones_like(rows), where=rows > 0)
    return float((believed[:, None] * rows * np.log2(ratio)).sum())
