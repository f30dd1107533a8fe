"""The small pictures of the first screen: a column before and now, people by the size of their class, the lattice, and gauges.

Like the charts in `svg`, they take their colors from the style and have a title and a description.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod

from sfumato.reporting.markup import Html, joined, tag
from sfumato.reporting.overview import Column, Sizes, Span
from sfumato.reporting.sentences import people
from sfumato.reporting.svg import clipped

WIDTH, HEIGHT = 300, 84
MOST_DOTS = 26  # in one row of the lattice; with more nodes, bars show how many there are


def picture(name: str, title: str, about: str, size: tuple[float, float], *parts: Html, kind: str | None = None) -> Html:
    """A drawing with its title and description."""
    return tag(
        "svg",
        tag("title", title, id=f"{name}-title"),
        tag("desc", about, id=f"{name}-desc"),
        *parts,
        viewBox=f"0 0 {_n(size[0])} {_n(size[1])}",
        role="img",
        aria_labelledby=f"{name}-title {name}-desc",
        class_=kind,
        xmlns="http://www.w3.org/2000/svg",
    )


def column_picture(name: str, column: Column) -> Html:
    """The people of a column: before as gray bars, now as blocks over the values that each label covers."""
    most = max((_density(span) for span in (*column.before, *column.after)), default=0) or 1
    before = [_block(span, most, "was") for span in column.before if span.people]
    after = [_block(span, most, "now" if column.before else "now only") for span in column.after if span.people]
    ground = tag("line", x1="0", x2=str(WIDTH), y1=str(HEIGHT - 1), y2=str(HEIGHT - 1), class_="grid")
    about = "Gray: before. Colored: now." if column.before else "How many people have each label."
    return picture(
        name, f"{column.name}, {'before and now' if column.before else 'now'}", about, (WIDTH, HEIGHT), ground, *before, *after
    )


def _density(span: Span) -> float:
    return span.people / max(span.end - span.start, 1e-6)


def _block(span: Span, most: float, kind: str) -> Html:
    height = max(_density(span) / most * (HEIGHT - 4), 1)
    x, width = 1 + span.start * (WIDTH - 2), max((span.end - span.start) * (WIDTH - 2) - 1, 1)
    return tag("rect", x=_n(x), y=_n(HEIGHT - 1 - height), width=_n(width), height=_n(height), class_=kind)


def sizes_picture(name: str, sizes: Sizes) -> Html:
    """People by the size of their class: how many were, and are, alone, with few others, with many."""
    rows = size_rows(sizes)
    step, left, right, top = (30.0 if sizes.before else 22.0), 108.0, 420.0, 6.0
    most = max(max(before or 0, after) for _, before, after in rows) or 1
    parts = []
    for place, (label, before, after) in enumerate(rows):
        y = top + place * step
        parts.append(_text(label, left - 8, y + step / 2, anchor="end"))
        span = right - left - 96
        if before is not None:
            parts.append(_bar(left, y + 2, before / most * span, 9, "was"))
            parts.append(_text(_many(before), left + before / most * span + 5, y + 10.5, soft=True))
        start = y + (14 if sizes.before else 4)
        parts.append(_bar(left, start, after / most * span, 10, "now only"))
        parts.append(_text(_many(after), left + after / most * span + 5, start + 9))
    about = "; ".join(
        f"{label}: {'' if before is None else f'{before:,} before, '}{after:,} now" for label, before, after in rows
    )
    return picture(name, "People by the size of their class", about, (right, top + step * len(rows) + 4), *parts)


def _many(count: int) -> str:
    return people(count) if count else "nobody"


def size_rows(sizes: Sizes) -> list[tuple[str, int | None, int]]:
    """Label, people before, people now; without the sizes at both ends that nobody has.

    >>> size_rows(Sizes((1, 2, 5, 10, 20), (0, 0, 7, 10, 0), (3, 4, 10, 0, 0)))
    [('alone', 3, 0), ('with 2 to 4', 4, 0), ('5 to 9', 10, 7), ('10 to 19', 0, 10)]
    """
    names = []
    for place, least in enumerate(sizes.least):
        last = sizes.least[place + 1] - 1 if place + 1 < len(sizes.least) else None
        names.append(f"{least:,} or more" if last is None else f"{least:,} to {last:,}" if last > least else f"{least:,}")
    rows = list(zip(names, sizes.before or [None] * len(names), sizes.after, strict=True))
    used = [place for place, (_, before, after) in enumerate(rows) if before or after]
    rows = rows[used[0] : used[-1] + 1] if used else rows
    words = {"1": "alone", "1 or more": "alone", "2 to 4": "with 2 to 4"}  # nobody is in a larger class than the last one
    return [(words.get(label, label), before, after) for label, before, after in rows]


def lattice_picture(name: str, levels: Sequence[int], heights: Sequence[int]) -> Html:
    """Every way to generalize, from the unchanged table at the bottom to one label for everybody at the top, and the chosen one."""
    rows = _per_sum(heights)
    chosen = sum(levels)
    step = min(20.0, 190.0 / max(len(rows) - 1, 1))
    height, middle = step * (len(rows) - 1) + 40, WIDTH / 2
    dots = max(rows) <= MOST_DOTS
    parts = []
    for total, nodes in enumerate(rows):
        y = height - 20 - total * step
        if dots:
            parts += [tag("circle", cx=_n(x), cy=_n(y), r="3.2", class_="node") for x in _places(nodes, middle)]
        else:
            width = max(nodes / max(rows) * (WIDTH - 40), 2)
            parts.append(_bar(middle - width / 2, y - min(step, 12) / 2 + 1, width, max(min(step, 12) - 2, 1), "node"))
    at = height - 20 - chosen * step
    x = _places(rows[chosen], middle)[_rank(levels, heights)] if dots else middle
    parts.append(tag("circle", cx=_n(x), cy=_n(at), r="6", class_="chosen"))
    parts += [
        _text("all *", middle, 10, anchor="middle", soft=True),
        _text("unchanged", middle, height - 3, anchor="middle", soft=True),
    ]
    nodes = prod(each + 1 for each in heights)
    about = f"{nodes:,} ways to generalize; the chosen one is {chosen} steps above the unchanged table, of {sum(heights)}."
    return picture(name, "The chosen way among all ways to generalize", about, (WIDTH, height), *parts)


def _per_sum(heights: Sequence[int]) -> list[int]:
    """How many nodes there are for every sum of levels.

    >>> _per_sum([1, 2])
    [1, 2, 2, 1]
    """
    counts = [1]
    for height in heights:
        counts = [sum(counts[max(total - height, 0) : total + 1]) for total in range(len(counts) + height)]
    return counts


def _places(nodes: int, middle: float) -> list[float]:
    return [middle + (place - (nodes - 1) / 2) * 11 for place in range(nodes)]


def _rank(levels: Sequence[int], heights: Sequence[int]) -> int:
    """The place of a node among those of the same sum; there are few."""
    same = [node for node in product(*(range(height + 1) for height in heights)) if sum(node) == sum(levels)]
    return same.index(tuple(levels))


def gauge(name: str, title: str, mean: float, worst: float, limit: float) -> Html:
    """A scale from 0 to the limit: a bar up to the mean, and a mark at the worst class."""
    scale = 150 / limit
    about = f"On average {mean:.4g}, in the worst class {worst:.4g}, of at most {limit:.4g}."
    parts = [
        tag("rect", x="1", y="5", width="150", height="8", class_="hollow"),
        tag("rect", x="1", y="5", width=_n(max(min(mean * scale, 150), 0.5)), height="8", class_="now only"),
        tag("rect", x=_n(min(worst * scale, 150)), y="1", width="3", height="16", class_="mark"),
    ]
    return picture(name, title, about, (156, 18), *parts, kind="gauge")


def two_shares(name: str, title: str, first: float, second: float) -> Html:
    """Two shares as bars, the first one gray."""
    parts = [_bar(1, 1, first * 118, 7, "was"), _bar(1, 10, second * 118, 8, "now only")]
    return picture(name, title, f"{first:.1%} and {second:.1%}", (120, 19), *parts, kind="shares")


def _bar(x: float, y: float, width: float, height: float, kind: str) -> Html:
    return tag("rect", x=_n(x), y=_n(y), width=_n(max(width, 0.5 if width else 0)), height=_n(height), class_=kind)


def _text(shown: str, x: float, y: float, *, anchor: str = "start", soft: bool = False) -> Html:
    anchored = None if anchor == "start" else anchor
    return tag("text", clipped(shown, 40), x=_n(x), y=_n(y), text_anchor=anchored, class_="soft" if soft else None)


def _n(number: float) -> str:
    """A coordinate with one decimal."""
    return f"{number:.1f}".removesuffix(".0")


def legend(*items: tuple[str, str]) -> Html:
    """What the colors of a picture mean."""
    marks = [tag("span", "", class_=f"key {kind}", aria_hidden="true") for kind, _ in items]
    return tag(
        "p", joined((joined([mark, text]) for mark, (_, text) in zip(marks, items, strict=True)), " "), class_="legend soft"
    )
