"""Minimality.

Who: somebody who knows how the release was made: by a deterministic search for the least generalization that satisfies the
models. What they hold: the release, its models, and the quasi-identifiers of everybody in the table. What they want: sensitive
values. Had a node one step below satisfied the models, it would have been published. So in each of them some class violates a
model, and tables in which none does are ruled out (Wong, Fu, Wang and Pei 2007). The attacker draws tables that could be behind
the release, values being shuffled within each class, and keeps those in which the search would have gone on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import ClassVar

import numpy as np

from sfumato.assessment.assess import Assessed
from sfumato.attacks.base import Attack, Attempt, NotApplicable
from sfumato.attacks.claims import shares, top
from sfumato.attacks.view import Secret, View, class_of, secret_of
from sfumato.beliefs import Prior
from sfumato.frequency import Counts, FrequencySet, Payload
from sfumato.models import Context, PrivacyModel
from sfumato.models.parameter import share, whole
from sfumato.question.levels import levels_of
from sfumato.question.priors import Priors
from sfumato.vocabulary.node import Node
from sfumato.vocabulary.schema import Schema

_MOST = 50_000_000  # numbers of a drawn table


@dataclass(frozen=True, slots=True)
class Minimality(Attack):
    """Claim the value that the choice of the node makes at least so probable, by so many drawn tables. The baseline is the same attacker
    with the release, who does not know how it was made."""

    name: ClassVar[str] = "minimality"
    threat: ClassVar[str] = "A"

    confidence: float = field(default=0.9, metadata=share(example=0.9))
    samples: int = field(default=40, metadata=whole(at_least=1, example=40))

    def run(self, view: View) -> Iterable[Attempt]:
        return [self._about(_Choice.of(view, secret.name), view.seed) for secret in view.secrets()]

    def _about(self, choice: _Choice, seed: int) -> Attempt:
        drawn, kept, accepted = choice.drawn(self.samples, np.random.default_rng(seed))
        before = shares(choice.by_class)[choice.class_of_group]
        after = before if not accepted else before + shares(kept) - shares(drawn)
        right = np.where(top(after, self.confidence), choice.true, 0).sum(axis=1)
        alone = np.where(top(before, self.confidence), choice.true, 0).sum(axis=1)
        total = int(choice.true.sum())
        return Attempt(
            attack=str(self),
            threat=self.threat,
            about=choice.name,
            tries=total,
            hits=float(right.sum()),
            baseline=float(alone.sum()) / max(total, 1),
            classes=tuple((np.unique(choice.class_of_group[right > alone]) + 1).tolist()),
            figures={"tables drawn": float(self.samples), "tables left": float(accepted)},
            remark=None
            if accepted
            else "in none of the drawn tables the search would have gone on: too few to infer anything from",
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Below:
    """A node one step below the published one: its classes, and the class of each cell of the original."""

    counts: FrequencySet
    of_cell: Counts


@dataclass(frozen=True, slots=True, eq=False)
class _Choice:
    """What decides: the cells of the original with the class of each, the nodes below, and the models.

    A *group* is the people who are together in every node below, which is all that the choice can tell apart. `by_class` has the
    published values of each class, `true` those of each group in the original.
    """

    name: str
    schema: Schema
    prior: Prior
    models: tuple[PrivacyModel, ...]
    rows: Counts
    class_of_cell: Counts
    group_of_cell: Counts
    class_of_group: Counts
    below: tuple[_Below, ...]
    by_class: Counts
    true: Counts

    @classmethod
    def of(cls, view: View, name: str) -> _Choice:
        people, node = _node(view)
        models = tuple(each for each in view.models if each.needs_sensitive and each.classwise and not each.columns)
        if not models:
            raise NotApplicable("needs a satisfied model that judges each class by its sensitive values; name one with --model")
        secret = secret_of(name, view.published.payloads[name], people.payloads[name])
        below = _below(people, node, [each for each in view.models if not each.needs_sensitive])
        at_node = people.roll_up(node)
        class_of_cell = _class_of(people, node)
        group_of_cell, class_of_group = _groups(class_of_cell, below)
        if len(class_of_group) * secret.width > _MOST:
            raise NotApplicable(
                "cannot draw so large tables: classes times values of the sensitive attribute are beyond 50 million"
            )
        true = _true(secret, group_of_cell, len(class_of_group))
        by_class = np.zeros((at_node.classes, secret.width), np.int64)
        np.add.at(by_class, class_of_group, true)
        prior = Prior.of(people, name)
        return cls(
            name, view.schema, prior, models, people.rows, class_of_cell, group_of_cell, class_of_group, below, by_class, true
        )

    def drawn(self, samples: int, rng: np.random.Generator) -> tuple[Counts, Counts, int]:
        """Draw tables: per group and value the sum over all of them, the sum over those in which the search would have gone on, and how
        many these are."""
        width = self.by_class.shape[1]
        cell = np.repeat(np.arange(len(self.rows)), self.rows)
        order = np.argsort(self.class_of_cell[cell], kind="stable")
        cell, classes = cell[order], self.class_of_cell[cell[order]]
        values = np.repeat(np.tile(np.arange(width), len(self.by_class)), self.by_class.ravel())
        every, kept, accepted = np.zeros_like(self.true), np.zeros_like(self.true), 0
        for _ in range(samples if self.below else 0):
            drawn = values[np.lexsort((rng.random(len(values)), classes))]
            table = _tally(self.group_of_cell[cell], drawn, len(self.true), width)
            every += table
            if all(self._violated(each, cell, drawn) for each in self.below):
                kept += table
                accepted += 1
        return every, kept, accepted

    def _violated(self, below: _Below, cell: Counts, values: Counts) -> bool:
        """Whether a model is violated at a node below."""
        width = self.by_class.shape[1]
        table = _tally(below.of_cell[cell], values, below.counts.classes, width)
        payload = below.counts.payloads[self.name]
        place, value = np.nonzero(table[:, : payload.hierarchy.codes(0)])
        rows = table[place, value]
        offsets = np.searchsorted(place, np.arange(below.counts.classes + 1)).astype(np.int64)
        filled = Payload(payload.hierarchy, offsets, value.astype(np.int32), rows, rows)
        counts = replace(below.counts, payloads=MappingProxyType({self.name: filled}))
        assessed = Assessed.of(counts, self.schema, Priors({self.name: self.prior}, "the original"), Context())
        return any(verdict.satisfied is False for verdict in assessed.verdicts(self.models))


def _node(view: View) -> tuple[FrequencySet, Node]:
    """The original by the QIDs of the release, and the node of the release; refuses a release without one."""
    names = view.published.node.attributes
    people = view.whole if view.whole.node.attributes == names else view.whole.project(names)
    levels = None if view.reading.method else levels_of(view.published, people)
    node = None if levels is None else Node(names, levels)
    if node is None or people.roll_up(node).classes != view.published.classes or view.published.rows.sum() != people.rows.sum():
        raise NotApplicable("needs a release with one level per QID and nobody suppressed: what a search over nodes makes")
    return people, node


def _below(people: FrequencySet, node: Node, others: Sequence[PrivacyModel]) -> tuple[_Below, ...]:
    """The nodes one step below that say something: those where the sizes of classes alone do not explain why the search went on."""
    found = []
    for place, level in enumerate(node.levels):
        if level:
            lower = Node(node.attributes, (*node.levels[:place], level - 1, *node.levels[place + 1 :]))
            counts = people.roll_up(lower)
            verdicts = Assessed(counts, {}, Context()).verdicts(others)
            if all(verdict.satisfied is not False for verdict in verdicts):
                found.append(_Below(counts, _class_of(people, lower)))
    return tuple(found)


def _class_of(people: FrequencySet, node: Node) -> Counts:
    """The class of each cell at a node, as `roll_up` numbers them."""
    steps = zip(people.hierarchies, people.node.levels, node.levels, people.codes.T, strict=True)
    codes = np.stack([hierarchy.ancestors(low, high)[column] for hierarchy, low, high, column in steps], axis=1)
    return class_of(replace(people, node=node, codes=codes), node.attributes)


def _groups(class_of_cell: Counts, below: Sequence[_Below]) -> tuple[Counts, Counts]:
    """The group of each cell, and the class of each group."""
    keys = np.stack([class_of_cell, *(each.of_cell for each in below)], axis=1)
    _, first, group = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    return group.ravel(), class_of_cell[first]


def _true(secret: Secret, group_of_cell: Counts, groups: int) -> Counts:
    found = np.zeros((groups, secret.width), np.int64)
    group = np.repeat(group_of_cell, np.diff(secret.true.offsets))
    np.add.at(found, (group, secret.true_codes[secret.true.values]), secret.true.rows)
    return found


def _tally(group: Counts, values: Counts, groups: int, width: int) -> Counts:
    return np.bincount(group * width + values, minlength=groups * width).reshape(groups, width)
