"""What a level of a column looks like, in words: `in 25-year bands`, `by year`, `in 4 groups`, `as it is`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from sfumato.errors import several
from sfumato.vocabulary.builders.dates import days_of
from sfumato.vocabulary.hierarchy import ROOT
from sfumato.vocabulary.interval import Interval, plain

UNCHANGED = "as it is"
ROOTED = "the same for everybody (*)"
LOCAL = "in labels that differ from record to record"
UNKNOWN = "in labels as the file has them"
# Columns whose numbers are years, by a word of their name.
_AGES = frozenset({"age", "ages", "alter", "lebensalter", "âge", "edad", "età", "idade", "leeftijd"})
_UNITS = {1: "day", 31: "month", 92: "quarter", 366: "year", 3653: "decade"}


def level_words(name: str, level: int, height: int, labels: Sequence[str | None]) -> str:
    """How a column looks at a level with these labels."""
    if level == 0:
        return UNCHANGED
    return ROOTED if level >= height else label_words(name, [label for label in labels if label is not None])


def label_words(name: str, labels: Sequence[str]) -> str:
    """What labels have in common: bands of one width, units of time, a prefix; else how many they are.

    >>> label_words("age", ["[0, 25)", "[25, 50)", "[50, 60]"]), label_words("born", ["2024-Q1", "2024-Q2"])
    ('in 25-year bands', 'by quarter')
    >>> label_words("zip", ["123**", "999**"]), label_words("work", ["Gov", "Non-Gov"]), label_words("zip", ["*"])
    ('by the first 3 characters', 'in 2 groups', 'the same for everybody (*)')
    """
    if set(labels) <= {ROOT}:
        return ROOTED
    bands = [Interval.parse(label) for label in labels]
    widths = Counter(plain(band.upper - band.lower) for band in bands if band)
    if widths and None not in bands:
        return bands_words(name, widths.most_common(1)[0][0])
    days = [days_of(label) for label in labels]
    lasting = [(each[1] - each[0]).days + 1 for each in days if each]
    if lasting and None not in days and not all(label.isdigit() and len(label) != 4 for label in labels):
        return f"by {next(unit for most, unit in _UNITS.items() if max(lasting) <= most)}"
    kept = {len(label.rstrip("*")) for label in labels if label.endswith("*")}
    if len(kept) == 1 and 0 not in kept:
        (keep,) = kept
        return f"by the first {several(keep, 'character')}" if keep > 1 else "by the first character"
    return f"in {several(len(labels), 'group')}"


def bands_words(name: str, width: str) -> str:
    """Bands of one width; of years where the name of the column says so.

    >>> bands_words("age", "25"), bands_words("income", "5000"), bands_words("Alter_bei_Aufnahme", "5")
    ('in 25-year bands', 'in bands of 5,000', 'in 5-year bands')
    """
    if _AGES & set(re.split(r"[\W_]+", name.casefold())):
        return f"in {width}-year bands"
    whole, dot, rest = width.partition(".")
    return f"in bands of {int(whole):,}{dot}{rest}"
