"""The people in the table, who leave when a release gives away too much of them.

Everybody has a threshold and leaves if the privacy loss of the release is above it: who stays gains what is left up to the threshold, who
leaves gains nothing, so leaving is the best answer exactly there. Thresholds are stated as a distribution, and people have its quantiles:
person i of N the one at (i - 1/2)/N. So the people who leave are a whole number, the nearest to their share.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite

import numpy as np
import numpy.typing as npt

from sfumato.errors import UsageError, argument
from sfumato.statistics import Floats

Counts = npt.NDArray[np.int64]
Shares = Callable[[Floats], Floats]
_EXACT = 1e-9  # losses are compared with this tolerance
_LONGEST = 400  # characters
_EXAMPLES = "uniform:0.2,1 (thresholds from 0.2 to 1), steps:0.3=0.1,0.6=0.5 (beyond a loss of 0.3 a tenth leaves) or never"


@dataclass(frozen=True, slots=True, eq=False)
class Providers:
    """How people react to a privacy loss, as it is written.

    >>> Providers.of("steps:0.3=0.1,0.6=0.5").staying([0.3, 0.4, 0.7], 10).tolist()
    [10, 9, 5]
    >>> Providers.of("uniform:0,1").staying([0.25, 0.5], 4).tolist()
    [3, 2]
    """

    text: str
    _leaving: Shares

    @classmethod
    def of(cls, text: str) -> Providers:
        """`uniform:LOW,HIGH`, `steps:LOSS=SHARE,…` or `never`."""
        family, _, rest = text.strip().partition(":")
        makers = {"uniform": _uniform, "steps": _steps, "never": _never}
        if len(text) > _LONGEST or family.strip() not in makers:
            raise _unreadable()
        return cls(text, makers[family.strip()](rest.strip()))

    def __str__(self) -> str:
        return self.text

    def staying(self, losses: npt.ArrayLike, people: int) -> Counts:
        """How many of some people stay, at each loss."""
        shares = self._leaving(np.asarray(losses, np.float64))
        leaving = np.ceil(people * shares - 0.5 - _EXACT).astype(np.int64)
        return people - np.clip(leaving, 0, people)


def _numbers(text: str) -> list[float]:
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        raise _unreadable() from None
    if not all(isfinite(number) and number >= 0 for number in numbers):
        raise UsageError("losses and shares are numbers from 0 up", where=argument("providers"))
    return numbers


def _uniform(text: str) -> Shares:
    numbers = _numbers(text)
    if len(numbers) != 2 or numbers[0] >= numbers[1]:
        raise UsageError(
            "uniform:LOW,HIGH needs two losses, the lower one first, as in uniform:0.2,1", where=argument("providers")
        )
    low, high = numbers
    return lambda loss: np.clip((loss - low) / (high - low), 0.0, 1.0)


def _steps(text: str) -> Shares:
    steps = [_numbers(part.replace("=", ",", 1)) for part in text.split(",")]
    if not all(len(step) == 2 for step in steps):
        raise _unreadable()
    losses, shares = np.array(steps).T
    if (np.diff(losses) <= 0).any() or (np.diff(shares) < 0).any() or shares[-1] > 1:
        raise UsageError(
            "steps are in the order of their losses, and their shares rise up to 1 at the most, as in steps:0.3=0.1,0.6=0.5",
            where=argument("providers"),
        )
    leaving = np.concatenate(([0.0], shares))
    return lambda loss: leaving[np.searchsorted(losses, loss - _EXACT)]


def _never(text: str) -> Shares:
    if text:
        raise _unreadable()
    return np.zeros_like


def _unreadable() -> UsageError:
    return UsageError(f"cannot read how people react; {_EXAMPLES} would work", where=argument("providers"))
