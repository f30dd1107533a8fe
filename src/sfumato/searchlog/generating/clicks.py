"""When people search, how often they repeat a query, and what they click on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.searchlog.generating.people import Whole
from sfumato.searchlog.generating.queries import IDENTIFYING, Searches

DAYS = 90
BEGIN = np.datetime64("2026-03-01T00:00:00", "s")
SESSION = 4  # searches of a session in the mean
_REPEATED, _CLICKED, _STEP = 0.2, 0.55, 60
_RANKS = np.cumsum(0.7 ** np.arange(10)) / (0.7 ** np.arange(10)).sum()
_SITES = 20_000
_MIX = np.uint64(0x9E3779B97F4A7C15)
# How the searches of a day are spread over its hours, from midnight.
_HOURS = np.cumsum([4, 2, 1, 1, 1, 2, 4, 7, 9, 10, 10, 10, 11, 11, 11, 11, 11, 12, 13, 14, 15, 14, 11, 7], dtype=float)


@dataclass(frozen=True, slots=True, eq=False)
class Clicks:
    """For each row: seconds from the begin, the rank of the result that was clicked on (0 for none), and the number of its site."""

    seconds: Whole
    rank: Whole
    site: Whole


def repeated(searches: Searches, rng: np.random.Generator) -> Searches:
    """Some searches are those before them again: another look, another click."""
    count = len(searches.person)
    again = rng.random(count) < _REPEATED
    again &= np.r_[False, searches.person[1:] == searches.person[:-1]] if count else again
    source = np.maximum.accumulate(np.where(again, 0, np.arange(count)))
    return Searches(searches.person, searches.kind[source], searches.one[source], searches.two[source])


def clicks_of(searches: Searches, rng: np.random.Generator) -> Clicks:
    """Times in the order of each person's, and clicks."""
    count = len(searches.person)
    new = rng.random(count) < 1 / SESSION
    new |= np.r_[True, searches.person[1:] != searches.person[:-1]][:count]
    session = np.cumsum(new) - 1
    starts = _starts(searches.person[new], rng)
    steps = np.where(new, 0, 1 + rng.exponential(_STEP, count)).astype(np.int64)
    walked = np.cumsum(steps)
    seconds = np.minimum(starts[session] + walked - walked[np.flatnonzero(new)][session], DAYS * 86_400 - 1)
    clicked = rng.random(count) < _CLICKED
    rank = np.where(clicked, np.searchsorted(_RANKS, rng.random(count), side="right") + 1, 0)
    return Clicks(seconds, np.minimum(rank, 10) * clicked, _sites(searches, rank))


def _starts(person: Whole, rng: np.random.Generator) -> Whole:
    """When sessions begin, those of a person in order."""
    hour = np.searchsorted(_HOURS / _HOURS[-1], rng.random(len(person)), side="right")
    starts = rng.integers(0, DAYS, len(person)) * 86_400 + hour * 3_600 + rng.integers(0, 3_600, len(person))
    return np.asarray(starts[np.lexsort((starts, person))])


def _sites(searches: Searches, rank: Whole) -> Whole:
    """The same query has the same site at the same rank, for everybody."""
    key = (searches.one * 10_007 + searches.two) * 64 + searches.kind * 11 + rank
    mixed = key.astype(np.uint64) * _MIX
    mixed ^= mixed >> np.uint64(29)
    share = (mixed >> np.uint64(11)).astype(np.float64) * 2.0**-53
    return (share**2 * _SITES).astype(np.int64)


def urls_of(searches: Searches, clicks: Clicks, texts: pa.Array) -> pa.Array:
    """Addresses of sites; whoever searches for somebody clicks on a page about them, which is as identifying as the query."""
    plain = pc.binary_join_element_wise("www.site", pa.array(clicks.site).cast(pa.string()), ".example", "")
    page = pc.replace_substring_regex(texts, "[^a-z0-9]+", "-")
    own = pc.binary_join_element_wise("people.example/", page, "")
    found: npt.NDArray[np.bool_] = (searches.kind == IDENTIFYING) & (clicks.rank <= 3)
    urls = pc.if_else(pa.array(found), own, plain)
    return pc.if_else(pa.array(clicks.rank > 0), urls, pa.scalar(None, pa.string()))
