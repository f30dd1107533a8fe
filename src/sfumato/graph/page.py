"""A graph and its releases as one HTML page: what is given away, who gets through, what it costs. No name of anybody is in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.errors import several
from sfumato.graph.active import ActiveAttacks
from sfumato.graph.passive import PassiveAttacks
from sfumato.graph.profile import GraphProfile
from sfumato.graph.utility import GraphsCompared, Kept, Shape
from sfumato.reporting.markup import Html, paragraphs, table, tag
from sfumato.reporting.shell import document
from sfumato.reporting.style import style
from sfumato.reporting.svg import bars, pairs
from sfumato.results import Rows, percentage

_FOR_WHOM = (
    "For whoever has the graph, and not for publication: the page has figures of the original, and what attackers find who know something "
    "true about it."
)
# Lines of the grid end at the letters of a label.
_OVER_LINES = "svg text{paint-order:stroke;stroke:var(--paper);stroke-width:4px;stroke-linejoin:round}"


@dataclass(frozen=True, slots=True, eq=False)
class GraphReport:
    """Everything that a page shows."""

    profile: GraphProfile
    passive: PassiveAttacks
    compared: GraphsCompared
    active: ActiveAttacks | None = None

    def html(self) -> str:
        """The whole page."""
        active = [] if self.active is None else [_section("active", "Planted accounts", _active(self.active))]
        main = [
            _section("profile", "What the structure gives away", _profile(self.profile)),
            _section("passive", "Attacks on the releases", _passive(self.passive)),
            *active,
            _section("cost", "What it costs", _cost(self.compared)),
        ]
        size = tag("p", _size(self.profile), class_="soft")
        header = tag("header", tag("h1", "A graph and its releases"), size, tag("p", _FOR_WHOM))
        footer = tag("footer", tag("p", "No name and no number of a person is on this page. It loads nothing and sends nothing."))
        return document("A graph and its releases", style() + _OVER_LINES, "", [header, tag("main", *main, id="main"), footer])


def write_page(report: GraphReport, path: Path, *, force: bool) -> None:
    """Write the complete page or nothing."""
    from sfumato.commit.writing import write_text

    write_text(path, report.html(), force=force)


def _size(found: GraphProfile) -> str:
    parts = several(found.components, "component")
    return f"{several(found.nodes, 'person', 'people')}, {several(found.edges, 'edge')}, {parts}; the largest has {found.largest:,} people"


def _section(name: str, title: str, parts: Sequence[Html]) -> Html:
    return tag("section", tag("h2", title), *parts, id=name)


def _table(caption: str, rows: Rows, name: str) -> Html:
    return table(caption, rows.heads, rows.rows, name=name)


def _profile(found: GraphProfile) -> list[Html]:
    shares = [(str(row[0]), each.singled_out / each.people) for row, each in zip(found.table().rows, found.alike, strict=True)]
    about = (
        "Without any name: how many people are the only ones of whom something is true. Somebody who knows this of a person finds them in "
        "the graph as it is, whatever the nodes are called."
    )
    chart = bars(
        "singled", "Who is singled out", "The share of people who are singled out, by what is known of them",
        [(words, 100 * share, percentage(share)) for words, share in shares], "% of the people", most=100,
    )  # fmt: skip
    more = (
        [_table("What is learned about the attribute", found.leaks(), "leaks")] if any(each.leak for each in found.alike) else []
    )
    return [paragraphs(about), tag("figure", chart), _table("People who look alike", found.table(), "alike"), *more]


def _passive(found: PassiveAttacks) -> list[Html]:
    about = (
        "The attacker knows something true of the original around each target, and guesses among the nodes of which the same is true in "
        "the release. The nearest node is for attackers who know that edges were changed. A rate is the share of right guesses, with its "
        "95 % interval; the baseline is a guess among all nodes."
    )
    figures = []
    for number, method in enumerate(dict.fromkeys(each.method for each in found.attempts)):
        rows = [(each.words, 100 * each.rate, percentage(each.rate)) for each in found.attempts if each.method == method]
        figures.append(
            tag(
                "figure",
                bars(f"rates-{number}", method, f"Right guesses on {method}", rows, "% right guesses", most=100),
                tag("figcaption", method),
            )
        )
    more = (
        [_table("What is learned about the attribute", found.leaks(), "learned")]
        if any(each.leak for each in found.attempts)
        else []
    )
    return [paragraphs(about), tag("div", *figures, class_="two"), _table("Attempts", found.table(), "attempts"), *more]


def _active(found: ActiveAttacks) -> list[Html]:
    about = (
        "Before the release, an attacker adds accounts, joins them among themselves at random and to targets, and looks for them in the "
        "release. A forgiving attacker allows for changed edges."
    )
    return [paragraphs(about), _table("Accounts that are found again", found.table(), "planted")]


def _cost(found: GraphsCompared) -> list[Html]:
    words = found.words()
    about = (
        f"Paths are counted from {several(found.sources, 'person', 'people')}. Communities are found by a method that depends on chance: "
        f"{words}. A release whose communities agree with those of the original as far has not changed them, or less than these runs can "
        "show. The pictures have the mean of all runs."
    )
    figures = [figure for number, each in enumerate(found.releases) for figure in _before_and_after(number, found.original, each)]
    return [paragraphs(about), _table("Before and after", found.table(), "measures"), tag("div", *figures, class_="two")]


def _before_and_after(number: int, original: Shape, release: Kept) -> list[Html]:
    """Pairs of bars for each of the four measures of a release."""
    drawn: list[tuple[str, str, str, list[tuple[str, float, float]], str]] = [
        ("degrees", "Neighbors", "Shares of people by their number of neighbors",
         _shares(original.degrees, release.shape.degrees), "share of the people"),
        ("steps", "Steps between people", "Shares of pairs by the steps between them",
         _paths(original, release.shape), "share of the pairs"),
        ("clustering", "Clustering by neighbors", "Shares of the pairs of somebody's neighbors who know each other",
         _clustering(original, release.shape), "of pairs of neighbors know each other"),
        ("communities", "Communities by size", "Shares of people by the size of their community",
         _shares(original.gathered, release.shape.gathered), "share of the people"),
    ]  # fmt: skip
    return [
        tag(
            "figure",
            pairs(f"{name}-{number}", f"{title}, {release.method}", about, rows, ("original", "release"), axis),
            tag("figcaption", f"{title}, {release.method}"),
        )
        for name, title, about, rows, axis in drawn
    ]


def _orders(most: int) -> Iterator[tuple[int, int, str]]:
    """0, 1, 2 to 3, 4 to 7, …, and what they are called."""
    yield 0, 0, "0"
    low = 1
    while low <= most:
        high = 2 * low - 1
        yield low, high, f"{low:,}" if low == high else f"{low:,} to {high:,}"
        low *= 2


def _shares(one: Any, other: Any) -> list[tuple[str, float, float]]:
    """The shares of people by a number, such as that of their neighbors, in orders; the arrays have how many people have each number."""
    found = []
    for low, high, label in _orders(max(len(one), len(other)) - 1):
        first, second = (float(each[low : high + 1].sum() / max(each.sum(), 1)) for each in (one, other))
        if first or second:
            found.append((label, first, second))
    return found


def _clustering(one: Shape, other: Shape) -> list[tuple[str, float, float]]:
    """The mean clustering of people by their number of neighbors, of whom there are two at least."""
    found = []
    for low, high, label in _orders(max(len(one.degrees), len(other.degrees)) - 1):
        people = [each.degrees[low : high + 1] for each in (one, other)]
        if low > 1 and any(each.sum() for each in people):
            sums = [(each.clustering[low : high + 1] * some).sum() for each, some in zip((one, other), people, strict=True)]
            first, second = (float(total / max(some.sum(), 1)) for total, some in zip(sums, people, strict=True))
            found.append((label, first, second))
    return found


def _paths(one: Shape, other: Shape) -> list[tuple[str, float, float]]:
    width = max(len(one.steps), len(other.steps))
    first, second = (np.pad(each.steps, (0, width - len(each.steps))) / max(each.steps[1:].sum(), 1) for each in (one, other))
    rows = [(several(steps, "step"), float(first[steps]), float(second[steps])) for steps in range(1, width)]
    return [row for row in rows if max(row[1:]) >= 0.0005]
