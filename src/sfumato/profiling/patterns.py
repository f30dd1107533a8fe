"""Quick looks at many distinct values of a column at once. Each says yes only where a look at one value after the other would, too; where
it does not know, the caller takes that longer way."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from sfumato.profiling.values import texts_of
from sfumato.vocabulary.kinds import Kind

_AROUND = r"[ \t\r\n\f\v]*"  # BLANKS
# Numbers that surely fit, and how long they may be: 18 digits are less than 2**63, and 200 digits with an exponent of two are finite.
_SURE = {
    Kind.INTEGER: (rf"\A{_AROUND}[+-]?[0-9]+{_AROUND}\z", 18),
    Kind.DECIMAL: (rf"\A{_AROUND}[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9][0-9]?)?{_AROUND}\z", 200),
}


def all_fit(kind: Kind, values: pa.Array) -> bool:
    """Whether all texts are surely of a type; False if that is not known."""
    if kind not in _SURE or not _is_text(values) or not len(values):
        return False
    pattern, longest = _SURE[kind]
    return bool(pc.max(pc.binary_length(values)).as_py() <= longest) and _all(pc.match_substring_regex(values, pattern))


def leading_zero(values: pa.Array) -> bool:
    """Whether a text of several digits begins with zero."""
    if _is_text(values) and _all(pc.string_is_ascii(values)):
        return bool(pc.any(pc.match_substring_regex(values, r"\A0[0-9]+\z")).as_py())
    return any(len(text) > 1 and text.startswith("0") and text.isdigit() for text in texts_of(values))


def one_length(values: pa.Array) -> int | None:
    """The number of characters that all texts have."""
    lengths = set(pc.unique(pc.utf8_length(values)).to_pylist()) if _is_text(values) else {len(text) for text in texts_of(values)}
    return int(lengths.pop()) if len(lengths) == 1 else None


def _is_text(values: pa.Array) -> bool:
    return bool(pa.types.is_string(values.type) or pa.types.is_large_string(values.type))


def _all(marks: pa.Array) -> bool:
    return bool(pc.all(marks).as_py())
