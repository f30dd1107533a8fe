"""A node of the explored space, looked at closely: its levels in words, its classes, every published column before and now, its losses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sfumato.errors import NodeError, several
from sfumato.frequency import FrequencySet
from sfumato.losses import LOSSES
from sfumato.losses.information import INFORMATION
from sfumato.release.reading import Reading
from sfumato.reporting.explorer.naming import WORDS, node_words, phrases_of
from sfumato.reporting.markup import Html, shown
from sfumato.reporting.overview import Column
from sfumato.reporting.pictures import column_picture, sizes_picture
from sfumato.reporting.views.columns import Compared, columns_of
from sfumato.reporting.views.disclosed import sizes_of
from sfumato.search.evaluation import MAX
from sfumato.search.plain import PlainEvaluator
from sfumato.search.problem import Problem
from sfumato.search.space.trade_off import TradeOff
from sfumato.vocabulary.schema import Schema


@dataclass(frozen=True, slots=True)
class Said:
    """What a model says of a node."""

    model: str
    value: str
    satisfied: bool


@dataclass(frozen=True, slots=True)
class Looked:
    """A published column at a node: how it looks, in words, as a picture and as a list of its most frequent labels."""

    name: str
    words: str
    picture: Html
    labels: int
    named: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class NodeView:
    """One node. `written` is how a command has it."""

    levels: tuple[int, ...]
    words: str
    feasible: bool
    within: bool
    front: bool
    classes: int
    smallest: int
    people: int
    suppressed: int
    said: tuple[Said, ...]
    columns: tuple[Looked, ...]
    sizes: Html
    losses: tuple[tuple[str, str, str], ...]

    @property
    def written(self) -> str:
        return f"[{','.join(map(str, self.levels))}]"

    @property
    def status(self) -> str:
        """How it stands among the others."""
        if not self.feasible:
            return "does not satisfy the models"
        if not self.within:
            return "satisfies the models, outside the bounds"
        return "on the front: no other way is better on both axes" if self.front else "satisfies the models, within the bounds"

    @property
    def size(self) -> str:
        """Its classes, in words."""
        left = f"; {several(self.suppressed, 'person is', 'people are')} left out" if self.suppressed else ""
        groups = several(self.classes, "group of people who look alike", "groups of people who look alike")
        return f"{groups}, the smallest of {several(self.smallest, 'person', 'people')}{left}"


def place_of(result: TradeOff, levels: Sequence[int]) -> int:
    """The place of a node in the space; refuses levels that there are not."""
    lattice = result.space.lattice
    spans = list(zip(levels, lattice.floors, lattice.heights, strict=False))
    if len(levels) != len(lattice.attributes) or not all(floor <= level <= height for level, floor, height in spans):
        known = ", ".join(f"{name} 0 to {height}" for name, height in zip(lattice.attributes, lattice.heights, strict=True))
        raise NodeError(f"there is no such node; the levels are {known}", where="node")
    return int(lattice.numbers([list(levels)])[0])


def node_view(result: TradeOff, levels: Sequence[int], schema: Schema, key: str) -> NodeView:
    """A node as a page shows it; `key` tells its pictures from those of another node."""
    place = place_of(result, levels)
    problem, row = result.problem, result.space.evaluations.row(place)
    counts = problem.counts.roll_up(result.space.lattice.node(levels))
    kept = kept_at(problem, counts) if row["suppressed"] or row["classes"] < counts.classes else counts
    reading = Reading(None, kept, schema, ())
    columns = columns_of(Compared(reading, schema, counts.node.as_dict(), 1, problem.counts))
    published = [each for each in columns if each.named or each.after]
    return NodeView(
        levels=tuple(int(level) for level in levels),
        words=node_words(result.space.lattice.attributes, phrases_of(result), levels),
        feasible=bool(result.feasible[place]),
        within=bool(result.within[place]),
        front=place in result.front,
        classes=row["classes"],
        smallest=row["smallest"],
        people=row["people"],
        suppressed=row["suppressed"],
        said=_said(result, place),
        columns=tuple(_looked(f"{key}-{number}", each) for number, each in enumerate(published)),
        sizes=sizes_picture(f"{key}-sizes", sizes_of(kept, problem.counts)),
        losses=_losses(row),
    )


def kept_at(problem: Problem, counts: FrequencySet) -> FrequencySet:
    """The classes of a node without those that are left out."""
    leaving = PlainEvaluator(replace(problem, counts=counts), ()).leaving(counts.node.levels)
    kept = np.ones(counts.classes, bool)
    kept[np.array(leaving, np.intp) - 1] = False
    return counts.keep(kept)


def _said(result: TradeOff, place: int) -> tuple[Said, ...]:
    verdicts = result.space.evaluations.verdicts.items()
    return tuple(Said(str(model), shown(float(each.value[place])), bool(each.satisfied[place])) for model, each in verdicts)


def _looked(name: str, column: Column) -> Looked:
    return Looked(column.name, column.words, column_picture(name, column), column.labels, column.named)


def _losses(row: dict[str, float]) -> tuple[tuple[str, str, str], ...]:
    """Each loss in words, for the worst class and as the mean over people or in total."""
    rows = [(WORDS.get(name, name), shown(row[name + MAX]), shown(row[name])) for name in LOSSES if name in row]
    return (*rows, *((WORDS.get(name, name), "", shown(row[name])) for name in INFORMATION if name in row))
