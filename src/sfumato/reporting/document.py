"""A report on a release as a value: all results, and nothing about how they look.

Small groups are protected when the value is made, not on the page: a report holds no labels of classes with fewer than `Report.few`
people, and no sensitive values that few people of the whole table have. So no rendering can show them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sfumato.assessment.combinations import Combination, Contribution
from sfumato.assessment.risk import Risk
from sfumato.losses import Summary
from sfumato.models import Verdict
from sfumato.models.base import TOLERANCE
from sfumato.reporting.attacked import Attacks
from sfumato.reporting.learned import Learning
from sfumato.reporting.overview import Overview


@dataclass(frozen=True, slots=True)
class Level:
    """How far a QID was generalized. The level is None where it is unknown or differs between records."""

    attribute: str
    level: int | None
    height: int


@dataclass(frozen=True, slots=True)
class Facts:
    """What was published and from what. Fields that only a certificate can fill are None without one."""

    file: str
    sha256: str | None
    bytes: int | None
    certified: bool
    people: int
    rows: int
    classes: int
    smallest_class: int
    basis: str
    columns: Mapping[str, str]
    withheld: Mapping[str, str]
    levels: tuple[Level, ...]
    local: bool
    original: str | None = None
    schema_fits: bool | None = None
    time: str | None = None
    version: str | None = None
    engine: str | None = None


@dataclass(frozen=True, slots=True)
class Judgment:
    """A model with two verdicts: the one in the certificate, and ours on the file. `why_not` says why the file could not be judged.

    `withheld`: the certificate states the bound and the verdict without the value. `comparable` is False where the file was judged
    under other beliefs than the certificate records: stated ones, or those that only the original has.
    """

    model: str
    certified: Verdict | None = None
    judged: Verdict | None = None
    why_not: str | None = None
    comparable: bool = True
    withheld: bool = False

    @property
    def verdict(self) -> Verdict | None:
        """The one that counts: ours on the file, else the certificate's. A bound against a prior that only the original shows cannot be
        judged on the file."""
        if self.withheld and not self.comparable:
            return self.certified
        judged = self.judged if self.judged and self.judged.satisfied is not None else None
        return judged or self.certified or self.judged

    @property
    def sensitive(self) -> str | None:
        return self.verdict.sensitive if self.verdict else None

    @property
    def agrees(self) -> bool | None:
        """Whether the two verdicts are the same; None if there is only one."""
        if self.certified is None or self.judged is None or self.judged.satisfied is None or not self.comparable:
            return None
        one, other = self.certified.value, self.judged.value
        near = one == other if one is None or other is None else abs(one - other) <= TOLERANCE
        return (near or self.withheld) and self.certified.satisfied == self.judged.satisfied


@dataclass(frozen=True, slots=True)
class Classes:
    """The classes, worst first, as columns: number, people, losses, and per QID a place among its labels.

    The place is -1 where the class is too small to show its labels. `labels` holds the labels of the other classes only.
    """

    numbers: tuple[int, ...]
    people: tuple[int, ...]
    losses: Mapping[str, tuple[float, ...]]
    labels: Mapping[str, tuple[str, ...]]
    places: Mapping[str, tuple[int, ...]]

    def label(self, attribute: str, row: int) -> str | None:
        """The label of a class, or None if the class is too small."""
        place = self.places[attribute][row]
        return None if place < 0 else self.labels[attribute][place]


@dataclass(frozen=True, slots=True)
class BeliefChange:
    """How the shares of the sensitive values change: from the prior to one class, or when people are removed from the table.

    A row is (value, before, after). All rare values share one row, which has no name.
    """

    rows: tuple[tuple[str | None, float, float], ...]
    rare: int = 0
    number: int | None = None
    people: int | None = None
    loss: float | None = None


@dataclass(frozen=True, slots=True)
class AttributeFindings:
    """Results for one sensitive attribute. If the table has none, `sensitive` is None and only class sizes are known."""

    sensitive: str | None
    losses: Mapping[str, Summary]
    classes: Classes
    worst: BeliefChange | None = None
    combinations: tuple[Combination, ...] = ()
    shares: tuple[Contribution, ...] = ()


@dataclass(frozen=True, slots=True)
class Suppression:
    """Suppressed people, as far as is known, and how removing them changed each sensitive attribute."""

    people: int | None = None
    rows: int | None = None
    classes: int | None = None
    style: str | None = None
    blank: bool = False
    share: float | None = None
    changes: Mapping[str, BeliefChange] | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """Everything about a release that its owner is responsible for. `audience` says who may see it: `public` or `owner`."""

    made: str
    version: str
    few: int
    facts: Facts
    judgments: tuple[Judgment, ...]
    findings: tuple[AttributeFindings, ...]
    combinations_of: str
    information: Mapping[str, float]
    risk: Risk
    suppressed: Suppression
    audience: str
    settings: Mapping[str, str]
    commands: tuple[str, ...]
    unknown: tuple[str, ...]
    warnings: tuple[str, ...]
    overview: Overview
    learning: Learning | None = None
    attacks: Attacks | None = None

    @property
    def status(self) -> str:
        """`violated` if any model is, `not_applicable` if none could be judged, `not_judged` if there is none, else `satisfied`."""
        answers = [judgment.verdict.satisfied for judgment in self.judgments if judgment.verdict]
        if not answers:
            return "not_judged"
        if False in answers:
            return "violated"
        return "satisfied" if True in answers else "not_applicable"

    def as_dict(self) -> dict[str, Any]:
        """As JSON."""
        record = {name: getattr(self, name) for name in ("made", "version", "few", "combinations_of", "audience")}
        record |= {name: dict(getattr(self, name)) for name in ("information", "settings")}
        record |= {name: list(getattr(self, name)) for name in ("commands", "unknown", "warnings")}
        record |= {"facts": plain(self.facts), "suppressed": plain(self.suppressed), "risk": self.risk.as_dict()}
        record["overview"] = plain(self.overview)
        record |= {"learning": plain(self.learning), "attacks": plain(self.attacks)}
        record["models"] = [_judgment(judgment) for judgment in self.judgments]
        record["sensitive"] = [plain(each) for each in self.findings]
        return {"status": self.status, **record}


def _judgment(judgment: Judgment) -> dict[str, Any]:
    record = {name: getattr(judgment, name) for name in ("model", "sensitive", "agrees", "why_not")}
    for name in ("certified", "judged"):
        verdict = getattr(judgment, name)
        record[name] = verdict.as_dict() if verdict else None
    return record


def plain(value: Any) -> Any:
    """A value of a report with JSON types only."""
    if hasattr(value, "__dataclass_fields__"):
        return {name: plain(getattr(value, name)) for name in value.__dataclass_fields__}
    if isinstance(value, Mapping):
        return {name: plain(each) for name, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, tuple | list) else value
