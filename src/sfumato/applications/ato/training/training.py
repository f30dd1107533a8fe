"""Training a detector on original and generalized logins, and what each of the three knows and gives away."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sfumato.applications.ato.confusion import Confusion
from sfumato.applications.ato.events import LEVELS
from sfumato.applications.ato.forest import Model
from sfumato.applications.ato.forest.model import Settings, heads
from sfumato.applications.ato.needs import require_learn
from sfumato.applications.ato.training.fitting import best_settings, fitted
from sfumato.applications.ato.training.labelled import Labelled
from sfumato.applications.ato.training.privacy import Losses, privacy_losses
from sfumato.progress import Progress

THRESHOLD = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class Variant:
    """A detector of one level: how it decides the logins that it was not trained on, by their labels and by the truth."""

    level: str
    model: Model
    labels: Confusion
    truth: Confusion | None
    losses: Losses

    def importances(self) -> dict[str, float]:
        """By the names of Table 5.4."""
        return dict(zip(heads(self.level), self.model.importances, strict=True))


@dataclass(frozen=True, slots=True, eq=False)
class Trained:
    """The detectors of all levels, from the finest; `logins` is how many were trained with and tested with, `fraudulent` how many are
    fraudulent by their labels."""

    variants: Mapping[str, Variant]
    settings: Settings
    seed: int
    logins: tuple[int, int]
    fraudulent: tuple[int, int]

    def utility_loss(self, level: str, *, truth: bool = False) -> float | None:
        """(A_max - A_x) / A_max, with the accuracy on the original as A_max."""
        original, own = (self._accuracy(each, truth) for each in ("ip", level))
        return None if original is None or own is None else (original - own) / original

    def _accuracy(self, level: str, truth: bool) -> float | None:
        found = self.variants[level].truth if truth else self.variants[level].labels
        return None if found is None else found.accuracy

    def majority(self, *, truth: bool = False) -> float | None:
        """The accuracy of a detector that calls every login what most are; None where the truth is asked for and not known."""
        found = self.variants["ip"].truth if truth else self.variants["ip"].labels
        return None if found is None else found.majority

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        settings = {"trees": self.settings.trees, "depth": self.settings.depth, "leaf": self.settings.leaf}
        levels = {level: self._variant(each) for level, each in self.variants.items()}
        counts = {"trained": self.logins[0], "tested": self.logins[1], "fraudulent": self.fraudulent}
        majority = {"majority": self.majority(), "majority_by_truth": self.majority(truth=True)}
        return {"seed": self.seed, "settings": settings, "logins": counts, **majority, "levels": levels}

    def _variant(self, variant: Variant) -> dict[str, Any]:
        level = variant.level
        return {
            "labels": variant.labels.as_dict(),
            "truth": None if variant.truth is None else variant.truth.as_dict(),
            "importances": variant.importances(),
            "privacy_losses": variant.losses.as_dict(),
            "utility_loss": self.utility_loss(level),
            "utility_loss_by_truth": self.utility_loss(level, truth=True),
        }


def trained(logins: Labelled, *, grid: str = "coarse", seed: int = 0, jobs: int = 1, progress: Progress | None = None) -> Trained:
    """Train on the original and on the generalized logins: the same logins, the same split, the same settings.

    Parameters
    ----------
    logins : Labelled
        With features at every level.
    grid : str
        `coarse`, `thesis`, or `none` for the settings that the thesis ended with.
    seed : int
        Of the split, the folds and the forests.
    jobs : int
        Processes that grow trees; the result does not depend on it.
    progress : function, optional
        Called with the settings tried and all of them.

    Returns
    -------
    Trained
        A model, its mistakes and its privacy losses for each level.
    """
    require_learn("train")
    train, test = logins.split(seed)
    labels = logins.fraudulent
    settings = best_settings(logins.rows["ip"][train], labels[train], grid, seed, jobs=jobs, progress=progress)
    variants = {}
    for level in LEVELS:
        rows = logins.rows[level]
        model = fitted(rows[train], labels[train], level, settings, seed, jobs=jobs, online=logins.online)
        decided = model.forest.scores(rows[test]) > THRESHOLD
        truth = None if logins.truth is None else Confusion.of(decided, logins.truth[test])
        losses = privacy_losses(logins.keys[level], labels)
        variants[level] = Variant(level, model, Confusion.of(decided, labels[test]), truth, losses)
    counts = int(labels[train].sum()), int(labels[test].sum())
    return Trained(variants, settings, seed, (len(train), len(test)), counts)
