"""A table that changes: some people leave and as many others come, from one edition to the next. For trying out sequences of releases on
a table that has no history; who leaves and who comes is drawn at random, whatever their values are."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sfumato.errors import UsageError, argument
from sfumato.frequency import Counts
from sfumato.operations.randomness import Draws


def editions(rows: int, years: int, share: float, people: int | None, seed: int) -> Iterator[Counts]:
    """The places of the rows in each edition, ascending; nobody who has left comes back.

    >>> first, second, third = (set(edition.tolist()) for edition in editions(8, 3, 0.25, None, seed=0))
    >>> len(first), len(first & second), len(second & third), len((first - second) & third)
    (5, 4, 4, 0)
    """
    most = next(n for n in range(int(rows / (1 + (years - 1) * share)), -1, -1) if _needed(n, years, share) <= rows)
    wanted = people or most
    if wanted < 1 or _needed(wanted, years, share) > rows:
        raise UsageError(
            f"there are {rows:,} rows, which is enough for {most:,} people in {years} editions", where=argument("people")
        )
    leaving = round(share * wanted)
    order = Draws(seed, "who comes").order(rows)
    present, waiting = order[:wanted], wanted
    yield np.sort(present)
    for year in range(2, years + 1):
        staying = Draws(seed, f"who leaves {year}").order(wanted)[leaving:]
        present = np.concatenate([present[staying], order[waiting : waiting + leaving]])
        waiting += leaving
        yield np.sort(present)


def _needed(people: int, years: int, share: float) -> int:
    """The rows of so many people and of all who come later."""
    return people + (years - 1) * round(share * people)
