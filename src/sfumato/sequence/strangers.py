"""Whether tables write one and the same owners in different ways, as when a program has saved a column of numbers with decimals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sfumato.engines.kernels import index_in

_PADDED = r"^\s*0*(\d+)([.]0*)?\s*$"  # a number that may have blanks, zeros before it and decimals that are zero
_FEW = 1_000  # owners that are looked for first: tables that follow each other nearly always share some of them


def written_otherwise(owners: Any, others: Sequence[Any]) -> int | None:
    """The place of the first table that has owners of this one written in another way, where this one has no owner in common with any:
    nobody would be followed.

    >>> import pyarrow as pa
    >>> whole, decimal = pa.array(["7", "8"]), pa.array(["7.0", "9.0"])
    >>> written_otherwise(decimal, [pa.array(["5"]), whole])
    1
    >>> written_otherwise(decimal, [whole, pa.array(["8", "9.0"])]), written_otherwise(decimal, [pa.array(["5"])])
    (None, None)
    """
    if not others or any(_shares(owners, each) for each in others):
        return None
    own = _unpadded(owners)
    return next((place for place, each in enumerate(others) if _shares(own, _unpadded(each))), None)


def _shares(one: Any, other: Any) -> bool:
    return any(index_in(one, each).null_count < len(one) for each in (other[:_FEW], other))


def _unpadded(owners: Any) -> Any:
    import pyarrow.compute as pc

    return pc.replace_substring_regex(owners, _PADDED, r"\1")
