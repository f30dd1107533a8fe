"""What does a release give away, and what does it cost? Every loss, per class and over the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, field, replace
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from sfumato.assessment.assess import Seen, losses, seen
from sfumato.assessment.combinations import Combination, Share, every_combination, own_shares
from sfumato.assessment.risk import Risk, risk
from sfumato.errors import UsageError
from sfumato.frequency import FrequencySet
from sfumato.losses import LOSSES, Summary
from sfumato.losses.information import INFORMATION, Recoded, class_size, discernibility, iyengar_of
from sfumato.question.levels import covered_shares, levels_of
from sfumato.question.population import population_of
from sfumato.question.priors import Priors, Stated, priors_of_table, stated_beliefs
from sfumato.question.question import choose_sensitive
from sfumato.release.certificate import Certificate
from sfumato.release.reading import open_published
from sfumato.results import Printed, Rows
from sfumato.table import Table
from sfumato.vocabulary.hierarchy import ROOT, Codes
from sfumato.vocabulary.node import Levels, Node
from sfumato.vocabulary.schema import Schema


@dataclass(frozen=True, slots=True)
class Measured:
    """All losses of a release for one sensitive attribute (None: the table has none)."""

    sensitive: str | None
    losses: Mapping[str, Summary]
    per_class: Rows
    combinations: tuple[Combination, ...] = ()
    shares: tuple[Share, ...] = ()


@dataclass(frozen=True, slots=True)
class Measurement(Printed):
    """What a release gives away and costs."""

    node: Mapping[str, int] | None
    classes: int
    people: int
    rows: int
    basis: str
    suppressed: int
    prior: str
    information: Mapping[str, float]
    risk: Risk
    attributes: tuple[Measured, ...] = field(default=())

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        told: dict[str, Any] = {"node": None if self.node is None else dict(self.node)}
        told |= {name: getattr(self, name) for name in ("classes", "people", "rows", "basis", "suppressed", "prior")}
        totals = {name: {"total": value} for name, value in self.information.items()}
        first = self.attributes[0] if self.attributes else None
        found = {name: asdict(summary) for name, summary in first.losses.items()} if first else {}
        told |= {"losses": {**found, **totals}, "risk": self.risk.as_dict(), "tolerance": 1e-9}
        told["sensitive"] = [_told(measured) for measured in self.attributes]
        return told

    def table(self) -> Rows:
        """One row per loss."""
        rows: list[tuple[Any, ...]] = []
        for measured in self.attributes:
            for name, each in measured.losses.items():
                rows.append((name, measured.sensitive, each.max, each.min, each.class_mean, each.people_mean, each.worst))
        rows += [(name, None, None, None, None, total, None) for name, total in self.information.items()]
        return Rows(("loss", "sensitive", "max", "min", "class mean", "people mean", "worst class"), tuple(rows))


def _told(measured: Measured) -> dict[str, Any]:
    told: dict[str, Any] = {"attribute": measured.sensitive}
    told["losses"] = {name: asdict(summary) for name, summary in measured.losses.items()}
    if measured.combinations:
        told["combinations"] = [asdict(each) for each in measured.combinations]
        told["shares"] = [asdict(each) for each in measured.shares]
    return told


def measure(
    original: Any,
    published: str | PathLike[str] | None = None,
    schema: Schema | str | PathLike[str] | None = None,
    *,
    node: Levels | None = None,
    quasi: Sequence[str] | None = None,
    sensitive: Sequence[str] | None = None,
    prior: Stated | None = None,
    combinations: bool = False,
    population: Any = None,
    population_size: int | None = None,
    memory_limit: str | None = None,
) -> Measurement:
    """Measure a node of the original, or a published file against it.

    `population` is a larger table with the same QIDs, `population_size` the number of people in one that is not at hand.
    """
    published = getattr(published, "path", published)  # a release knows its file
    if quasi is not None and published is not None:
        raise UsageError("a published file has the QIDs that it has; leave --quasi out", where="quasi")
    if (node is None) == (published is None):
        raise UsageError("give a node of the original, or a published file: one of them", where="measure")
    with _table(original, schema, memory_limit) as table:
        chosen = choose_sensitive(table.schema, sensitive)
        priors = Priors(priors_of_table(table, chosen), "the original table")
        if prior is not None:
            statements, name = stated_beliefs(prior, table.schema)
            priors = replace(priors, statements=statements, source=f"{name} over the original table")
        if node is not None:
            leaves = table.count(quasi, sensitive=chosen)
            kept, gone = leaves.roll_up(table.node(node, quasi)), 0
            cost = _cost_of(Recoded(kept, leaves))
        else:
            kept, cost, gone = _published(table, Path(published or ""), memory_limit)
        release = seen(kept, table.schema, priors, gone)
        larger = population_of(population, table.declared, kept, memory_limit).people if population is not None else None
    found = _attributes(release, priors, chosen, table.schema, combinations)
    return _measured(release, cost, priors.source, found, risk(kept, population_size, larger))


@dataclass(frozen=True, slots=True)
class _Cost:
    """The information losses that can be told of a release, and its node if it is at one."""

    information: Mapping[str, float] = field(default_factory=dict)
    node: Mapping[str, int] | None = None


def _cost_of(recoded: Recoded) -> _Cost:
    information = {name: of(recoded) for name, of in INFORMATION.items()}
    return _Cost(MappingProxyType(information), MappingProxyType(recoded.kept.node.as_dict()))


def _local_cost(kept: FrequencySet, leaves: FrequencySet, gone: int) -> _Cost:
    """What can be told of classes at no node: what follows from how many leaves each label covers, and from sizes."""
    shares = covered_shares(kept, leaves)
    if shares is None:
        return _Cost()
    recoded = Recoded(kept, leaves, gone)
    sizes = {"discernibility": discernibility(recoded), "class-size": class_size(recoded)}
    return _Cost(MappingProxyType({"loss": iyengar_of(shares, kept.people, gone), **sizes}))


def _table(original: Any, schema: Any, memory_limit: str | None) -> AbstractContextManager[Table]:
    """The original, closed afterwards unless it came open."""
    if isinstance(original, Table):
        return nullcontext(original)
    if schema is None:
        raise UsageError("a source needs a schema; 'sfumato profile' suggests one", where="schema")
    return Table.open(original, schema, memory_limit=memory_limit)


def _published(table: Table, path: Path, memory_limit: str | None) -> tuple[FrequencySet, _Cost, int]:
    """The classes of a published file and what they cost, as far as its labels are known to the schema's hierarchies.

    Without a certificate, people of the original that the file lacks or shows as `*` in every QID count as suppressed.
    """
    file = open_published(path, table.schema, memory_limit=memory_limit)
    names = file.counts.node.attributes
    leaves = table.count(names)
    kept, gone = file.counts, file.suppressed
    if file.certificate is None:
        kept = _without_stars(kept)
        gone = max(leaves.total_people - kept.total_people, 0) if leaves.basis == "row" else 0
    levels = _levels(file.certificate, kept, leaves)
    if levels is None:
        return kept, _local_cost(kept, leaves, gone), gone
    hierarchies = tuple(hierarchy.above(level) for hierarchy, level in zip(leaves.hierarchies, levels, strict=True))
    columns = [_codes(kept, place, hierarchy.labels[0]) for place, hierarchy in enumerate(hierarchies)]
    codes = np.stack(columns, axis=1)
    if (codes < 0).any():
        return kept, _Cost(), gone
    whole = replace(kept, node=Node(names, levels), hierarchies=leaves.hierarchies, codes=codes)
    return kept, _cost_of(Recoded(whole, leaves, gone)), gone


def _levels(told: Certificate | None, kept: FrequencySet, leaves: FrequencySet) -> tuple[int, ...] | None:
    """The levels of a file at a node: certified, or those that its labels fit."""
    if told is None:
        return levels_of(kept, leaves)
    return None if told.local else tuple(told.node.values())


def _without_stars(counts: FrequencySet) -> FrequencySet:
    """The classes but for one that stands as `*` in every QID beside others: suppressed records, as most tools write them."""
    stars = np.array([set(counts.labels(number)) == {ROOT} for number in range(1, counts.classes + 1)])
    return counts if stars.all() else counts.keep(~stars)


def _codes(counts: FrequencySet, place: int, labels: Sequence[str]) -> Codes:
    """The codes of a QID's labels among those of a level; -1 for a label that is none of them."""
    code_of = {label: code for code, label in enumerate((*labels, None))}
    own = (*counts.hierarchies[place].labels[0], None)
    return np.array([code_of.get(label, -1) for label in own], np.int32)[counts.codes[:, place]]


def _attributes(
    release: Seen, priors: Priors, sensitive: Sequence[str], schema: Schema, combinations: bool
) -> tuple[Measured, ...]:
    """The losses of every sensitive attribute."""
    found = []
    for name in (name for name in sensitive if name in release.statistics):
        stated = priors.statements.get(name, ())
        every = every_combination(release.counts, schema[name], priors.of[name], stated) if combinations else []
        shares = own_shares(every) if every else []
        found.append(
            Measured(name, MappingProxyType(losses(release, name)), _per_class(release, name), tuple(every), tuple(shares))
        )
    return tuple(found)


def _measured(release: Seen, cost: _Cost, prior: str, found: tuple[Measured, ...], risks: Risk) -> Measurement:
    counts = release.counts
    return Measurement(
        node=cost.node,
        classes=counts.classes,
        people=counts.total_people,
        rows=counts.total_rows,
        basis=counts.basis,
        suppressed=release.suppressed,
        prior=prior,
        information=cost.information,
        risk=risks,
        attributes=found,
    )


def _per_class(release: Seen, attribute: str) -> Rows:
    """One row per class: number, people, every loss."""
    statistics = release.statistics[attribute]
    columns = [loss.of(statistics).tolist() for loss in LOSSES.values()]
    rows = zip(range(1, release.counts.classes + 1), release.counts.people.tolist(), *columns, strict=True)
    return Rows(("class", "people", *LOSSES), tuple(rows))
