"""A channel: with which probability a true value is published as another. What an adversary knows who knows the method."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Labels = Sequence[tuple[str | None, ...]]


class Channel(Protocol):
    """How the values of some attributes, taken together, are published. Values are canonical texts, None the missing one."""

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes."""

    def likelihood(self, true: Labels, published: Labels) -> Floats:
        """For each true value, a row: the probability (or density) of each published one, up to a factor of the row."""
