"""What a report may name: classes of enough people by their labels, sensitive values that enough people hold. Everything else has a
number, or is counted together.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from sfumato.beliefs import Prior
from sfumato.frequency import FrequencySet
from sfumato.losses import LOSSES
from sfumato.models import PrivacyModel, model_of
from sfumato.naming import FEW
from sfumato.release.certificate import Certificate
from sfumato.reporting.document import Believed, Classes
from sfumato.statistics import ClassStatistics, Floats

MISSING = "(missing)"
KEY = "distribution"
# The losses that stand beside each class.
PER_CLASS = ("distribution", "entropy", "emd", "utility-distribution")
MOST_CLASSES = 20_000


def few_of(certificate: Certificate | None) -> int:
    """Labels of a class of fewer people are not shown: the k that was promised, and never less than five."""
    return few_among([model_of(str(entry["model"])) for entry in (certificate.models if certificate else None) or ()])


def few_among(models: Sequence[PrivacyModel]) -> int:
    """The smallest class that a model promises to everybody, and never less than five; one for a group promises the others nothing."""
    return max([FEW, *(model.smallest_class or 0 for model in models)])


def classes_of(counts: FrequencySet, statistics: ClassStatistics | None, few: int, most: int = MOST_CLASSES) -> Classes:
    """The worst classes first; without a sensitive attribute the smallest."""
    losses = {name: LOSSES[name].of(statistics) for name in PER_CLASS} if statistics else {}
    badness = losses[KEY] if statistics else -counts.people
    order = np.lexsort((np.arange(counts.classes), -badness))[:most]
    large = counts.people[order] >= few
    labels, places = {}, {}
    for place, name in enumerate(counts.node.attributes):
        labels[name], places[name] = _told(counts, place, order, large)
    return Classes(
        numbers=tuple((order + 1).tolist()),
        people=tuple(counts.people[order].tolist()),
        losses={name: tuple(values[order].tolist()) for name, values in losses.items()},
        labels=labels,
        places=places,
    )


def _told(
    counts: FrequencySet, place: int, order: npt.NDArray[np.intp], large: npt.NDArray[np.bool_]
) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The labels of a QID that large classes have, and where each class's stands among them."""
    codes = counts.codes[order, place]
    shown = np.unique(codes[large])
    hierarchy, level = counts.hierarchies[place], counts.node.levels[place]
    labels = [hierarchy.label(level, int(code)) for code in shown]
    places = np.where(large, np.searchsorted(shown, codes), -1)
    return tuple(MISSING if label is None else label for label in labels), tuple(places.tolist())


def worst_believed(statistics: ClassStatistics, prior: Prior, released: Prior, few: int) -> Believed | None:
    """Prior and posterior of the worst class that is large enough to be drawn."""
    values = np.where(statistics.sizes >= few, LOSSES[KEY].of(statistics), -1.0)
    place = int(values.argmax())
    if values[place] < 0:
        return None
    before = statistics.prior[place if len(statistics.prior) > 1 else 0]
    held = np.zeros(statistics.domain.size)
    cells = slice(int(statistics.offsets[place]), int(statistics.offsets[place + 1]))
    np.add.at(held, statistics.values[cells], statistics.people[cells])
    rows, rare = _rows(statistics.domain.labels, before, held / held.sum(), prior, released)
    return Believed(rows, rare, place + 1, int(statistics.sizes[place]), float(values[place]))


def shifted(before: Prior, after: Prior) -> Believed:
    """How a sensitive attribute changed when people left."""
    labels = tuple({**_held(before), **_held(after)})
    first, then = (np.array([held.get(value, 0) for value in labels], np.float64) for held in (_held(before), _held(after)))
    shares = first / max(first.sum(), 1), then / max(then.sum(), 1)
    rows, rare = _rows(labels, *shares, before, after)
    return Believed(rows, rare, loss=float(np.sqrt(((shares[0] - shares[1]) ** 2).sum())))


def _rows(
    labels: Sequence[str | None], before: Floats, after: Floats, prior: Prior, released: Prior
) -> tuple[tuple[tuple[str | None, float, float], ...], int]:
    """Shares per value, those that fewer than five people of the whole table hold in one row without a name, last."""
    held = _held(released) | _held(prior)  # the prior is the whole table's; a file may have values that it does not know
    common = [held.get(value, 0) >= FEW for value in labels]
    rows: list[tuple[str | None, float, float]] = [
        (MISSING if value is None else value, float(b), float(a))
        for value, b, a, many in zip(labels, before, after, common, strict=True)
        if many
    ]
    rare = len(labels) - len(rows)
    if rare:
        hidden = ~np.array(common)
        rows.append((None, float(before[hidden].sum()), float(after[hidden].sum())))
    return tuple(rows), rare


def _held(prior: Prior) -> dict[str | None, int]:
    return dict(zip(prior.values, prior.people.tolist(), strict=True))
