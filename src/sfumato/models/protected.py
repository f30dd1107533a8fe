"""A model for some people only: stricter thresholds for chosen groups (thesis, 6.2).

The labels decide which classes may have people of a group, as they do for a reader of the file: an age band that overlaps the
group's, or a QID that is withheld.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from sfumato.errors import UsageError, argument
from sfumato.frequency import FrequencySet, Mask
from sfumato.models.base import Judged, Part, PrivacyModel, Verdict
from sfumato.vocabulary.group import Group
from sfumato.vocabulary.meeting import meeting
from sfumato.vocabulary.schema import Attribute, Schema

# The first " for " before a QID: labels may contain the word, and so may the values that a model names.
_WRITTEN = re.compile(r"(.*?\S) for (?=\S)((?:(?! for )[^=])+=.*)")


@dataclass(frozen=True, slots=True)
class Members:
    """Which labels and classes may stand for people of a group, by a schema. A missing value belongs to no group."""

    schema: Schema

    def require(self, group: Group) -> None:
        """Refuse a group with attributes that are not QIDs, or with labels that have no meaning."""
        for name, label in group.labels:
            self.schema.choose_quasi([name])
            meeting(self.schema[name], label)

    def labels(self, name: str, wanted: str, labels: Sequence[str]) -> Mask:
        """Which labels may stand for the group's label; an additional entry is for the missing value."""
        meets = meeting(self.schema[name], wanted)
        return np.array([*(meets(label) for label in labels), False])

    def attribute(self, name: str) -> Attribute:
        return self.schema[name]

    def __call__(self, counts: FrequencySet, group: Group) -> Mask:
        """Which classes may have people of the group; a withheld QID excludes nobody."""
        inside = np.ones(counts.classes, bool)
        for name, wanted in group.labels:
            if name in counts.node.attributes:
                place = counts.node.attributes.index(name)
                known = counts.hierarchies[place].at(counts.node.levels[place])
                inside &= self.labels(name, wanted, known)[counts.codes[:, place]]
        return inside


@dataclass(frozen=True, slots=True)
class Protected(PrivacyModel):
    """A model that must hold for the classes that may have people of a group.

    Never monotone: a class outside the group may violate the bound; merged with a class inside, it is judged.
    """

    name: ClassVar[str] = "protected"
    stops: ClassVar[str] = ""
    monotone: ClassVar[bool] = False

    model: PrivacyModel
    group: Group

    def check_parameters(self) -> None:
        if not self.model.classwise:
            raise UsageError(
                f"{self.model} does not judge each class by itself, so it cannot be limited to a group",
                where=argument("models"),
            )

    @property
    def core(self) -> PrivacyModel:
        return self.model

    @property
    def classwise(self) -> bool:
        return False  # one group at a time

    @property
    def columns(self) -> tuple[str, ...]:
        return self.model.columns

    @property
    def needs_sensitive(self) -> bool:  # type: ignore[override]
        return self.model.needs_sensitive

    def parts(self, judged: Judged) -> tuple[Part, ...]:
        # Nothing is known about the parts of a split class: they may be outside the group.
        inside = judged.inside(self.group)
        own = self.model.parts(judged)
        return tuple(replace(part, inside=inside, hereditary=False, curable=None) for part in own)

    def judge(self, judged: Judged) -> Verdict:
        if not self.model.parts(judged):  # it lacks the data it needs
            return replace(self.model.judge(judged), model=str(self))
        return PrivacyModel.judge(self, judged)

    def __str__(self) -> str:
        return f"{self.model} for {self.group}"


def split(text: str) -> tuple[str, Group] | None:
    """`MODEL for GROUP` as its two parts; None for a model without a group.

    >>> split("distribution-loss:0.1 for age=[75, 100]")
    ('distribution-loss:0.1', Group(labels=(('age', '[75, 100]'),)))
    """
    match = _WRITTEN.fullmatch(text)
    return (match[1], Group.parse(match[2])) if match else None


def require_groups(models: Sequence[PrivacyModel], members: Members, counts: FrequencySet | None = None) -> None:
    """Refuse models for groups that the schema does not define or, with a counted table, that have no people in it."""
    for model in models:
        if isinstance(model, Protected):
            members.require(model.group)
            if counts is not None and not members(counts, model.group).any():
                raise UsageError(
                    f"nobody in the data is in the group {model.group}; write labels as 'sfumato hierarchies' shows them",
                    where=argument("models"),
                )
