"""What a search is about: a counted table, the beliefs it is judged against, the models to satisfy, and who may be suppressed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

from sfumato.beliefs import Prior, statistics_of
from sfumato.frequency import FrequencySet
from sfumato.models import Context, Judged, Population, PrivacyModel, Verdict
from sfumato.search.beside import Beside
from sfumato.search.evaluation import Criterion, wanted_losses
from sfumato.statements import Statement
from sfumato.statistics import ClassStatistics
from sfumato.vocabulary.kinds import Kind
from sfumato.vocabulary.schema import Attribute

CountPopulation = Callable[[FrequencySet], Population]


class Loops(Enum):
    """Which loops evaluate nodes. The compiled ones and plain arrays differ in the last digits, so the question decides, never what
    the process has loaded before. IF_WORTH_LOADING is for a process that ends with its answer: loading takes a while, and a small
    search is done before; which it is follows from the size of the search alone."""

    COMPILED = "compiled"
    IF_WORTH_LOADING = "if worth loading"


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """A table counted at the floor of its lattice, with everything that decides about its nodes.

    `sensitive` are the attributes that models and losses speak of, `limit` the number of people who may be suppressed, `context` what
    models know besides the classes; `population` counts the people of a larger table in the classes of a node, which may also stand
    `beside` it; `kinds` are the types of the QIDs, and `loops` how nodes are evaluated.
    """

    counts: FrequencySet
    sensitive: Mapping[str, Attribute]
    priors: Mapping[str, Prior]
    models: tuple[PrivacyModel, ...] = ()
    limit: int = 0
    statements: Mapping[str, Sequence[Statement]] = field(default_factory=dict)
    context: Context = field(default_factory=Context)
    population: CountPopulation | None = None
    beside: Beside | None = None
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    loops: Loops = Loops.COMPILED

    @property
    def people(self) -> int:
        return self.counts.total_people

    @property
    def additive(self) -> bool:
        """Whether everything about a node follows from sums over cells: rows are people, one prior for all, no other table."""
        return self.counts.incidence is None and self.one_prior and self.population is None

    @property
    def compilable(self) -> bool:
        """Whether the compiled loops know everything about a node: they count owners too, and the people of a table that stands beside."""
        alike = self.population is None or (self.beside is not None and self.beside.node == self.counts.node)
        return self.one_prior and alike

    @property
    def one_prior(self) -> bool:
        """Whether all classes of all nodes are compared with one prior: nothing is believed about some people only."""
        return not any(statement.when for each in self.statements.values() for statement in each)

    def narrowed_to(self, wanted: Sequence[str]) -> Problem:
        """The same question with no more than its models and the wanted losses look at: sensitive values are left out of the count
        unless one of them does, so that nothing carries them from node to node."""
        if not self.sensitive and not self.counts.payloads:
            return self
        if wanted_losses(wanted)[0] or any(model.needs_sensitive for model in self.models):
            return self
        return replace(self, counts=replace(self.counts, payloads={}), sensitive={}, priors={}, statements={})

    def project(self, attributes: Sequence[str]) -> Problem:
        """The same question about some of the QIDs, in the order given."""
        beside = self.beside.project(attributes) if self.beside else None
        return replace(self, counts=self.counts.project(attributes), beside=beside)

    def statistics(self, counts: FrequencySet) -> dict[str, ClassStatistics]:
        """The class statistics of every sensitive attribute at a node."""
        return {
            name: statistics_of(counts, attribute, self.priors[name], self.statements.get(name, ()))
            for name, attribute in self.sensitive.items()
        }

    def context_of(self, counts: FrequencySet, suppressed: int = 0) -> Context:
        """What models know besides these classes, once some people are suppressed."""
        population = self.population(counts) if self.population else self.context.population
        return replace(self.context, population=population, suppressed=suppressed)

    def asked(self) -> list[tuple[PrivacyModel, str | None]]:
        """Every model with the sensitive attribute that it is asked about, one by one; None for a model that needs none."""
        pairs: list[tuple[PrivacyModel, str | None]] = []
        for model in self.models:
            names: Sequence[str | None] = list(self.sensitive) if model.needs_sensitive and self.sensitive else [None]
            pairs += [(model, name) for name in names]
        return pairs

    def judge(self, kept: FrequencySet, suppressed: int) -> list[Verdict]:
        """What every model says of the classes of a release."""
        statistics, context = self.narrowed_to(()).statistics(kept), self.context_of(kept, suppressed)
        return [model.judge(Judged(kept, statistics.get(name or ""), context)) for model, name in self.asked()]

    def criterion(self, model: PrivacyModel, sensitive: str | None) -> Criterion:
        """What a model is called in a table of nodes: its own words, and the attribute where there are several."""
        return Criterion(str(model), sensitive if len(self.sensitive) > 1 else None)

    def prunes(self, model: PrivacyModel) -> bool:
        """Whether no node below one that violates the model satisfies it, when nobody is suppressed."""
        if self.counts.basis == "owner":
            return model.monotone_with_owners
        return model.monotone and (self.one_prior or not model.needs_sensitive)
