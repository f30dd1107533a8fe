"""What a share gives away about the people in it: how much a cell says of whether somebody there was failing, compared with all.

A cell is a class, and a person in it has one of two values, failing or succeeding. What everybody knows beforehand is how many of all
people in the table are failing. The losses are those of the tables of logins in `training`, on other people.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.applications.ato.collaborating.counting import FAILING, Whole
from sfumato.applications.ato.training.privacy import Losses, privacy_losses


@dataclass(frozen=True, slots=True)
class Given:
    """How many cells and people a share has, and its losses; these are None if it shares nobody."""

    cells: int
    people: int
    losses: Losses | None

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        return {"cells": self.cells, "people": self.people, "losses": None if self.losses is None else self.losses.as_dict()}


def given_away(counts: Whole) -> Given:
    """Of one owner's counts by period, key and kind."""
    cells = counts.reshape(-1, 2)
    cells = cells[cells.any(axis=1)]
    if not len(cells):
        return Given(0, 0, None)
    people = cells.sum(axis=1)
    failing = np.repeat(np.tile(np.arange(2) == FAILING, len(cells)), cells.ravel())
    losses = privacy_losses(np.repeat(np.arange(len(cells)), people), failing)
    return Given(len(cells), int(people.sum()), losses)
