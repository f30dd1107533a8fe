"""Channels that several test files share: that of the paper's appendix, drawn ones, and what is worked out from them the plain way."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from sfumato.channel import ChannelMatrix

Floats = npt.NDArray[np.float64]
# [C] appendix A.
APPENDIX = [
    [Fraction(5, 17), Fraction(2, 17), Fraction(0), Fraction(10, 17)],
    [Fraction(0), Fraction(20, 35), Fraction(5, 35), Fraction(10, 35)],
    [Fraction(15, 28), Fraction(5, 28), Fraction(3, 28), Fraction(5, 28)],
    [Fraction(5, 20), Fraction(8, 20), Fraction(0), Fraction(7, 20)],
]


def appendix() -> ChannelMatrix:
    return ChannelMatrix.of([[float(each) for each in row] for row in APPENDIX])


def binary_symmetric(flipped: float) -> ChannelMatrix:
    return ChannelMatrix.of([[1 - flipped, flipped], [flipped, 1 - flipped]])


def h(p: float) -> float:
    """The entropy of a coin, in bits."""
    return 0.0 if p in (0, 1) else float(-p * np.log2(p) - (1 - p) * np.log2(1 - p))


def shares(weights: Any) -> Floats:
    values = np.asarray(weights, np.float64)
    return np.asarray(values / values.sum(axis=-1, keepdims=True))


def drawn_shares(size: int) -> st.SearchStrategy[Floats]:
    """Probabilities, zeros among them."""
    return st.lists(st.integers(0, 9), min_size=size, max_size=size).filter(any).map(shares)


@st.composite
def drawn_channels(draw: st.DrawFn, inputs: int | None = None, outputs: int | None = None) -> ChannelMatrix:
    inputs = inputs or draw(st.integers(1, 6))
    outputs = outputs or draw(st.integers(1, 6))
    return ChannelMatrix.of([draw(drawn_shares(outputs)) for _ in range(inputs)])


@st.composite
def drawn_with_priors(draw: st.DrawFn) -> tuple[ChannelMatrix, Floats]:
    channel = draw(drawn_channels())
    return channel, draw(drawn_shares(channel.inputs))


def plain_vulnerability(channel: ChannelMatrix, prior: Floats, gain: Floats) -> float:
    """The expected gain of the best guess: output by output, guess by guess."""
    rows = channel.dense()
    return sum(
        max(sum(worth[x] * prior[x] * rows[x, y] for x in range(channel.inputs)) for worth in gain)
        for y in range(channel.outputs)
    )
