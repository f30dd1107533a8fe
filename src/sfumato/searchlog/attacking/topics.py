"""Topics that are nobody's business: which queries are about one, by the words in them."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.errors import DataError
from sfumato.inputs import text
from sfumato.inputs.files import MB
from sfumato.searchlog.spelling import normalized

DEFAULT = {
    "diabetes": "diabetes",
    "depression": "depression",
    "cancer": "cancer",
    "asthma": "asthma",
    "epilepsy": "epilepsy",
    "pregnancy": "pregnancy",
}


def read_topics(path: Path | None) -> Mapping[str, str]:
    """Words and their topics, from lines `word,topic`; illnesses without a file."""
    if path is None:
        return DEFAULT
    rows = [row for row in csv.reader(text(path, MB).splitlines()) if row]
    for place, row in enumerate(rows, start=1):
        if len(row) != 2 or not all(cell.strip() for cell in row):
            raise DataError("write a word and its topic, as in insulin,diabetes", where=f"{path}, line {place}")
        if " " in row[0].strip():
            raise DataError("has several words; a topic is recognized by single ones", where=f"{path}, line {place}")
    words = normalized(pa.array([row[0] for row in rows], pa.string())).to_pylist()
    found = {word: row[1].strip() for word, row in zip(words, rows, strict=True)}
    if not found:
        raise DataError("names no topic; write lines as insulin,diabetes", where=str(path))
    return found


def places_of_words(texts: pa.Array, words: Mapping[str, int]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Which text has which of some words, as pairs of places: of the text, and the number of the word."""
    split = pc.split_pattern(texts, " ")
    found = pc.index_in(pc.list_flatten(split), value_set=pa.array(list(words), pa.string()))
    have = np.flatnonzero(found.is_valid().to_numpy(zero_copy_only=False))
    numbers = np.array(list(words.values()), np.int64)
    return pc.list_parent_indices(split).to_numpy()[have], numbers[found.take(pa.array(have)).to_numpy()]


def table_of_words(texts: Iterable[pa.Array], words: Mapping[str, int], name: str) -> pa.Table:
    """The queries that have one of some words, with the numbers of these in a column `name`."""
    queries, numbers = [], [np.zeros(0, np.int64)]
    for batch in texts:
        places, found = places_of_words(batch, words)
        queries.append(batch.take(pa.array(places)))
        numbers.append(found)
    return pa.table({"Query": pa.chunked_array(queries, pa.string()), name: np.concatenate(numbers)})
