"""Which table it is: a digest of all its columns, whatever the order of the rows, the format of the file, the roles or the hierarchies."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from hashlib import blake2b, sha256

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.engines.arrays import plain_array
from sfumato.engines.encoding import canonical_texts
from sfumato.errors import DataError
from sfumato.table import Table
from sfumato.vocabulary.builders import Suppression
from sfumato.vocabulary.kinds import Kind, Role
from sfumato.vocabulary.schema import Attribute

Words = npt.NDArray[np.uint64]
_MIX = np.uint64(0x9E3779B97F4A7C15)  # an odd number, so that multiplying loses nothing
_TURN = np.uint64(29)


def content_digest(table: Table) -> str:
    """A number for every row from the texts of its values, and the sums of these numbers and of their squares: they do not depend on
    the order. Two tables that are not made to deceive have the same digest only if they have the same rows."""
    names = sorted(table.columns)
    known = {each.name: each for each in table.schema.attributes}
    attributes = [known.get(name) or Attribute(name, Role.PLAIN, table.engine.kinds[name], Suppression()) for name in names]
    rows, total, squares = 0, np.uint64(0), np.uint64(0)
    for batch in table.engine.rows(names):
        with np.errstate(over="ignore"):
            mixed = np.zeros(batch.num_rows, np.uint64)
            for attribute, column in zip(attributes, batch.columns, strict=True):
                mixed = (mixed ^ _words(attribute, column, table.schema.missing)) * _MIX
                mixed ^= mixed >> _TURN
            rows, total, squares = rows + batch.num_rows, total + mixed.sum(), squares + (mixed * mixed).sum()
    return sha256(repr((names, rows, int(total), int(squares))).encode("utf-8", "backslashreplace")).hexdigest()


def _words(attribute: Attribute, column: pa.Array, missing: tuple[str, ...]) -> Words:
    """A number for every value; the missing one has its own."""
    encoded = plain_array(column).dictionary_encode()
    try:
        texts = canonical_texts(attribute, encoded.dictionary, missing)
    except DataError:  # it does not fit its type, which does not matter here
        texts = [None if value is None else str(value) for value in encoded.dictionary.to_pylist()]
    numbers = np.array([_word(attribute.kind, text) for text in (*texts, None)], np.uint64)
    codes = encoded.indices.fill_null(len(texts)).to_numpy(zero_copy_only=False)
    return np.asarray(numbers[codes], np.uint64)


def _word(kind: Kind | None, text: str | None) -> int:
    if text is not None and kind in (Kind.INTEGER, Kind.DECIMAL):
        text = _number(text)
    said = b"" if text is None else b"=" + text.encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(said, digest_size=8).digest(), "big")


def _number(text: str) -> str:
    """A number however it is written: a format without missing whole numbers writes 17 as 17.0.

    >>> _number("17.0"), _number("17"), _number("1e3"), _number("0.50")
    ('17', '17', '1000', '0.5')
    """
    try:
        return format(Decimal(text).normalize() + 0, "f")
    except InvalidOperation:
        return text
