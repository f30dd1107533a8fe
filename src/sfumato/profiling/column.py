"""What is known about one column, before anything is suggested for it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice

import pyarrow as pa

from sfumato.profiling import patterns
from sfumato.profiling.content import SAMPLE, STRUCTURES, Look, look_at
from sfumato.profiling.spread import Spread
from sfumato.profiling.values import Values, texts_of
from sfumato.profiling.words import CODES, DIAGNOSES, words_of
from sfumato.vocabulary.kinds import Kind, canonical

UNIQUE = 0.95


@dataclass(frozen=True, eq=False)
class ColumnProfile:
    """The distinct values of a column, without those that mean missing, and how they are spread."""

    name: str
    kind: Kind
    values: Values
    rows: int
    missing: int
    distinct: int
    separation: float
    blanks: frozenset[str] = frozenset()
    spread: Spread = field(default_factory=Spread)

    @property
    def present(self) -> int:
        """Records that have a value."""
        return self.rows - self.missing

    @property
    def distinction(self) -> float:
        """Distinct values per record that has one."""
        return self.distinct / self.present if self.present else 0.0

    @property
    def unique(self) -> bool:
        """Whether nearly every record has a value of its own."""
        return self.distinction >= UNIQUE and self.distinct > 1

    def of_common_values(self) -> ColumnProfile:
        """The column without its values, except for the most common ones."""
        spread = Spread(self.spread.alone, self.spread.most, self.spread.common, None)
        return replace(self, kind=self.type, values=Values.of(pa.array([], pa.string())), spread=spread)

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of its name."""
        return words_of(self.name)

    @cached_property
    def type(self) -> Kind:
        """The narrowest type that every value fits; codes stay text, by their name or by a leading zero."""
        if self.kind is not Kind.TEXT or self.distinct == 0:
            return self.kind
        if self.words & CODES or any(map(patterns.leading_zero, self.values.chunks())):
            return Kind.TEXT
        for kind in (Kind.INTEGER, Kind.DECIMAL, Kind.DATE, Kind.TIMESTAMP):
            if all(_fits(kind, chunk) for chunk in self.values.chunks()):
                return kind
        return Kind.TEXT

    @cached_property
    def look(self) -> Look:
        """What its texts look like. Where levels are built on it, every value was looked at."""
        texts = list(islice(self.values.texts(), SAMPLE)) if self.type is Kind.TEXT else []
        look = look_at(texts, diagnoses=bool(self.words & DIAGNOSES))
        fits = STRUCTURES.get(look.content) if look.content else None
        return look if fits is None or self.distinct <= SAMPLE or all(map(fits, self.values.texts())) else Look(None)


def _fits(kind: Kind, chunk: pa.Array) -> bool:
    return patterns.all_fit(kind, chunk) or all(canonical(kind, text) is not None for text in texts_of(chunk))
