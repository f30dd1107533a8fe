"""Count queries: how many people have this age, that place? Conditions on one to three columns, from a seed or from a file.

A condition on numbers and dates is a range with both ends included, on anything else a set of values. Besides QIDs, a query may name one
other column: that is what a count holds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.errors import UsageError, argument, several, unknown
from sfumato.inputs.toml import read_toml
from sfumato.vocabulary.kinds import Kind, canonical
from sfumato.vocabulary.labels import ORDERED, Range

MOST_ATTRIBUTES = 3
_MOST_BYTES = 4_000_000
Condition = Range | frozenset[str]


@dataclass(frozen=True, slots=True)
class Domain:
    """A column that queries may name: its type, the values that occur in order, and whether it is a QID."""

    name: str
    kind: Kind
    values: tuple[str, ...]
    quasi: bool

    @property
    def ordered(self) -> bool:
        return self.kind in ORDERED


@dataclass(frozen=True, slots=True)
class Query:
    """How many rows satisfy all conditions; `name` is what to call it."""

    name: str
    conditions: Mapping[str, Condition]


def random_queries(domains: Sequence[Domain], count: int, seed: int) -> list[Query]:
    """So many queries over one to three columns, the same for the same seed. A range lies between two values of the domain; a set has up to
    half of the values."""
    chance = np.random.default_rng(seed)
    telling = [domain for domain in domains if len(domain.values) > 1]
    if not telling:
        raise UsageError("no column has two values to ask about", where="queries")
    return [_random(str(number), telling, chance) for number in range(1, count + 1)]


def _random(name: str, domains: Sequence[Domain], chance: np.random.Generator) -> Query:
    wanted = int(chance.integers(1, MOST_ATTRIBUTES + 1))
    chosen: list[Domain] = []
    for place in chance.permutation(len(domains)):
        domain = domains[place]
        if len(chosen) < wanted and (domain.quasi or all(each.quasi for each in chosen)):
            chosen.append(domain)
    return Query(name, {domain.name: _condition(domain, chance) for domain in chosen})


def _condition(domain: Domain, chance: np.random.Generator) -> Condition:
    size = len(domain.values)
    if domain.ordered:
        low, high = sorted(chance.integers(0, size, 2).tolist())
        return _between(domain.values[low], domain.values[high])
    taken = chance.choice(size, int(chance.integers(1, size // 2 + 1)), replace=False)
    return frozenset(domain.values[place] for place in taken)


def read_queries(path: Path, domains: Sequence[Domain]) -> list[Query]:
    """The queries of a TOML file: `[[query]]` with `where = { age = { from = 20, to = 29 }, sex = ["Female"] }` and, if you like, a
    `name`."""
    document = read_toml(path, _MOST_BYTES, error=UsageError)
    entries = document.get("query")
    if not isinstance(entries, list) or not entries or set(document) != {"query"}:
        raise UsageError("holds queries and nothing else, each below [[query]]", where=str(path))
    return [_query(entry, f"{path}, query {number}", str(number), domains) for number, entry in enumerate(entries, start=1)]


def _query(entry: Any, where: str, number: str, domains: Sequence[Domain]) -> Query:
    asked = entry.get("where") if isinstance(entry, Mapping) else None
    name = entry.get("name", number) if isinstance(entry, Mapping) else number
    if not isinstance(asked, Mapping) or not asked or set(entry) - {"name", "where"} or not isinstance(name, str):
        raise UsageError("a query has conditions, 'where', and may have a 'name'", where=where)
    known = {domain.name: domain for domain in domains}
    for each in asked:
        if each not in known:
            raise UsageError(unknown("column", each, known, within="what is published"), where=where)
    others = [each for each in asked if not known[each].quasi]
    if len(others) > 1:
        raise UsageError(f"a query names at most one column besides QIDs; here are {', '.join(others)}", where=where)
    return Query(name, {each: _stated(known[each], condition, where) for each, condition in asked.items()})


def _stated(domain: Domain, condition: Any, where: str) -> Condition:
    """A condition as it is written; refuses values that do not fit the type."""
    if isinstance(condition, Mapping) and condition and set(condition) <= {"from", "to"} and domain.ordered:
        low, high = (_canonical(domain, condition.get(end), where) for end in ("from", "to"))
        return _range(low, high, where)
    if isinstance(condition, list) and condition:
        return frozenset(_canonical(domain, each, where) or "" for each in condition)
    form = "{ from = …, to = … } or a list of values" if domain.ordered else "a list of values"
    raise UsageError(f"the condition on {domain.name!r} is {form}", where=where)


def _canonical(domain: Domain, value: Any, where: str) -> str | None:
    if value is None:
        return None
    text = canonical(domain.kind, str(value).lower() if isinstance(value, bool) else str(value))
    if text is None or isinstance(value, list | Mapping):
        raise UsageError(f"a value of {domain.name!r} does not fit its type, {domain.kind.value}", where=where)
    return text


def _range(low: str | None, high: str | None, where: str) -> Range:
    """A range as it is written; without an end it reaches as far as any label does."""
    found = Range.parse(f">={low}" if high is None else f"<={high}") if low is None or high is None else _between(low, high)
    if found is None or found.lower > found.upper:  # type: ignore[operator]
        raise UsageError("the end of a range comes before its beginning", where=where)
    return found


def _between(low: str, high: str) -> Range:
    first, last = Range.parse(low), Range.parse(high)
    if first is None or last is None:
        raise UsageError(f"{several(2, 'end')} of a range must be numbers or dates", where=argument("queries"))
    return Range(first.lower, last.upper)
