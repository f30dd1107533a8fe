"""The report as one HTML page that needs nothing else: style, script, charts and data are in it, and it may load nothing."""

from __future__ import annotations

from sfumato.reporting.document import Report
from sfumato.reporting.markup import Html, code, joined, link, tag
from sfumato.reporting.script import SCRIPT
from sfumato.reporting.sections import closing, knowledge, losses, models, published
from sfumato.reporting.shell import document
from sfumato.reporting.style import style

SECTIONS = {
    "published": ("What was published", published.published),
    "models": ("Privacy models", models.models),
    "losses": ("Losses", losses.losses),
    "classes": ("Classes", losses.classes),
    "worst": ("What the worst class tells", losses.worst),
    "combinations": ("What is learned from some of the columns", knowledge.combinations),
    "risk": ("Risk of being found", models.risks),
    "suppressed": ("Suppressed people", knowledge.suppressed),
    "settings": ("Settings", closing.settings),
    "again": ("How to make it again", closing.again),
    "signature": ("Signature", closing.signature),
    "definitions": ("Definitions", closing.definitions),
}


def page(report: Report) -> str:
    """The whole page."""
    shown = {name: section for name, (_, section) in SECTIONS.items() if name != "worst" or _has_sensitive(report)}
    body = [
        tag("a", "To the report", href="#main", class_="skip"),
        _header(report),
        _contents(list(shown)),
        tag("main", *(tag("section", section(report), id=name) for name, section in shown.items()), id="main", tabindex="-1"),
        _footer(report),
    ]
    return document(f"Release report: {report.facts.file}", style(), SCRIPT, body)


def _has_sensitive(report: Report) -> bool:
    return any(learned.sensitive for learned in report.learned)


def _header(report: Report) -> Html:
    made = joined(["Report on a release, made ", published.moment(report.made), f" by sfumato {report.version}"])
    return tag(
        "header",
        tag("h1", "Release report: ", code(report.facts.file)),
        tag("p", made, class_="soft"),
        published.in_short(report),
    )


def _contents(names: list[str]) -> Html:
    items = [tag("li", link(name, SECTIONS[name][0])) for name in names]
    return tag("nav", tag("h2", "Contents", id="contents"), tag("ol", *items), class_="contents", aria_labelledby="contents")


def _footer(report: Report) -> Html:
    return tag(
        "footer",
        tag(
            "p",
            f"Labels of classes of fewer than {report.few} people are not in this file, nor the names of sensitive values that fewer "
            "than 5 people hold. The page loads nothing and sends nothing.",
        ),
    )
