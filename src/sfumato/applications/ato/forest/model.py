"""A trained detector: a forest, what its features mean, and how it was made. It holds counts and shares, and nothing of a person."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.applications.ato.events import COUNTS, FLAG
from sfumato.applications.ato.forest.trees import Floats, Forest
from sfumato.errors import DataError, several

FEATURES = (*COUNTS, FLAG)
PREFIXES = {"ip": "IP", "subnet": "Subnet", "country": "Country"}
_PLACES = {"ip": "address", "subnet": "subnet", "country": "country"}
_WORDS = {
    "IPBadLogins": ("login", "{count} failed from the {place}"),
    "IPGoodLogins": ("login", "{count} succeeded from the {place}"),
    "IPBadUsers": ("user", "{count} failed from the {place}"),
    "IPGoodUsers": ("user", "{count} succeeded from the {place}"),
    "IPBadOrgs": ("organization", "users of {count} failed from the {place}"),
    "IPGoodOrgs": ("organization", "users of {count} succeeded from the {place}"),
}
_NOUNS = "(login|user|organization)"
_FEW, _MANY = re.compile(rf"(?:no|only [\d,]+) {_NOUNS}s?"), re.compile(rf"[\d,]+ {_NOUNS}s?")
NO_REASON = "nothing stands out"


@dataclass(frozen=True, slots=True)
class Settings:
    """How large a forest is and how far its trees grow; the values are those of the thesis, 5.7.4."""

    trees: int = 75
    depth: int = 15
    leaf: int = 8

    def __str__(self) -> str:
        return f"{self.trees} trees, depth {self.depth}, leaf {self.leaf}"


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """A forest over features of logins at one level. `rows` and `fraudulent`: the logins that it was trained on, and the share of
    fraudulent ones; `importances`: one per feature, together 1; `online`: their counts were of what was before each login."""

    level: str
    forest: Forest
    settings: Settings
    seed: int
    rows: int
    fraudulent: float
    importances: tuple[float, ...]
    features: tuple[str, ...] = FEATURES
    online: bool = False

    def rows_of(self, columns: Mapping[str, npt.NDArray[Any]]) -> Floats:
        """Columns by name as the rows that the forest takes; refuses missing columns."""
        lacking = [name for name in self.features if name not in columns]
        if lacking:
            raise DataError(f"the model needs the features {', '.join(lacking)}, which the table lacks", where="model")
        return np.column_stack([np.asarray(columns[name], np.float64) for name in self.features])

    def reasons(self, rows: npt.NDArray[Any]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
        """The number of the feature that raises each row's score most (-1 where none does), and whether it does so by being small."""
        sides = self.forest.contributions_by_side(rows)
        found, every = sides.sum(axis=1), np.arange(len(rows))
        best = found.argmax(axis=1)
        return np.where(found[every, best] > 0, best, -1), sides[every, 0, best] >= sides[every, 1, best]

    def explanations(self, rows: npt.NDArray[Any]) -> list[str]:
        """The reason of each row's score, in words."""
        return [
            NO_REASON if place < 0 else reason(self.features[place], int(row[place]), self.level, small=bool(small))
            for place, small, row in zip(*self.reasons(rows), rows, strict=True)
        ]


def reason(feature: str, value: int, level: str, *, small: bool = False) -> str:
    """
    >>> reason("IPBadUsers", 312, "subnet"), reason("UserAgentFlag", 1, "ip")
    ('312 users failed from the subnet', 'the user agent is one that attackers use')
    >>> reason("IPGoodUsers", 1, "ip", small=True), reason("IPGoodOrgs", 0, "ip", small=True)
    ('only 1 user succeeded from the address', 'users of no organization succeeded from the address')
    """
    if feature == FLAG:
        return "the user agent is one that attackers use" if value else "the user agent is an ordinary one"
    noun, sentence = _WORDS[feature]
    count = f"no {noun}" if small and value == 0 else f"{'only ' if small else ''}{several(value, noun)}"
    return sentence.format(count=count, place=_PLACES[level])


def kind_of(reason: str) -> str:
    """A reason without its number.

    >>> kind_of("only 1 user succeeded from the address"), kind_of("users of 1,200 organizations failed from the subnet")
    ('few users succeeded from the address', 'users of many organizations failed from the subnet')
    """
    return _MANY.sub(r"many \1s", _FEW.sub(r"few \1s", reason))


def heads(level: str, features: Sequence[str] = FEATURES) -> tuple[str, ...]:
    """The names of features at a level, as Table 5.4 has them.

    >>> heads("subnet")[:2]
    ('SubnetBadLogins', 'SubnetGoodLogins')
    """
    return tuple(f"{PREFIXES[level]}{name.removeprefix('IP')}" if name.startswith("IP") else name for name in features)
