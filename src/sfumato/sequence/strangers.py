"""Whether tables write the same owners in different ways, so that nobody can follow them from one to the other: numbers that a program has
padded or given decimals, capitals, blanks, accents that are composed differently, days with a time of midnight.

Owners are followed as they are written, for two of them may differ in just that. So nothing is merged here: tables that would have more
owners in common if all were written in one way are found, and not put together.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.engines.arrays import to_numpy
from sfumato.engines.kernels import index_in, unique
from sfumato.vocabulary.spelling import folded

# A whole number that may have zeros before it and decimals that are zero, a fraction that may have zeros on both sides, and a day that may
# have a time of midnight.
_PADDED = r"^(-?)0*(\d+)([.]0*)?$"
_FRACTION = r"^(-?)0*(\d*[.]\d*[1-9])0*$"
_MIDNIGHT = r"^(\d{4}-\d\d-\d\d)[ t]00:00(:00([.]0*)?)?$"

Present = npt.NDArray[np.bool_]


def written_otherwise(owners: Mapping[str, Any]) -> dict[tuple[str, str], int]:
    """Of which tables how many owners would be the same if all were written in one way. A table may tell people apart by how they are
    written; what its own owners differ in does not count.

    >>> import pyarrow as pa
    >>> owners = {"one": pa.array(["007", "8", "Ann"]), "two": pa.array(["7.0", "8", "Bo"]), "three": pa.array(["5"])}
    >>> written_otherwise(owners)
    {('one', 'two'): 1}
    >>> written_otherwise({"one": pa.array(["a", "A"]), "two": pa.array(["A"])})
    {}
    """
    suspects, group_of = _suspects(owners)
    if not len(suspects):
        return {}
    groups = int(group_of.max()) + 1
    spellings = {name: _in_groups(suspects, group_of, groups, own) for name, own in owners.items()}
    names, found = list(owners), {}
    for place, one in enumerate(names):
        for other in names[place + 1 :]:
            count = _apart(spellings[one], spellings[other])
            if count > 0:
                found[one, other] = count
    return found


def _suspects(owners: Mapping[str, Any]) -> tuple[Any, npt.NDArray[np.int64]]:
    """The distinct owners of whom others differ in how they are written only, and the number of each group of them."""
    import pyarrow as pa

    distinct = unique(pa.chunked_array(list(owners.values())))
    written = _one_way(distinct)
    known = unique(written)
    group_of = to_numpy(index_in(written, known)).astype(np.int64)
    several = np.bincount(group_of, minlength=len(known)) > 1
    chosen = several[group_of]
    _, numbers = np.unique(group_of[chosen], return_inverse=True)
    return distinct.take(pa.array(np.flatnonzero(chosen))), numbers.astype(np.int64)


def _one_way(distinct: Any) -> Any:
    """Owners in one way of writing."""
    import pyarrow as pa
    import pyarrow.compute as pc

    plain = pc.utf8_lower(pc.utf8_trim_whitespace(distinct))
    odd = np.flatnonzero(~to_numpy(pc.string_is_ascii(distinct).cast("int8")).astype(bool))
    if len(odd):
        texts = plain.to_pylist()
        for place, text in zip(odd.tolist(), distinct.take(pa.array(odd)).to_pylist(), strict=True):
            texts[place] = folded(text)
        plain = pa.array(texts, pa.string())
    for written, kept in ((_MIDNIGHT, r"\1"), (_PADDED, r"\1\2"), (_FRACTION, r"\1\2")):
        plain = pc.replace_substring_regex(plain, written, kept)
    return plain


def _in_groups(suspects: Any, group_of: npt.NDArray[np.int64], groups: int, owners: Any) -> npt.NDArray[np.int64]:
    """For every group the place of the one owner that a table has of it: -1 for none, -2 for several."""
    present = np.flatnonzero(to_numpy(index_in(suspects, owners).is_valid().cast("int8")))
    counted = np.bincount(group_of[present], minlength=groups)
    place = np.full(groups, -1, np.int64)
    place[group_of[present]] = present
    place[counted > 1] = -2
    return place


def _apart(one: npt.NDArray[np.int64], other: npt.NDArray[np.int64]) -> int:
    """How many groups have one owner in each of two tables, and not the same; none, if more have several in either."""
    differ = int(((one >= 0) & (other >= 0) & (one != other)).sum())
    return differ if differ > int(((one == -2) | (other == -2)).sum()) else 0
