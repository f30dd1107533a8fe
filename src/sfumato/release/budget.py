"""The privacy budget of a table or a log: what its differentially private releases have spent together, as the ledger records them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from sfumato.release.chain import prove
from sfumato.release.sealed import LOG


@dataclass(frozen=True, slots=True)
class Spent:
    """Epsilon and delta of all releases of a table or a log; they add up (sequential composition, Dwork et al. 2006)."""

    epsilon: float
    delta: float
    releases: int


def spent_on(ledger: Path, table: str) -> Spent:
    """What the releases of a table, or of a log, have spent, known by its digest; refuses a ledger that is not complete."""
    return added_up(entry.content for entry in prove(ledger).entries if _of(entry.content, table))


def _of(content: Mapping[str, Any], table: str) -> bool:
    return bool(content.get("owner", {}).get("input_sha256") == table)


def added_up(entries: Iterable[Mapping[str, Any]]) -> Spent:
    """The budgets of some entries of a ledger, added exactly; releases without one have spent none."""
    budgets = [each for each in map(budget_of, entries) if each is not None]
    epsilon, delta = (sum((Fraction(each[place]) for each in budgets), Fraction(0)) for place in (0, 1))
    return Spent(float(epsilon), float(delta), len(budgets))


def budget_of(entry: Mapping[str, Any]) -> tuple[float, float] | None:
    """The epsilon and delta that one release has spent, as its method says or, of a log, its promise; None if it has no noise."""
    certificate = entry.get("certificate", {})
    if entry.get("kind") == LOG.name:
        promise = certificate["promise"]
        return (promise["epsilon"], promise["delta_spent"]) if "epsilon" in promise else None
    method = certificate.get("method")
    return (method["epsilon"], method.get("delta", 0)) if isinstance(method, Mapping) and "epsilon" in method else None
