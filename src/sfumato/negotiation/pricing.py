"""What a release costs: a function of its utility loss that never rises with it.

A price is written as a text: `linear:100,80` is 100 − 80·loss, `exponential:100,2` is 100·e^(−2·loss), `tiered:0.5=100,0.8=60,1=20` is
100 up to a loss of 0.5, 60 up to 0.8, 20 up to 1 and nothing beyond; anything else is an expression of `loss` such as
`40 * (1 - loss)^2 + 5`. Expressions are parsed here and never given to Python.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.errors import UsageError, argument
from sfumato.statistics import Floats

Function = Callable[[Floats], Floats]
_TOKEN = re.compile(
    r"\s*(?:([0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?|\.[0-9]+(?:[eE][+-]?[0-9]+)?)|([A-Za-z_]+)|(\*\*|[-+*/^(),]))"
)
_LONGEST = 400  # characters of a price
_DEEPEST = 50
_DIGITS = 12  # of a price that is asked for
_FUNCTIONS: dict[str, tuple[int, Callable[..., Any]]] = {
    "exp": (1, np.exp),
    "log": (1, np.log),
    "sqrt": (1, np.sqrt),
    "abs": (1, np.abs),
    "min": (2, np.minimum),
    "max": (2, np.maximum),
}
_EXAMPLES = "linear:100,80, exponential:100,2, tiered:0.5=100,1=20 or an expression of loss"


class _Unreadable(ValueError):
    """A text that is no function of a loss; the message says why, where there is more to say."""


@dataclass(frozen=True, slots=True, eq=False)
class Price:
    """A price as it is written, and what it is at a loss. Other functions of a loss are written alike; `name` is the argument."""

    text: str
    _function: Function
    name: str = "price"

    @classmethod
    def of(cls, text: str, name: str = "price") -> Price:
        """A price from its text.

        >>> [float(price) for price in Price.of("linear:100,80").at([0.0, 0.5])]
        [100.0, 60.0]
        >>> float(Price.of("40 * (1 - loss)^2 + 5").at([0.5])[0])
        15.0
        """
        if len(text) > _LONGEST:
            raise UsageError(f"a {name} has at most {_LONGEST} characters", where=argument(name))
        family, colon, rest = text.partition(":")
        makers = {"linear": _linear, "exponential": _exponential, "tiered": _tiered}
        try:
            made = makers[family.strip()](rest) if colon and family.strip() in makers else _Parser(text).function()
        except _Unreadable as wrong:
            why = f": {wrong}" if str(wrong) else ""
            raise UsageError(f"cannot read this {name}{why}; {_EXAMPLES} would work", where=argument(name)) from None
        return cls(text, made, name)

    def __str__(self) -> str:
        return self.text

    def at(self, losses: Sequence[float] | Floats) -> Floats:
        """The prices at some losses."""
        values = np.asarray(losses, np.float64)
        with np.errstate(all="ignore"):
            return np.broadcast_to(np.asarray(self._function(values), np.float64), values.shape)

    def asked(self, losses: Sequence[float] | Floats) -> Floats:
        """The prices at some losses as they are asked for: without the digits of rounding errors."""
        return np.array([float(f"{price:.{_DIGITS}g}") for price in self.at(losses)])

    def require_decreasing(self, losses: Floats) -> None:
        """Refuse a price that rises somewhere over the losses that occur, is below zero, or no number."""
        ascending = np.unique(losses)
        prices = self.asked(ascending)
        wrong = np.flatnonzero(~np.isfinite(prices) | (prices < 0))
        if len(wrong):
            raise UsageError(
                f"at a loss of {ascending[wrong[0]]:.4g} it is {prices[wrong[0]]:.4g}; a {self.name} is a number from 0 up",
                where=argument(self.name),
            )
        rising = np.flatnonzero(np.diff(prices) > 0)
        if len(rising):
            low, high = ascending[rising[0]], ascending[rising[0] + 1]
            raise UsageError(
                f"it rises with the loss: {prices[rising[0]]:.4g} at {low:.6g} and {prices[rising[0] + 1]:.4g} at {high:.6g}; less "
                f"utility must not {'cost' if self.name == 'price' else 'be worth'} more",
                where=argument(self.name),
            )


def _numbers(text: str, count: int) -> list[float]:
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) != count or not all(map(np.isfinite, numbers)):
        raise _Unreadable
    return numbers


def _linear(text: str) -> Function:
    start, slope = _numbers(text, 2)
    return lambda loss: start - slope * loss


def _exponential(text: str) -> Function:
    start, rate = _numbers(text, 2)
    return lambda loss: start * np.exp(-rate * loss)


def _tiered(text: str) -> Function:
    tiers = [_numbers(part.replace("=", ","), 2) for part in text.split(",")]
    ends = np.array([end for end, _ in tiers])
    prices = np.array([price for _, price in tiers] + [0.0])
    if (np.diff(ends) <= 0).any():
        raise _Unreadable("tiers are in the order of their losses")
    return lambda loss: prices[np.searchsorted(ends, loss - 1e-12)]


class _Parser:
    """Sums of products of powers of numbers, `loss`, parentheses and a few functions."""

    def __init__(self, text: str) -> None:
        self._tokens = list(_tokens(text))
        self._place = 0
        self._depth = 0

    def function(self) -> Function:
        made = self._sum()
        if self._next is not None:
            raise _Unreadable(f"{self._next!r} is not expected")
        return made

    @property
    def _next(self) -> str | None:
        return self._tokens[self._place] if self._place < len(self._tokens) else None

    def _taken(self, *wanted: str) -> str | None:
        found = self._next
        if found is None or (wanted and found not in wanted):
            return None
        self._place += 1
        return found

    def _sum(self) -> Function:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise _Unreadable("it is nested too deeply")
        made = self._product()
        while sign := self._taken("+", "-"):
            made = _joined(np.add if sign == "+" else np.subtract, made, self._product())
        self._depth -= 1
        return made

    def _product(self) -> Function:
        made = self._signed()
        while sign := self._taken("*", "/"):
            made = _joined(np.multiply if sign == "*" else np.divide, made, self._signed())
        return made

    def _signed(self) -> Function:
        signs = 0
        while sign := self._taken("+", "-"):
            signs += sign == "-"
        made = self._power()
        return made if signs % 2 == 0 else (lambda loss: -made(loss))

    def _power(self) -> Function:
        base = self._atom()
        return _joined(np.power, base, self._signed()) if self._taken("^", "**") else base

    def _atom(self) -> Function:
        word = self._taken()
        if word is None:
            raise _Unreadable("it ends too early")
        if word == "(":
            made = self._sum()
            self._close()
            return made
        if word == "loss":
            return lambda loss: loss
        if word in _FUNCTIONS:
            return self._called(*_FUNCTIONS[word])
        try:
            number = float(word)
        except ValueError:
            raise _Unreadable(f"{word!r} is not known; loss, numbers, + - * / ^ and {', '.join(_FUNCTIONS)} are") from None
        return lambda loss: np.full_like(loss, number)

    def _called(self, count: int, function: Callable[..., Any]) -> Function:
        if not self._taken("("):
            raise _Unreadable("a function has its arguments in parentheses")
        arguments = [self._sum()]
        while self._taken(","):
            arguments.append(self._sum())
        self._close()
        if len(arguments) != count:
            raise _Unreadable(f"a function takes {count} of them here, not {len(arguments)}")
        return lambda loss: function(*(each(loss) for each in arguments))

    def _close(self) -> None:
        if not self._taken(")"):
            raise _Unreadable("a parenthesis is not closed")


def _joined(operation: Callable[..., Any], one: Function, other: Function) -> Function:
    return lambda loss: operation(one(loss), other(loss))


def _tokens(text: str) -> Iterator[str]:
    place = 0
    while place < len(text.rstrip()):
        match = _TOKEN.match(text, place)
        if match is None:
            raise _Unreadable(f"{text[place:].strip()[:1]!r} is no part of it")
        yield match[0].strip()
        place = match.end()
