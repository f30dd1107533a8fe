"""Which class of a local recoding every cell of its table is in: what the owner's copy keeps, because neither the labels of the file
nor the table alone say it, and whoever judges several releases together needs it.

The cells themselves are not kept. They are the distinct combinations of values in the table, in lexicographic order of their codes, so
that a table and its schema give them again; a digest shows that they are the same.
"""

from __future__ import annotations

import hashlib
import zlib
from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.errors import DataError
from sfumato.vocabulary.hierarchy import Codes
from sfumato.vocabulary.recoding import LocalRecoding

_BAD = "what the ledger says of the cells of a local recoding cannot be read"


@dataclass(frozen=True, slots=True, eq=False)
class CellClasses:
    """The class of every cell, from 0, and how many classes there are; `digest` is that of the cells' codes at level 0."""

    quasi: tuple[str, ...]
    digest: str
    class_of: Codes
    classes: int

    @classmethod
    def of(cls, recoding: LocalRecoding) -> CellClasses | None:
        """Of a recoding that leaves cells whole; None where it divides them, for then nobody knows who is in which class."""
        if recoding.division is not None:
            return None
        return cls(recoding.attributes, digest_of(recoding.cells), recoding.class_of.astype(np.int32), len(recoding.classes))

    def as_dict(self) -> dict[str, Any]:
        """For the owner's copy."""
        packed = zlib.compress(self.class_of.astype("<i4").tobytes())
        return {"quasi": list(self.quasi), "sha256": self.digest, "classes": self.classes, "class_of": b64encode(packed).decode()}

    @classmethod
    def parse(cls, kept: Mapping[str, Any], where: Path) -> CellClasses:
        """From the owner's copy; `where` it is."""
        try:
            packed = zlib.decompress(b64decode(kept["class_of"], validate=True))
            class_of = np.frombuffer(packed, "<i4").astype(np.int32)
            found = cls(tuple(kept["quasi"]), str(kept["sha256"]), class_of, int(kept["classes"]))
        except (KeyError, TypeError, ValueError, NotBase64, zlib.error):
            raise DataError(_BAD, where=str(where)) from None
        if len(class_of) and not (class_of.min() >= 0 and class_of.max() < found.classes):
            raise DataError(_BAD, where=str(where))
        return found


def digest_of(cells: Codes) -> str:
    """The digest of cells given by their codes, one column per QID."""
    codes = np.ascontiguousarray(cells, "<i4")
    return hashlib.sha256(f"{codes.shape[0]},{codes.shape[1]};".encode() + codes.tobytes()).hexdigest()
