"""The losses: over the table, class by class, and what the worst class tells."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence

from sfumato.errors import several
from sfumato.reporting import svg
from sfumato.reporting.document import Believed, Classes, Learned, Report
from sfumato.reporting.markup import Cell, Html, cell, framed, head, joined, link, paragraphs, table, tag, void

KEY = "distribution"
PAGE = 25
MOST_BARS = 30
MOST_VALUES = 16
MOST_BYTES = 4_000_000


def losses(report: Report) -> Html:
    """One row per loss, for every sensitive attribute; the losses of detail below."""
    parts = [
        tag("h2", "Losses"),
        paragraphs(
            "A loss says in one number what a release gives away, or what it costs. The largest value is that of the worst class; the "
            "mean is over people, suppressed ones included. Each name leads to its definition."
        ),
    ]
    for place, learned in enumerate(report.learned):
        if learned.sensitive is None:
            parts.append(paragraphs("The file has no sensitive attribute: nothing can be learned but who is in it."))
            continue
        rows = [
            (link(f"loss-{name}", name), each.max, each.people_mean, tag("span", f"class {each.worst:,}", class_="word"))
            for name, each in learned.losses.items()
        ]
        heads = ["loss", "largest", "mean over people", "worst class"]
        parts.append(table(f"Losses of {learned.sensitive}", heads, rows, name=f"losses-{place}"))
    if report.information:
        told: list[tuple[Cell, ...]] = [(link(f"loss-{name}", name), value) for name, value in report.information.items()]
        parts.append(
            table("What the recoding costs in detail, for the table as a whole", ["loss", "value"], told, name="information")
        )
    return joined(parts)


def classes(report: Report) -> Html:
    """Every class, worst first: a chart, and a table to leaf through."""
    hidden = f"Labels of a class of fewer than {report.few} people are not shown in this report: its number is."
    parts = [tag("h2", "Classes"), paragraphs(hidden)]
    for place, learned in enumerate(report.learned):
        if learned.sensitive is not None:
            parts.append(tag("h3", f"{learned.sensitive}, worst first"))
            parts.append(_drawn(learned, report, f"classes-{place}"))
        parts.append(_leafed(learned, report, f"table-{place}"))
    return joined(parts)


def _drawn(learned: Learned, report: Report, name: str) -> Html:
    """Bars for few classes; for many, dots by size and loss."""
    found, values = learned.classes, learned.classes.losses[KEY]
    title = f"Distribution loss of {learned.sensitive}, class by class"
    if len(found.numbers) <= MOST_BARS:
        rows = [(f"class {number}", value, f"{value:.3g}") for number, value in zip(found.numbers, values, strict=True)]
        about = f"{several(len(rows), 'bar')}, worst first: class {found.numbers[0]} loses {values[0]:.4g}, the last {values[-1]:.4g}."
        drawn, below = svg.bars(name, title, about, rows, "distribution loss"), "The longer the bar, the more a class tells."
    else:
        points: dict[tuple[float, float], int] = {}
        for people, value in zip(found.people, values, strict=True):
            points[people, value] = points.get((people, value), 0) + 1
        about = (
            f"Classes of {min(found.people):,} to {max(found.people):,} people; the worst, class {found.numbers[0]:,} of "
            f"{found.people[0]:,}, loses {values[0]:.4g}."
        )
        drawn = svg.dots(name, title, about, points, "people in the class (log scale)", "distribution loss")
        below = "Each dot is a class, or several that lie close together: then it is larger. Higher up a class tells more."
    return tag("figure", drawn, tag("figcaption", f"{title}. {below}"))


def _leafed(learned: Learned, report: Report, name: str) -> Html:
    """The first rows as they are; the others as data for the script."""
    found = learned.classes
    hidden = f"fewer than {report.few} people"
    heads = ["class", "people", *found.losses, *found.labels]
    body = [_line(found, row, hidden) for row in range(min(PAGE, len(found.numbers)))]
    order = "worst first" if learned.sensitive else "smallest first"
    shown = f"{several(report.facts.classes, 'class', 'classes')}, {order}"
    if len(found.numbers) < report.facts.classes:
        shown += f"; the first {len(found.numbers):,} are in this file"
    region = framed(shown, head(heads, range(len(found.losses) + 2)), body, name=name)
    if len(found.numbers) <= PAGE:
        return region
    data = tag("script", Html(embedded(found, hidden)), type="application/json")
    paper = f"On paper stand {PAGE} of the {report.facts.classes:,} classes; the page itself has the others."
    return tag("div", region, tag("p", paper, class_="paper soft"), _pager(name), data, class_="classes")


def _pager(name: str) -> Html:
    """Hidden until the script has found it."""
    buttons = [tag("button", each, type="button") for each in ("First", "Back", "Next", "Last")]
    label = tag("label", "class number ", void("input", type="number", min="1", id=f"{name}-number"), for_=f"{name}-number")
    return tag("div", *buttons, label, tag("span", "", role="status", class_="soft"), class_="pager", hidden=True)


def _line(found: Classes, row: int, hidden: str) -> Html:
    labels = [found.label(name, row) for name in found.labels]
    withheld = [tag("td", hidden, colspan=len(labels), class_="soft")]
    told = withheld if None in labels else [cell(label) for label in labels]
    numbers = [cell(found.people[row]), *(cell(values[row]) for values in found.losses.values())]
    return tag("tr", cell(found.numbers[row], first=True), *numbers, *told)


def embedded(found: Classes, hidden: str, most: int = MOST_BYTES) -> str:
    """The classes as JSON, safe within a page; fewer of them if they would weigh too much."""
    rows = len(found.numbers)
    while True:
        text = json.dumps(_data(found, hidden, rows), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        if len(text.encode()) <= most or rows <= PAGE:
            return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e").replace("\u2028", "\\u2028")
        rows //= 2


def _data(found: Classes, hidden: str, rows: int) -> dict[str, object]:
    return {
        "page": PAGE,
        "few": hidden,
        "numbers": found.numbers[:rows],
        "people": found.people[:rows],
        "labels": list(found.labels.values()),
        "places": [places[:rows] for places in found.places.values()],
        "values": [[_short(value) for value in values[:rows]] for values in found.losses.values()],
    }


def _short(value: float) -> float | int | None:
    if not math.isfinite(value):
        return None
    short = float(f"{value:.4g}")
    return int(short) if short == int(short) else short


def worst(report: Report) -> Html:
    """Prior against posterior of the worst class."""
    parts = [
        tag("h2", "What the worst class tells"),
        paragraphs(
            joined(
                [
                    "The ",
                    link("word-prior", "prior"),
                    " is what was believed of anybody in the table, the ",
                    link("word-posterior", "posterior"),
                    " what is believed of somebody who is known to be in the class.",
                ]
            )
        ),
    ]
    for place, learned in enumerate(report.learned):
        if learned.sensitive is not None:
            parts += [tag("h3", learned.sensitive), _worst(learned, report.few, f"worst-{place}")]
    return joined(parts)


def _worst(learned: Learned, few: int, name: str) -> Html:
    number, people = learned.losses[KEY].worst, learned.worst
    if people is None:
        return paragraphs(f"Every class has fewer than {few} people: what they tell about somebody is not drawn here.")
    said = f"Class {people.number:,} of {people.people:,} people has a distribution loss of {people.loss:.4g}."
    if people.number != number:
        said += f" Class {number:,} is worse, and has fewer than {few} people: it is not drawn here."
    drawn = believed(people, name, f"{learned.sensitive} in class {people.number}", ("prior", "posterior"))
    return joined([paragraphs(said), drawn])


def believed(found: Believed, name: str, title: str, names: tuple[str, str]) -> Html:
    """Shares before and after as pairs of bars, the largest changes first, with their table."""
    rows = _named(found)
    changed = sorted(rows, key=lambda row: -abs(row[1] - row[2]))
    shown, rest = changed[:MOST_VALUES], changed[MOST_VALUES:]
    drawn = [*shown, (f"{len(rest)} other values", sum(b for _, b, _ in rest), sum(a for _, _, a in rest))] if rest else shown
    most = max(changed, key=lambda row: abs(row[1] - row[2]))
    about = f"The largest change: {most[0]}, from {most[1]:.1%} to {most[2]:.1%}."
    chart = svg.pairs(name, f"{title}: {names[0]} and {names[1]}", about, drawn, names, "share of people")
    numbers = [(label, f"{before:.2%}", f"{after:.2%}") for label, before, after in changed]
    told = tag("details", tag("summary", "The numbers"), table(title, ["value", *names], numbers, name=f"{name}-numbers"))
    return joined([tag("figure", chart, tag("figcaption", f"{title}. {about}")), told])


def _named(found: Believed) -> Sequence[tuple[str, float, float]]:
    rare = (
        f"{several(found.rare, 'rare value')} (fewer than 5 people each)"
        if found.rare > 1
        else "a rare value (fewer than 5 people)"
    )
    return [(rare if label is None else label, before, after) for label, before, after in found.rows]
