"""What somebody believes about a person who knows the person's QIDs, the release, and how it was made: the posterior of Bayes.

The person's record is any of the published ones, each as likely as its QIDs are to come from the person's; what it says of the sensitive
value is weighed by the channel that the value went through. Where QIDs are only generalized this is the distribution of a class, so the
losses compare with those of every other release.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import sqrt

import numpy as np
import numpy.typing as npt

from sfumato.beliefs import Prior, statistics_of
from sfumato.frequency import Counts, FrequencySet, Payload, packed
from sfumato.losses import LOSSES, Summary, summarize
from sfumato.operations.channel import Channel, Labels
from sfumato.operations.randomness import Draws
from sfumato.statistics import COLUMNS, Block, ClassStatistics, Floats, Held
from sfumato.vocabulary.hierarchy import Codes
from sfumato.vocabulary.schema import Attribute

PAIRS = 400_000_000  # of a person and a published record that are compared at most
NUMBERS = 50_000_000  # that are held in memory at once
TARGETS, LEAST = 20_000, 50  # people who are looked for, at most and at least
Places = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Believed:
    """The losses of a sensitive attribute; from so many `people`, all of them or a random sample; and the standard error of their means
    over people, 0 if nobody was left out."""

    losses: dict[str, Summary]
    people: int
    errors: dict[str, float]


def believed(
    original: FrequencySet,
    published: FrequencySet,
    attribute: Attribute,
    channels: Sequence[Channel],
    *,
    seed: int = 0,
    pairs: int = PAIRS,
) -> Believed:
    """The losses of a table whose values went through channels. Cells of the original are the people somebody may look for."""
    records = _Records.of(original, published, channels)
    statistics = statistics_of(original, attribute, Prior.of(original, attribute.name))
    targets, people = _sample(original, records, seed, pairs, statistics.domain.size)
    posterior = _posteriors(original, published.payloads[attribute.name], records, targets, statistics, channels)
    found = measured(posterior, people, statistics, whole=int(people.sum()) == int(original.people.sum()))
    losses = {name: replace(each, worst=int(targets[each.worst - 1]) + 1) for name, each in found.losses.items()}
    return replace(found, losses=losses)


def measured(posterior: Floats, people: Counts, statistics: ClassStatistics, *, whole: bool = True) -> Believed:
    """The losses of beliefs, one row each, of so many people: the `whole` table, or some who were drawn."""
    block = Block(np.zeros((len(people), 0), np.int64), people, posterior, statistics.prior, statistics.domain)
    nobody = Held(np.zeros(len(people) + 1, np.int64), np.zeros(0, np.int32), np.zeros(0, np.int64))
    shown = ClassStatistics(
        people, nobody, statistics.prior, statistics.domain, quick=lambda _, name, more: COLUMNS[name](block, *more)
    )
    values = {name: loss.of(shown) for name, loss in LOSSES.items()}
    losses = {name: summarize(each, people) for name, each in values.items()}
    errors = {name: 0.0 if whole else _standard_error(each, people) for name, each in values.items()}
    return Believed(losses, int(people.sum()), errors)


def measurable(published: FrequencySet, original: FrequencySet, name: str, channels: Sequence[Channel]) -> bool:
    """Whether the beliefs about an attribute can be computed: a channel between very many values would not fit into memory."""
    changed = any(name in channel.attributes for channel in channels)
    values = [len(np.unique(counts.payloads[name].values)) for counts in (published, original)]
    return not changed or values[0] * values[1] <= NUMBERS


def _standard_error(values: Floats, people: Counts) -> float:
    count = int(people.sum())
    mean = float((values * people).sum()) / count
    return sqrt(float(((values - mean) ** 2 * people).sum()) / max(count - 1, 1) / count)


@dataclass(frozen=True, slots=True, eq=False)
class _Published:
    """What went through one channel of QIDs: the distinct published combinations, and the number of each class's."""

    channel: Channel
    combinations: Labels
    number: Places


@dataclass(frozen=True, slots=True, eq=False)
class _Records:
    """The published classes, sorted by the QIDs that nothing changed: for each cell of the original, those from `low` to `high` are alike
    in these. `through`: what went through channels."""

    order: Places
    low: Places
    high: Places
    through: tuple[_Published, ...]

    @classmethod
    def of(cls, original: FrequencySet, published: FrequencySet, channels: Sequence[Channel]) -> _Records:
        names = original.node.attributes
        through = tuple(_through(published, channel) for channel in channels if set(channel.attributes) <= set(names))
        changed = {name for each in through for name in each.channel.attributes}
        theirs, ours = _alike(original, published, [place for place, name in enumerate(names) if name not in changed])
        order = np.argsort(theirs, kind="stable")
        low, high = (np.searchsorted(theirs[order], ours, side=side) for side in ("left", "right"))
        return cls(order, low, high, through)

    @property
    def widest(self) -> int:
        """The most combinations that went through one channel."""
        return max((len(each.combinations) for each in self.through), default=1)


def _through(published: FrequencySet, channel: Channel) -> _Published:
    return _Published(channel, *_combinations(published, channel.attributes, published.codes))


def _alike(original: FrequencySet, published: FrequencySet, places: Sequence[int]) -> tuple[Places, Places]:
    """One key for each published class and each cell of the original: equal if they agree in some QIDs."""
    both, radices = [], []
    for place in places:
        own, other = original.hierarchies[place].labels[0], published.hierarchies[place].labels[0]
        code_of = {label: code for code, label in enumerate(own)}
        to = np.array([*(code_of.get(label, len(own) + 1) for label in other), len(own)], np.int64)
        both.append(np.concatenate([to[published.codes[:, place]], original.codes[:, place]]))
        radices.append(len(own) + 2)
    keys = packed(both, radices, published.classes + original.classes)
    return keys[: published.classes], keys[published.classes :]


def _sample(original: FrequencySet, records: _Records, seed: int, pairs: int, values: int) -> tuple[Places, Counts]:
    """The cells to look at and how many people of each: all, or those of people drawn at random if that would be too many comparisons, or
    more than fits into memory."""
    width = np.maximum(records.high - records.low, 1) * (len(records.through) + 1)
    most = min(TARGETS, NUMBERS // max(values, records.widest))
    if original.classes <= most and int(width.sum()) <= pairs:
        return np.arange(original.classes), original.people
    total = int(original.people.sum())
    mean = float((width * original.people).sum()) / total
    count = int(min(max(pairs / mean, LEAST), max(most, 1), total))
    drawn = np.unique(np.floor(Draws(seed, "losses").uniform(0, count)[:, 0] * total).astype(np.int64))
    cells, people = np.unique(np.searchsorted(np.cumsum(original.people), drawn, side="right"), return_counts=True)
    return cells, people.astype(np.int64)


def _posteriors(
    original: FrequencySet,
    payload: Payload,
    records: _Records,
    targets: Places,
    statistics: ClassStatistics,
    channels: Sequence[Channel],
) -> Floats:
    """The posterior of each cell, row by row."""
    meaning = _meaning(payload, statistics, channels)
    gathered = [(*_likelihoods(original, each, targets), each.number) for each in records.through]
    starts, sizes = payload.offsets[:-1], np.diff(payload.offsets)
    found = np.empty((len(targets), statistics.domain.size))
    for row, target in enumerate(targets):
        classes = records.order[records.low[target] : records.high[target]]
        weights = np.ones(len(classes))
        for matrix, mine, theirs in gathered:
            weights *= matrix[mine[row]][theirs[classes]]
        within = sizes[classes]
        ends = np.cumsum(within)
        cells = np.arange(int(ends[-1]) if len(ends) else 0) + np.repeat(starts[classes] - (ends - within), within)
        mass = np.repeat(weights, within) * payload.rows[cells]
        total = mass.sum()
        found[row] = meaning(payload.values[cells], mass) / total if total > 0 else statistics.prior[0]
    return found


def _meaning(payload: Payload, statistics: ClassStatistics, channels: Sequence[Channel]) -> Callable[[Codes, Floats], Floats]:
    """From published sensitive values with their weights to the weights of the true ones."""
    name, labels, prior = statistics.domain.attribute, statistics.domain.labels, statistics.prior[0]
    shown: list[str | None] = [*payload.hierarchy.labels[0], None]
    channel = next((each for each in channels if each.attributes == (name,)), None)
    if channel is None:
        place_of = {label: place for place, label in enumerate(labels)}
        places = np.array([place_of.get(label, 0) for label in shown], np.int64)
        return lambda values, mass: np.asarray(np.bincount(places[values], mass, len(labels)), np.float64)
    occurring, first = np.unique(payload.values), np.zeros(len(shown), np.int64)
    first[occurring] = np.arange(len(occurring))
    joint = (channel.likelihood([(label,) for label in labels], [(shown[code],) for code in occurring]) * prior[:, None]).T
    mass_of = joint.sum(axis=1, keepdims=True)
    means = np.where(mass_of > 0, joint / np.where(mass_of > 0, mass_of, 1), prior)
    return lambda values, mass: np.asarray(np.bincount(first[values], mass, len(occurring)) @ means, np.float64)


def _likelihoods(original: FrequencySet, through: _Published, targets: Places) -> tuple[Floats, Places]:
    """How likely each published combination of the channel's values is for each true one; and the row of every target in that."""
    true, mine = _combinations(original, through.channel.attributes, original.codes[targets])
    return through.channel.likelihood(true, through.combinations), mine


def _combinations(counts: FrequencySet, attributes: Sequence[str], codes: Codes) -> tuple[Labels, Places]:
    """The distinct combinations of some QIDs among the codes of some classes, and the number of each class's."""
    places = [counts.node.attributes.index(name) for name in attributes]
    labels = [[*counts.hierarchies[place].labels[0], None] for place in places]
    columns = [codes[:, place] for place in places]
    _, first, number = np.unique(
        packed(columns, [len(each) for each in labels], len(codes)), return_index=True, return_inverse=True
    )
    chosen = [[own[code] for code in column[first].tolist()] for own, column in zip(labels, columns, strict=True)]
    return list(zip(*chosen, strict=True)), number
