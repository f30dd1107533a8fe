"""The files of an m-invariant release, read back: the groups of the release, and the owner's map of who is in which.

The map is a CSV file for the owner alone: owner, group, and the signature of the group as a JSON list. People who have left keep their
line without a group, so that they get the same signature should they come back. So does the former signature of somebody whose value has
changed, should it change back: the lines of a person are in the order of time.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.engines.arrays import texts, to_numpy
from sfumato.engines.encoding import canonical_texts
from sfumato.engines.kernels import index_in, unique
from sfumato.errors import DataError, argument, raise_alone
from sfumato.frequency import Counts
from sfumato.inputs.files import MB, text
from sfumato.release.grouped import GROUP
from sfumato.sequence.classes import Stated
from sfumato.table import Table
from sfumato.vocabulary.formulas import MARK, unescaped

MAPPED = ("owner", "group", "signature")
LARGEST = 2048 * MB
Signature = tuple[str | None, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """Who is in which group (0: left)."""

    owners: Any
    groups: Counts

    def of(self, owners: Any) -> Counts:
        """The groups of some owners; 0 for somebody who is in none."""
        present = np.flatnonzero(self.groups)
        places = index_in(owners, self.owners.take(present))
        known = to_numpy(places.is_valid().cast("int8")).astype(bool)
        found = np.zeros(len(owners), np.int64)
        found[known] = self.groups[present[to_numpy(places.drop_null())]]
        return found


@dataclass(frozen=True, slots=True, eq=False)
class GroupMap(Placed):
    """A map: also the signature of each person by its number in `signatures`."""

    place: str
    signature_of: Counts
    signatures: tuple[Signature, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """The groups of a release, numbered from 1, and their sensitive values by attribute."""

    count: int
    stated: Mapping[str, Stated]


def read_map(place: str | None, name: str) -> GroupMap:
    """A map from its file; refuses one that is gone or no map."""
    if place is None:
        raise DataError(f"the ledger does not name the map of {name}; publish it again with {argument('mapping')}")
    content = text(Path(place), LARGEST, missing=f"the map of {name} is not here; it says who is in which group")
    try:
        read = _columns(content)
        written = read["signature"].dictionary_encode()
        signature_in = [_signature(each) for each in written.dictionary.to_pylist()]
        signatures = tuple(dict.fromkeys(signature_in))
        place_of = {signature: place for place, signature in enumerate(signatures)}
        signature_of = np.array([place_of[each] for each in signature_in], np.int64)[to_numpy(written.indices)]
        numbers = np.array([int(each or 0) for each in read["group"].to_pylist()], np.int64)
    except (ValueError, TypeError, KeyError, OverflowError):
        raise_alone(_no_map(place))
    return GroupMap(_unescaped(read["owner"]), numbers, place, signature_of, signatures)


def _columns(content: str) -> dict[str, Any]:
    """The columns of a map, as texts."""
    import pyarrow as pa
    from pyarrow import csv

    kinds = csv.ConvertOptions(
        column_types=dict.fromkeys(MAPPED, pa.string()), strings_can_be_null=False, quoted_strings_can_be_null=False
    )
    lines = csv.ParseOptions(newlines_in_values=True)
    table = csv.read_csv(io.BytesIO(content.encode()), parse_options=lines, convert_options=kinds)
    if tuple(table.column_names) != MAPPED or not table.num_rows:
        raise ValueError
    found = {name: table[name].combine_chunks() for name in MAPPED}
    return {name: own.chunk(0) if isinstance(own, pa.ChunkedArray) else own for name, own in found.items()}


def _unescaped(owners: Any) -> Any:
    """Owners as they were before they were written to CSV."""
    import pyarrow.compute as pc

    marked = to_numpy(pc.starts_with(owners, MARK).cast("int8")).astype(bool)
    return texts([unescaped(each) for each in owners.to_pylist()]) if marked.any() else owners


def _no_map(place: str) -> DataError:
    return DataError("not a map of an m-invariant release: lines of owner, group and signature", where=place)


def _signature(written: str) -> Signature:
    values = json.loads(unescaped(written))
    if not isinstance(values, list) or any(each is not None and not isinstance(each, str) for each in values):
        raise ValueError
    return tuple(sorted(values, key=lambda value: (value is None, value)))


def signature_text(signature: Sequence[str | None]) -> str:
    """A signature as it stands in a map."""
    return json.dumps(list(signature), ensure_ascii=False)


def read_groups(table: Table, file: Path) -> Groups:
    """The groups of a release of this table, with their sensitive values."""
    import pyarrow as pa

    engine = table.source.beside(file).open_engine()
    names = [name for name in table.schema.sensitive if name in engine.kinds]
    try:
        if GROUP not in engine.kinds:
            raise DataError(f"has no column {GROUP!r}", where=str(file))
        read = pa.Table.from_batches(list(engine.rows([GROUP, *names])))
    finally:
        engine.close()
    groups = to_numpy(read[GROUP].cast(pa.int64())).astype(np.int64)
    stated = {}
    for name in names:
        distinct = unique(read[name])
        values = tuple(canonical_texts(table.schema[name], distinct, ("",)))
        codes = to_numpy(index_in(read[name], distinct)).astype(np.int64)
        cells, rows = np.unique(groups * (len(values) + 1) + codes, return_counts=True)
        each = (cells // (len(values) + 1)).astype(np.int32), values, (cells % (len(values) + 1)).astype(np.int32)
        stated[name] = Stated(*each, rows.astype(np.int64))
    return Groups(int(groups.max()), stated)
