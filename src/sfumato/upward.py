"""Where a method leads to a room above its own: the complete list.

Rooms import only downward. A few methods belong to a value that everybody has in hand, and do their work above it: `Schema.of` opens a
table, `plot` draws. They are named here, one line each, and loaded when they are called (docs/decisions/0022-methods-from-above.md).
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

# Module and function of each method.
HOMES = {
    "Schema.of": ("sfumato.verbs.describe", "describe"),
    "Audited.plot": ("sfumato.reporting.plots", "audited"),
    "Audited.report": ("sfumato.reporting.together.page", "write"),
    "ChannelMatrix.plot": ("sfumato.reporting.plots", "channel_matrix"),
    "Compared.plot": ("sfumato.reporting.plots", "compared"),
    "Comparison.plot": ("sfumato.reporting.plots", "metrics"),
    "Dimensions.plot": ("sfumato.reporting.plots", "dimensions"),
    "Hinted.plot": ("sfumato.reporting.plots", "hinted"),
    "MethodsCompared.plot": ("sfumato.reporting.plots", "methods_compared"),
    "PolicySpace.plot": ("sfumato.reporting.plots", "space"),
    "Release.plot": ("sfumato.reporting.plots", "release"),
    "RulesK.plot": ("sfumato.reporting.plots", "rules_by_k"),
    "SideBySide.plot": ("sfumato.reporting.plots", "side_by_side"),
    "TradeOff.plot": ("sfumato.reporting.plots", "trade_off"),
    "UtilityLosses.plot": ("sfumato.reporting.plots", "utility_losses"),
    "Wasted.plot": ("sfumato.reporting.plots", "wasted"),
}


def above(method: str) -> Any:
    """The function that a method calls."""
    module, function = HOMES[method]
    return getattr(import_module(module), function)
