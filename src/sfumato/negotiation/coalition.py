"""Coalitions: what users who put their releases together can reach, and which offers would let them reach too much.

Somebody with several releases of one table can at best see the classes of their *meet*: the lower level of each attribute, where what is
withheld stands at its root. Some bounds are not monotone: a pair of deals may break one that all three together keep. So the meets of
all coalitions are kept, and an offer is safe only if its meet with each of them keeps the bounds. Where every bound is monotone, the
meet of all deals is the finest and the worst: then it alone is kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from sfumato.errors import UsageError
from sfumato.frequency import Mask
from sfumato.models import PrivacyModel, models_of
from sfumato.search.lattice import Lattice
from sfumato.search.space import PolicySpace

Levels = npt.NDArray[np.int16]
_MOST_CELLS = 4_000_000  # of levels that are compared at once
MOST_MEETS = 200_000


def node_of(lattice: Lattice, levels: Mapping[str, int]) -> tuple[int, ...]:
    """The node of a policy; what it does not name is withheld."""
    return tuple(levels.get(name, height) for name, height in zip(lattice.attributes, lattice.heights, strict=True))


def proved_monotone(space: PolicySpace, alpha: float | None, models: Sequence[str]) -> bool:
    """Whether it is proved that a policy above one that keeps the bounds keeps them: see SPEC's table, and `PrivacyModel.monotone`."""
    judged: tuple[PrivacyModel, ...] = models_of(models)
    return alpha is None and space.about.basis == "row" and all(model.monotone for model in judged)


@dataclass(frozen=True, slots=True)
class Deal:
    """A policy that somebody has, or may take: who, and the level of every attribute of the owner's lattice."""

    id: str
    levels: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Coalitions:
    """All deals on a table, and the meets of all their coalitions.

    `within` says of every node of the lattice whether it keeps the bounds of an offer, and `together` whether it keeps those of all deals,
    too, if they were made under other bounds. `monotone`: whether a node that keeps them has only such nodes above it, which must be
    proved.
    """

    lattice: Lattice
    within: Mask
    monotone: bool = False
    deals: tuple[Deal, ...] = ()
    meets: Levels = field(default_factory=lambda: np.empty((0, 0), np.int16))
    together: Mask | None = None

    def with_deal(self, deal: Deal) -> Coalitions:
        """With one deal more."""
        own, deals = np.array([deal.levels], np.int16), (*self.deals, deal)
        if not len(self.meets):
            return replace(self, deals=deals, meets=own)
        met = np.minimum(self.meets, own)
        if self.monotone:
            return replace(self, deals=deals, meets=met)
        if (self.meets == own).all(axis=1).any():  # the meets are closed, so those with it are there, too
            return replace(self, deals=deals)
        grown = np.concatenate([self.meets, met, own])
        grown = grown[np.unique(self.lattice.numbers(grown), return_index=True)[1]]
        if len(grown) > MOST_MEETS:
            raise UsageError(
                f"the deals on this table have more than {MOST_MEETS:,} meets; close it, or make all bounds monotone",
                where="the ledger",
            )
        return replace(self, deals=deals, meets=grown)

    @property
    def _met(self) -> Mask:
        """Which nodes may be the meet of a coalition."""
        return self.within if self.together is None else self.together & self.within

    def safe(self, levels: npt.NDArray[np.integer]) -> Mask:
        """Which policies keep the bounds, alone and with every coalition."""
        levels = np.asarray(levels, np.int16)
        holds = self.within[self.lattice.numbers(levels)] if len(levels) else np.ones(0, bool)
        if not len(self.meets) or not holds.any():
            return holds
        step = max(1, _MOST_CELLS // (len(self.meets) * levels.shape[1]))
        left, kept = np.flatnonzero(holds), self._met
        for begin in range(0, len(left), step):
            part = left[begin : begin + step]
            met = np.minimum(levels[part, None, :], self.meets[None, :, :]).reshape(-1, levels.shape[1])
            holds[part] &= kept[self.lattice.numbers(met)].reshape(len(part), -1).all(axis=1)
        return holds

    def first_safe(self, levels: npt.NDArray[np.integer], order: npt.NDArray[np.intp]) -> int | None:
        """The first policy in an order that is safe."""
        begin, step = 0, 32
        while begin < len(order):
            part = order[begin : begin + step]
            found = np.flatnonzero(self.safe(levels[part]))
            if len(found):
                return int(part[found[0]])
            begin, step = begin + step, 4 * step
        return None

    def in_the_way(self, levels: Sequence[int]) -> tuple[Deal, ...] | None:
        """A small coalition of earlier deals that would breach the bounds together with a policy; none at all if the policy does so
        alone, None if it is safe."""
        own = np.array(levels, np.int16)
        if not self.within[self.lattice.numbers(own[None, :])[0]]:
            return ()
        if not len(self.meets):
            return None
        breached = np.flatnonzero(~self._met[self.lattice.numbers(np.minimum(self.meets, own))])
        coalitions = [self._members(own, self.meets[place]) for place in breached.tolist()]
        return min(coalitions, key=len) if coalitions else None

    def _members(self, own: Levels, meet: Levels) -> tuple[Deal, ...]:
        """Deals whose meet with a policy is that of the policy and this meet: each attribute needs one of them at the most."""
        above = [deal for deal in self.deals if all(level >= least for level, least in zip(deal.levels, meet, strict=True))]
        members: dict[str, Deal] = {}
        for place in np.flatnonzero(meet < own).tolist():
            if not any(deal.levels[place] == meet[place] for deal in members.values()):
                found = next(deal for deal in above if deal.levels[place] == meet[place])
                members[found.id] = found
        return tuple(members.values())
