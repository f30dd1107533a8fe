"""How many people stand behind each label of each level."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from sfumato.beliefs import Prior
from sfumato.errors import HierarchyError, several
from sfumato.frequency import Incidence, added
from sfumato.vocabulary.builders import Builder
from sfumato.vocabulary.hierarchy import Hierarchy
from sfumato.vocabulary.kinds import Kind, canonical, natural_order
from sfumato.vocabulary.schema import Attribute
from sfumato.vocabulary.spelling import Speller


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """The values of a column in their order, the people who have each, and those whose value is missing.

    `owners`, where people have several rows: who has each of the values, and last who has none. They do not add up.
    """

    values: tuple[str, ...]
    people: npt.NDArray[np.int64]
    missing: int
    owners: Incidence | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Rolled:
    """A hierarchy with the people behind each label, level by level. The missing value is no label; at the root it is counted."""

    hierarchy: Hierarchy
    people: tuple[npt.NDArray[np.int64], ...]
    missing: int


@lru_cache(maxsize=8)  # a slider asks again and again
def column_of(attribute: Attribute, prior: Prior, owners: Incidence | None = None) -> Column:
    """The values of a column as the attribute reads them: it may have another type since they were counted. `owners` has those of each
    value of the prior."""
    texts = _read(attribute, prior)
    values = tuple(natural_order(attribute.kind or Kind.TEXT, {text for text in texts if text is not None}))
    place: dict[str | None, int] = {value: number for number, value in enumerate((*values, None))}
    group_of = np.array([place[text] for text in texts], np.int64)
    if owners is None:
        people = added(prior.people, group_of, len(values) + 1)
    else:
        owners = owners.regroup(group_of, len(values) + 1)
        people = owners.sizes()
    return Column(values, people[:-1], int(people[-1]), owners)


def _read(attribute: Attribute, prior: Prior) -> list[str | None]:
    """The values of a prior in the spelling of the attribute; refuses values of another type."""
    kind, texts, wrong = attribute.kind or Kind.TEXT, list[str | None](), 0
    speller = Speller.of(attribute.builder.build(attribute.name, Kind.TEXT, []).labels[0]) if attribute.normalize else None
    for value in prior.values:
        spelled = speller(value) if speller and value is not None else value
        texts.append(None if spelled is None else canonical(kind, spelled))
        wrong += spelled is not None and texts[-1] is None
    if wrong:
        raise HierarchyError(
            f"{several(wrong, 'value')} of the data {'does' if wrong == 1 else 'do'} not fit the type {kind.value!r}",
            where=f"attribute {attribute.name!r}",
        )
    return texts


def rolled(attribute: Attribute, builder: Builder, column: Column) -> Rolled:
    """The people of a column behind the labels that a builder gives; refuses a builder that does not fit the values."""
    hierarchy = builder.build(attribute.name, attribute.kind or Kind.TEXT, column.values)
    code_of = {leaf: code for code, leaf in enumerate(hierarchy.at(0))}
    leaves = np.array([*(code_of[value] for value in column.values), hierarchy.codes(0) - 1], np.int64)
    counted = np.append(column.people, column.missing)
    people = []
    for level in range(hierarchy.height + 1):
        labels = hierarchy.ancestors(0, level)[leaves].astype(np.int64)
        many = hierarchy.codes(level)
        behind = added(counted, labels, many) if column.owners is None else column.owners.regroup(labels, many).sizes()
        people.append(behind[: len(hierarchy.at(level))])
    return Rolled(hierarchy, tuple(people), column.missing)
