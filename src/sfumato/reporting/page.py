"""The report as one self-contained HTML page: style, script, charts and data are inline, and its policy forbids loading anything."""

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
    "losses": (losses.LOSSES_TITLE, losses.losses),
    "classes": (losses.CLASSES_TITLE, losses.classes),
    "worst": (losses.WORST_TITLE, losses.worst),
    "combinations": (knowledge.COMBINATIONS_TITLE, knowledge.combinations),
    "risk": (models.RISKS_TITLE, models.risks),
    "suppressed": ("Suppressed people", knowledge.suppressed),
    "settings": ("Settings", closing.settings),
    "again": (closing.AGAIN_TITLE, closing.again),
    "signature": ("Signature", closing.signature),
    "definitions": ("Definitions", closing.definitions),
}


def page(report: Report) -> str:
    """The whole page."""
    shown = {name: section for name, (_, section) in SECTIONS.items() if name != "worst" or _has_sensitive(report)}
    body = [
        tag("a", "Skip to the report", href="#main", class_="skip"),
        _header(report),
        _contents(list(shown)),
        tag("main", *(tag("section", section(report), id=name) for name, section in shown.items()), id="main", tabindex="-1"),
        _footer(report),
    ]
    return document(f"Release report: {report.facts.file}", style(), SCRIPT, body)


def _has_sensitive(report: Report) -> bool:
    return any(each.sensitive for each in report.findings)


def _header(report: Report) -> Html:
    made = joined(["Made ", published.moment(report.made), f" by sfumato {report.version}"])
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
            f"This page does not contain labels of classes with fewer than {report.few} people, or the names of sensitive values that "
            "fewer than 5 people have. It loads nothing and sends nothing.",
        ),
    )
