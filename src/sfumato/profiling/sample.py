"""A sample of the rows of some columns, as codes: what several columns tell together is computed on it, within bounded memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.engines.arrays import plain_array, to_numpy
from sfumato.engines.base import Engine
from sfumato.engines.encoding import encoding_of
from sfumato.errors import SfumatoError
from sfumato.vocabulary.schema import Attribute

MOST_ROWS = 1 << 16  # tables up to this size are not sampled
Codes = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Codes of the sampled rows: of the values themselves, and of their widest groups below `*`. `owners` if a row is not a person."""

    rows: int
    values: Mapping[str, Codes]
    groups: Mapping[str, Codes]
    owners: Codes | None

    def sizes(self, classes: Codes) -> Codes:
        """The number of people in each class."""
        if self.owners is not None:
            width = int(self.owners.max(initial=0)) + 1
            classes = np.unique(classes * width + self.owners) // width
        return np.bincount(classes)

    def alone(self, classes: Codes) -> int:
        """The people who are the only ones in a class."""
        single = (self.sizes(classes) == 1)[classes]
        return int(single.sum()) if self.owners is None else len(np.unique(self.owners[single]))

    @property
    def people(self) -> int:
        return self.rows if self.owners is None else len(np.unique(self.owners))


def joined(classes: Codes, codes: Codes) -> Codes:
    """The classes of rows that agree in one column more, numbered from 0."""
    keys = classes * (int(codes.max(initial=0)) + 1) + codes
    numbered: Codes = np.unique(keys, return_inverse=True)[1].astype(np.int64)
    return numbered


def sample_of(engine: Engine, attributes: Sequence[Attribute], owner: str | None, missing: Sequence[str], rows: int) -> Sample:
    """A random sample of rows, the same each time; a column whose values its levels do not fit is left out."""
    names = [attribute.name for attribute in attributes] + ([owner] if owner else [])
    table = _sampled(engine, names, rows)
    values, groups = dict[str, Codes](), dict[str, Codes]()
    for attribute in attributes:
        column = table[attribute.name]
        try:
            top = attribute.height() - 1
            encoding = encoding_of(attribute, pc.unique(column), missing)
            values[attribute.name] = encoding.encode(column).astype(np.int64)
            groups[attribute.name] = encoding.above(top).encode(column).astype(np.int64) if top else values[attribute.name]
        except SfumatoError:
            values.pop(attribute.name, None)
    owners = to_numpy(table[owner].combine_chunks().dictionary_encode().indices).astype(np.int64) if owner else None
    return Sample(table.num_rows, values, groups, owners)


def _sampled(engine: Engine, names: Sequence[str], rows: int) -> pa.Table:
    chance, share = np.random.default_rng(0), MOST_ROWS / max(rows, 1)
    parts = []
    for batch in engine.rows(names):
        if share < 1:
            batch = batch.filter(pa.array(chance.random(batch.num_rows) < share))
        parts.append(pa.table([plain_array(column) for column in batch.columns], names=names))
    return pa.concat_tables(parts)
