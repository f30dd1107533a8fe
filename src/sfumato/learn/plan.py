"""What is to be learned and how: everything that a result depends on besides the tables. The same plan gives the same digits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sfumato.errors import UsageError, argument
from sfumato.naming import FEW

DEFAULT = "random-forest"
TEST = 4  # one row in four is for testing, as in the thesis


@dataclass(frozen=True, slots=True)
class Plan:
    """The target, the columns to learn from (all that are published if None), the model with its grid, and how rows are divided.

    `positive` is the value whose precision and recall are given; None: the rarer of two values, or the mean over all of several.
    """

    target: str
    estimator: Any = DEFAULT
    grid: Mapping[str, Sequence[Any]] | None = None
    features: tuple[str, ...] | None = None
    positive: str | None = None
    repeats: int = 3
    folds: int = 3
    seed: int = 0

    def __post_init__(self) -> None:
        for name, least, most in (("repeats", 1, 1000), ("folds", 2, 100), ("seed", 0, 2**32 - 1 - 1000)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
                raise UsageError(f"a whole number from {least} to {most:,}", where=argument(name))

    @property
    def least(self) -> int:
        """How many rows every value of the target needs: some for each fold and for the test, and no fewer than may be named."""
        return max(FEW, -(-self.folds * TEST // (TEST - 1)))

    def key(self) -> dict[str, Any]:
        """What a result depends on. A model is printed short, so the key has all its parameters, too."""
        if isinstance(self.estimator, str):
            return self.as_dict()
        parameters = {name: repr(value) for name, value in sorted(self.estimator.get_params().items())}
        return {**self.as_dict(), "parameters": parameters}

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        grid = None if self.grid is None else {name: [repr(each) for each in values] for name, values in self.grid.items()}
        named = self.estimator if isinstance(self.estimator, str) else repr(self.estimator)
        return {
            "target": self.target,
            "estimator": named,
            "grid": grid,
            "features": None if self.features is None else list(self.features),
            "repeats": self.repeats,
            "folds": self.folds,
            "seed": self.seed,
        }
