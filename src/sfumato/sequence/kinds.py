"""One type for a sensitive attribute in all tables of a sequence: a value has one text, whatever type a program has saved it in.

A column of whole numbers of which one is missing this year comes as one of fractions: 7 is 7.0 there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from sfumato.sequence.classes import Member
from sfumato.sequence.rows import Rows
from sfumato.vocabulary.dialect import DAYS, NUMBERS
from sfumato.vocabulary.kinds import Kind, canonical
from sfumato.vocabulary.schema import Schema

# What a text of another type has at its end that says nothing.
_END_OF = {Kind.INTEGER: re.compile(r"[.]0+$"), Kind.DATE: re.compile(r" 00:00:00([.]0+)?$")}
_NOTHING = re.compile(r"(?!)")


def common_kind(kinds: Iterable[Kind]) -> Kind:
    """The type that has the values of all of these.

    >>> common_kind([Kind.INTEGER, Kind.DECIMAL]), common_kind([Kind.DATE]), common_kind([Kind.DATE, Kind.INTEGER])
    (<Kind.DECIMAL: 'decimal'>, <Kind.DATE: 'date'>, <Kind.TEXT: 'text'>)
    """
    found = frozenset(kinds)
    if len(found) == 1:
        return next(iter(found))
    if found <= frozenset(NUMBERS):
        return Kind.DECIMAL
    return Kind.TIMESTAMP if found <= frozenset(DAYS) else Kind.TEXT


def texts_of(kind: Kind, texts: Iterable[str | None]) -> tuple[str | None, ...]:
    """Canonical texts of another type; one that is no value of this type stays.

    >>> texts_of(Kind.DECIMAL, ["7", None]), texts_of(Kind.INTEGER, ["7.0", "7.5"]), texts_of(Kind.DATE, ["2020-01-01 00:00:00"])
    (('7.0', None), ('7', '7.5'), ('2020-01-01',))
    """
    return tuple(None if each is None else canonical(kind, _END_OF.get(kind, _NOTHING).sub("", each)) or each for each in texts)


def in_one_kind(
    schema: Schema, tables: Mapping[str, Rows], members: Sequence[Member]
) -> tuple[Schema, dict[str, Rows], list[Member]]:
    """The schema, the rows and what files show, with one type for every sensitive attribute."""
    kinds = {name: common_kind(rows.kinds[name] for rows in tables.values()) for name in schema.sensitive}
    attributes = tuple(replace(each, kind=kinds.get(each.name, each.kind)) for each in schema.attributes)
    rows = {table: _rows_in(kinds, own) for table, own in tables.items()}
    return replace(schema, attributes=attributes), rows, [_shown_in(kinds, each) for each in members]


def _rows_in(kinds: Mapping[str, Kind], rows: Rows) -> Rows:
    values = {}
    for name, (texts, codes) in rows.values.items():
        if rows.kinds[name] is kinds[name]:
            values[name] = texts, codes
            continue
        own = texts_of(kinds[name], texts)
        known = tuple(dict.fromkeys(text for text in own if text is not None))
        code_of: dict[str | None, int] = {text: code for code, text in enumerate((*known, None))}
        values[name] = known, np.array([code_of[text] for text in (*own, None)], np.int32)[codes]
    return replace(rows, values=values, kinds=kinds)


def _shown_in(kinds: Mapping[str, Kind], member: Member) -> Member:
    if member.stated is None:
        return member
    return replace(
        member, stated={name: replace(own, values=texts_of(kinds[name], own.values)) for name, own in member.stated.items()}
    )
