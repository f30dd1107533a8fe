"""Bands of numbers, edited: widths that stay multiples of each other, and cut points that stay nested."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from sfumato.errors import UsageError
from sfumato.vocabulary.builders import Cuts
from sfumato.vocabulary.builders.intervals import exactly

Widths = tuple[Decimal, ...]
_HALF = Decimal("0.5")


def with_width(widths: Widths, place: int, width: Decimal) -> Widths:
    """Another width for one level. Wider ones follow: each becomes the nearest multiple of the one below it, twice that at least.

    >>> [str(each) for each in with_width((Decimal(5), Decimal(10), Decimal(20)), 0, Decimal(6))]
    ['6', '12', '24']
    """
    if width <= 0:
        return (*widths[:place], width, *widths[place + 1 :])  # the builder says what is wrong with it
    made = [*widths[:place], width]
    with exactly():
        for wider in widths[place + 1 :]:
            made.append(made[-1] * max(int(wider / made[-1] + _HALF), 2))
    return tuple(made)


def coarser(widths: Widths) -> Widths:
    """With a level of bands twice as wide as the widest."""
    return (*widths, widths[-1] * 2)


def finer(widths: Widths, *, whole: bool) -> Widths:
    """With a level of narrower bands: half as wide or, where whole numbers cannot be halved, by the smallest number that divides them."""
    first = widths[0]
    if not whole or first % 1:
        return (first / 2, *widths)
    if first == 1:
        raise UsageError("bands of one whole number are the finest there are")
    if first > 1_000_000:  # nobody draws such bands; a divisor would have to be searched for
        return (first / 2, *widths) if first % 2 == 0 else (Decimal(1), *widths)
    number = int(first)
    divisor = next(each for each in (*range(2, int(number**0.5) + 1), number) if number % each == 0)
    return (Decimal(number // divisor), *widths)


def cuts_of(kept: Sequence[tuple[Decimal, int]]) -> Cuts:
    """From cut points and the highest level that keeps each of them. A level that would be like the one below it is left out.

    >>> [[int(cut) for cut in level] for level in cuts_of([(Decimal(20), 1), (Decimal(40), 3), (Decimal(60), 1)]).cuts]
    [[20, 40, 60], [40]]
    """
    top: dict[Decimal, int] = {}
    for cut, level in kept:
        top[cut] = max(level, top.get(cut, 1))
    levels = [tuple(sorted(cut for cut in top if top[cut] >= level)) for level in sorted(set(top.values()))]
    return Cuts(tuple(levels))


def kept_of(cuts: Cuts) -> list[tuple[Decimal, int]]:
    """The cut points, ascending, each with the highest level that keeps it."""
    return [(cut, sum(cut in level for level in cuts.cuts)) for cut in cuts.cuts[0]]


def without_cut_level(cuts: Cuts, level: int) -> Cuts:
    """Without a level of cut points."""
    return Cuts(tuple(each for number, each in enumerate(cuts.cuts, start=1) if number != level))


def steps_of(least: Decimal, most: Decimal, *, whole: bool) -> Decimal:
    """The step of a slider over numbers: one for whole numbers, else a power of ten that gives 100 to 1,000 steps."""
    span = most - least
    if whole or span <= 0:
        return Decimal(1)
    return Decimal(10) ** (span.adjusted() - 2)
