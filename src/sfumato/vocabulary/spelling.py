"""Spellings of one text: `HIV`, `hiv` and `HIV ` with a blank are three, and they are no diversity.

Two texts are spellings of one if they are equal without invisible characters, in compatible form (NFKC), with case folded and trimmed.
Which of them occur is a matter of the data, and a label must not be. So merged spellings are called as the schema lists the value or,
where it lists none, by the folded text: two tables under one schema call a value alike, and nobody's spelling is published.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sfumato.errors import SchemaError, several

# Marks that are drawn as nothing: the grapheme joiner, fillers of Hangul and Braille, variation selectors.
_UNDRAWN = frozenset(
    [0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0, *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)]
)
_INVISIBLE = ("Cf", "Cc")


def folded(text: str) -> str:
    """What all spellings of a text have in common.

    >>> folded("HIV ") == folded("hiv") == folded("H\\u200bIV")
    True
    """
    if text.isascii() and text.isprintable():  # nothing to decompose and nothing invisible
        return text.lower().strip()
    while True:
        shown = "".join(sign if sign.isspace() or not _invisible(sign) else "" for sign in text)
        made = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", shown).casefold()).strip()
        if made == text:
            return made
        text = made


def _invisible(sign: str) -> bool:
    return unicodedata.category(sign) in _INVISIBLE or ord(sign) in _UNDRAWN


@dataclass(frozen=True, slots=True)
class Variants:
    """So many spellings of so many values."""

    spellings: int
    values: int

    def of_column(self, name: str) -> str:
        """The warning about a column: its name and numbers, never a value."""
        return (
            f"column {name!r} has {self.spellings:,} spellings of {several(self.values, 'value')}, which count as different values; "
            f"'normalize = true' in its entry of the schema merges them"
        )


def variants_of(texts: Iterable[str]) -> Variants | None:
    """How many of some distinct texts are spellings of the same value; None if none are."""
    shared = [count for count in Counter(map(folded, texts)).values() if count > 1]
    return Variants(sum(shared), len(shared)) if shared else None


@dataclass(frozen=True, slots=True)
class Speller:
    """Gives a text its one spelling; None for what means missing, or is nothing but blanks."""

    listed: dict[str, str]
    missing: frozenset[str]

    @classmethod
    def of(cls, leaves: Sequence[str], missing: Sequence[str] = ()) -> Speller:
        """By the values that a schema lists; refuses several spellings of one."""
        if variants := variants_of(leaves):
            raise SchemaError(
                f"'normalize' merges {variants.spellings:,} of the listed values into {variants.values:,}: list one spelling of each"
            )
        return cls({folded(leaf): leaf for leaf in leaves}, frozenset(["", *map(folded, missing)]))

    def __call__(self, text: str) -> str | None:
        common = folded(text)
        return None if common in self.missing else self.listed.get(common, common)
