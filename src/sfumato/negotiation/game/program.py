"""The best menu where types have no order: a mixed integer linear program, solved with a proof of how good it is.

A binary y_{t,x} says that type t gets policy x, and u_t what it is left with. The constraints of `rents` are linear in both, without
any large constant. Without the integers it is a linear program, whose optimum no menu exceeds, and whose reduced costs say by how much
the profit falls at the least if a type gets a policy. So a good menu rules out, with proof, all policies that would fall below it; few are
left for the integers. (The front by worth and cost would not do: a policy that is worth less to all and costs more can tempt less.)
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from sfumato.errors import UsageError, argument
from sfumato.frequency import Mask
from sfumato.negotiation.game.rents import Places
from sfumato.statistics import Floats

MOST_PAIRS = 250_000  # of types and policies
_LARGE = 1e3  # worth is scaled to it, because the solver's tolerance is absolute
_MARGIN = 1e-5  # of what is ruled out, at that scale
_NEAR = 20  # policies of each type among which the first menu is looked for
_DIGITS = 9
_STEPS = 3  # that share the time: the relaxation, a good menu, the best one


@dataclass(frozen=True, slots=True, eq=False)
class _Solved:
    """The policy of each type, the profit, and what no menu from the same policies exceeds."""

    allocation: Places
    profit: float
    at_most: float


@dataclass(frozen=True, slots=True, eq=False)
class _Program:
    """Worth of each type and cost by policy, at a scale, and how likely each type is."""

    worth: Floats
    cost: Floats
    likely: Floats
    seconds: float

    def relaxed(self) -> tuple[float, Floats]:
        """A bound on the profit of every menu, and by how much it falls at the least if a type gets a policy."""
        every = np.ones(self.worth.shape, bool)
        gain, same, less = self._parts(every)
        found = _scipy("optimize").linprog(
            gain, A_ub=-less if less.shape[0] else None, b_ub=np.zeros(less.shape[0]) if less.shape[0] else None,
            A_eq=same, b_eq=np.ones(len(self.worth)), method="highs", options={"time_limit": self.seconds},
        )  # fmt: skip
        if found.status != 0:
            raise _too_long()
        return float(-found.fun), np.asarray(found.lower.marginals[: every.size]).reshape(every.shape)

    def solved(self, allowed: Mask) -> _Solved | None:
        """The best menu from what is allowed; None if there was no time to find any."""
        optimize = _scipy("optimize")
        gain, same, less = self._parts(allowed)
        size = int(allowed.sum())
        found = optimize.milp(
            gain,
            integrality=np.concatenate([np.ones(size), np.zeros(len(self.worth))]),
            bounds=optimize.Bounds(0, np.concatenate([np.ones(size), np.full(len(self.worth), np.inf)])),
            constraints=[optimize.LinearConstraint(same, 1, 1), optimize.LinearConstraint(less, 0, np.inf)],
            options={"mip_rel_gap": 0.0, "time_limit": self.seconds},
        )
        if found.x is None:
            return None
        chosen = np.full(allowed.shape, -1.0)
        chosen[allowed] = found.x[:size]
        return _Solved(chosen.argmax(axis=1).astype(np.intp), float(-found.fun), float(-found.mip_dual_bound))

    def _parts(self, allowed: Mask) -> tuple[Floats, Any, Any]:
        """What is minimized, one policy for each type, and for each pair (t, s): u_t - u_s - Σ (worth_t - worth_s)(x) · y_{s,x} ≥ 0."""
        sparse, types = _scipy("sparse"), len(self.worth)
        owner, place = np.nonzero(allowed)
        gain = self.likely[owner] * (self.worth[owner, place] - self.cost[place])
        same = sparse.csr_array((np.ones(len(owner)), (owner, np.arange(len(owner)))), shape=(types, len(owner) + types))
        blocks = []
        for t in range(types):
            tempted = sparse.csr_array(
                (self.worth[owner, place] - self.worth[t, place], (owner, np.arange(len(owner)))), shape=(types, len(owner))
            )
            rents = sparse.csr_array(np.eye(types)[t] - np.eye(types))
            others = np.delete(np.arange(types), t)
            blocks.append(sparse.hstack([tempted, rents], format="csr")[others])
        return np.concatenate([-gain, self.likely]), same, sparse.vstack(blocks, format="csr")


def best_of_program(worth: Floats, cost: Floats, probabilities: Floats, seconds: float) -> tuple[Places, float, int]:
    """The policy of each type, a bound on the profit of every menu, and how many pairs of type and policy could not be ruled out."""
    _, first = np.unique(np.round(np.vstack([worth, cost]), _DIGITS), axis=1, return_index=True)
    distinct = np.sort(first)
    if len(worth) * len(distinct) > MOST_PAIRS:
        raise UsageError(
            f"these types have no common order, and {len(worth) * len(distinct):,} pairs of type and policy are more than the "
            f"{MOST_PAIRS:,} that can be solved; use fewer types, or types that differ by a scale",
            where=argument("types"),
        )
    scale = _LARGE / max(float(np.abs(worth).max()), float(np.abs(cost).max()), 1e-300)
    program = _Program(worth[:, distinct] * scale, cost[distinct] * scale, probabilities, seconds / _STEPS)
    bound, falls = program.relaxed()
    allowed = falls <= np.partition(falls, min(_NEAR, falls.shape[1]) - 1, axis=1)[:, [min(_NEAR, falls.shape[1]) - 1]]
    near = program.solved(allowed)
    if near is None:
        raise _too_long()
    needed = falls <= bound - near.profit + _MARGIN
    best = program.solved(needed) if (needed & ~allowed).any() else near
    at_most = (
        bound if best is None else min(max(best.at_most, near.profit), bound)
    )  # what is ruled out is no better than what is near
    chosen = near if best is None or best.profit < near.profit else best
    return distinct[chosen.allocation], at_most / scale, int(needed.sum())


def _scipy(name: str) -> Any:
    try:
        return import_module(f"scipy.{name}")
    except ModuleNotFoundError:
        raise UsageError('types without a common order need scipy: pip install "sfumato[game]"', where="negotiate menu") from None


def _too_long() -> UsageError:
    return UsageError("no menu was found in the time; use fewer types, or give it more", where=argument("time_limit"))
