"""Where the classes of a release are in its file: the positions of their rows, from 1."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from sfumato.engines.arrays import plain_array
from sfumato.engines.encoding import encoding_of
from sfumato.frequency import Counts, FrequencySet, packed
from sfumato.release.numbering import codes_among
from sfumato.release.reading import Reading
from sfumato.table.source import Source
from sfumato.vocabulary.hierarchy import Codes

SHOWN = 20


def class_of_rows(source: Source, reading: Reading, classes: FrequencySet) -> Counts:
    """The number of the class of every row, from 1; 0 for a suppressed one."""
    names = classes.node.attributes
    engine = source.open_engine(reading.schema)
    try:
        batches = list(engine.rows(names))
    finally:
        engine.close()
    fetched = pa.Table.from_batches(batches)
    columns = []
    for place, name in enumerate(names):
        column = plain_array(fetched[name].combine_chunks())
        encoding = encoding_of(reading.schema[name], column, reading.schema.missing)
        columns.append(codes_among(encoding.hierarchy.labels[0], classes.hierarchies[place], 0)[encoding.encode(column)])
    return _numbered(columns, classes)


def _numbered(columns: Sequence[Codes], classes: FrequencySet) -> Counts:
    known = np.all([column >= 0 for column in columns], axis=0)
    radices = [hierarchy.codes(0) for hierarchy in classes.hierarchies]
    both = [np.concatenate([own, np.maximum(column, 0)]) for own, column in zip(classes.codes.T, columns, strict=True)]
    keys = packed(both, radices, classes.classes + len(known))  # in one call, so that ranks mean the same
    own, wanted = keys[: classes.classes], keys[classes.classes :]
    order = np.argsort(own)
    at = order[np.minimum(np.searchsorted(own[order], wanted), classes.classes - 1)]
    return np.where(known & (own[at] == wanted), at + 1, 0)


def positions_in(class_of: Counts, numbers: Sequence[int]) -> tuple[int, ...]:
    """The first rows that are in some classes."""
    return tuple((np.flatnonzero(np.isin(class_of, np.array(numbers, np.int64)))[:SHOWN] + 1).tolist())
