"""How many people stand behind each label of each level."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from sfumato.beliefs import Prior
from sfumato.errors import HierarchyError, several
from sfumato.vocabulary.builders import Builder
from sfumato.vocabulary.hierarchy import Hierarchy
from sfumato.vocabulary.kinds import Kind, canonical, natural_order
from sfumato.vocabulary.schema import Attribute
from sfumato.vocabulary.spelling import Speller


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """The values of a column in their order, the people who have each, and those whose value is missing."""

    values: tuple[str, ...]
    people: npt.NDArray[np.int64]
    missing: int


@dataclass(frozen=True, slots=True, eq=False)
class Rolled:
    """A hierarchy with the people behind each label, level by level. The missing value is no label; at the root it is counted."""

    hierarchy: Hierarchy
    people: tuple[npt.NDArray[np.int64], ...]
    missing: int


@lru_cache(maxsize=8)  # a slider asks again and again
def column_of(attribute: Attribute, prior: Prior) -> Column:
    """The values of a column as the attribute reads them: it may have another type since they were counted."""
    kind, counted, missing, wrong = attribute.kind or Kind.TEXT, Counter[str](), 0, 0
    speller = Speller.of(attribute.builder.build(attribute.name, Kind.TEXT, []).labels[0]) if attribute.normalize else None
    for value, many in zip(prior.values, prior.people.tolist(), strict=True):
        spelled = speller(value) if speller and value is not None else value
        text = None if spelled is None else canonical(kind, spelled)
        if text is not None:
            counted[text] += many
        elif spelled is None:
            missing += many
        else:
            wrong += 1
    if wrong:
        raise HierarchyError(
            f"{several(wrong, 'value')} of the data {'does' if wrong == 1 else 'do'} not fit the type {kind.value!r}",
            where=f"attribute {attribute.name!r}",
        )
    values = tuple(natural_order(kind, counted))
    return Column(values, np.array([counted[value] for value in values], np.int64), missing)


def rolled(attribute: Attribute, builder: Builder, column: Column) -> Rolled:
    """The people of a column behind the labels that a builder gives; refuses a builder that does not fit the values."""
    hierarchy = builder.build(attribute.name, attribute.kind or Kind.TEXT, column.values)
    code_of = {leaf: code for code, leaf in enumerate(hierarchy.at(0))}
    below = np.zeros(hierarchy.codes(0), np.int64)
    below[[code_of[value] for value in column.values]] = column.people
    below[-1] = column.missing
    people = [below[:-1]]
    for parent in hierarchy.parents:
        below = np.bincount(parent, weights=below, minlength=int(parent.max()) + 1).astype(np.int64)
        people.append(below[: len(hierarchy.at(len(people)))])
    return Rolled(hierarchy, tuple(people), column.missing)
