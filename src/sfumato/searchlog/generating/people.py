"""The people of a generated log: who they are, how much they search, and for which of them identifying queries are planted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.searchlog.generating.words import FIRST_NAMES, ILLNESSES, LAST_NAMES, TOWNS

ROWS_EACH = 40  # rows of a person in the mean
PLANTED = 0.05  # the share of people who search for themselves
ILL = 0.25
BOTS = 20_000  # one account in so many is a program's
_SPREAD = 1.1  # of the logarithm of how much people search: a tenth of them make half of the log
Whole = npt.NDArray[np.int64]
PEOPLE = pa.schema(
    [
        *(pa.field(name, pa.string(), nullable=False) for name in ("UserId", "FirstName", "LastName", "Town")),
        pa.field("Age", pa.int32(), nullable=False),
        pa.field("Illness", pa.string()),
        pa.field("Planted", pa.bool_(), nullable=False),
        pa.field("Bot", pa.bool_(), nullable=False),
    ]
)


@dataclass(frozen=True, slots=True, eq=False)
class People:
    """Everybody, by number: places in the lists of words, `illness` -1 for none, and how many rows each has, all adding up."""

    users: Whole
    first: Whole
    last: Whole
    town: Whole
    age: Whole
    illness: Whole
    planted: npt.NDArray[np.bool_]
    bot: npt.NDArray[np.bool_]
    rows: Whole

    def __len__(self) -> int:
        return len(self.users)

    def table(self) -> pa.Table:
        """The truth about everybody."""
        names = [pa.array(words).take(pa.array(places)) for words, places in self._named()]
        ill = pa.array(ILLNESSES).take(pa.array(self.illness, mask=self.illness < 0))
        columns = [pa.array(self.users).cast(pa.string()), *names, pa.array(self.age, pa.int32()), ill]
        return pa.table([*columns, pa.array(self.planted), pa.array(self.bot)], schema=PEOPLE)

    def _named(self) -> tuple[tuple[tuple[str, ...], Whole], ...]:
        return (FIRST_NAMES, self.first), (LAST_NAMES, self.last), (TOWNS, self.town)


def people_of(rows: int, seed: int) -> People:
    """The people of a log of so many rows."""
    rng = np.random.default_rng([seed, 0])
    count = max(rows // ROWS_EACH, 2)
    planted = rng.random(count) < PLANTED
    planted[0] = True
    bot = np.zeros(count, bool)
    bot[1 :: max(BOTS, 1)] = count > 20
    planted &= ~bot
    towns = np.minimum((rng.random(count) ** 2.5 * len(TOWNS)).astype(np.int64), len(TOWNS) - 1)
    weights = np.exp(rng.normal(0, _SPREAD, count))
    weights[bot] = weights.sum() * 0.01 / max(int(bot.sum()), 1)
    weights[planted] = np.maximum(weights[planted], 0.5)
    ill = rng.random(count) < ILL
    return People(
        users=rng.permutation(count) + 100_000,
        first=rng.integers(0, len(FIRST_NAMES), count),
        last=rng.integers(0, len(LAST_NAMES), count),
        town=towns,
        age=rng.integers(18, 90, count),
        illness=np.where(ill & ~bot, rng.integers(0, len(ILLNESSES), count), -1),
        planted=planted,
        bot=bot,
        rows=_shared_out(rows, weights),
    )


def _shared_out(rows: int, weights: npt.NDArray[np.float64]) -> Whole:
    """As many rows for each as its weight says, at least one; the largest fractions get what rounding leaves."""
    shares = weights / weights.sum() * max(rows - len(weights), 0)
    whole = shares.astype(np.int64)
    left = max(rows - len(weights), 0) - int(whole.sum())
    whole[np.argsort(-(shares - whole), kind="stable")[:left]] += 1
    return np.asarray(whole + 1)
