"""How the two protocols run that the game is compared with."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from sfumato.errors import UsageError, argument
from sfumato.negotiation.game.market import Stakes
from sfumato.negotiation.owner import FINEST, GRID, rounded_up
from sfumato.negotiation.pricing import Price
from sfumato.statistics import Floats

MOST_ANSWERS = 1000


@dataclass(frozen=True, slots=True)
class Rates:
    """How the protocols run that are compared.

    Parameters
    ----------
    fee : float
        What a release costs under the flat rate.
    price : str, optional
        What it costs under the variable rate, as a function of the utility loss that an offer states; half of the value, unless given.
    expected : float, optional
        The profit that the owner would like under the variable rate; the largest, unless given.
    limit : int
        How often the owner answers in one negotiation.
    grid : float
        What the losses in offers are rounded up to.
    """

    fee: float = 40.0
    price: str | None = None
    expected: float | None = None
    limit: int = 10
    grid: float = GRID

    def __post_init__(self) -> None:
        if not 0 <= self.fee < inf:
            raise UsageError("a number from 0 up", where=argument("fee"))
        if not 1 <= self.limit <= MOST_ANSWERS:
            raise UsageError(f"a whole number from 1 to {MOST_ANSWERS:,}", where=argument("limit"))
        if not FINEST <= self.grid <= 1:
            raise UsageError(f"a grid is a number from {FINEST} to 1, such as 0.01", where=argument("grid"))

    def price_list(self, stakes: Stakes) -> Price:
        """The price under the variable rate."""
        return stakes.half() if self.price is None else Price.of(self.price)

    def asked(self, stakes: Stakes, losses: Floats) -> Floats:
        """What is asked for policies with some utility losses under the variable rate: it depends on the losses that offers state."""
        return self.price_list(stakes).asked(rounded_up(losses, self.grid))
