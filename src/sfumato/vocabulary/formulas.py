"""Texts that a spreadsheet would take for a formula, in every CSV file that is written or read here.

Somebody who opens a CSV file in a spreadsheet runs the cells that begin with `=`, `+`, `-` or `@`. So such a text gets an apostrophe
in front, which spreadsheets take for "this is text". It is taken off when the file is read, so that texts come back as they were; a
text that has apostrophes in front of such a character already gets one more. Numbers are harmless and stay as they are.
"""

from __future__ import annotations

import re

from sfumato.vocabulary.kinds import PATTERNS, Kind

MARK = "'"
_STARTS = r"[=+\-@\t\r\n]"
# As texts, too: engines use the same patterns.
FORMULA = f"^{MARK}*{_STARTS}"
MARKED = f"^{MARK}+{_STARTS}"
NUMBER = f"^({PATTERNS[Kind.DECIMAL]})$"
_FORMULA, _MARKED, _NUMBER = re.compile(FORMULA), re.compile(MARKED), re.compile(PATTERNS[Kind.DECIMAL])


def escaped(text: str) -> str:
    """A text as it is written to CSV.

    >>> [escaped(text) for text in ("=1+1", "-5", "-5 .. 0", "'@", "flu", ">=85")]
    ["'=1+1", '-5', "'-5 .. 0", "''@", 'flu', '>=85']
    """
    return MARK + text if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def unescaped(text: str) -> str:
    """A text as it was before it was written to CSV.

    >>> [unescaped(text) for text in ("'=1+1", "''@", "'quoted'")]
    ['=1+1', "'@", "'quoted'"]
    """
    return text[1:] if _MARKED.match(text) else text
