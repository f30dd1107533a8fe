"""The losses: of the whole table, of each class, and what the worst class reveals."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sfumato.errors import several
from sfumato.reporting import svg
from sfumato.reporting.definitions import READINGS
from sfumato.reporting.document import AttributeFindings, BeliefChange, Classes, Report
from sfumato.reporting.hiding import KEY, rare_values
from sfumato.reporting.markup import Cell, Html, cell, framed, head, inline_json, joined, link, paragraphs, table, tag, void
from sfumato.reporting.sentences import percent

LOSSES_TITLE = "What the release reveals and what it costs (losses)"
CLASSES_TITLE = "People who look alike (classes)"
WORST_TITLE = "What the worst class reveals"
PAGE = 25
MOST_BARS = 30
MOST_VALUES = 16
MOST_BYTES = 4_000_000
UNSEEN = 0.0005  # a difference of shares that no number shows


def losses(report: Report) -> Html:
    """One row per loss for every sensitive attribute, then the losses of detail."""
    about = (
        "A loss is one number for what a release reveals about people, or for what it costs in detail. The largest value is that of the "
        "worst class. The mean is over all people, including suppressed ones. Lower is better for all of them. Each name links to its "
        "definition."
    )
    parts = [paragraphs(about)]
    for place, findings in enumerate(report.findings):
        if findings.sensitive is None:
            parts.append(paragraphs("The file has no sensitive attribute. Nothing can be learned except who is in it."))
            continue
        rows = [
            (
                link(f"loss-{name}", name),
                each.max,
                each.people_mean,
                tag("span", f"class {each.worst:,}", class_="word"),
                reading_of(name),
            )
            for name, each in findings.losses.items()
        ]
        heads = ["loss", "largest", "mean over people", "worst class", "how to read it"]
        parts.append(
            table(f"What the release reveals about {findings.sensitive}, and what it costs", heads, rows, name=f"losses-{place}")
        )
    if report.information:
        values: list[tuple[Cell, ...]] = [
            (link(f"loss-{name}", name), value, reading_of(name)) for name, value in report.information.items()
        ]
        parts.append(
            table(
                "Detail lost by generalizing, for the whole table",
                ["loss", "value", "how to read it"],
                values,
                name="information",
            )
        )
    return joined(parts)


def reading_of(name: str) -> str:
    """What 0 means and what the worst case is; nothing for a loss of another distribution."""
    reading = READINGS.get(name)
    return f"{reading.zero}; {reading.worst}" if reading else ""


def classes(report: Report) -> Html:
    """Every class, worst first: a chart and a table with pages."""
    about = (
        "People in a class have the same values in all published quasi-identifiers, so nobody can tell them apart by these columns. "
        f"Classes of fewer than {report.few} people appear by number only, without their labels."
    )
    parts = [paragraphs(about)]
    for place, findings in enumerate(report.findings):
        if findings.sensitive is not None:
            parts.append(tag("h4", f"{findings.sensitive}, worst first"))
            parts.append(_chart(findings, report, f"classes-{place}"))
        parts.append(_paged(findings, report, f"table-{place}"))
    return joined(parts)


def _chart(findings: AttributeFindings, report: Report, name: str) -> Html:
    """Bars for few classes; for many, dots by size and loss."""
    classes, values = findings.classes, findings.classes.losses[KEY]
    title = f"Distribution loss of {findings.sensitive}, class by class"
    if len(classes.numbers) <= MOST_BARS:
        rows = [(f"class {number}", value, f"{value:.3g}") for number, value in zip(classes.numbers, values, strict=True)]
        about = f"{several(len(rows), 'bar')}, worst first: class {classes.numbers[0]} has {values[0]:.4g}, the last {values[-1]:.4g}."
        drawn, below = svg.bars(name, title, about, rows, "distribution loss"), "A longer bar means that the class reveals more."
    else:
        points: dict[tuple[float, float], int] = {}
        for people, value in zip(classes.people, values, strict=True):
            points[people, value] = points.get((people, value), 0) + 1
        about = (
            f"Classes of {min(classes.people):,} to {max(classes.people):,} people. The worst is class {classes.numbers[0]:,} with "
            f"{several(classes.people[0], 'person', 'people')}: {values[0]:.4g}."
        )
        drawn = svg.dots(name, title, about, points, "people in the class (log scale)", "distribution loss")
        below = "Each dot is a class. Classes that are close together share a larger dot. Higher classes reveal more."
    return tag("figure", drawn, tag("figcaption", f"{title}. {below}"))


def _paged(findings: AttributeFindings, report: Report, name: str) -> Html:
    """The first rows as a table, the others as data for the script."""
    classes = findings.classes
    hidden = f"fewer than {report.few} people"
    heads = ["class", "people", *classes.losses, *classes.labels]
    body = [_line(classes, row, hidden) for row in range(min(PAGE, len(classes.numbers)))]
    order = "worst first" if findings.sensitive else "smallest first"
    shown = f"{several(report.facts.classes, 'class', 'classes')}, {order}"
    if len(classes.numbers) < report.facts.classes:
        shown += f"; the first {len(classes.numbers):,} are in this file"
    region = framed(shown, head(heads, range(len(classes.losses) + 2)), body, name=name)
    if len(classes.numbers) <= PAGE:
        return region
    data = tag("script", embedded(classes, hidden), type="application/json")
    paper = f"The printout has {PAGE} of the {report.facts.classes:,} classes. The page on screen has the others."
    return tag("div", region, tag("p", paper, class_="paper soft"), _pager(name), data, class_="classes")


def _pager(name: str) -> Html:
    """Hidden until the script runs."""
    buttons = [tag("button", each, type="button") for each in ("First", "Back", "Next", "Last")]
    label = tag("label", "class number ", void("input", type="number", min="1", id=f"{name}-number"), for_=f"{name}-number")
    return tag("div", *buttons, label, tag("span", "", role="status", class_="soft"), class_="pager", hidden=True)


def _line(classes: Classes, row: int, hidden: str) -> Html:
    labels = [classes.label(name, row) for name in classes.labels]
    unnamed = [tag("td", hidden, colspan=len(labels), class_="soft")]
    shown = unnamed if None in labels else [cell(label) for label in labels]
    numbers = [cell(classes.people[row]), *(cell(values[row]) for values in classes.losses.values())]
    return tag("tr", cell(classes.numbers[row], first=True), *numbers, *shown)


def embedded(classes: Classes, hidden: str, most: int = MOST_BYTES) -> Html:
    """The classes as JSON that is safe within a page; fewer of them if the text would be too long."""
    rows = len(classes.numbers)
    while True:
        text = inline_json(_data(classes, hidden, rows))
        if len(text.encode()) <= most or rows <= PAGE:
            return text
        rows //= 2


def _data(classes: Classes, hidden: str, rows: int) -> dict[str, object]:
    return {
        "page": PAGE,
        "few": hidden,
        "numbers": classes.numbers[:rows],
        "people": classes.people[:rows],
        "labels": list(classes.labels.values()),
        "places": [places[:rows] for places in classes.places.values()],
        "values": [[_short(value) for value in values[:rows]] for values in classes.losses.values()],
    }


def _short(value: float) -> float | int | None:
    if not math.isfinite(value):
        return None
    short = float(f"{value:.4g}")
    return int(short) if short == int(short) else short


def worst(report: Report) -> Html:
    """Prior and posterior of the worst class."""
    before = joined(
        ["The ", link("word-prior", "prior"), " is what someone believes about anyone in the table before the release."]
    )
    after = joined(
        ["The ", link("word-posterior", "posterior"), " is what they then believe about a person whose class they know."]
    )
    parts = [paragraphs(joined([before, after], " "))]
    for place, findings in enumerate(report.findings):
        if findings.sensitive is not None:
            parts += [tag("h4", findings.sensitive), _worst(findings, report.few, f"worst-{place}")]
    return joined(parts)


def _worst(findings: AttributeFindings, few: int, name: str) -> Html:
    number, worst = findings.losses[KEY].worst, findings.worst
    if worst is None:
        return paragraphs(f"Every class has fewer than {few} people, so none is shown here.")
    text = f"Class {worst.number:,} has {worst.people:,} people and a distribution loss of {worst.loss:.4g}."
    if worst.number != number:
        text += f" Class {number:,} is worse. It has fewer than {few} people and is not shown here."
    chart = belief_chart(worst, name, f"{findings.sensitive} in class {worst.number}", ("prior", "posterior"))
    return joined([paragraphs(text), chart])


def belief_chart(change: BeliefChange, name: str, title: str, names: tuple[str, str]) -> Html:
    """Shares before and after as pairs of bars, largest changes first, with a table."""
    rows = _named(change)
    changed = sorted(rows, key=lambda row: -abs(row[1] - row[2]))
    shown, rest = changed[:MOST_VALUES], changed[MOST_VALUES:]
    drawn = [*shown, (f"{len(rest)} other values", sum(b for _, b, _ in rest), sum(a for _, _, a in rest))] if rest else shown
    most = max(changed, key=lambda row: abs(row[1] - row[2]))
    about = f"The largest change is {most[0]}: {percent(most[1])} before, {percent(most[2])} after."
    if abs(most[1] - most[2]) < UNSEEN:
        about = "The shares are the same."
    chart = svg.pairs(name, f"{title}: {names[0]} and {names[1]}", about, drawn, names, "share of people")
    numbers = [(label, percent(before), percent(after)) for label, before, after in changed]
    details = tag("details", tag("summary", "Show the numbers"), table(title, ["value", *names], numbers, name=f"{name}-numbers"))
    return joined([tag("figure", chart, tag("figcaption", f"{title}. {about}")), details])


def _named(change: BeliefChange) -> Sequence[tuple[str, float, float]]:
    rare = rare_values(change.rare)
    return [(rare if label is None else label, before, after) for label, before, after in change.rows]
