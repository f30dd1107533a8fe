"""What an attacker sees: the classes of a release as they are published, and what they know of people, all as frequency sets.

Everything is read once and counted by rows: a release does not say whose rows are whose. `held` are the columns that the
attacker knows of people. A person may fit several classes, if labels overlap: the classes that somebody fits are a *pool*, and
people of one pool look alike to the attacker. With one level per QID a pool is a class.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType

import numpy as np

from sfumato.attacks.base import NotApplicable
from sfumato.attacks.fitting.linking import Links, link
from sfumato.attacks.fitting.matching import Matches, exact, matches
from sfumato.attacks.fitting.mechanism import Mechanism
from sfumato.attacks.fitting.pools import Pools, pools_of, tallied
from sfumato.attacks.fitting.spreading import spread
from sfumato.attacks.fitting.weighing import PLAIN, TABLE, everywhere, nearest_only, weigh
from sfumato.attacks.fitting.whose import Beliefs, Entries, as_likelihoods, beliefs
from sfumato.attacks.grouped import Grouped
from sfumato.frequency import Counts, FrequencySet, Payload, packed
from sfumato.models import PrivacyModel
from sfumato.operations import Judged
from sfumato.release.grouped import GROUP
from sfumato.release.numbering import codes_among
from sfumato.release.reading import Reading
from sfumato.statistics import Floats
from sfumato.vocabulary.hierarchy import Codes, Hierarchy
from sfumato.vocabulary.schema import Schema

_BLOCK = 4_000_000  # numbers of one array: a block of pools has no more
MOST_COMPARED = 2_000_000_000  # values of people and of classes


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Some pools, one row each: how many published rows, and how many people of the original, have each sensitive value; and how many
    people somebody of the pool is hidden among. A release with groups counts parts of rows."""

    pools: Counts
    released: Counts
    true: Counts
    people: Counts


@dataclass(frozen=True, slots=True, eq=False)
class Secret:
    """A sensitive attribute as release and original have it, over the values of both; the last place is the missing value.

    `prior` is how many rows of the original have each value: what the attacker believes without the release.
    """

    name: str
    values: tuple[str, ...]
    hierarchy: Hierarchy
    prior: Counts
    released: Payload
    true: Payload
    released_codes: Codes
    true_codes: Codes

    @property
    def width(self) -> int:
        return len(self.values) + 1

    def belief(self) -> Floats:
        """The prior as shares."""
        return self.prior / max(int(self.prior.sum()), 1)


@dataclass(frozen=True, eq=False)
class View:
    """A release and an attacker. `whole` is the original by all QIDs of the release, `external` a table about people that the attacker
    holds, `control` people who are not in the release, `others` further releases. `known` are all columns that the attacker knows, `held`
    those of them that the release has. `grouped` says how a release with groups counts sensitive values, `mechanism` how values were
    changed, and `naive` that the attacker takes them at their word all the same. `drawn` is the share of the people who are looked at."""

    schema: Schema
    reading: Reading
    whole: FrequencySet
    held: tuple[str, ...]
    sensitive: tuple[str, ...]
    models: tuple[PrivacyModel, ...] = ()
    external: FrequencySet | None = None
    control: FrequencySet | None = None
    others: tuple[FrequencySet, ...] = ()
    known: tuple[str, ...] = ()
    seed: int = 0
    grouped: Grouped | None = None
    mechanism: Mechanism | None = None
    naive: bool = False
    drawn: float = 1.0

    @property
    def method(self) -> str | None:
        """The method that changed values, as it is written; None if nobody names one."""
        return str(self.mechanism.operation) if self.mechanism and self.mechanism.operation else None

    @property
    def parts(self) -> int:
        """How many counts of a sensitive value are one row."""
        return self.grouped.parts if self.grouped else 1

    @cached_property
    def published(self) -> FrequencySet:
        """All classes of the release, by rows."""
        return by_rows(self.reading.counts)

    @cached_property
    def release(self) -> FrequencySet:
        """The release by the columns that the attacker holds."""
        return self.published.project(self.held)

    @cached_property
    def original(self) -> FrequencySet:
        """The people of the original by the same columns."""
        return self.whole.project(self.held)

    @cached_property
    def links(self) -> Links:
        """Which classes people of the original may belong to, as the attacker reads the release."""
        return self._found(self.original)

    @cached_property
    def labeled(self) -> Links:
        """The same for somebody who matches labels."""
        return self.links if self.mechanism is None or self.naive else self.linked(self.original)

    @cached_property
    def pools(self) -> Pools:
        return pools_of(self.links, self.release.rows)

    @cached_property
    def ways(self) -> tuple[Pools, ...]:
        """The pools that the attacker may go by. Whoever knows that values were changed is sure of less, and may still take them at their
        word: of both, what works better is tried."""
        return (self.pools, pools_of(self.labeled, self.release.rows)) if self.doubtful else (self.pools,)

    @property
    def doubtful(self) -> bool:
        """Whether the attacker does not take every label at its word."""
        return self.changed and not self.naive

    @property
    def changed(self) -> bool:
        """Whether labels may stand for other values than they say."""
        return self.mechanism is not None and bool(self.mechanism.moved)

    def found(self, cells: FrequencySet) -> Links:
        """Which classes the people of a table may belong to, as the attacker reads the release."""
        return self.links if cells is self.original else self._found(cells)

    def _found(self, cells: FrequencySet) -> Links:
        """By how values were changed, if that is known or labels fit almost nobody; by the labels if the attacker is naive."""
        if self.mechanism is None or self.naive:
            return self.linked(cells)
        if cells is not self.original and self.mechanism.moved and self.cost(cells, self.release) > MOST_COMPARED:
            raise NotApplicable(
                "would compare too many people with too many classes; leave the external table out: then people are drawn"
            )
        links = self._scored if cells is self.original else self.weighed(cells, self.release)
        return links if self.mechanism.likely else nearest_only(links)

    @cached_property
    def _scored(self) -> Links:
        """The classes that people of the original may belong to, by the held columns, with their scores."""
        return self.weighed(self.original, self.release)

    def weighed(self, cells: FrequencySet, release: FrequencySet) -> Links:
        """The classes that people of a table may belong to, each with its score; only the columns that nothing changed must agree."""
        names = [name for name in release.node.attributes if name in cells.node.attributes]
        scores = self.mechanism.scores(cells, release, names) if self.mechanism else []
        return weigh(*self._alike(cells, release), scores) if scores else self.linked(cells, release)

    def cost(self, cells: FrequencySet, release: FrequencySet) -> int:
        """About how many values must be compared for that; those of columns with very many of them count as many times as they take
        longer."""
        moved = [name for name in (self.mechanism.moved if self.mechanism else ()) if name in cells.node.attributes]
        sizes = [len(cells.hierarchy(name).labels[0]) * len(release.hierarchy(name).labels[0]) for name in moved]
        base, of_cell = self._alike(cells, release)
        return int(base.counts()[of_cell].sum()) * sum(1 if size <= TABLE else PLAIN for size in sizes)

    def _alike(self, cells: FrequencySet, release: FrequencySet) -> tuple[Links, Counts]:
        """The classes that agree with each combination of the columns that nothing changed, and the combination of each cell."""
        moved = self.mechanism.moved if self.mechanism else ()
        firm = [name for name in release.node.attributes if name in cells.node.attributes and name not in moved]
        if not firm:
            return everywhere(release.classes), np.zeros(cells.classes, np.int64)
        return self.linked(cells.project(firm), release), class_of(cells, firm)

    @cached_property
    def visible(self) -> float:
        """The share of the people of the original whom the attacker finds in some class; nothing is near to what is not understood."""
        if self.mechanism is None or self.mechanism.operation is not None or self.naive:
            return self.share_visible(self.links)
        return self.mechanism.understood(self.original, self.release)

    @cached_property
    def visible_by_label(self) -> float:
        """The same for an attacker who matches labels."""
        return self.share_visible(self.labeled)

    def share_visible(self, links: Links) -> float:
        """The share of the people of the original who are linked to some class, or were left out of the release."""
        total = int(self.original.rows.sum())
        return 1 - min(self.unfit(links) / max(total, 1), 1.0)

    def unfit(self, links: Links) -> int:
        """How many people are linked to no class, beyond those who were left out. What a method of this package leaves out it says."""
        if self.reading.method is not None and self.mechanism is None:
            return 0
        without = int(self.original.rows[links.counts() == 0].sum())
        left_out = int(self.original.rows.sum()) - int(self.published.rows.sum())
        return max(without - max(left_out, 0), 0)

    def linked(self, cells: FrequencySet, release: FrequencySet | None = None, *, literally: bool = False) -> Links:
        """Which classes the people of a table may belong to by their labels, and the columns that the table and the release share."""
        release = self.release if release is None else release
        names = [name for name in release.node.attributes if name in cells.node.attributes]
        found = [self._matched(name, cells, release, literally) for name in names]
        places = [release.node.attributes.index(name) for name in names]
        short = release if len(names) == release.codes.shape[1] else release.project(names)
        own = cells.codes[:, [cells.node.attributes.index(name) for name in names]]
        links = link(own, short.codes, found)
        return links if short is release else _spread_out(links, release, short, places)

    def _matched(self, name: str, cells: FrequencySet, release: FrequencySet, literally: bool) -> Matches:
        values, labels = cells.hierarchy(name).labels[0], release.hierarchy(name).labels[0]
        ours = release is self.release or release is self.published
        if self.mechanism is not None and ours and not (literally or self.naive):
            return self.mechanism.read(name, values, labels)
        return exact(values, labels) if literally else matches(self.schema[name], self.whole.hierarchy(name), values, labels)

    def numbers(self, classes: Counts) -> tuple[int, ...]:
        """The numbers of published classes that belong to some classes of what the attacker holds."""
        return tuple((np.flatnonzero(np.isin(self._held_class, classes)) + 1).tolist())

    @cached_property
    def _held_class(self) -> Counts:
        """For each published class, the class that it is to somebody who knows the held columns only."""
        return class_of(self.published, self.held)

    def numbers_of_pools(self, chosen: Counts, pools: Pools) -> tuple[int, ...]:
        """The numbers of the classes of some pools."""
        return self.numbers(np.unique(pools.classes.classes[pools.classes.places(chosen)]))

    def redrawn(self, name: str) -> bool:
        """Whether values of a sensitive attribute were changed or dealt out at random, so that a row may have another person's."""
        method = self.reading.method
        return (
            method is not None and self.grouped is None and method["judged"] != Judged.CLASSES.value and name in method["columns"]
        )

    @cached_property
    def _secrets(self) -> dict[str, Secret]:
        return {name: secret_of(name, self.release.payloads[name], self.original.payloads[name]) for name in self.sensitive}

    @cached_property
    def beliefs(self) -> Beliefs:
        """Whose row is where, by the held columns, as far as the owner can say."""
        every = self.held == self.published.node.attributes == self.whole.node.attributes
        links = self._scored if every else self.weighed(self.whole, self.published)
        if self.mechanism is not None and not self.mechanism.likely:
            links = as_likelihoods(links, self.whole.rows, len(self.mechanism.moved))
        found = beliefs(links, self._entries(), self.drawn)
        return found.merged(self.whole.rows, class_of(self.whole, self.held), self._held_class)

    def _entries(self) -> Entries:
        """People by a sensitive value that nothing changed, the attribute with most values; all alike if there is none."""
        changed = self.reading.method["columns"] if self.reading.method else ()
        names = [name for name in self.sensitive if name not in changed]
        secrets = [secret_of(name, self.published.payloads[name], self.whole.payloads[name]) for name in names]
        if not secrets:
            return Entries.alike(self.whole.rows, self.published.rows)
        widest = max(secrets, key=lambda secret: secret.width)
        true, released = widest.true_codes.astype(np.int64), widest.released_codes.astype(np.int64)
        return Entries.of(widest.true, true, widest.released, released, widest.width)

    def secrets(self) -> list[Secret]:
        """The sensitive attributes; refuses a release without one."""
        if not self.sensitive:
            raise NotApplicable("the release has no sensitive attribute")
        return list(self._secrets.values())

    def blocks(self, secret: Secret, pools: Pools) -> Iterator[Block]:
        """The pools and the distribution of a sensitive attribute in each, some at a time."""
        width = secret.width
        step = max(_BLOCK // width, 1)
        for start in range(0, pools.count, step):
            chosen = np.arange(start, min(start + step, pools.count))
            released = tallied(secret.released, secret.released_codes, pools.classes, chosen, width)
            cells = np.flatnonzero((pools.of_cell >= start) & (pools.of_cell < start + step))
            true = np.zeros((len(chosen), width), np.int64)
            at = spread(secret.true.offsets[cells], np.diff(secret.true.offsets)[cells])
            place = np.repeat(pools.of_cell[cells] - start, np.diff(secret.true.offsets)[cells])
            np.add.at(true, (place, secret.true_codes[secret.true.values[at]]), secret.true.rows[at])
            yield Block(chosen, released, true, self._hidden_among(chosen, released, pools))

    def _hidden_among(self, chosen: Counts, released: Counts, pools: Pools) -> Counts:
        """How many people somebody of each pool is hidden among: those with its rows, or those of the groups of its rows."""
        if self.grouped is None:
            return np.asarray(released.sum(axis=1))
        return self.grouped.people(self.release.payloads[GROUP], pools.classes, chosen)


def by_rows(counts: FrequencySet) -> FrequencySet:
    """The same classes with rows in the place of people."""
    payloads = {name: replace(each, people=each.rows, incidence=None) for name, each in counts.payloads.items()}
    bare = replace(counts, people=counts.rows, incidence=None, basis="row", total_people=int(counts.rows.sum()))
    return replace(bare, payloads=MappingProxyType(payloads))


def class_of(counts: FrequencySet, names: Sequence[str]) -> Counts:
    """For each class its number, from 0, when only some columns are known: as `project` numbers them."""
    places = [counts.node.attributes.index(name) for name in names]
    radices = [counts.hierarchies[place].codes(counts.node.levels[place]) for place in places]
    keys = packed([counts.codes[:, place] for place in places], radices, counts.classes)
    return np.unique(keys, return_inverse=True)[1]


def secret_of(name: str, released: Payload, true: Payload) -> Secret:
    """A sensitive attribute over the values that either side has."""
    own, their = true.hierarchy.labels[0], released.hierarchy.labels[0]
    values = (*own, *(value for value in their if value not in set(own)))
    domain = Hierarchy.flat(values)
    prior = np.zeros(len(values) + 1, np.int64)
    true_codes = codes_among(own, domain, 0)
    np.add.at(prior, true_codes[true.values], true.rows)
    return Secret(name, values, true.hierarchy, prior, released, true, codes_among(their, domain, 0), true_codes)


def _spread_out(links: Links, release: FrequencySet, short: FrequencySet, places: Sequence[int]) -> Links:
    """Links to classes by some columns, as links to the classes that agree in these columns."""
    names = [release.node.attributes[place] for place in places]
    order = np.argsort(class_of(release, names), kind="stable")
    sizes = np.bincount(class_of(release, names), minlength=short.classes)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    many = sizes[links.classes]
    classes = order[spread(starts[links.classes], many)]
    per_cell = np.zeros(len(links.offsets) - 1, np.int64)
    np.add.at(per_cell, links.cells(), many)
    cells = np.repeat(np.arange(len(per_cell)), per_cell)
    ordered = np.lexsort((classes, cells))
    return Links(np.concatenate([[0], np.cumsum(per_cell)]).astype(np.int64), classes[ordered], release.classes)
