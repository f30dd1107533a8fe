"""The experiment of the thesis's chapter 5 on a log of our own: reputation, labels, and detectors by address, subnet and country.

The thesis's logs are private. Ours come from the generator of `sfumato ato generate`; docs/decisions/0035 has its parameters, their
reasons, and in which order they were settled. Nothing but the scores by truth looks at the truth.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from sfumato.applications.ato.events import FLAG
from sfumato.applications.ato.features.making import features
from sfumato.applications.ato.forest.model import FEATURES
from sfumato.applications.ato.generating.making import generate
from sfumato.applications.ato.needs import require_learn
from sfumato.applications.ato.reputation import read_known, reputation
from sfumato.applications.ato.tables import read_all_features, read_reputation, read_truth
from sfumato.applications.ato.training import Labelled, Trained, trained
from sfumato.applications.ato.training.drawing import drawn
from sfumato.temporary import TemporaryFolder

ROWS, SEED = 300_000, 7
# Thesis, 5.7.4 and Table 5.5: 850,854 logins to train with and 283,619 to test with, of which 250,000 are legitimate. A quarter is for
# tests, so 1,000,000 are legitimate and 134,473 fraudulent, "1M" and "0.13M" in the text.
PRINTED_SPLIT = (850_854, 283_619)
LEGITIMATE = 1_000_000
FRAUDULENT = sum(PRINTED_SPLIT) - LEGITIMATE
TITLES = MappingProxyType({"ip": "original", "subnet": "subnet", "country": "country"})


@dataclass(frozen=True, slots=True, eq=False)
class Experiment:
    """Labeled logins, the detectors, how many addresses there are and are bad, and the rules that say which."""

    logins: Labelled
    trained: Trained
    addresses: int
    bad: int
    rules: tuple[str, ...]

    @property
    def fraudulent(self) -> float:
        """The share of the labeled logins that are labeled fraudulent."""
        return float(self.logins.fraudulent.mean())

    def wrongly_labelled(self) -> tuple[int, int]:
        """The logins that are labeled fraudulent and are not, and how many of them share an address with one that is."""
        truth = np.zeros(len(self.logins.fraudulent), bool) if self.logins.truth is None else self.logins.truth
        keys = self.logins.keys["ip"]
        wrong = keys[self.logins.fraudulent & ~truth]
        return len(wrong), int(np.isin(wrong, keys[truth]).sum())

    def flagged(self) -> float:
        """The share of the logins labeled fraudulent that have a suspicious user agent."""
        return float(self._flags()[self.logins.fraudulent].mean())

    def one_label(self, level: str) -> int:
        """The classes of a level whose logins all have the same label."""
        fraudulent, classes = self._by_class(self.logins.keys[level])
        return int(((fraudulent == 0) | (fraudulent == classes)).sum())

    def best_accuracy(self, level: str) -> float:
        """What no detector of a level can exceed: logins of one class with the same flag look alike, and are decided alike."""
        fraudulent, classes = self._by_class(2 * self.logins.keys[level] + self._flags())
        return float(np.maximum(fraudulent, classes - fraudulent).sum() / classes.sum())

    def bound(self, level: str) -> str:
        """Why a detector of a level decides no better, in words."""
        best, original = self.best_accuracy(level), self.best_accuracy("ip")
        return (
            f"private logs: logins of one {level} differ in the flag of the user agent alone, and {self.flagged():.0%} of ours that are "
            f"labeled fraudulent have it; so no detector can be right for more than {best:.2%} of them: it loses "
            f"{(original - best) / original:.2%} or more"
        )

    def _flags(self) -> npt.NDArray[np.int64]:
        return self.logins.rows["ip"][:, FEATURES.index(FLAG)].astype(np.int64)

    def _by_class(self, keys: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """How many logins are fraudulent, and how many there are, in every class that occurs."""
        _, places = np.unique(keys, return_inverse=True)
        return np.bincount(places[self.logins.fraudulent], minlength=places.max() + 1), np.bincount(places)


@cache
def experiment() -> Experiment:
    """Everything from the log to the detectors, with the settings that the thesis ended with; made once per process."""
    require_learn("reproduce")
    with TemporaryFolder() as folder:
        return _made(folder)


def _made(folder: Path) -> Experiment:
    # Not in the temporary folder itself: that one is locked for as long as it is in use, and a write locks the folder that it is in.
    logs, tables = folder / "logs", folder / "tables"
    generate(logs, rows=ROWS, seed=SEED)
    features(logs, tables)
    known = read_all_features(tables)
    reputed = reputation(known["ip"], read_known(logs / "known-bad.txt"), read_known(logs / "known-good.txt"), seed=SEED)
    reputed.write(tables / "reputation.parquet")
    truth, sizes = read_truth(logs / "truth"), (LEGITIMATE, FRAUDULENT)
    logins = drawn(logs, read_reputation(tables), known, sizes, SEED, truth=truth)
    found = trained(logins, grid="none", seed=SEED)
    return Experiment(logins, found, len(reputed.bad), int(reputed.bad.sum()), tuple(reputed.rules.lines()))
