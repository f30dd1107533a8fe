"""The privacy budget of a table: what its differentially private releases have spent together, as the ledger records them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from sfumato.release.chain import prove


@dataclass(frozen=True, slots=True)
class Spent:
    """Epsilon and delta of all releases of a table; they add up (sequential composition, Dwork et al. 2006)."""

    epsilon: float
    delta: float
    releases: int


def spent_on(ledger: Path, table: str) -> Spent:
    """What the releases of a table have spent, known by the digest of the table; refuses a ledger that is not complete."""
    return added_up(entry.content for entry in prove(ledger).entries if _of(entry.content, table))


def _of(content: Mapping[str, Any], table: str) -> bool:
    return bool(content.get("owner", {}).get("input_sha256") == table)


def added_up(entries: Iterable[Mapping[str, Any]]) -> Spent:
    """The budgets of some entries of a ledger, added exactly; releases without one have spent none."""
    methods = [entry.get("certificate", {}).get("method") or {} for entry in entries]
    budgets = [each for each in methods if "epsilon" in each]
    epsilon, delta = (sum((Fraction(each.get(name, 0)) for each in budgets), Fraction(0)) for name in ("epsilon", "delta"))
    return Spent(float(epsilon), float(delta), len(budgets))
