"""Comparison metrics between posterior and prior."""

from __future__ import annotations

from collections.abc import Callable

from sfumato.statistics import ClassStatistics, Domain, Floats


def column(name: str) -> Callable[[ClassStatistics], Floats]:
    """A distance that is a column of the statistics."""
    return lambda statistics: statistics.column(name)


def fitting_distance(domain: Domain) -> str:
    """Hierarchical if the attribute has a hierarchy, ordered for numbers, else equal."""
    if len(domain.tree) > 1:
        return "hierarchical"
    return "equal" if domain.numbers is None else "ordered"


def emd(statistics: ClassStatistics, distance: str | None = None) -> Floats:
    """Earth mover's distance with the named ground distance, or the one that fits the attribute."""
    return statistics.column(f"emd_{distance or fitting_distance(statistics.domain)}")
