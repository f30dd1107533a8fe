"""Personalized privacy."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.errors import UsageError, several, unknown
from sfumato.models.base import AT_MOST, Judged, Part, PrivacyModel, share_of_people, statistics_of
from sfumato.models.parameter import share, text
from sfumato.models.registration import register
from sfumato.vocabulary.hierarchy import ROOT, Hierarchy


@register
@dataclass(frozen=True, slots=True)
class PersonalizedPrivacy(PrivacyModel):
    """A class reveals with probability at most p that a person's value lies under the node that this person guards (Xiao and Tao 2006).

    `guard` is the column with each person's guarding node: a label of the sensitive attribute's hierarchy, at any level (the highest
    one that has it). The breach probability is the share of the class's people under that node. Where people have several
    values, who has more than one under the node is not published: they are counted once per value and everybody at most, so the value
    is never too small. A missing guard protects nothing. `*` is the root whatever
    the hierarchy calls it: every value lies under it, so whoever guards it can be published with p = 1 only.
    Blind to: record linkage, and values outside the guarded nodes.
    Not monotone: a class with a guard and nobody under it may merge with a class without the guard and many people under it.
    Example: counts (1, 1, 2) of flu, cold and gout, somebody guards infection = {flu, cold}: value 1/2.
    """

    name: ClassVar[str] = "personalized-privacy"
    stops: ClassVar[str] = "A"
    monotone: ClassVar[bool] = False
    compared: ClassVar[str | None] = "p"

    p: float = field(metadata=share())
    guard: str = field(metadata=text(example="COLUMN"))

    @property
    def classwise(self) -> bool:
        return False  # whose guard counts depends on the person, not on the class

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.guard,)

    def parts(self, judged: Judged) -> tuple[Part, ...]:
        statistics = statistics_of(judged)
        if self.guard not in judged.counts.payloads:
            message = unknown("column", self.guard, judged.counts.payloads, within="what was counted")
            raise UsageError(message, where=f"model {self.name}")
        guards = judged.counts.payloads[self.guard]
        class_of = np.repeat(np.arange(statistics.classes), np.diff(guards.offsets))
        breach: npt.NDArray[np.float64] = np.zeros(statistics.classes)
        for code, places in self._guarded(judged).items():
            guarded = class_of[guards.values == code]
            under = np.minimum(statistics.column("pairs_under", places), statistics.sizes)
            breach[guarded] = np.maximum(breach[guarded], share_of_people(statistics, under)[guarded])
        return (Part(breach, self.p, AT_MOST),)

    def _guarded(self, judged: Judged) -> dict[int, tuple[int, ...]]:
        """For each guard that occurs, the sensitive values under its node, by their place in the domain."""
        domain = statistics_of(judged).domain
        guards = judged.counts.payloads[self.guard]
        labels = {int(code): guards.hierarchy.label(0, int(code)) for code in np.unique(guards.values)}
        hierarchy = judged.counts.payloads[domain.attribute].hierarchy
        nodes = {ROOT: [*hierarchy.labels[0], None], **_leaves_under(hierarchy)}
        unknown_labels = [label for label in labels.values() if label is not None and label not in nodes]
        if unknown_labels:
            raise UsageError(
                f"column {self.guard!r} holds {several(len(unknown_labels), 'value')} outside the hierarchy of {domain.attribute!r}",
                where=f"model {self.name}",
            )
        place_of = {label: place for place, label in enumerate(domain.labels)}
        return {
            code: tuple(place_of[leaf] for leaf in nodes[label] if leaf in place_of)
            for code, label in labels.items()
            if label is not None
        }


def _leaves_under(hierarchy: Hierarchy) -> dict[str, list[str | None]]:
    """The leaves under every label, the missing value under the root alone; a label of several levels means the highest."""
    leaves = (*hierarchy.labels[0], None)
    under: dict[str, list[str | None]] = {}
    for level in range(hierarchy.height + 1):
        above = [hierarchy.label(level, int(code)) for code in hierarchy.ancestors(0, level)]
        gathered: dict[str, list[str | None]] = {}
        for leaf, label in zip(leaves, above, strict=True):
            if label is not None:
                gathered.setdefault(label, []).append(leaf)
        under |= gathered
    return under
