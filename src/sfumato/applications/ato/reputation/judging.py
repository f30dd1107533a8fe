"""From known addresses to the reputation of all."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from sfumato.applications.ato.confusion import Confusion
from sfumato.applications.ato.forest.model import FEATURES
from sfumato.applications.ato.needs import require_learn
from sfumato.applications.ato.reputation.mistakes import Mistakes
from sfumato.applications.ato.reputation.neighbors import resembling
from sfumato.applications.ato.reputation.rules import Rules
from sfumato.commit.writing import written_whole
from sfumato.errors import DataError, argument, several
from sfumato.results import Printed, Rows

FEWEST = 3  # known addresses of each class that must occur


@dataclass(frozen=True, slots=True, eq=False)
class Reputation(Printed):
    """Which keys are bad. `known`: how many known bad and good ones occur; `captured`: how many resemble them; `score`: against the
    truth, where that was given."""

    keys: pa.Array
    bad: npt.NDArray[np.bool_]
    rules: Rules
    known: tuple[int, int]
    captured: tuple[int, int]
    score: Confusion | None = None

    def table(self) -> Rows:
        """How many addresses there are of each kind."""
        bad = int(self.bad.sum())
        counts = (("known", *self.known), ("captured", *self.captured), ("by the rules", bad, len(self.bad) - bad))
        return Rows(("addresses", "Bad", "Good"), counts)

    def as_dict(self) -> dict[str, Any]:
        """For machines; it names no address."""
        bad = int(self.bad.sum())
        counts: dict[str, Any] = {"known": self.known, "captured": self.captured, "bad": bad, "good": len(self.bad) - bad}
        always = {"always": str(self.rules.mistakes), "honest_rate": self.rules.mistakes.rate}
        truth = None if self.score is None else self.score.as_dict()
        return counts | {"rules": list(self.rules.lines()), **always, "truth": truth}

    def write(self, path: str | PathLike[str], *, force: bool = False) -> None:
        """As Parquet: `Key` and `Reputation`, in the order of the features."""
        words = pa.array(np.where(self.bad, "Bad", "Good"))
        with written_whole(Path(path), force) as hidden:
            pq.write_table(pa.table({"Key": self.keys, "Reputation": words}), hidden, compression="zstd")


def reputation(
    features: pa.Table, bad: Collection[str], good: Collection[str], *, fraudulent: Collection[str] | None = None, seed: int = 0
) -> Reputation:
    """Divide addresses by what a few known ones have in common.

    Parameters
    ----------
    features : Arrow table
        The features of every address, `features-ip.parquet`.
    bad, good : collections of addresses
        Known ones; at least three of each must occur.
    fraudulent : collection of addresses, optional
        Those that fraudulent logins really came from, to score the result by; nothing else looks at it.
    seed : int
        Decides between splits that are equally good.

    Returns
    -------
    Reputation
        Bad or good for every address, and the rules.
    """
    require_learn("reputation")
    keys, rows = features.column("Key").combine_chunks(), rows_of(features)
    known_bad, known_good = _known(keys, bad, good)
    mistakes = _mistakes(rows, known_good)
    found = resembling(rows, known_bad, known_good)
    like = found >= 0
    rules = Rules.learned(rows[like], found[like] == 1, mistakes, seed)
    if not rules.bad:
        raise DataError("no rule tells the known bad addresses from the known good ones; give more of both", where="reputation")
    decided = rules.decide(rows)
    score = None if fraudulent is None else Confusion.of(decided, _among(keys, fraudulent))
    captured = int((found == 1).sum()), int((found == 0).sum())
    return Reputation(keys, decided, rules, (int(known_bad.sum()), int(known_good.sum())), captured, score)


def _mistakes(rows: npt.NDArray[np.float64], good: npt.NDArray[np.bool_]) -> Mistakes:
    found = Mistakes.of(rows, good)
    if not found.bound:
        raise DataError(
            "no address has more failing people than honest mistakes explain: at good addresses up to "
            f"{found.rate:.1%} of the logins fail; give more logs, or more known good addresses",
            where="reputation",
        )
    return found


def rows_of(features: pa.Table) -> npt.NDArray[np.float64]:
    """The features in their order, one row per key; refuses a table that lacks one."""
    lacking = [name for name in ("Key", *FEATURES) if name not in features.column_names]
    if lacking:
        raise DataError(
            f"no table of features: it lacks {', '.join(lacking)}; 'sfumato ato features' makes one", where="features"
        )
    return np.column_stack([features.column(name).to_numpy().astype(np.float64) for name in FEATURES])


def _known(keys: pa.Array, bad: Collection[str], good: Collection[str]) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    both = len(set(bad) & set(good))
    if both:
        raise DataError(f"{several(both, 'address', 'addresses')} known to be bad and to be good; each can be one", where="known")
    found = {"bad": _among(keys, bad), "good": _among(keys, good)}
    for (name, each), listed in zip(found.items(), (len(set(bad)), len(set(good))), strict=True):
        if each.sum() < FEWEST:
            hint = "is it the list for these logs?" if each.sum() < listed else "name more of them"
            raise DataError(
                f"{int(each.sum())} of the {several(listed, 'address', 'addresses')} known to be {name} "
                f"occur in the features, and at least {FEWEST} must; {hint}",
                where=argument(name),
            )
    return found["bad"], found["good"]


def _among(keys: pa.Array, some: Collection[str]) -> npt.NDArray[np.bool_]:
    import pyarrow.compute as pc

    return np.asarray(pc.is_in(keys, value_set=pa.array(sorted(some), keys.type)).to_numpy(zero_copy_only=False), bool)
