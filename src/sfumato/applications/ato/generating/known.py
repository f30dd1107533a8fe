"""What an incident team knows: a few addresses of loud campaigns, fewer of others, and addresses of large offices."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from sfumato.applications.ato.generating.campaigns import PHISHED, Attempts
from sfumato.applications.ato.generating.world import World

_OF_LOUD, _OF_OTHERS, _MOST, _GOOD, _LEAST_GOOD = 3, 1, 40, 40, 12


def known_bad(attempts: Sequence[Attempts], seed: int) -> npt.NDArray[np.int64]:
    """Addresses that were found after an incident. Those of carriers are not listed: too many others have them."""
    chance = np.random.Generator(np.random.Philox(seed + (2 << 64)))
    found: list[int] = []
    for each in attempts:
        if each.campaign.kind not in ("carriers", PHISHED):
            count = _OF_LOUD if each.campaign.kind == "loud" else _OF_OTHERS
            found += each.addresses(chance.integers(0, each.campaign.attempts, count)).tolist()
    return np.unique(found)[:_MOST]


def known_good(world: World, attempts: Sequence[Attempts], seed: int) -> npt.NDArray[np.int64]:
    """Offices of the largest organizations, and some homes; more of these where there are few organizations."""
    chance = np.random.Generator(np.random.Philox(seed + (3 << 64)))
    largest = np.argsort(-world.sizes, kind="stable")[: _GOOD // 2]
    busiest = world.first_of_country[world.count_of_country > 0]  # chosen most often in each country
    homes = world.people.homes[np.minimum(busiest + chance.integers(0, 3, len(busiest)), len(world.people.org) - 1)]
    taken = np.concatenate([each.campaign.addresses for each in attempts])
    found = np.setdiff1d(np.concatenate([world.offices[0][largest], homes]), taken)
    others = np.setdiff1d(world.people.homes[:_GOOD], np.concatenate([taken, found]))
    return np.sort(np.concatenate([found, others[: max(0, _LEAST_GOOD - len(found))]]))
