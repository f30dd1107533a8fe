"""Every published column: how it looks now, in words and with examples, and its distribution before and now."""

from __future__ import annotations

from sfumato.errors import several
from sfumato.reporting import pictures
from sfumato.reporting.document import Report
from sfumato.reporting.markup import Html, joined, paragraphs, tag
from sfumato.reporting.overview import Column
from sfumato.reporting.sentences import percent

COLUMNS_TITLE = "What each column looks like now"
ON_PAPER = 21  # cards; the others are on the screen only
ROLES = {"quasi": "others may know it", "sensitive": "nobody should learn it", "plain": "not checked"}


def columns(report: Report) -> Html:
    """A card per column."""
    shown = report.overview.columns
    before = any(column.before for column in shown)
    keys = [("was", "before"), ("now", "now")] if before else [("now", "now")]
    unit = "rows" if report.facts.basis == "owner" else "people"
    about = (
        f"Each picture shows how many {unit} have which value: the higher, the more. A block covers the values that now share "
        "a label."
    )
    cards = [_card(column, place, report) for place, column in enumerate(shown)]
    parts = [tag("h2", COLUMNS_TITLE), paragraphs(about), pictures.legend(*keys), tag("div", *cards, class_="cards")]
    if len(shown) > ON_PAPER:
        parts.append(
            tag(
                "p", f"… and {several(len(shown) - ON_PAPER, 'more column', 'more columns')}, on the screen.", class_="paper soft"
            )
        )
    if report.facts.withheld:
        names = ", ".join(report.facts.withheld)
        parts.append(paragraphs(f"Not in the file: {names}."))
    return joined(parts)


def _card(column: Column, place: int, report: Report) -> Html:
    drawn = pictures.column_picture(f"column-{place}", column) if column.after else ""
    parts = [tag("h3", column.name), tag("p", _words(column), class_="words"), drawn, _labels(column, report)]
    return tag("article", *parts, class_="card" if place < ON_PAPER else "card more")


def _words(column: Column) -> Html:
    text = column.words[0].upper() + column.words[1:]
    was = (
        f", from {several(column.values, 'value')}"
        if column.values and column.role == "quasi" and column.values != column.labels
        else ""
    )
    return joined([f"{text}{was}. ", tag("span", f"{ROLES.get(column.role, column.role).capitalize()}.", class_="soft")])


def _labels(column: Column, report: Report) -> Html:
    """The most frequent labels with their shares, and how many there are besides."""
    if not column.labels:
        return tag("p", "It has too many different values to show.", class_="soft")
    total = report.facts.rows if report.facts.basis == "owner" else report.facts.people
    items = [
        tag("li", tag("span", label, class_="label"), " ", tag("span", percent(min(many / total, 1)), class_="soft"))
        for label, many in column.named
    ]
    more = column.labels - len(column.named)
    if more > 0:
        items.append(tag("li", f"… and {more:,} more", class_="soft"))
    return tag("ul", *items, class_="labels")
