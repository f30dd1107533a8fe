"""What counts as the same query: texts are compared in compatible form (NFKC), small letters, without invisible characters, and with one
blank where there are several.

Everything else counts as different: word order, plural, typing errors. Thresholds hold for queries so compared, whatever looks alike to a
reader.
"""

from __future__ import annotations

from typing import Any

import pyarrow.compute as pc

# Format and control characters, and marks that are drawn as nothing (as in `vocabulary.spelling`).
_INVISIBLE = "[\\p{Cf}\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\ufe00-\ufe0f\U000e0100-\U000e01ef]"
_BLANKS = r"[\s\p{Z}\p{Cc}]+"
_PLAIN = "^[!-~]+( [!-~]+)*$"


def normalized(texts: Any) -> Any:
    """An Arrow array of texts, normalized; what has nothing to normalize is passed over quickly.

    >>> import pyarrow as pa
    >>> normalized(pa.array(["  Tax\\tFORMS ", "ﬁsh", None])).to_pylist()
    ['tax forms', 'fish', None]
    """
    small = pc.ascii_lower(texts)
    if pc.all(pc.match_substring_regex(small, _PLAIN), min_count=0).as_py():
        return small
    shown = pc.replace_substring_regex(texts, _INVISIBLE, "")
    for _ in range(2):  # the small letter of some signs is no compatible form, and the form of some is no small letter
        shown = pc.utf8_lower(pc.utf8_normalize(shown, form="NFKC"))
        shown = pc.replace_substring_regex(shown, _INVISIBLE, "")
    shown = pc.utf8_normalize(shown, form="NFKC")
    return pc.utf8_trim(pc.replace_substring_regex(shown, _BLANKS, " "), " ")
