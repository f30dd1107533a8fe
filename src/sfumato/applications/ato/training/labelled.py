"""Labelled logins: what the detector is trained on and judged by.

A login is labelled fraudulent if it came from an address of bad reputation. Its features are those of its address, subnet or country,
but the flag of the user agent is its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sfumato.applications.ato.forest.trees import Floats
from sfumato.errors import DataError, several

Bools = npt.NDArray[np.bool_]
FEWEST = 20  # logins of each class: enough for a quarter of them to test with, and three folds of the others
_TEST = 0.25


@dataclass(frozen=True, slots=True, eq=False)
class Labelled:
    """Logins in one order. By level: `rows` are their features, `keys` the number of the class (address, subnet, country) that each is
    in. `fraudulent` is their label; `truth` what they really are, where that is known; `online` says that features count what was before
    each login."""

    rows: Mapping[str, Floats]
    keys: Mapping[str, npt.NDArray[np.int64]]
    fraudulent: Bools
    truth: Bools | None = None
    online: bool = False

    def __post_init__(self) -> None:
        fraudulent = int(self.fraudulent.sum())
        for count, kind in ((fraudulent, "bad"), (len(self.fraudulent) - fraudulent, "good")):
            if count < FEWEST:
                raise DataError(
                    f"{several(count, 'login')} from addresses of {kind} reputation, and training needs at least {FEWEST} of each kind; "
                    "give more logs, or other known addresses to 'sfumato ato reputation'",
                    where="logins",
                )

    def split(self, seed: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Three quarters to train with and a quarter to test with, of each class alike."""
        from sklearn.model_selection import train_test_split

        places = np.arange(len(self.fraudulent))
        train, test = train_test_split(places, test_size=_TEST, random_state=seed, stratify=self.fraudulent)
        return np.sort(train), np.sort(test)
