"""A designed channel, with what it reaches and what no other can."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.channel.matrix import ChannelMatrix, Floats
from sfumato.errors import UsageError, argument


@dataclass(frozen=True, slots=True)
class Designed:
    """The channel that is best within a bound. `value` is its expected loss, or its information in bits; `adversary` what the adversary
    reaches on it, within the bound; and no channel within the bound is better by more than `gap`."""

    channel: ChannelMatrix
    value: float
    adversary: float
    gap: float


def loss_table(loss: Any) -> Floats:
    """What each output costs the user for each input."""
    try:
        table = np.array(loss, np.float64)
    except (TypeError, ValueError):
        table = np.empty(0)
    if table.ndim != 2 or not table.size or not np.isfinite(table).all():
        raise UsageError("a table of finite numbers, with a row per input and a column per output", where=argument("loss"))
    return table


def rows_of(values: Floats) -> Floats:
    """Rows that add up to one, from rows that nearly do."""
    rows = np.maximum(values, 0)
    return np.asarray(rows / rows.sum(axis=1, keepdims=True), np.float64)
