"""What a report may name: the labels of large classes, and sensitive values that enough people have. Small classes appear by number
only, and rare values are counted together.
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
from sfumato.reporting.bins import binned
from sfumato.reporting.document import BeliefChange, Classes
from sfumato.statistics import ClassStatistics, Floats
from sfumato.vocabulary.kinds import Kind

MISSING = "(missing)"
KEY = "distribution"
# The losses shown for each class.
PER_CLASS = ("distribution", "entropy", "emd", "utility-distribution")
MOST_CLASSES = 20_000


def rare_values(count: int) -> str:
    """One name for all values that fewer than five people of the table have."""
    return "other values, each of fewer than 5 people" if count > 1 else "another value, of fewer than 5 people"


def few_of(certificate: Certificate | None) -> int:
    """Labels of smaller classes are hidden: the k of the certificate, and at least five."""
    return few_among([model_of(str(entry["model"])) for entry in (certificate.models if certificate else None) or ()])


def few_among(models: Sequence[PrivacyModel]) -> int:
    """The smallest class that a model guarantees for everyone, and at least five. A model for a group guarantees the others nothing."""
    return max([FEW, *(model.smallest_class or 0 for model in models)])


def worst_classes_first(counts: FrequencySet, statistics: ClassStatistics | None, few: int, most: int = MOST_CLASSES) -> Classes:
    """The classes, worst first; smallest first if there is no sensitive attribute."""
    losses = {name: LOSSES[name].of(statistics) for name in PER_CLASS} if statistics else {}
    badness = losses[KEY] if statistics else -counts.people
    order = np.lexsort((np.arange(counts.classes), -badness))[:most]
    large = counts.people[order] >= few
    labels, places = {}, {}
    for place, name in enumerate(counts.node.attributes):
        labels[name], places[name] = _shown_labels(counts, place, order, large)
    return Classes(
        numbers=tuple((order + 1).tolist()),
        people=tuple(counts.people[order].tolist()),
        losses={name: tuple(values[order].tolist()) for name, values in losses.items()},
        labels=labels,
        places=places,
    )


def _shown_labels(
    counts: FrequencySet, place: int, order: npt.NDArray[np.intp], large: npt.NDArray[np.bool_]
) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The labels of a QID in the large classes, and the index into them for each class."""
    codes = counts.codes[order, place]
    shown = np.unique(codes[large])
    hierarchy, level = counts.hierarchies[place], counts.node.levels[place]
    labels = [hierarchy.label(level, int(code)) for code in shown]
    places = np.where(large, np.searchsorted(shown, codes), -1)
    return tuple(MISSING if label is None else label for label in labels), tuple(places.tolist())


def beliefs_in_worst_class(
    statistics: ClassStatistics, prior: Prior, released: Prior, few: int, kind: Kind | None
) -> BeliefChange | None:
    """Prior and posterior of the worst class that is large enough to show."""
    values = np.where(statistics.sizes >= few, LOSSES[KEY].of(statistics), -1.0)
    place = int(values.argmax())
    if values[place] < 0:
        return None
    before = statistics.prior[place if len(statistics.prior) > 1 else 0]
    people = np.zeros(statistics.domain.size)
    cells = slice(int(statistics.offsets[place]), int(statistics.offsets[place + 1]))
    np.add.at(people, statistics.values[cells], statistics.people[cells])
    rows, rare = _rows(statistics.domain.labels, before, people / people.sum(), (prior, released), kind)
    return BeliefChange(rows, rare, place + 1, int(statistics.sizes[place]), float(values[place]))


def shift_between(before: Prior, after: Prior, kind: Kind | None) -> BeliefChange:
    """How removing people changed the distribution of a sensitive attribute."""
    counts = _people_by_value(before), _people_by_value(after)
    labels = tuple(counts[0] | counts[1])
    first, then = (np.array([people.get(value, 0) for value in labels], np.float64) for people in counts)
    shares = first / max(first.sum(), 1), then / max(then.sum(), 1)
    rows, rare = _rows(labels, *shares, (before, after), kind)
    return BeliefChange(rows, rare, loss=float(np.sqrt(((shares[0] - shares[1]) ** 2).sum())))


def _rows(
    labels: Sequence[str | None], before: Floats, after: Floats, priors: tuple[Prior, Prior], kind: Kind | None
) -> tuple[tuple[tuple[str | None, float, float], ...], int]:
    """Shares per value; of many numbers, shares per bin. Values that fewer than five people of the whole table have share the last row,
    which has no name."""
    prior, released = priors
    # The prior counts the whole table; the file may have values that the prior does not know.
    known = _people_by_value(released) | _people_by_value(prior)
    people: Floats = np.array([known.get(value, 0) for value in labels], np.float64)
    if bins := binned(labels, people.tolist(), kind):
        places = np.array(bins.places) % (len(bins.names) + 1)  # the missing value after the last bin
        before, after, people = (_summed(each, places, len(bins.names) + 1) for each in (before, after, people))
        labels = (*bins.names, None)
    common = people >= FEW
    rows: list[tuple[str | None, float, float]] = [
        (MISSING if value is None else value, float(b), float(a))
        for value, b, a, many in zip(labels, before, after, common, strict=True)
        if many
    ]
    rare = int(((people > 0) & ~common).sum()) if bins else len(labels) - len(rows)
    if rare:
        rows.append((None, float(before[~common].sum()), float(after[~common].sum())))
    return tuple(rows), rare


def _summed(values: Floats, places: npt.NDArray[np.int64], groups: int) -> Floats:
    return np.asarray(np.bincount(places, values, groups), np.float64)


def _people_by_value(prior: Prior) -> dict[str | None, int]:
    return dict(zip(prior.values, prior.people.tolist(), strict=True))
