"""What people search: common queries, those about their interests and their town, rare ones, and what is planted.

A query is a kind and two numbers; its text is made from these and from the person. Numbers of a block of people come from a generator of
their own, so a log does not depend on how many people are made at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.searchlog.generating.people import People, Whole
from sfumato.searchlog.generating.words import BOT, FIRST_NAMES, HEAD, INTERESTS, LAST_NAMES, LOCAL, SECRETS, TAIL, TOWNS, common

COMMON, INTEREST, TOWN, RARE, SECRET, IDENTIFYING, PROGRAM = range(7)
_SHARES = {COMMON: 0.50, INTEREST: 0.22, TOWN: 0.06, RARE: 0.17, SECRET: 0.05}  # of the queries of somebody who is ill
_FAVORITES = 3  # interests of a person
_PER_INTEREST = (len(common()) - len(dict.fromkeys(HEAD)) - len(INTERESTS)) // len(INTERESTS)
# What somebody searches who can be found by it: kind, how the text is made, how often among planted queries.
PLANTED_KINDS = ("name", "family", "place", "age", "number", "phone", "mail", "address")
_STREETS = ("street", "road", "lane", "avenue")


@dataclass(frozen=True, slots=True, eq=False)
class Searches:
    """The searches of a block: the person's place in it, a kind, and two numbers that make the text."""

    person: Whole
    kind: Whole
    one: Whole
    two: Whole


def searches_of(people: People, block: slice, rng: np.random.Generator) -> Searches:
    """One search for each row of a block, in the order of the people; clicks and repetitions are made of them later."""
    person = np.repeat(np.arange(block.start, block.stop), people.rows[block])
    count = len(person)
    edges = np.cumsum(list(_SHARES.values()))
    kind = np.searchsorted(edges, rng.random(count) * edges[-1], side="right").astype(np.int64)
    kind = np.where((kind == SECRET) & (people.illness[person] < 0), RARE, kind)
    planted = people.planted[person] & (rng.random(count) < 0.15)
    firsts = np.flatnonzero(np.r_[True, np.diff(person) > 0]) if count else np.zeros(0, np.int64)
    planted[firsts] = people.planted[person[firsts]]  # everybody for whom something is planted searches it at least once
    kind = np.where(people.bot[person], PROGRAM, np.where(planted, IDENTIFYING, kind))
    favorites = rng.integers(0, len(INTERESTS), (block.stop - block.start, _FAVORITES))
    interest = favorites[person - block.start, rng.integers(0, _FAVORITES, count)]
    ranks = _zipf(rng, len(common()), count)
    one = np.select(
        [kind == COMMON, kind == INTEREST, kind == TOWN, kind == RARE, kind == SECRET, kind == IDENTIFYING],
        [
            ranks,
            interest * _PER_INTEREST + rng.integers(0, _PER_INTEREST, count),
            rng.integers(0, len(LOCAL), count),
            rng.integers(0, len(TAIL) ** 2, count),
            rng.integers(0, len(next(iter(SECRETS.values()))), count),
            rng.integers(0, len(PLANTED_KINDS), count),
        ],
        rng.integers(0, len(BOT), count),
    )
    return Searches(person, kind, one, _zipf(rng, len(TAIL) + 1, count))


def _zipf(rng: np.random.Generator, size: int, count: int) -> Whole:
    """Ranks below `size`; the share of rank r falls about as 1 / (r + 1)."""
    return np.asarray(np.minimum(np.exp(rng.random(count) * np.log(size + 1)) - 1, size - 1), np.int64)


def texts_of(people: People, searches: Searches) -> pa.Array:
    """The queries as texts."""
    pieces, places = [], []
    for kind, text in _TEXTS.items():
        own = np.flatnonzero(searches.kind == kind)
        if len(own):
            pieces.append(text(people, Searches(searches.person[own], searches.kind[own], searches.one[own], searches.two[own])))
            places.append(own)
    order = np.empty(len(searches.kind), np.int64)
    order[np.concatenate(places)] = np.arange(len(order))
    return pa.concat_arrays(pieces).take(pa.array(order))


def _words(words: tuple[str, ...], places: npt.NDArray[np.int64]) -> pa.Array:
    return pa.array([each.replace("_", " ") for each in words]).take(pa.array(places))


def _common(people: People, own: Searches) -> pa.Array:
    return _words(common(), own.one)


def _interest(people: People, own: Searches) -> pa.Array:
    return _words(common()[-_PER_INTEREST * len(INTERESTS) :], own.one)


def _town(people: People, own: Searches) -> pa.Array:
    return _spaced(_words(LOCAL, own.one), _words(TOWNS, people.town[own.person]))


def _rare(people: People, own: Searches) -> pa.Array:
    words = (*TAIL, "")
    both = _spaced(_words(TAIL, own.one // len(TAIL)), _words(TAIL, own.one % len(TAIL)), _words(words, own.two))
    return pc.utf8_trim(both, " ")


def _secret(people: People, own: Searches) -> pa.Array:
    all_of = tuple(text for texts in SECRETS.values() for text in texts)
    return _words(all_of, people.illness[own.person] * (len(all_of) // len(SECRETS)) + own.one)


def _program(people: People, own: Searches) -> pa.Array:
    return _words(BOT, own.one)


def _identifying(people: People, own: Searches) -> pa.Array:
    """By which a person can be found. What it says of them is always the same for the same person."""
    first, last, town = (
        _words(words, places[own.person])
        for words, places in ((FIRST_NAMES, people.first), (LAST_NAMES, people.last), (TOWNS, people.town))
    )
    secret = pa.array(people.users[own.person] * 7919 % 10_000_000).cast(pa.string())
    digits = pc.utf8_lpad(secret, 7, "0")
    age, number = (
        pa.array(people.age[own.person]).cast(pa.string()),
        pa.array(people.users[own.person] % 97 + 1).cast(pa.string()),
    )
    street = _spaced(number, _words(TAIL, people.users[own.person] % len(TAIL)), _words(_STREETS, people.users[own.person] % 4))
    options = {
        "name": _spaced(first, last),
        "family": _spaced(last, "family tree"),
        "place": _spaced(last, town),
        "age": _spaced(age, "year old singles", town),
        "number": _spaced("tax id", pc.binary_join_element_wise("00", digits, "")),  # no office gives numbers that begin so
        "phone": _spaced(pc.binary_join_element_wise("555-01", pc.utf8_slice_codeunits(digits, 5), ""), "whose number"),
        "mail": pc.binary_join_element_wise(first, ".", last, "@mail.example", ""),
        "address": _spaced(street, town),
    }
    return pc.choose(pa.array(own.one), *(options[kind] for kind in PLANTED_KINDS))


def _spaced(*parts: pa.Array | str) -> pa.Array:
    return pc.binary_join_element_wise(*parts, " ")


_TEXTS = {
    COMMON: _common,
    INTEREST: _interest,
    TOWN: _town,
    RARE: _rare,
    SECRET: _secret,
    IDENTIFYING: _identifying,
    PROGRAM: _program,
}
