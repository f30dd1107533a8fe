"""How a column of the table looks, for the page that shows all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.beliefs import Prior
from sfumato.reporting.bins import MOST_VALUES, binned
from sfumato.reporting.markup import Html
from sfumato.reporting.overview import Column, Span
from sfumato.reporting.pictures import column_picture
from sfumato.vocabulary.kinds import Kind
from sfumato.vocabulary.schema import Attribute

_SHORT = 48  # letters of a caption


@dataclass(frozen=True, slots=True)
class Drawn:
    """A column as bars: the picture, and the same as rows of label and people; `words` says what the bars are."""

    picture: Html
    rows: tuple[tuple[str, int], ...]
    words: str
    missing: int


def drawn(number: int, attribute: Attribute, prior: Prior) -> Drawn:
    """The values of a column: numbers and dates in bins, others the most frequent first. The page is the owner's, so values are named."""
    kind = attribute.kind or Kind.TEXT
    people = {value: int(many) for value, many in zip(prior.values, prior.people, strict=True)}
    missing = people.pop(None, 0)
    values = list(people)
    bins = binned(values, [people[value] for value in values], kind)
    if bins is not None:
        totals = np.bincount(np.array(bins.places), weights=[people[value] for value in values], minlength=len(bins.names))
        rows = list(zip(bins.names, totals.astype(int).tolist(), strict=True))
        words = f"{bins.words}: {_span(bins.names)}"
    else:
        ordered = kind is not Kind.TEXT and len(values) <= MOST_VALUES
        named = values if ordered else sorted(values, key=lambda value: -people[value])
        rows = [(str(value), people[value]) for value in named[:MOST_VALUES]]
        others = len(values) - len(rows)
        words = f"every value: {_span([label for label, _ in rows])}"
        if others:
            words = f"the {len(rows)} most frequent values, and {others:,} others"
        if others:
            rows.append(("others", sum(people.values()) - sum(many for _, many in rows)))
    width = 1 / max(len(rows), 1)
    spans = tuple(Span(place * width, (place + 1) * width, many) for place, (_, many) in enumerate(rows))
    column = Column(attribute.name, attribute.role.value, words, len(values), (), spans)
    return Drawn(column_picture(f"column-{number}", column), tuple(rows), words, missing)


def _span(labels: Sequence[str]) -> str:
    """What stands below the bars, from left to right: all labels if they are few and short, else the first and the last."""
    few = ", ".join(labels)
    return few if len(few) <= _SHORT or len(labels) < 3 else f"{labels[0]} to {labels[-1]}"
