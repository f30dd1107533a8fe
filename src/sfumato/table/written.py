"""How the columns of an unknown table are written: decimal and thousands signs, the order of dates, words for missing values.

Every value of a column has to agree. What can be read in two ways is asked for, unless another column of the table decides it: a table
comes from one system. Nothing is read in any other way than the profile says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import pyarrow as pa
import pyarrow.compute as pc

from sfumato.engines.csvfile import is_value
from sfumato.errors import DataError, argument, visible
from sfumato.vocabulary.dialect import AS_IT_IS, ISO, NAMED_MONTH, PLAIN, UNSAID, Days, Dialect, Numbers, Written
from sfumato.vocabulary.kinds import BLANKS, PATTERNS, Kind

# Words that stand for a missing value where all others are numbers or dates.
WORDS = ("?", "-", "--", ".", "NA", "N/A", "n/a", "na", "NULL", "Null", "null", "None", "none", "NaN", "nan", "#N/A", "#NULL!")
_SIGNS = {".": "[.]", ",": "[,]", " ": "[ \u00a0\u2009\u202f]", "'": "['’]"}
NUMBERS = tuple(Numbers(decimal, sign) for decimal in ".," for sign in (None, ".", ",", " ", "'") if sign != decimal)
_SLASHED = [Days(order, sign) for sign in "/-. " for order in ("dmy", "mdy", "ymd")]
_NAMED = [Days("dby", sign) for sign in ("-", "/", ".", " ", "")]
# Two digits do not say which hundred years are meant: such dates are texts until somebody does.
SHORT = tuple(replace(days, last=UNSAID) for days in (*_SLASHED, *_NAMED))
DAYS = (ISO, *(days for days in _SLASHED if days not in (ISO, Days("mdy", "."))), *_NAMED)
COMMA, POINT = "','", "'.'"
_FIRST, _SLICE = 64, 8192
_FEW_ODD, _ONE_IN, _ENOUGH = 2, 50, 20  # texts among numbers that are probably words for missing
_PARTS = {"d": "(0?[1-9]|[12][0-9]|3[01])", "m": "(0?[1-9]|1[0-2])", "b": NAMED_MONTH, "y": "[0-9]{4}"}
_TIME = "([ T]+[0-9]{1,2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,6})?)?( ?[aApP][mM])?)?"
_AROUND = BLANKS + "\u00a0"


def _number_pattern(numbers: Numbers) -> str:
    whole = "(0|[1-9][0-9]*)"
    if numbers.thousands is not None:
        whole = f"(0|[1-9][0-9]*|[1-9][0-9]{{0,2}}({_SIGNS[numbers.thousands]}[0-9]{{3}})+)"
    return rf"\A[+-]?({whole}([{numbers.decimal}][0-9]*)?|[{numbers.decimal}][0-9]+)([eE][+-]?[0-9]+)?\z"


def _day_pattern(days: Days) -> str:
    parts = _PARTS if days.last is None else _PARTS | {"y": "[0-9]{2}"}
    return rf"\A{(f'[{days.sign}]' if days.sign else '').join(parts[each] for each in days.order)}{_TIME}\z"


_PATTERNS: dict[Numbers | Days, str] = {
    **{numbers: _number_pattern(numbers) for numbers in NUMBERS},
    **{days: _day_pattern(days) for days in (*DAYS, *SHORT)},
    ISO: rf"\A{PATTERNS[Kind.TIMESTAMP]}\z",
}


@dataclass(frozen=True, slots=True)
class Evidence:
    """The ways in which all values of a column may be written, and the words for missing among them. `mixed`: some numbers have a point,
    and others none."""

    ways: frozenset[Numbers | Days]
    words: tuple[str, ...] = ()
    mixed: bool = False

    @property
    def numbers(self) -> frozenset[Numbers]:
        return frozenset(way for way in self.ways if isinstance(way, Numbers))

    @property
    def days(self) -> frozenset[Days]:
        return frozenset(way for way in self.ways if isinstance(way, Days))

    @property
    def short(self) -> bool:
        """Whether these are dates with years of two digits, if they are dates."""
        return any(way.last is not None for way in self.days)


def evidence_of(chunks: Iterable[pa.Array], ways: Sequence[Numbers | Days] = (*NUMBERS, *DAYS, *SHORT)) -> Evidence | None:
    """The evidence of a text column from its distinct values; None if they are neither numbers nor dates. Most texts show that at once."""
    left, words, present = list(ways), set[str](), False
    for values in _slices(chunks):
        given = pc.utf8_trim(values, characters=_AROUND)
        are_words = pc.is_in(given, value_set=pa.array(WORDS, given.type))
        words.update(given.filter(are_words).to_pylist())
        given = given.filter(pc.invert(are_words))
        present = present or len(given) > 0
        left = [way for way in left if not len(given) or pc.all(pc.match_substring_regex(given, _PATTERNS[way])).as_py()]
        if not left:
            return None
    return Evidence(frozenset(left), tuple(word for word in WORDS if word in words)) if present else None


def odd_among_numbers(chunks: Iterable[pa.Array]) -> int:
    """How many of the first distinct texts are no numbers, where nearly all of them are; 0 otherwise."""
    odd = whole = 0
    for values in chunks:
        if not (pa.types.is_string(values.type) or pa.types.is_large_string(values.type)):
            return 0
        given = pc.utf8_trim(values.slice(0, _SLICE), characters=_AROUND)
        fits = [pc.match_substring_regex(given, _PATTERNS[way]) for way in NUMBERS]
        numbers = max(pc.sum(each).as_py() or 0 for each in fits)
        odd, whole = odd + len(given) - numbers, whole + len(given)
    return odd if odd <= max(_FEW_ODD, whole // _ONE_IN) and whole >= _ENOUGH else 0


def _slices(chunks: Iterable[pa.Array]) -> Iterator[pa.Array]:
    for chunk in chunks:
        if not (pa.types.is_string(chunk.type) or pa.types.is_large_string(chunk.type)):
            return
        yield chunk.slice(0, _FIRST)
        yield from (chunk.slice(begin, _SLICE) for begin in range(_FIRST, len(chunk), _SLICE))


GROUPED = Numbers(",", ".")
POINTS = frozenset(way for way in NUMBERS if way.decimal == ".")
NO_POINT = frozenset(way for way in NUMBERS if "." not in (way.decimal, way.thousands))


def evidence_of_decimals(chunks: Callable[[], Iterable[pa.Array]]) -> Evidence:
    """The evidence of numbers with points: if three digits follow every point, it may divide thousands."""
    if evidence_of(chunks(), [GROUPED]) is None:
        return Evidence(POINTS)
    without = (pc.invert(pc.match_substring(values, ".")) for values in chunks())
    return Evidence(POINTS | {GROUPED}, mixed=any(pc.any(each).as_py() for each in without))


@dataclass(frozen=True, slots=True)
class Reading:
    """How the table is read (beyond what was found when it was opened), and each column that is not plain."""

    dialect: Dialect
    columns: Mapping[str, Written]
    in_threes: tuple[str, ...] = ()  # columns whose points are taken for decimal signs, although three digits follow every one
    short: Mapping[str, frozenset[Days]] = field(
        default_factory=dict
    )  # columns that stay texts: nobody said which years are meant

    def declared(self, name: str) -> Written:
        """How a column is written, as far as it has to say so itself."""
        written = self.columns.get(name, AS_IT_IS)
        return replace(written, numbers=None) if written.numbers == self.dialect.numbers() else written

    def without(self, names: Iterable[str]) -> Reading:
        """The same, with these columns as they are."""
        return replace(self, columns={name: each for name, each in self.columns.items() if name not in set(names)})

    def lines(self, opened: Dialect) -> list[str]:
        """What the table was taken for, in words; `opened` is what it was taken for when it was opened."""
        whole = opened.declared() | self.dialect.declared()
        names = {"header": "no header" if whole.get("header") is False else "a header"}
        parts = [names.get(key) or f"{key} {value!r}" for key, value in whole.items() if key != "dates"]
        lines = [f"Read with {', '.join(parts)}."] if parts else []
        formats: dict[str, list[str]] = {}
        for name, written in self.columns.items():
            if written.days not in (None, ISO):
                formats.setdefault(f"dates {written.days}", []).append(name)
            elif written.numbers is not None and written.numbers != self.dialect.numbers():
                formats.setdefault(f"numbers {written.numbers}", []).append(name)
            for word in written.missing:
                formats.setdefault(f"{word!r} for a missing value", []).append(name)
        if self.in_threes:
            formats["points for decimal signs, though three digits follow every one"] = list(self.in_threes)
        lines += [f"Taken in {', '.join(map(visible, columns))}: {what}." for what, columns in formats.items()]
        for name, ways in self.short.items():
            said = " or ".join(f"--dates '{visible(name)}={way}'" for way in sorted(ways, key=SHORT.index))
            lines.append(
                f"Left as texts in {visible(name)}: if they are dates, say {said}, YYYY being the last year that can occur."
            )
        return lines


def decided(evidence: Mapping[str, Evidence], asked: Dialect) -> Reading:
    """How each column is to be read, from the evidence of all; refuses what can be read in two ways."""
    numbers = _table_numbers({name: each.numbers for name, each in evidence.items() if each.numbers}, asked)
    columns: dict[str, Written] = {}
    asked_days = asked.days()
    _require_fitting(evidence, asked)
    short = {name: each.days for name, each in evidence.items() if each.short}
    short = {name: ways for name, ways in short.items() if _unsaid(asked_days.get(name, asked_days.get(None))) not in ways}
    evidence = {name: each for name, each in evidence.items() if name not in short}
    orders = _orders({name: each.days for name, each in evidence.items() if each.days}, asked)
    for name, each in evidence.items():
        written = Written(missing=each.words)
        if each.numbers:
            written = replace(written, numbers=_column_numbers(name, each.numbers, numbers))
        elif name in orders:
            written = replace(written, days=None if orders[name] == ISO else orders[name])
        if written != AS_IT_IS:
            columns[name] = written
    usual = Dialect(decimal=None if numbers.decimal == "." else ",", thousands=numbers.thousands)
    return Reading(usual, columns, _in_threes(evidence, numbers, asked), short)


def _require_fitting(evidence: Mapping[str, Evidence], asked: Dialect) -> None:
    """Refuse what was said of numbers or dates and fits none of them."""
    days = {name: each.days for name, each in evidence.items() if each.days}
    for name, wanted in asked.days().items():
        about = {name: days[name]} if name in days else days if name is None else {}
        if about and not any(_unsaid(wanted) in ways for ways in about.values()):
            which, ways = next(iter(about.items()))
            others = " or ".join(sorted(str(way) for way in ways if way.last is None)) or "another format"
            raise DataError(f"no date is written as {wanted}; {others} would fit column {which!r}", where=argument("dates"))
    numbers = {name: each.numbers for name, each in evidence.items() if each.numbers and PLAIN not in each.numbers}
    wanted_numbers = asked.numbers()
    if wanted_numbers is not None and numbers and not any(wanted_numbers in ways for ways in numbers.values()):
        which, fitting = next(iter(numbers.items()))
        message = f"column {which!r} has numbers such as {min(fitting, key=NUMBERS.index)}, which are written otherwise"
        raise DataError(message, where=argument("thousands" if asked.decimal is None else "decimal"))


def _unsaid(days: Days | None) -> Days | None:
    """The way in which dates are written that are read so."""
    return days if days is None or days.last is None else replace(days, last=UNSAID)


def _in_threes(evidence: Mapping[str, Evidence], usual: Numbers, asked: Dialect) -> tuple[str, ...]:
    """The columns in which nothing but custom says that a point is a decimal sign. Where others have no point, it more likely divides
    thousands: `425` and `3.672`."""
    if usual != PLAIN or asked.numbers() is not None or any(each.ways == POINTS for each in evidence.values()):
        return ()
    with_points = {name: each for name, each in evidence.items() if not each.ways & NO_POINT}
    names = [name for name, each in with_points.items() if {PLAIN, GROUPED} <= each.ways and not each.words]
    for name in names:
        if evidence[name].mixed:
            raise _points(name)
    return tuple(names)


def _table_numbers(fits: Mapping[str, frozenset[Numbers]], asked: Dialect) -> Numbers:
    """How numbers are written in most columns: plain, unless a column cannot be plain."""
    if asked.numbers() is not None:
        return asked.numbers() or PLAIN
    localized = {name: ways for name, ways in fits.items() if PLAIN not in ways}
    if not localized:
        return PLAIN
    common = frozenset.intersection(*localized.values())
    if not common:
        raise DataError(
            f"numbers are not written in one way; name the usual one with {argument('decimal')} and {argument('thousands')}, "
            "or declare the format of each column in the schema",
            where=f"columns {', '.join(map(repr, localized))}",
        )
    commas = {"decimal" if way.decimal == "," else "thousands" for way in common if "," in (way.decimal, way.thousands)}
    if len(commas) > 1 and POINTS in fits.values():  # another column has decimal points
        return min((way for way in common if way.thousands == ","), key=NUMBERS.index)
    if len(commas) > 1:
        raise DataError(
            f"a comma before three digits may be a decimal sign or one between thousands; say {argument('decimal', COMMA)} "
            f"or {argument('thousands', COMMA)}",
            where=f"column {next(iter(localized))!r}",
        )
    return min(common, key=NUMBERS.index)


def _column_numbers(name: str, ways: frozenset[Numbers], usual: Numbers) -> Numbers | None:
    """How the numbers of one column are written, None if as usual."""
    if usual in ways:
        return None if usual == PLAIN else usual
    if usual.decimal == "," and GROUPED in ways and PLAIN in ways:
        raise _points(name)
    return min(ways, key=NUMBERS.index)


def _points(name: str) -> DataError:
    return DataError(
        f"a point before three digits may be a decimal sign or one between thousands; say {argument('thousands', POINT)} or "
        f"{argument('decimal', POINT)}",
        where=f"column {name!r}",
    )


def _orders(fits: Mapping[str, frozenset[Days]], asked: Dialect) -> dict[str, Days]:
    """How the dates of each column are written. One that may be day first or month first is as others with the same sign."""
    days = asked.days()
    certain = {name: next(iter(ways)) for name, ways in fits.items() if len(ways) == 1 and not next(iter(ways)).by_name}
    known = {way.sign: way for way in certain.values() if way.order != "ymd"}
    found = {}
    for name, ways in fits.items():
        sign = next(iter(ways)).sign
        wanted = days.get(name, days.get(None))
        if wanted is not None and _unsaid(wanted) in ways:
            found[name] = wanted
        elif len(ways) == 1:
            (found[name],) = ways
        elif sign in known and len({way for way in certain.values() if way.sign == sign}) == 1:
            found[name] = known[sign]
        else:
            both = " or ".join(argument("dates", repr(str(way))) for way in sorted(ways, key=str))
            raise DataError(f"every date can be read with the day or the month first; say {both}", where=f"column {name!r}")
    return found


def require_header(names: Sequence[str], rows: Callable[[Sequence[str]], Iterator[pa.RecordBatch]]) -> None:
    """Refuse a first line that may be a record: a name that is a number or a date, above nothing but such values in the first rows."""
    doubtful = [name for name in names if is_value(name)]
    batch = next(rows(doubtful), None) if doubtful else None
    for column in batch.columns if batch is not None else ():
        given = column.drop_null()
        if len(given) and (evidence_of([given]) is not None or not pa.types.is_string(given.type)):
            raise DataError(
                f"the first line may be a record, not the names of columns; say {argument('header', 'False')} (they are then called "
                f"column_1, column_2, …) or {argument('header', 'True')}"
            )
