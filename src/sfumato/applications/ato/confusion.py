"""How often a decision about two classes is right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class Confusion:
    """The four counts of a decision: fraudulent is positive."""

    true_positives: int
    true_negatives: int
    false_positives: int
    false_negatives: int

    @classmethod
    def of(cls, decided: npt.NDArray[Any], right: npt.NDArray[Any]) -> Confusion:
        """From what was decided and what is right.

        >>> Confusion.of(np.array([1, 1, 0, 0, 0]), np.array([1, 0, 0, 0, 1]))
        Confusion(true_positives=1, true_negatives=2, false_positives=1, false_negatives=1)
        """
        said, is_so = np.asarray(decided, bool), np.asarray(right, bool)
        pairs = ((said & is_so), (~said & ~is_so), (said & ~is_so), (~said & is_so))
        return cls(*(int(np.count_nonzero(each)) for each in pairs))

    @property
    def total(self) -> int:
        """All that was decided."""
        return self.true_positives + self.true_negatives + self.false_positives + self.false_negatives

    @property
    def precision(self) -> float | None:
        """The share of the positive decisions that are right; None without any."""
        return _share(self.true_positives, self.true_positives + self.false_positives)

    @property
    def recall(self) -> float | None:
        """The share of the positives that were found; None without any."""
        return _share(self.true_positives, self.true_positives + self.false_negatives)

    @property
    def accuracy(self) -> float | None:
        """The share of right decisions."""
        return _share(self.true_positives + self.true_negatives, self.total)

    @property
    def majority(self) -> float | None:
        """The accuracy of always deciding what is right most often."""
        positives = self.true_positives + self.false_negatives
        return _share(max(positives, self.total - positives), self.total)

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        counts = {"tp": self.true_positives, "tn": self.true_negatives, "fp": self.false_positives, "fn": self.false_negatives}
        return counts | {"precision": self.precision, "recall": self.recall, "accuracy": self.accuracy}


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
