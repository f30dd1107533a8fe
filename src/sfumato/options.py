"""Keyword arguments in groups. A verb takes the fields of several frozen values, each declared once, as keyword arguments of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sfumato.errors import UsageError, unknown


def divided(options: Mapping[str, Any], *groups: Sequence[str]) -> list[dict[str, Any]]:
    """The options of each group by name; refuses one that is in no group.

    >>> divided({"models": "k-anonymity:5", "memory": "2GB"}, ["engine", "memory"], ["models"])
    [{'memory': '2GB'}, {'models': 'k-anonymity:5'}]
    """
    for name in options:
        if not any(name in group for group in groups):
            raise UsageError(unknown("argument", name, [each for group in groups for each in group], within="this verb"))
    return [{name: options[name] for name in group if name in options} for group in groups]
