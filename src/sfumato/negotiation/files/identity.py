"""Which table it is: the digest of what people have, whatever the order of the rows, the format of the file or the hierarchies."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import numpy as np

from sfumato.frequency import FrequencySet
from sfumato.vocabulary.hierarchy import Codes, Hierarchy


def content_digest(counts: FrequencySet) -> str:
    """SHA-256 of the counts of a table at its bottom node, by their labels."""
    found = sha256()
    names = sorted(counts.node.attributes)
    columns = [_canonical(counts.hierarchy(name), counts.codes[:, counts.node.attributes.index(name)]) for name in names]
    order = np.lexsort(columns[::-1])
    for name, column in zip(names, columns, strict=True):
        _add(found, name, counts.hierarchy(name))
        found.update(column[order].tobytes())
    found.update(np.asarray(counts.rows, np.int64)[order].tobytes())
    for name, payload in sorted(counts.payloads.items()):
        _add(found, name, payload.hierarchy)
        class_of = np.repeat(np.argsort(order), np.diff(payload.offsets))
        values = _canonical(payload.hierarchy, payload.values)
        cells = np.lexsort((values, class_of))
        for part in (class_of, values, np.asarray(payload.rows, np.int64)):
            found.update(np.asarray(part, np.int64)[cells].tobytes())
    return found.hexdigest()


def _canonical(hierarchy: Hierarchy, codes: Codes) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Codes in the order of their labels; the missing value comes last."""
    labels = hierarchy.at(0)
    place = np.arange(len(labels) + 1, dtype=np.int64)
    place[sorted(range(len(labels)), key=lambda code: labels[code])] = np.arange(len(labels))
    return np.asarray(place[codes], np.int64)


def _add(found: Any, name: str, hierarchy: Hierarchy) -> None:
    text = "\x00".join((name, *sorted(hierarchy.at(0))))
    found.update(f"{len(text)}:{text}".encode("utf-8", "surrogatepass"))
