"""What a release gives away and what it costs: every loss, per class and over the table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from types import MappingProxyType
from typing import Any

from sfumato.assessment.assess import Assessed
from sfumato.assessment.combinations import Combination, Combinations, Contribution, contributions
from sfumato.assessment.risk import Risk, risk
from sfumato.frequency import FrequencySet
from sfumato.losses import Summary
from sfumato.losses.information import INFORMATION, Recoded, class_size, discernibility, iyengar_of
from sfumato.models.base import TOLERANCE
from sfumato.question.levels import covered_shares, levels_of
from sfumato.question.priors import Priors
from sfumato.release.reading import Reading, at_levels
from sfumato.results import Printed, Rows
from sfumato.table import Table
from sfumato.vocabulary.node import Node


@dataclass(frozen=True, slots=True)
class Measured:
    """All losses of a release for one sensitive attribute (None: the table has none)."""

    sensitive: str | None
    losses: Mapping[str, Summary]
    per_class: Rows
    combinations: tuple[Combination, ...] = ()
    shares: tuple[Contribution, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        record: dict[str, Any] = {"attribute": self.sensitive}
        record["losses"] = {name: asdict(summary) for name, summary in self.losses.items()}
        if self.combinations:
            record["combinations"] = [asdict(each) for each in self.combinations]
            record["shares"] = [asdict(each) for each in self.shares]
        return record


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
    complete: bool = True  # False: the time was up before every combination of QIDs was measured

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        record: dict[str, Any] = {"node": None if self.node is None else dict(self.node)}
        record |= {name: getattr(self, name) for name in ("classes", "people", "rows", "basis", "suppressed", "prior")}
        totals = {name: {"total": value} for name, value in self.information.items()}
        first = self.attributes[0].as_dict()["losses"] if self.attributes else {}
        record |= {"losses": {**first, **totals}, "risk": self.risk.as_dict(), "tolerance": TOLERANCE}
        record["sensitive"] = [measured.as_dict() for measured in self.attributes]
        if any(measured.combinations for measured in self.attributes):
            record["complete"] = self.complete
        return record

    def with_combinations(self, found: Combinations) -> Measurement:
        """The same with combinations of QIDs; what one of them contributes is known only if all were measured."""
        attributes = []
        for each in self.attributes:
            every = found.of[str(each.sensitive)]
            shares = contributions(every) if found.complete else ()
            attributes.append(replace(each, combinations=every, shares=tuple(shares)))
        return replace(self, attributes=tuple(attributes), complete=found.complete)

    def table(self) -> Rows:
        """One row per loss."""
        rows: list[tuple[Any, ...]] = []
        for measured in self.attributes:
            for name, each in measured.losses.items():
                rows.append((name, measured.sensitive, each.max, each.min, each.class_mean, each.people_mean, each.worst))
        rows += [(name, None, None, None, None, total, None) for name, total in self.information.items()]
        return Rows(("loss", "sensitive", "max", "min", "class mean", "people mean", "worst class"), tuple(rows))


@dataclass(frozen=True, slots=True)
class Cost:
    """The information losses that can be given for a release, and its node if it is at one."""

    information: Mapping[str, float] = field(default_factory=dict)
    node: Mapping[str, int] | None = None

    @classmethod
    def of_node(cls, recoded: Recoded) -> Cost:
        """Of a release at a node."""
        information = {name: of(recoded) for name, of in INFORMATION.items()}
        return cls(MappingProxyType(information), MappingProxyType(recoded.kept.node.as_dict()))

    @classmethod
    def of_file(cls, reading: Reading, original: Table) -> Cost:
        """Of a published file, as far as its labels are known to the schema's hierarchies."""
        kept, names = reading.counts, reading.counts.node.attributes
        leaves = original.count(names)
        certificate = reading.certificate
        levels = levels_of(kept, leaves) if certificate is None else tuple(certificate.node.values()) or None
        if levels is None:
            return cls._of_labels(kept, leaves, reading.suppressed)
        node = Node(names, levels)
        at_node = at_levels(kept, node, leaves.hierarchies)
        return cls() if at_node is None else cls.of_node(Recoded(at_node, leaves, reading.suppressed))

    @classmethod
    def _of_labels(cls, kept: FrequencySet, leaves: FrequencySet, suppressed: int) -> Cost:
        """Of classes at no node: what follows from how many leaves each label covers, and from sizes."""
        shares = covered_shares(kept, leaves)
        if shares is None:
            return cls()
        recoded = Recoded(kept, leaves, suppressed)
        sizes = {"discernibility": discernibility(recoded), "class-size": class_size(recoded)}
        return cls(MappingProxyType({"loss": iyengar_of(shares, kept.people, suppressed), **sizes}))


def beside_original(reading: Reading, original: Table) -> Reading:
    """A file as the original shows it: without a certificate, the people whom it lacks or shows as `*` in every QID are suppressed."""
    if reading.certificate is not None:
        return reading
    reading = reading.without_stars()
    leaves = original.count(reading.counts.node.attributes)
    suppressed = max(leaves.total_people - reading.counts.total_people, 0) if leaves.basis == "row" else 0
    return replace(reading, suppressed=suppressed)


def measured(assessed: Assessed, cost: Cost, priors: Priors) -> Measurement:
    """Everything about an assessed release."""
    counts, context = assessed.counts, assessed.context
    population = context.population.people if context.population else None
    return Measurement(
        node=cost.node,
        classes=counts.classes,
        people=counts.total_people,
        rows=counts.total_rows,
        basis=counts.basis,
        suppressed=context.suppressed,
        prior=priors.source,
        information=cost.information,
        risk=risk(counts, context.population_size, population),
        attributes=tuple(
            Measured(name, MappingProxyType(assessed.losses(name)), assessed.per_class(name)) for name in assessed.statistics
        ),
    )
