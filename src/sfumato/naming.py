"""Sensitive values by name. A value that fewer than five people of the table have is never named."""

from __future__ import annotations

from typing import Any

from sfumato.beliefs import Prior

FEW = 5


def name_values(prior: Prior) -> list[dict[str, Any]]:
    """The values of a prior in order, for machines. A missing value is null, and so is an unnamed one, which is marked as such."""
    return [
        {"value": value} if people >= FEW else {"value": None, "unnamed": True}
        for value, people in zip(prior.values, prior.people.tolist(), strict=True)
    ]


def value_text(record: dict[str, Any]) -> str:
    """The text of a value in a table, for people; `record` is an entry of `name_values`."""
    if record.get("unnamed"):
        return "(held by few)"
    return "(missing)" if record["value"] is None else str(record["value"])
