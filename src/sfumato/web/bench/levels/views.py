"""What the page shows of a column's levels: the picture, the lists of labels, the tree, and the fields of its form."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from sfumato.reporting.markup import Html
from sfumato.vocabulary.builders import Addresses, Builder, Common, Countries, Cuts, Dates, Icd10, Intervals, Prefix
from sfumato.vocabulary.builders.countries import LEVELS as REGIONS
from sfumato.vocabulary.builders.dates import UNITS
from sfumato.vocabulary.builders.icd10 import LEVELS as CODES
from sfumato.vocabulary.builders.intervals import below
from sfumato.vocabulary.interval import plain
from sfumato.vocabulary.kinds import Kind
from sfumato.web.bench.levels.bands import kept_of, steps_of
from sfumato.web.bench.levels.drawing import levels_picture
from sfumato.web.bench.levels.people import Column, Rolled
from sfumato.web.bench.levels.words import level_names

MOST_LABELS = 100  # in the list of a level
MOST_OPEN = 40  # labels below one that are shown at once
MOST_LEAVES, MOST_HEIGHT = 2_000, 20  # of a tree that is edited on the page
_CHOICES = {Countries: REGIONS, Icd10: CODES}


@dataclass(frozen=True, slots=True)
class Level:
    """A level: what it is, its labels with their people and their share of the largest label, how many labels are not listed, and the
    fewest people behind a label that occurs."""

    number: int
    words: str
    labels: int
    rows: tuple[tuple[str, int, float], ...]
    others: int
    fewest: int


@dataclass(frozen=True, slots=True)
class Shown:
    """All levels of a column, from the root to the values."""

    picture: Html
    levels: tuple[Level, ...]
    missing: int


@dataclass(frozen=True, slots=True)
class Branch:
    """A label of a tree with what stands below it; the root is not addressed."""

    level: int
    code: int
    label: str
    people: int
    below: tuple[Branch, ...]

    @property
    def key(self) -> str:
        return f"{self.level}:{self.code}"

    @property
    def open(self) -> bool:
        """Whether what stands below is worth seeing at once."""
        return len(self.below) <= MOST_OPEN and [each.label for each in self.below] != [self.label]


@dataclass(frozen=True, slots=True)
class Slider:
    """A number that can be moved: its value, and the range and the step of its slider."""

    value: str
    least: str
    most: str
    step: str


@dataclass(frozen=True, slots=True)
class Form:
    """The fields of a column's form. `sort` says which of the others are used."""

    sort: str
    sliders: tuple[Slider, ...] = ()
    bounds: tuple[Slider, Slider] | None = None
    fixed: bool = False
    tops: tuple[int, ...] = ()
    levels: int = 0
    ticks: tuple[tuple[str, bool], ...] = ()
    numbers: tuple[tuple[str, str, tuple[int, ...]], ...] = ()


def shown(number: int, title: str, builder: Builder, kind: Kind, found: Rolled) -> Shown:
    """The levels of a column with the people behind them."""
    names = level_names(builder, kind)
    levels = [_level(each, names[each], found) for each in range(found.hierarchy.height, -1, -1)]
    return Shown(levels_picture(f"levels-{number}", title, found), tuple(levels), found.missing)


def _level(number: int, words: str, found: Rolled) -> Level:
    labels, people = found.hierarchy.at(number), found.people[number]
    most = int(people.max()) if len(people) else 0
    listed = zip(labels[:MOST_LABELS], people[:MOST_LABELS].tolist(), strict=True)
    rows = tuple((label, many, round(100 * many / (most or 1), 1)) for label, many in listed)
    occurring = people[people > 0]
    return Level(number, words, len(labels), rows, len(labels) - len(rows), int(occurring.min()) if occurring.size else 0)


def branches(found: Rolled) -> tuple[Branch, ...]:
    """The tree below the root. With too many values for a page, it ends one level above them; with too much else, it is empty."""
    hierarchy = found.hierarchy
    lowest = 0 if len(hierarchy.at(0)) <= MOST_LEAVES else 1
    if lowest == hierarchy.height or len(hierarchy.at(lowest)) > MOST_LEAVES or hierarchy.height > MOST_HEIGHT:
        return ()
    made = _branches(found, lowest, None)
    for level in range(lowest + 1, hierarchy.height):
        made = _branches(found, level, made)
    return made


def _branches(found: Rolled, level: int, below: tuple[Branch, ...] | None) -> tuple[Branch, ...]:
    children: list[list[Branch]] = [[] for _ in found.hierarchy.at(level)]
    for branch in below or ():
        children[int(found.hierarchy.parents[level - 1][branch.code])].append(branch)
    people = found.people[level].tolist()
    return tuple(
        Branch(level, code, label, people[code], tuple(children[code])) for code, label in enumerate(found.hierarchy.at(level))
    )


def form_of(builder: Builder, kind: Kind, column: Column | None) -> Form | None:
    """The form for a builder; None if there is nothing to fill in."""
    match builder:
        case Intervals():
            return _intervals(builder, kind, column)
        case Cuts():
            return _cuts(builder, kind, column)
        case Dates(units=kept) | Countries(levels=kept) | Icd10(levels=kept):
            choices = UNITS[kind is not Kind.TIMESTAMP :] if isinstance(builder, Dates) else _CHOICES[type(builder)]
            return Form("ticks", ticks=tuple((each, each in kept) for each in choices))
        case Prefix(keep=keep):
            return Form("numbers", numbers=(("keep", "Characters kept", keep),))
        case Common(keep=keep):
            return Form("numbers", numbers=(("keep", "Common values kept", keep),))
        case Addresses(v4=v4, v6=v6):
            return Form("numbers", numbers=(("v4", "Bits kept of IPv4", v4), ("v6", "Bits kept of IPv6", v6)))
        case _:
            return None


def _span(column: Column | None) -> tuple[Decimal, Decimal]:
    if column is None or not column.values:
        return Decimal(0), Decimal(100)
    return Decimal(column.values[0]), Decimal(column.values[-1])


def _intervals(builder: Intervals, kind: Kind, column: Column | None) -> Form:
    least, most = _span(column)
    unit = steps_of(least, most, whole=kind is Kind.INTEGER)
    sliders: list[Slider] = []
    for width, step in zip(builder.widths, (unit, *builder.widths), strict=False):
        start = unit if not sliders else step * 2  # wider than the bands below
        sliders.append(Slider(plain(width), plain(start), plain(max(most - least, width * 2)), plain(step)))
    widest = builder.widths[-1]
    low, high = below(least, unit), below(most, unit) + unit
    # Where they are not fixed yet, they begin rounded outward: an extreme value belongs to somebody, and bounds are published.
    lower = below(least, widest) if builder.lower is None else builder.lower
    upper = below(most, widest) + widest if builder.upper is None else builder.upper
    room = max(high - low, widest)
    ends = (
        Slider(plain(lower), plain(min(low - room, lower)), plain(low), plain(unit)),
        Slider(plain(upper), plain(high), plain(max(high + room, upper)), plain(unit)),
    )
    return Form("intervals", tuple(sliders), ends, fixed=builder.lower is not None)


def _cuts(builder: Cuts, kind: Kind, column: Column | None) -> Form:
    least, most = _span(column)
    unit = steps_of(least, most, whole=kind is Kind.INTEGER)
    kept = kept_of(builder)
    first, last = below(min(least, kept[0][0]), unit), below(max(most, kept[-1][0]), unit) + unit
    return Form(
        "cuts",
        tuple(Slider(plain(cut), plain(first), plain(last), plain(unit)) for cut, _ in kept),
        tops=tuple(top for _, top in kept),
        levels=len(builder.cuts),
    )
