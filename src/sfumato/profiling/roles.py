"""The role that a column most likely has, and why. What the values look like comes before what the column is called."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from sfumato.errors import several
from sfumato.profiling.column import ColumnProfile
from sfumato.profiling.content import DIRECT, Content
from sfumato.profiling.words import (
    ADDRESSES,
    CODES,
    IDENTIFYING,
    KNOWN,
    LATITUDES,
    LONGITUDES,
    NAMES,
    PERSON_NAMES,
    SENSITIVE,
    WHOSE_NAME,
    WIDELY_KNOWN,
    may_name_owner,
    names_id,
    names_key,
    names_owner,
    names_person,
    names_thing,
)
from sfumato.vocabulary.kinds import Kind, Role

_FEW = 20  # so few values in so many records are kinds of something, whatever the column is called
_OFTEN = 0.1
_DENSE = 1.5  # a running number leaves few numbers out
_ENOUGH = 20  # records that a running number shows in
_LEAST_KEYS = 5  # different values of a key
_FLAT = 8  # how many times the mean the rows of a key may be
_CHANCE = 3  # pairs with the same number that chance would make where a key has none


class Known(IntEnum):
    """Who else knows such a column, as far as its name says."""

    PERHAPS = 0
    OFTEN = 1
    WIDELY = 2


@dataclass(frozen=True, slots=True)
class Guess:
    """A role, the reason for it, and who else may know the column."""

    role: Role
    reason: str
    known: Known = Known.PERHAPS


def guess(column: ColumnProfile) -> Guess:
    """The role of a column on its own; `quasi` stands for "tells people apart"."""
    if column.distinct + (column.missing > 0) <= 1:
        return Guess(Role.PLAIN, "the same for everybody")
    return _direct(column) or _key(column) or _sensitive(column) or _unique(column) or _apart(column)


def few(column: ColumnProfile) -> bool:
    """Whether a column has so few values that none of them can be a person's own."""
    return column.distinct <= _FEW and column.distinct <= _OFTEN * column.present


def _direct(column: ColumnProfile) -> Guess | None:
    """Names, addresses and numbers of people."""
    look, words = column.look, column.words
    if look.content is not None and look.content in DIRECT and not _misleading(column):
        return Guess(Role.IDENTIFIER, f"looks like {look.content.value}")
    if few(column):
        return None
    if words & PERSON_NAMES or (words & NAMES and column.type is Kind.TEXT and _of_a_person(column)):
        return Guess(Role.IDENTIFIER, "called the name of a person, with many values")
    if words & ADDRESSES and column.type is Kind.TEXT:
        return Guess(Role.IDENTIFIER, "called an address, with many values")
    if words & IDENTIFYING and column.type not in (Kind.DATE, Kind.TIMESTAMP, Kind.BOOLEAN):
        return Guess(Role.IDENTIFIER, "identifying by name, with many values")
    return None


def _of_a_person(column: ColumnProfile) -> bool:
    """Whether a name is that of a person rather than of a product: it is called so, or nothing else, or most records have another one."""
    return bool(column.words & WHOSE_NAME) or column.words <= NAMES or column.distinction > 1 / 2


def _misleading(column: ColumnProfile) -> bool:
    """Whether values only look like a person's own: a few sentences that everybody chooses from, or what is called a place, a job or a
    diagnosis, some of which are spelled like family names."""
    if column.look.content is Content.TEXT:
        return column.distinct < _FEW or few(column)
    if column.look.content is not Content.PERSON:
        return False
    return bool(column.words & (KNOWN | SENSITIVE | CODES)) and not column.words & (PERSON_NAMES | NAMES)


def _key(column: ColumnProfile) -> Guess | None:
    """Keys of records and of people."""
    named = names_key(column.words) or names_person(column.words)
    if not named or column.type not in (Kind.INTEGER, Kind.TEXT):
        return None
    if column.unique:
        return Guess(Role.IDENTIFIER, "a key by name, and nearly unique")
    certain = names_owner(column.words) and not few(column)
    if not certain and (not _flat(column) or (few(column) and not names_id(column.words))):
        return None
    if certain or may_name_owner(column.words) or names_person(column.words):
        if column.missing:
            return Guess(Role.IDENTIFIER, "a person's key, but not every row has one")
        return Guess(
            Role.OWNER,
            "a person's key, several rows each" if certain else "a key by name, taken for a person's, several rows each",
        )
    if names_id(column.words) or names_thing(column.words):
        return Guess(Role.IDENTIFIER, "a key by name, with many values")
    return None


def _flat(column: ColumnProfile) -> bool:
    """Whether values occur about equally often, as keys do and counts of something do not."""
    return column.distinct >= _LEAST_KEYS and column.spread.most <= _FLAT * column.present / column.distinct


def _sensitive(column: ColumnProfile) -> Guess | None:
    """What nobody should learn. It is published as it is, so a text of one's own is withheld."""
    named, diagnosis = column.words & SENSITIVE, column.look.content is Content.ICD10 and not column.unique
    if not named and not diagnosis:
        return None
    if column.unique and column.type is Kind.TEXT and not diagnosis and column.present >= _ENOUGH:
        return Guess(Role.IDENTIFIER, "sensitive by name, but nearly every text is unique: whoever knows it finds the person")
    reason = "sensitive by name" if named else "looks like diagnoses in ICD-10"
    own = column.spread.alone
    alone = f", and {several(own, 'person has', 'people have')} a value of their own" if own else ""
    return Guess(Role.SENSITIVE, f"{reason}; published as it is{alone}")


def _unique(column: ColumnProfile) -> Guess | None:
    """Values of one's own that are neither measured nor a place in time."""
    if not column.unique:
        return None
    if column.type is Kind.TEXT and not (column.words & CODES) and column.look.content is not Content.IP:
        return Guess(Role.IDENTIFIER, "nearly unique")
    if column.type is Kind.INTEGER and column.present >= _ENOUGH and _running(column):
        return Guess(Role.IDENTIFIER, "a running number")
    if column.type is Kind.INTEGER and column.present >= _ENOUGH and _avoiding(column):
        return Guess(Role.IDENTIFIER, "no two records have the same number, which is no chance: a key")
    return None


def _running(column: ColumnProfile) -> bool:
    ends = column.spread.quantiles([0, 1])
    return bool(ends) and column.distinction == 1 and ends[1] - ends[0] < _DENSE * column.distinct


def _avoiding(column: ColumnProfile) -> bool:
    """Whether whole numbers are all different although so many drawn by chance would not be."""
    ends = column.spread.quantiles([0, 1])
    return bool(ends) and column.distinction == 1 and column.distinct**2 >= 2 * _CHANCE * (ends[1] - ends[0] + 1)


def _apart(column: ColumnProfile) -> Guess:
    """What tells people apart and may be known to others."""
    if column.look.content is Content.COUNTRY:
        return Guess(Role.QUASI, "looks like countries", Known.WIDELY)
    if column.look.content is Content.IP:
        return Guess(Role.QUASI, "looks like IP addresses")
    if column.words & (LATITUDES | LONGITUDES) and column.type is Kind.DECIMAL:
        return Guess(Role.QUASI, "others may know it: a place on the map", Known.OFTEN)
    if known := sorted(column.words & KNOWN):
        return Guess(
            Role.QUASI,
            f"others may know it: '{known[0]}' in its name",
            Known.WIDELY if column.words & WIDELY_KNOWN else Known.OFTEN,
        )
    return Guess(Role.QUASI, "tells people apart")
