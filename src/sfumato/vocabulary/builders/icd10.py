"""Diagnoses in ICD-10: `I21.4` → `I21` → `I20-I25` → `I00-I99 circulation` → `*`.

Chapters and blocks are those of the WHO's ICD-10, version 2019 (https://icd.who.int/browse10/2019/en). A code between two blocks, which
a national edition may have, belongs to the block before it. The words after the range of a chapter are ours.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sfumato.errors import HierarchyError, SchemaError, several
from sfumato.vocabulary.builders.computed import computed
from sfumato.vocabulary.hierarchy import Hierarchy
from sfumato.vocabulary.kinds import Kind

# The third place is a letter in some categories of the American edition; signs at the end mark pairs of codes.
CODE = re.compile(r"([A-Z][0-9][0-9AB])(?:\.?[0-9A-Z]{1,4}|\.-)?[+*!]?")

_CHAPTERS = {
    "A00-B99 infections": "A00-A09 A15-A19 A20-A28 A30-A49 A50-A64 A65-A69 A70-A74 A75-A79 A80-A89 A92-A99 B00-B09 B15-B19 B20-B24 "
    "B25-B34 B35-B49 B50-B64 B65-B83 B85-B89 B90-B94 B95-B98 B99-B99",
    "C00-D48 neoplasms": "C00-C97 D00-D09 D10-D36 D37-D48",
    "D50-D89 blood and immunity": "D50-D53 D55-D59 D60-D64 D65-D69 D70-D77 D80-D89",
    "E00-E90 metabolism": "E00-E07 E10-E14 E15-E16 E20-E35 E40-E46 E50-E64 E65-E68 E70-E90",
    "F00-F99 mind and behavior": "F00-F09 F10-F19 F20-F29 F30-F39 F40-F48 F50-F59 F60-F69 F70-F79 F80-F89 F90-F98 F99-F99",
    "G00-G99 nerves": "G00-G09 G10-G14 G20-G26 G30-G32 G35-G37 G40-G47 G50-G59 G60-G64 G70-G73 G80-G83 G90-G99",
    "H00-H59 eyes": "H00-H06 H10-H13 H15-H22 H25-H28 H30-H36 H40-H42 H43-H45 H46-H48 H49-H52 H53-H54 H55-H59",
    "H60-H95 ears": "H60-H62 H65-H75 H80-H83 H90-H95",
    "I00-I99 circulation": "I00-I02 I05-I09 I10-I15 I20-I25 I26-I28 I30-I52 I60-I69 I70-I79 I80-I89 I95-I99",
    "J00-J99 breathing": "J00-J06 J09-J18 J20-J22 J30-J39 J40-J47 J60-J70 J80-J84 J85-J86 J90-J94 J95-J99",
    "K00-K93 digestion": "K00-K14 K20-K31 K35-K38 K40-K46 K50-K52 K55-K64 K65-K67 K70-K77 K80-K87 K90-K93",
    "L00-L99 skin": "L00-L08 L10-L14 L20-L30 L40-L45 L50-L54 L55-L59 L60-L75 L80-L99",
    "M00-M99 muscles and bones": "M00-M25 M30-M36 M40-M54 M60-M79 M80-M94 M95-M99",
    "N00-N99 urine and genitals": "N00-N08 N10-N16 N17-N19 N20-N23 N25-N29 N30-N39 N40-N51 N60-N64 N70-N77 N80-N98 N99-N99",
    "O00-O99 pregnancy": "O00-O08 O10-O16 O20-O29 O30-O48 O60-O75 O80-O84 O85-O92 O94-O99",
    "P00-P96 newborns": "P00-P04 P05-P08 P10-P15 P20-P29 P35-P39 P50-P61 P70-P74 P75-P78 P80-P83 P90-P96",
    "Q00-Q99 malformations": "Q00-Q07 Q10-Q18 Q20-Q28 Q30-Q34 Q35-Q37 Q38-Q45 Q50-Q56 Q60-Q64 Q65-Q79 Q80-Q89 Q90-Q99",
    "R00-R99 symptoms": "R00-R09 R10-R19 R20-R23 R25-R29 R30-R39 R40-R46 R47-R49 R50-R69 R70-R79 R80-R82 R83-R89 R90-R94 R95-R99",
    "S00-T98 injuries": "S00-S09 S10-S19 S20-S29 S30-S39 S40-S49 S50-S59 S60-S69 S70-S79 S80-S89 S90-S99 T00-T07 T08-T14 T15-T19 "
    "T20-T32 T33-T35 T36-T50 T51-T65 T66-T78 T79-T79 T80-T88 T90-T98",
    "U00-U99 special purposes": "U00-U49 U82-U85",
    "V01-Y98 external causes": "V01-X59 X60-X84 X85-Y09 Y10-Y34 Y35-Y36 Y40-Y84 Y85-Y89 Y90-Y98",
    "Z00-Z99 contacts": "Z00-Z13 Z20-Z29 Z30-Z39 Z40-Z54 Z55-Z65 Z70-Z76 Z80-Z99",
}
_BLOCKS = {block: chapter for chapter, blocks in _CHAPTERS.items() for block in blocks.split()}
_NAMES = list(_BLOCKS)
_STARTS = [block[:3] for block in _NAMES]


def is_code(text: str) -> bool:
    """Whether a text is a code of ICD-10 by its form."""
    return CODE.fullmatch(text) is not None


def category(code: str) -> str:
    """The three places that every code begins with.

    >>> category("I21.4"), block("I21"), chapter("I20-I25")
    ('I21', 'I20-I25', 'I00-I99 circulation')
    """
    return code[:3]


def block(code: str) -> str:
    """The block of a category."""
    return _NAMES[max(bisect_right(_STARTS, code[:3]) - 1, 0)]


def chapter(code: str) -> str:
    """The chapter of a block or a category."""
    return _BLOCKS[block(code)]


LEVEL = {"category": category, "block": block, "chapter": chapter}
LEVELS = tuple(LEVEL)


@dataclass(frozen=True, slots=True)
class Icd10:
    """The levels between the code and the root, from fine to coarse."""

    levels: tuple[str, ...] = LEVELS

    def __post_init__(self) -> None:
        if not self.levels or list(self.levels) != [level for level in LEVELS if level in self.levels]:
            raise SchemaError(f"'levels' must be some of {', '.join(LEVELS)}, in this order; it is {list(self.levels)}")

    @property
    def kinds(self) -> frozenset[Kind]:
        return frozenset({Kind.TEXT})

    def height(self, kind: Kind) -> int:
        return len(self.levels) + 1

    def build(self, attribute: str, kind: Kind, values: Sequence[str]) -> Hierarchy:
        wrong = sum(not is_code(value) for value in values)
        if wrong:
            raise HierarchyError(
                f"level 0 has {several(wrong, 'value')} that {'is not a code' if wrong == 1 else 'are not codes'} of ICD-10, as in I21.4",
                where=f"attribute {attribute!r}",
            )
        return computed(attribute, values, [LEVEL[level] for level in self.levels])

    def declared(self) -> dict[str, Any]:
        return {"builder": "icd10", "levels": list(self.levels)}


def ancestors(label: str) -> frozenset[str]:
    """A label and all labels above it; only itself if it is none of ours."""
    if label in _BLOCKS:
        return frozenset({label, chapter(label)})
    if not is_code(label):
        return frozenset({label})
    return frozenset({label, category(label), block(label), chapter(label)})
