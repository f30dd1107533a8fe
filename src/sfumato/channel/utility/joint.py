"""The joint distribution of a table's attributes: what its utility follows from. Made of counts, never of rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log2

import numpy as np
import numpy.typing as npt

from sfumato.errors import UsageError, argument, unknown
from sfumato.frequency import FrequencySet, packed
from sfumato.statistics import TOLERANCE, Floats, entropy_of
from sfumato.vocabulary.hierarchy import Hierarchy

Codes = npt.NDArray[np.integer]


@dataclass(frozen=True, slots=True, eq=False)
class Joint:
    """Shares of cells: `codes[c, j]` is the value of attribute j in cell c, `shares` add up to one. `domains` is how many values an
    attribute may have at its level, whether they occur or not."""

    names: tuple[str, ...]
    domains: tuple[int, ...]
    codes: Codes
    shares: Floats

    @classmethod
    def of(cls, counts: FrequencySet, sensitive: str | None = None) -> Joint:
        """The QIDs of a frequency set at its node and one of its sensitive attributes, row by row.

        Parameters
        ----------
        counts : FrequencySet
            A table, counted at any node.
        sensitive : str, optional
            The sensitive attribute. It may be left out if there is one; several are not counted together.

        Returns
        -------
        Joint
            The distribution. A domain is as large as the level has labels, and one larger if the missing value occurs.
        """
        at = [(each, level) for each, level in zip(counts.hierarchies, counts.node.levels, strict=True)]
        name = _sensitive(counts, sensitive)
        if name is None:
            return cls._made(counts.node.attributes, at, counts.codes, counts.rows)
        payload = counts.payloads[name]
        each = np.repeat(np.arange(counts.classes), np.diff(payload.offsets))
        codes = np.column_stack([counts.codes[each], payload.values])
        return cls._made((*counts.node.attributes, name), [*at, (payload.hierarchy, 0)], codes, payload.rows)

    @classmethod
    def _made(
        cls, names: tuple[str, ...], at: Sequence[tuple[Hierarchy, int]], codes: Codes, rows: npt.NDArray[np.int64]
    ) -> Joint:
        if not rows.sum():
            raise UsageError("a table without rows has no utility", where="table")
        sizes = [len(hierarchy.at(level)) for hierarchy, level in at]
        domains = tuple(size + bool((column == size).any()) for size, column in zip(sizes, codes.T, strict=True))
        return cls(names, domains, codes, np.asarray(rows / rows.sum(), np.float64))

    def entropy(self, names: Iterable[str]) -> float:
        """The entropy in bits of some attributes together."""
        wanted = set(names)
        places = [place for place, name in enumerate(self.names) if name in wanted]
        keys = packed([self.codes[:, place] for place in places], [self.domains[place] for place in places], len(self.codes))
        _, group = np.unique(keys, return_inverse=True)
        return float(entropy_of(np.asarray(np.bincount(group, self.shares), np.float64)))

    def open(self, name: str, given: Iterable[str] = ()) -> float:
        """H(name | given): the bits that are open about an attribute when others are known."""
        known = set(given) - {name}
        return max(self.entropy({name, *known}) - self.entropy(known), 0.0) if known else self.entropy({name})

    def most(self, name: str) -> float:
        """log2 of the attribute's domain: the bits that are open about it when nothing is known."""
        return log2(self.domains[self.names.index(name)])

    def require(self, name: str) -> None:
        """Refuse the name of another attribute."""
        if name not in self.names:
            raise UsageError(unknown("attribute", name, self.names, within="the table"), where=argument("attribute"))


def _sensitive(counts: FrequencySet, sensitive: str | None) -> str | None:
    if sensitive is None and len(counts.payloads) > 1:
        raise UsageError(f"name one sensitive attribute; there are {', '.join(counts.payloads)}", where=argument("sensitive"))
    if sensitive is not None and sensitive not in counts.payloads:
        raise UsageError(
            unknown("sensitive attribute", sensitive, counts.payloads, within="the count"), where=argument("sensitive")
        )
    return sensitive or next(iter(counts.payloads), None)


Interest = Mapping[str, float] | None


def interest_of(names: Sequence[str], interest: Interest) -> dict[str, float]:
    """With which probability each attribute is the one that somebody wants to know about; all alike if nothing is said."""
    if interest is None:
        return dict.fromkeys(names, 1 / len(names))
    for name in interest:
        if name not in names:
            raise UsageError(unknown("attribute", name, names, within="the table"), where=argument("interest"))
    if min(interest.values(), default=-1) < 0 or abs(sum(interest.values()) - 1) > TOLERANCE:
        raise UsageError("the probabilities of the attributes are at least 0 and add up to 1", where=argument("interest"))
    return {name: float(interest.get(name, 0)) for name in names}
