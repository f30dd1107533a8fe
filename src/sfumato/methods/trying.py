"""One method tried on one table: released in memory, measured, learned from, asked, and attacked. Nothing is written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sfumato.assessment.measurement import Measurement
from sfumato.attacks import attack
from sfumato.errors import DataSayNo
from sfumato.learn.results import Disclosure, UtilityLoss, largest
from sfumato.learn.workload import query_errors
from sfumato.methods.results import Outcome
from sfumato.release import Release
from sfumato.table import Table
from sfumato.verbs.anonymize import Anonymized, anonymize
from sfumato.verbs.explore import explore
from sfumato.verbs.measure import measure
from sfumato.verbs.publish import publish
from sfumato.verbs.sanitize import sanitize

ATTACKS = ("record-linkage:prosecutor", "record-linkage:marketer", "homogeneity", "probabilistic")
_NODES = 12  # along a front, where a node is looked for by its utility


@dataclass(frozen=True, slots=True, eq=False)
class Tried:
    """A release in memory, by the method that made it, and what it discloses."""

    released: str
    release: Release
    disclosure: Disclosure


@dataclass(frozen=True, slots=True, eq=False)
class Bench:
    """A table on which methods are tried, and what is asked of their releases: the sensitive attributes that are judged, the column that a
    model is to predict, how many count queries, and the seed of everything random."""

    table: Table
    sensitive: tuple[str, ...]
    target: str | None = None
    estimator: str = "random-forest"
    queries: int = 200
    seed: int = 0

    @property
    def utility(self) -> str:
        """What utility loss is: of a model if there is a target, else of those who count."""
        return "queries" if self.target is None else "learning"

    def sanitized(self, method: str) -> Tried:
        """What an operation makes of the table."""
        from sfumato.operations import operation_of

        seed: dict[str, Any] = {"seed": self.seed} if operation_of(method).drawn else {}
        made = sanitize(self.table, method=method, sensitive=self.sensitive, **seed)
        each = [(believed.losses["distribution"], believed.losses["entropy"]) for believed in made.losses.values()]
        return Tried(str(made.method), made.release, _disclosure(each))

    def at_node(self, node: Any) -> Tried:
        """What a node makes of it."""
        return self._at(publish(self.table, node=node))

    def _at(self, release: Release) -> Tried:
        node = self.table.node(dict(release.certificate.node))
        return Tried(f"generalize {node.brief()}", release, _measured(measure(release, sensitive=self.sensitive)))

    def generalized(self, bound: float) -> Tried:
        """The node with the least loss of detail whose mean privacy loss is within a bound."""
        model = f"distribution-loss:{bound!r},total"
        found = anonymize(self.table, models=[model], sensitive=self.sensitive)
        if not isinstance(found, Anonymized):
            raise DataSayNo("no node is within the bound", where="generalize")
        return self._at(found.release)

    def front(self) -> list[Any]:
        """Nodes from the least private to the most private one, none of which another one beats."""
        from sfumato.learn.along import front_nodes

        space = explore(self.table, sensitive=self.sensitive)
        return front_nodes(space, ("distribution", "loss"), _NODES, self.target or "")[::-1]

    def learned(self, tried: Tried) -> UtilityLoss | None:
        """What a model loses that is trained on the release."""
        if self.target is None:
            return None
        from sfumato import learn  # by its own names: without the extra it says so

        return learn.utility_loss(
            self.table, tried.release, target=self.target, estimator=self.estimator, seed=self.seed, sensitive=self.sensitive
        )

    def asked(self, tried: Tried) -> float:
        """The mean relative error of count queries."""
        return query_errors(self.table, [tried.release], count=self.queries, seed=self.seed).releases[0].mean

    def lost(self, tried: Tried) -> float:
        """The utility loss of a release."""
        learned = self.learned(tried)
        return self.asked(tried) if learned is None else learned.loss.value

    def outcome(self, method: str, tried: Tried) -> Outcome:
        """Everything about a release."""
        found = attack(tried.release, original=self.table, sensitive=self.sensitive, seed=self.seed)
        attempts = tuple(each for each in found.attempts if each.attack in ATTACKS)
        return Outcome(
            method, tried.released, tried.disclosure, self.learned(tried), self.asked(tried), attempts, remark=found.remark
        )


def _measured(measurement: Measurement) -> Disclosure:
    return _disclosure([(each.losses["distribution"], each.losses["entropy"]) for each in measurement.attributes])


def _disclosure(each: Any) -> Disclosure:
    """The largest losses of all sensitive attributes; a table without any has been refused."""
    found = largest(Disclosure(d.max, e.max, d.people_mean, e.people_mean) for d, e in each)
    assert found is not None  # noqa: S101
    return found
