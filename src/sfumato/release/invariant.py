"""What the certificate of an m-invariant release says, and whether its file keeps it: groups of at least m records with different
sensitive values, some of which are counterfeits.

How many counterfeits each group has is public (Xiao and Tao 2007): whoever counts leaves them out, and which records they are stays
unknown.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.errors import NotVerified
from sfumato.operations.anatomy import GROUP
from sfumato.release.shapes import Method

if TYPE_CHECKING:
    from sfumato.release.certificate import Certificate
    from sfumato.table.source import Source

M_INVARIANCE = "m-invariance"


def method_of(m: int, quasi: Sequence[str], groups: int, counterfeits: dict[int, int]) -> Method:
    """What the certificate says."""
    stated = {str(group): count for group, count in sorted(counterfeits.items())}
    return Method(
        name=M_INVARIANCE,
        parameters=str(m),
        columns=list(quasi),
        judged="classes",
        groups=groups,
        m=m,
        **({"counterfeits": stated} if stated else {}),  # type: ignore[typeddict-item]
    )


def plausible(method: Method) -> bool:
    """Whether a method can be that of an m-invariant release."""
    groups = method.get("groups", 0)
    numbers = [int(each) for each in method.get("counterfeits", {}) if each.isdigit()]
    known = len(numbers) == len(method.get("counterfeits", {})) and all(1 <= each <= groups for each in numbers)
    return known and method["judged"] == "classes" and method.get("m", 0) >= 2 and method["parameters"] == str(method.get("m"))


def require_invariant(source: Source, certificate: Certificate) -> None:
    """Refuse a file with a group of fewer than m records, or with a sensitive value twice in one, or with fewer records in a group than it
    has counterfeits."""
    method = certificate.method
    if method is None or method["name"] != M_INVARIANCE:
        return
    where = str(source.data)
    groups, codes = _records(source, certificate.sensitive[0], where)
    sizes = np.bincount(groups)[1:]
    if len(sizes) != method.get("groups") or int(sizes.min()) < method.get("m", 2):
        raise NotVerified(f"a group of the file has fewer than {method.get('m')} records, or there are other groups", where=where)
    if len(np.unique(groups * (int(codes.max()) + 1) + codes)) < len(groups):
        raise NotVerified("a group of the file has a sensitive value twice", where=where)
    for group, count in method.get("counterfeits", {}).items():
        if count > sizes[int(group) - 1]:
            raise NotVerified("a group has more counterfeits than records", where=where)


def _records(source: Source, sensitive: str, where: str) -> tuple[Any, Any]:
    """The group of every record, and its sensitive value as a number."""
    import pyarrow as pa

    engine = source.open_engine()
    try:
        if GROUP not in engine.kinds or sensitive not in engine.kinds:
            raise NotVerified("has no groups, or no sensitive values", where=where)
        read = pa.Table.from_batches(list(engine.rows([GROUP, sensitive])))
    finally:
        engine.close()
    encoded = read[sensitive].combine_chunks().dictionary_encode("encode")
    codes = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    return read[GROUP].cast(pa.int64()).to_numpy().astype(np.int64), codes
