"""What is known about nodes: facts about their people and classes, measures of their losses, and the judgments of the models.

The public names of these columns, in the file of a policy space and for look-ups, are spelled and read here and nowhere else:
`classes`, `NAME`, `NAME.max`, `NAME@ATTRIBUTE`, `NAME.max@ATTRIBUTE`, `value:MODEL`, `satisfied:MODEL`, `value:MODEL@ATTRIBUTE`, …
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import inf
from typing import Any, Protocol, Self

import numpy as np
import numpy.typing as npt

from sfumato.frequency import FrequencySet
from sfumato.losses import LOSSES
from sfumato.losses.information import INFORMATION, known_of
from sfumato.models import Verdict
from sfumato.models.base import AT_MOST

Array = npt.NDArray[Any]
MAX = ".max"
_OF = "@"
_VALUE, _SATISFIED = "value:", "satisfied:"


class Fact(StrEnum):
    """What is counted at every node.

    CLASSES, SMALLEST and PEOPLE speak of what is kept, VIOLATING counts the people in violating classes, SUPPRESSED those who leave (all
    violating ones if they are within the limit, else nobody: then the node is not FEASIBLE). INCURABLE: so many people at least are in
    violating classes at every node below; HOPELESS: no node below is feasible, by one of the facts that allow to say so.
    """

    CLASSES = "classes"
    SMALLEST = "smallest"
    PEOPLE = "people"
    VIOLATING = "violating"
    SUPPRESSED = "suppressed"
    FEASIBLE = "feasible"
    INCURABLE = "incurable"
    HOPELESS = "hopeless"


FOR_PRUNING = (Fact.INCURABLE, Fact.HOPELESS)


@dataclass(frozen=True, slots=True)
class Measure:
    """A loss of a node: its mean over people (or its total), or its `worst` class; of one `sensitive` attribute or of all together."""

    loss: str
    worst: bool = False
    sensitive: str | None = None

    @classmethod
    def parse(cls, name: str) -> Measure:
        """A measure by its public name.

        >>> Measure.parse("distribution.max@illness")
        Measure(loss='distribution', worst=True, sensitive='illness')
        """
        spelled, _, sensitive = name.partition(_OF)
        return cls(spelled.removesuffix(MAX), spelled.endswith(MAX), sensitive or None)

    def of(self, sensitive: str) -> Measure:
        """The same of one attribute."""
        return Measure(self.loss, self.worst, sensitive)

    def __str__(self) -> str:
        return f"{self.loss}{MAX if self.worst else ''}" + (f"{_OF}{self.sensitive}" if self.sensitive else "")


@dataclass(frozen=True, slots=True)
class Criterion:
    """A model in its own words, with the sensitive attribute that it is asked about where there are several."""

    model: str
    sensitive: str | None = None

    @property
    def names(self) -> tuple[str, str]:
        """The public names of the model's value and of whether it is satisfied."""
        return f"{_VALUE}{self}", f"{_SATISFIED}{self}"

    def __str__(self) -> str:
        return f"{self.model}{_OF}{self.sensitive}" if self.sensitive else self.model


@dataclass(frozen=True, slots=True, eq=False)
class Judgments:
    """What a model says of each of several nodes: the value of its worst class, or of the table, and whether that satisfies it."""

    value: npt.NDArray[np.float64]
    satisfied: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, verdicts: Sequence[Verdict]) -> Judgments:
        """From one verdict per node."""
        values = np.array([value_of(verdict) for verdict in verdicts], np.float64)
        return cls(values, np.array([verdict.satisfied is True for verdict in verdicts], bool))

    def only(self, chosen: npt.NDArray[Any]) -> Judgments:
        """Of some of the nodes."""
        return Judgments(self.value[chosen], self.satisfied[chosen])

    @classmethod
    def joined(cls, parts: Sequence[Judgments]) -> Judgments:
        """Of several lists of nodes, one after the other."""
        return cls(np.concatenate([part.value for part in parts]), np.concatenate([part.satisfied for part in parts]))


class ByNode(Protocol):
    """What is found out about several nodes, one entry each: parts of it can be joined and chosen from."""

    @property
    def levels(self) -> npt.NDArray[np.int16]:
        """The nodes."""

    def __len__(self) -> int: ...

    def only(self, chosen: npt.NDArray[Any]) -> Self:
        """Some of the nodes."""

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """Several, one after the other."""


@dataclass(frozen=True, slots=True, eq=False)
class Evaluations:
    """Nodes by their levels, the facts and measures, and what every model says."""

    levels: npt.NDArray[np.int16]
    columns: Mapping[Fact | Measure, Array]
    verdicts: Mapping[Criterion, Judgments] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.levels)

    def __getitem__(self, key: Fact | Measure) -> Array:
        return self.columns[key]

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """Several, one after the other."""
        first = parts[0]
        columns = {key: np.concatenate([part[key] for part in parts]) for key in first.columns}
        verdicts = {key: Judgments.joined([part.verdicts[key] for part in parts]) for key in first.verdicts}
        return cls(np.concatenate([part.levels for part in parts]), columns, verdicts)

    def only(self, chosen: npt.NDArray[Any]) -> Self:
        """Some of the nodes."""
        columns = {key: column[chosen] for key, column in self.columns.items()}
        verdicts = {key: each.only(chosen) for key, each in self.verdicts.items()}
        return replace(self, levels=self.levels[chosen], columns=columns, verdicts=verdicts)

    def named(self) -> dict[str, Array]:
        """Every column under its public name: facts, then verdicts, then losses."""
        facts = {str(key): column for key, column in self.columns.items() if isinstance(key, Fact)}
        verdicts: dict[str, Array] = {}
        for criterion, judgments in self.verdicts.items():
            verdicts |= zip(criterion.names, (judgments.value, judgments.satisfied), strict=True)
        return facts | verdicts | {str(key): column for key, column in self.columns.items() if isinstance(key, Measure)}

    def row(self, place: int) -> dict[str, Any]:
        """Everything about one node, by public names."""
        return next(self.rows([place]))

    def rows(self, places: Iterable[int]) -> Iterator[dict[str, Any]]:
        """Everything about some nodes, one after the other."""
        named = self.named()
        for place in places:
            yield {name: column[place].item() for name, column in named.items()}

    @classmethod
    def of_named(cls, levels: npt.NDArray[np.int16], named: Mapping[str, Array], known: Sequence[Criterion] = ()) -> Evaluations:
        """From columns under their public names. Models and attributes may hold any sign: the `known` ones are recognized first."""
        columns: dict[Fact | Measure, Array] = {}
        verdicts: dict[Criterion, Judgments] = {}
        spelled = {str(criterion): criterion for criterion in known}
        for name, column in named.items():
            if name.startswith(_VALUE):
                text = name.removeprefix(_VALUE)
                verdicts[spelled.get(text, Criterion(text))] = Judgments(column, named[_SATISFIED + text])
            elif not name.startswith(_SATISFIED):
                columns[Fact(name) if name in set(Fact) else Measure.parse(name)] = column
        return cls(levels, columns, verdicts)


def wanted_losses(names: Sequence[str], counts: FrequencySet | None = None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Class-wise losses and information losses among public names of measures; of the latter those that a count can tell."""
    losses = {Measure.parse(name).loss for name in names}
    known = INFORMATION if counts is None else known_of(counts)
    return tuple(n for n in LOSSES if n in losses), tuple(n for n in known if n in losses)


def every_loss() -> tuple[str, ...]:
    """All losses of a node."""
    return (*LOSSES, *INFORMATION)


def value_of(verdict: Verdict) -> float:
    """The value of a verdict as a number; what has none is worse than any or, if that satisfies, better."""
    if verdict.value is not None:
        return float(verdict.value)
    return inf if (verdict.direction == AT_MOST) != (verdict.satisfied is True) else -inf
