"""Sensitive values by name: one that fewer than five people of the table hold has none."""

from __future__ import annotations

from typing import Any

from sfumato.beliefs import Prior

FEW = 5


def named(prior: Prior) -> list[dict[str, Any]]:
    """For machines: the values of a prior in order. A missing value is null, and so is one without a name, which says so."""
    return [
        {"value": value} if people >= FEW else {"value": None, "unnamed": True}
        for value, people in zip(prior.values, prior.people.tolist(), strict=True)
    ]


def said(told: dict[str, Any]) -> str:
    """For people: what is told of a value, in a cell of a table."""
    if told.get("unnamed"):
        return "(held by few)"
    return "(missing)" if told["value"] is None else str(told["value"])
