"""What counts as the same query: texts are compared in compatible form (NFKC), small letters, without invisible characters, and with one
blank where there are several. Who counts as the same person: whose ids are the same in compatible form and without invisible characters.

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


def visible(texts: Any) -> Any:
    """An Arrow array of texts without the signs that nobody sees. A tab or the end of a line is seen, as a blank is."""
    return pc.replace_substring_regex(texts, _INVISIBLE, "")


def not_plain(texts: Any) -> Any:
    """Of an Arrow array of texts, those with more than visible signs of ASCII and single blanks."""
    return texts.filter(pc.invert(pc.match_substring_regex(texts, _PLAIN)))


def shown(texts: Any) -> Any:
    """An Arrow array of names, such as those of users: in compatible form, and without what nobody sees within them and around. Large and
    small letters stay two, for they may be of two people.

    >>> import pyarrow as pa
    >>> shown(pa.array([" Jose\u0301 ", "Jos\u00e9", "１７"])).to_pylist()
    ['José', 'José', '17']
    """
    if pc.all(pc.match_substring_regex(texts, _PLAIN), min_count=0).as_py():
        return texts
    return trimmed(_compatible(_compatible(texts)))


def person(texts: Any) -> Any:
    """Who it is: 17, `17.0` of a frame with gaps and 17 with a sign that nobody sees are one person, and count once."""
    return pc.replace_substring_regex(shown(texts), r"^([0-9]+)[.]0+$", r"\1")


def trimmed(texts: Any) -> Any:
    """The same in the form that they have."""
    return pc.utf8_trim_whitespace(visible(texts))


def _compatible(texts: Any) -> Any:
    """A form of some signs has others that nobody sees, and without these there may be another form."""
    return pc.utf8_normalize(visible(texts), form="NFKC")


def normalized(texts: Any) -> Any:
    """An Arrow array of texts, normalized; what has nothing to normalize is passed over quickly.

    >>> import pyarrow as pa
    >>> normalized(pa.array(["  Tax\\tFORMS ", "ﬁsh", None])).to_pylist()
    ['tax forms', 'fish', None]
    """
    small = pc.ascii_lower(texts)
    if pc.all(pc.match_substring_regex(small, _PLAIN), min_count=0).as_py():
        return small
    plain = visible(texts)
    for _ in range(2):  # the small letter of some signs is no compatible form, and the form of some is no small letter
        plain = pc.utf8_lower(pc.utf8_normalize(plain, form="NFKC"))
        plain = visible(plain)
    plain = pc.utf8_normalize(plain, form="NFKC")
    return pc.utf8_trim(pc.replace_substring_regex(plain, _BLANKS, " "), " ")
