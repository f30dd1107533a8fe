"""What a level of a column looks like, in words: `in 25-year bands`, `by year`, `in 4 groups`, `as it is`."""

from __future__ import annotations

import re

from sfumato.errors import several
from sfumato.vocabulary.builders import Intervals
from sfumato.vocabulary.builders.base import DateKey, Keyed, PrefixKey
from sfumato.vocabulary.interval import plain
from sfumato.vocabulary.kinds import Kind
from sfumato.vocabulary.schema import Attribute

UNCHANGED = "as it is"
ROOTED = "the same for everybody (*)"
LOCAL = "in labels that differ from record to record"
UNKNOWN = "in labels of unknown origin"
# Columns whose numbers are years, by a word of their name.
_AGES = frozenset({"age", "ages", "alter", "lebensalter", "âge", "edad", "età", "idade", "leeftijd"})


def level_words(attribute: Attribute, level: int, groups: int | None = None, kind: Kind | None = None) -> str:
    """How a column looks at a level; `groups` is the number of labels of that level, where it is known."""
    if level == 0:
        return UNCHANGED
    if level >= attribute.height():
        return ROOTED
    builder = attribute.builder
    if isinstance(builder, Intervals):
        return bands_words(attribute.name, plain(builder.widths[level - 1]))
    key = builder.key(attribute.kind or kind or Kind.TEXT, level) if isinstance(builder, Keyed) else None
    if isinstance(key, DateKey):
        return f"by {key.unit}"
    if isinstance(key, PrefixKey):
        return f"by the first {several(key.keep, 'character')}" if key.keep > 1 else "by the first character"
    return "in groups" if groups is None else f"in {several(groups, 'group')}"


def bands_words(name: str, width: str) -> str:
    """Bands of one width; of years where the name of the column says so.

    >>> bands_words("age", "25"), bands_words("income", "5000"), bands_words("Alter_bei_Aufnahme", "5")
    ('in 25-year bands', 'in bands of 5,000', 'in 5-year bands')
    """
    if _AGES & set(re.split(r"[\W_]+", name.casefold())):
        return f"in {width}-year bands"
    whole, dot, rest = width.partition(".")
    return f"in bands of {int(whole):,}{dot}{rest}"
