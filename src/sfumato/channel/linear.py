"""Linear programs, solved by HiGHS through scipy: the least of a sum over nonnegative numbers under linear conditions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.channel.matrix import WHERE, Floats
from sfumato.channel.needs import scipy_part
from sfumato.errors import UsageError

# The solver's own tolerances are wider than the 1e-9 that results are compared with.
_FINE = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
_INFEASIBLE = 2
_MOST = 20_000_000  # coefficients; HiGHS takes minutes beyond
Conditions = tuple[Any, Floats]


@dataclass(frozen=True, slots=True, eq=False)
class Solved:
    """The numbers that are best, the least value, and the prices of the conditions: what the value gains per unit of each limit.

    The prices prove how good the answer is: whatever x keeps the conditions, cost·x is at least `proved + undercut·(sum of x)`, where
    `undercut` is zero or the little that rounding leaves below it.
    """

    x: Floats
    value: float
    below: Floats
    equal: Floats
    proved: float
    undercut: float


def least(cost: Floats, below: Conditions | None = None, equal: Conditions | None = None) -> Solved | None:
    """The least of cost·x over x >= 0 with below[0] x <= below[1] and equal[0] x = equal[1]; None where no x keeps the conditions."""
    size = sum(each[0].nnz if hasattr(each[0], "nnz") else each[0].size for each in (below, equal) if each is not None)
    if size > _MOST:
        raise UsageError(f"the linear program would have {size:,} coefficients; up to {_MOST:,} are solved", where=WHERE)
    limits: dict[str, Any] = {}
    if below is not None:
        limits |= {"A_ub": below[0], "b_ub": below[1]}
    if equal is not None:
        limits |= {"A_eq": equal[0], "b_eq": equal[1]}
    found = scipy_part("optimize").linprog(cost, **limits, method="highs", options=_FINE)
    if found.status == _INFEASIBLE:
        return None
    if found.x is None or found.status != 0:
        raise UsageError(f"the linear program of {len(cost):,} numbers could not be solved; try a smaller channel", where=WHERE)
    prices = np.minimum(found.ineqlin.marginals, 0), np.asarray(found.eqlin.marginals)
    left, proved = np.array(cost), 0.0
    for given, price in zip((below, equal), prices, strict=True):
        if given is not None:
            left -= given[0].T @ price
            proved += float(given[1] @ price)
    return Solved(found.x, float(found.fun), *prices, proved, min(float(left.min()), 0.0))


def solved(cost: Floats, below: Conditions | None = None, equal: Conditions | None = None) -> Solved:
    """As `least`, for a program that some x always keeps."""
    found = least(cost, below, equal)
    if found is None:
        raise UsageError(
            "the linear program has no solution, which rounding must have caused; try a smaller channel", where=WHERE
        )
    return found
