"""What rare queries look like that identify somebody. Patterns are a hint, and miss most names: rarity is what counts.

Texts are normalized, so letters are small and blanks single.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

_END = "( |,|[.]|$)"
_HOUSE = "[0-9]{1,5}[a-z]?"
_LAST = "street|st|avenue|ave|road|rd|lane|ln|drive|dr|court|ct|boulevard|blvd|way|square"  # 12 main street
_FIRST = "rue|avenue|calle|avenida|via|viale|piazza|plaza"  # 12 rue de rivoli, calle mayor 5
_ENDING = "(stra(ss|ß)e|str[.]?|weg|platz|gasse|allee)"  # hauptstraße 12, hohe straße 12
_STREETS = (
    rf"(^| ){_HOUSE} ([^ 0-9]+ ){{1,4}}({_LAST}){_END}",
    rf"(^| ){_HOUSE},? ({_FIRST}) [^ 0-9]{{2,}}",
    rf"(^| )({_FIRST}) ([^ 0-9]+ ){{1,4}}{_HOUSE}{_END}",
    rf"(^| )([^ 0-9]{{3,}}|[^ 0-9]+ ){_ENDING} ?{_HOUSE}{_END}",
)
PATTERNS = {
    "number": r"(^|[^\p{Nd}a-z])\p{Nd}([ .()/-]{0,2}\p{Nd}){6,}($|[^\p{Nd}a-z])",
    "mail": r"[^ @]+@[^ @]+[.][a-z]{2,}",
    "address": "|".join(_STREETS),
    "age": rf"(^| )[1-9][0-9][ -]?((years?|yrs?)[ -]?old|y[/]?o{_END})|(^| )aged? [1-9][0-9]{_END}"
    rf"|(^| )[1-9][0-9] ((single|divorced|widowed) )?(wo)?m[ae]n{_END}",
    "family": r"(family tree|obituary|surname|ancestors of|maiden name)",
    "site": r"^(https?://|www[.])|^[^ @]+[.](com|net|org|info|biz|de|fr|uk|example)$",
}
NAME, SELF, RETURNING = "name", "self", "returning"
KINDS = (*PATTERNS, NAME, SELF, RETURNING)
ABOUT = {
    "number": "seven or more digits: phone, card, number of an office",
    "mail": "an address of mail",
    "address": "a number and a street",
    "age": "an age",
    "family": "a family: its tree, an obituary",
    "site": "the address of a site",
    NAME: "a word that is a name in the list",
    SELF: "a word that is the person's own name, or what else is known of them",
    RETURNING: "one person alone, again after a day or more",
}


def kinds_of(texts: Any, names: Collection[str] = ()) -> npt.NDArray[np.int32]:
    """The kinds of each text, as a sum of powers of two: the first of `KINDS` is 1."""
    found = np.zeros(len(texts), np.int32)
    for place, pattern in enumerate(PATTERNS.values()):
        found |= _bits(pc.match_substring_regex(texts, pattern), place)
    if names:
        found |= _bits(pa.array(_has_word(texts, names)), KINDS.index(NAME))
    return found


def _bits(matches: Any, place: int) -> npt.NDArray[np.int32]:
    return np.asarray(matches.to_numpy(zero_copy_only=False), np.int32) << place


def _has_word(texts: Any, words: Collection[str]) -> npt.NDArray[np.bool_]:
    """Which texts have one of some words, as a whole."""
    split = pc.split_pattern(texts, " ")
    known = pc.is_in(pc.list_flatten(split), value_set=pa.array(sorted(words), pa.string()))
    found = np.zeros(len(texts), bool)
    found[pc.list_parent_indices(split).to_numpy()[known.to_numpy(zero_copy_only=False)]] = True
    return found


def named(bits: int) -> list[str]:
    """The names of the kinds in a sum.

    >>> named(1 + 16)
    ['number', 'family']
    """
    return [kind for place, kind in enumerate(KINDS) if bits >> place & 1]
