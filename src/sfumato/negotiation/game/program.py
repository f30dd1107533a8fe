"""The best menu where types have no order: a mixed integer linear program, solved with a proof of how good it is.

A binary y_{t,x} says that type t gets policy x, and u_t what it is left with. The constraints of `rents` are linear in both, without
any large constant. Candidates are reduced without loss: for type t, policy x is never needed if another one has as much surplus and is
no more tempting to any other type. (A policy that is worth less to all and costs more can be needed: it may tempt less.)
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from sfumato.errors import UsageError, argument
from sfumato.negotiation.game.rents import Places
from sfumato.search.space.front import front
from sfumato.statistics import Floats

_LARGE = 1e3  # worth is scaled to it, because the solver's tolerance is absolute
_DIGITS = 9
MOST_CELLS = 250_000  # of types times candidates


def candidates(worth: Floats, cost: Floats) -> list[Places]:
    """For each type the policies that a best menu may need for it."""
    found = []
    for row in worth:
        others = np.delete(worth, np.flatnonzero((worth == row).all(axis=1))[0], axis=0) - row
        values = np.round(np.vstack([cost - row, others]).T, _DIGITS)
        _, first = np.unique(values, axis=0, return_index=True)
        first = np.sort(first)
        found.append(np.asarray(first[front(values[first]) if values.shape[1] > 1 else values[first, 0].argmin()[None]], np.intp))
    return found


def best_of_program(worth: Floats, cost: Floats, probabilities: Floats, seconds: float) -> tuple[Places, float, int]:
    """The policy of each type, a bound on the profit of every menu, and how many candidates there were."""
    columns = candidates(worth, cost)
    size = sum(map(len, columns))
    if size > MOST_CELLS:
        raise UsageError(
            f"these types have no common order, and {size:,} pairs of type and policy are more than the {MOST_CELLS:,} that can be "
            "solved; use fewer types, or types that differ by a scale",
            where=argument("types"),
        )
    scale = _LARGE / max(float(np.abs(worth).max()), 1e-300)
    found = _solved(worth * scale, cost * scale, probabilities, columns, seconds)
    if found.x is None:
        raise UsageError("no menu was found in the time; use fewer types or give more time", where=argument("time_limit"))
    starts = np.cumsum([0, *map(len, columns)])
    chosen = [int(part[np.argmax(found.x[start : start + len(part)])]) for part, start in zip(columns, starts[:-1], strict=True)]
    return np.array(chosen, np.intp), float(-found.mip_dual_bound / scale), size


def _solved(worth: Floats, cost: Floats, probabilities: Floats, columns: list[Places], seconds: float) -> Any:
    optimize, sparse = _scipy("optimize"), _scipy("sparse")
    types, size = len(worth), sum(map(len, columns))
    owner = np.repeat(np.arange(types), [len(part) for part in columns])
    places = np.concatenate(columns)
    gain = probabilities[owner] * (worth[owner, places] - cost[places])
    one_each = sparse.csr_array((np.ones(size), (owner, np.arange(size))), shape=(types, size + types))
    limits = [optimize.LinearConstraint(one_each, 1, 1)]
    if types > 1:
        limits.append(optimize.LinearConstraint(_incentives(worth, owner, places, sparse), 0, np.inf))
    return optimize.milp(
        np.concatenate([-gain, probabilities]),
        integrality=np.concatenate([np.ones(size), np.zeros(types)]),
        bounds=optimize.Bounds(0, np.concatenate([np.ones(size), np.full(types, np.inf)])),
        constraints=limits,
        options={"mip_rel_gap": 0.0, "time_limit": seconds},
    )


def _incentives(worth: Floats, owner: Places, places: Places, sparse: Any) -> Any:
    """For each pair (t, s): u_t - u_s - Σ (worth_t - worth_s)(x) · y_{s,x}."""
    types, blocks = len(worth), []
    for t in range(types):
        others = np.delete(np.arange(types), t)
        row_of = np.full(types, -1)
        row_of[others] = np.arange(types - 1)
        used = owner != t
        values = -(worth[t, places] - worth[owner, places])[used]
        tempted = sparse.csr_array((values, (row_of[owner[used]], np.flatnonzero(used))), shape=(types - 1, len(places)))
        rents = -np.eye(types)[others]
        rents[:, t] += 1
        blocks.append(sparse.hstack([tempted, sparse.csr_array(rents)]))
    return sparse.vstack(blocks, format="csr")


def _scipy(name: str) -> Any:
    try:
        return import_module(f"scipy.{name}")
    except ModuleNotFoundError:
        raise UsageError('types without a common order need scipy: pip install "sfumato[game]"', where="negotiate menu") from None
