"""Which two releases harm whom: heat maps of every two releases, with their counts as tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sfumato.reporting.markup import Cell, Html, joined, paragraphs, table, tag
from sfumato.reporting.sentences import listed_names
from sfumato.reporting.together.knowledge import NBSP
from sfumato.reporting.together.pictures import heat_picture
from sfumato.sequence import Audited

PAIRS_TITLE = "Which two releases should not meet"
MOST_SHOWN, MOST_DRAWN, WORST = 12, 24, 20
Counts = Mapping[tuple[int, int], int]


@dataclass(frozen=True, slots=True)
class Square:
    """A count of people for every two releases, by their places."""

    title: str
    counts: Counts


def pairs(audited: Audited) -> Html:
    """One heat map per sensitive attribute and broken model; of people who are alone, if there is neither."""
    about = (
        "Every two releases, for somebody who has these two and no other; on the diagonal, each release alone. A stronger color means more "
        "people. A reader who has one release should not be given another that makes the cell of both much stronger."
    )
    left = [name for name in audited.steps if any(name not in each.certain for each in audited.pairs)]
    parts = [tag("h2", PAIRS_TITLE), paragraphs(about)]
    if left:
        parts.append(paragraphs(f"Left out: {listed_names(left)}, with too many values and classes to count every two releases."))
    if len(audited.releases) > MOST_DRAWN:
        parts.append(paragraphs(f"Left out: pictures of more than {MOST_DRAWN} releases."))
    parts += [part for number, square in enumerate(squares(audited)) for part in _shown(audited, square, f"pairs-{number}")]
    return joined(parts)


def squares(audited: Audited) -> Iterator[Square]:
    """What is counted for every two releases."""
    place_of = {each.number: place for place, each in enumerate(audited.releases)}
    places = [(place_of[other], place_of[one]) for one, other in (each.releases for each in audited.pairs)]
    found = False
    for model in dict.fromkeys(each.model for each in audited.broken):
        found = True
        yield Square(
            f"People for whom {model} is broken", {at: each.harmed[model] for at, each in zip(places, audited.pairs, strict=True)}
        )
    for name in audited.steps:
        if all(name in each.certain for each in audited.pairs):
            found = True
            yield Square(
                f"People whose {name} is known for certain",
                {at: each.certain[name] for at, each in zip(places, audited.pairs, strict=True)},
            )
    if not found:
        yield Square("People who are alone", {at: each.alone for at, each in zip(places, audited.pairs, strict=True)})


def _shown(audited: Audited, square: Square, name: str) -> list[Html]:
    numbers = [each.number for each in audited.releases]
    parts = [tag("h3", square.title)]
    if not any(square.counts.values()):
        return [*parts, paragraphs("None, in any two releases.")]
    if len(numbers) <= MOST_DRAWN:
        legend = f"A square of {len(numbers)} releases by {len(numbers)}: the number of people in each cell. The table has the numbers."
        parts.append(tag("figure", heat_picture(name, square.title, legend, numbers, square.counts)))
    return [*parts, _matrix(square, numbers, name) if len(numbers) <= MOST_SHOWN else _worst(square, numbers, name)]


def _matrix(square: Square, numbers: list[str], name: str) -> Html:
    """All counts, releases by releases."""
    rows = []
    for row, number in enumerate(numbers):
        cells: list[Cell] = [square.counts[row, column] if column <= row else "" for column in range(len(numbers))]
        rows.append((f"release{NBSP}{number}", *cells))
    return table(f"{square.title}, by two releases", ["with", *numbers], rows, name=f"{name}-table")


def _worst(square: Square, numbers: list[str], name: str) -> Html:
    """The pairs with the most people, where there are too many for a table on a page."""
    worst = sorted(((people, at) for at, people in square.counts.items() if at[0] != at[1]), reverse=True)[:WORST]
    rows = [(f"{numbers[column]} and {numbers[row]}", people) for people, (row, column) in worst if people]
    caption = f"{square.title}: the {len(rows)} pairs with the most; sfumato sequence audit --json has all"
    return table(caption, ["releases", "people"], rows, name=f"{name}-table")
