"""The distribution of single columns, many in one pass over the rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from sfumato.beliefs import Prior
from sfumato.engines.base import Engine
from sfumato.engines.encoding import canonical_texts
from sfumato.engines.tally import Tally
from sfumato.errors import DataError
from sfumato.vocabulary.kinds import Kind, natural_order
from sfumato.vocabulary.schema import Schema

ROOM = 16 << 20  # bytes of distinct values that are collected


def marginals_of(engine: Engine, schema: Schema, names: Sequence[str], room: int = ROOM) -> Mapping[str, Prior]:
    """The rows of each value of these columns; without those that have too many different values to hold, or values of another type than
    is declared, which matters to nobody else where a column is published as it is."""
    tallies = {name: Tally() for name in names}
    for batch in engine.rows(names) if names else ():
        for name, column in zip(names, batch.columns, strict=True):
            if name in tallies:
                tallies[name].add(column)
        while tallies and sum(tally.size for tally in tallies.values()) > room:
            del tallies[max(tallies, key=lambda name: tallies[name].size)]
    priors = {name: _prior(schema, name, tally) for name, tally in tallies.items()}
    return {name: prior for name, prior in priors.items() if prior is not None}


def _prior(schema: Schema, name: str, tally: Tally) -> Prior | None:
    attribute, rows = schema[name], Counter[str | None]()
    for batch in tally.distinct():
        try:
            texts = canonical_texts(attribute, batch.column(0), schema.missing)
        except DataError:
            return None
        for text, many in zip(texts, batch.column(1).to_pylist(), strict=True):
            rows[text] += many
    values = (
        *natural_order(attribute.kind or Kind.TEXT, {text for text in rows if text is not None}),
        *([None] * (None in rows)),
    )
    return Prior(name, values, np.array([rows[value] for value in values], np.int64))
