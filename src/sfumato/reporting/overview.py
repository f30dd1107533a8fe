"""What the first screen of a report shows, as values: what is still disclosed, how many people look alike, and every column before and
now.

Labels and values are named here only if enough people have them; see `hiding`. What comes from the original table is None or empty in
the form for others.
"""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.assessment.risk import Risk


@dataclass(frozen=True, slots=True)
class Disclosed:
    """What classes reveal about one sensitive attribute, counted in classes and people.

    `certain`: everybody in the class has the same value, or a value in the same band (`bands` says how wide). `nearly`: at least nine
    in ten, but not all. `clearest` is the class with the largest share below one: people with the value, and people in the class.
    `alone`: people with a value that nobody else has.
    """

    sensitive: str
    certain: tuple[int, int]
    nearly: tuple[int, int]
    clearest: tuple[int, int] | None
    bands: str | None = None
    alone: int = 0


@dataclass(frozen=True, slots=True)
class Sizes:
    """People by the size of their class: in classes of at least `least[i]` and fewer than `least[i + 1]` people."""

    least: tuple[int, ...]
    after: tuple[int, ...]
    before: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Span:
    """A part of the axis of a column, from 0 to 1, and the people on it."""

    start: float
    end: float
    people: int


@dataclass(frozen=True, slots=True)
class Column:
    """A published column: how it looks now, in words; how many labels it has, the most frequent ones by name with their people; and its
    distribution before and now. `values` is how many values it had."""

    name: str
    role: str
    words: str
    labels: int
    named: tuple[tuple[str, int], ...] = ()
    after: tuple[Span, ...] = ()
    before: tuple[Span, ...] = ()
    values: int | None = None


@dataclass(frozen=True, slots=True)
class Difference:
    """How the suppressed differ from those who are in the file, in one column: label, people in the file, suppressed people; the
    largest difference of shares first. `others` counts the labels that few people have, which are not named."""

    column: str
    rows: tuple[tuple[str, int, int], ...]
    others: int = 0


@dataclass(frozen=True, slots=True)
class Overview:
    """Everything that the first screen adds to a report."""

    disclosed: tuple[Disclosed, ...]
    sizes: Sizes
    columns: tuple[Column, ...]
    risk_before: Risk | None = None
    differences: tuple[Difference, ...] | None = None
