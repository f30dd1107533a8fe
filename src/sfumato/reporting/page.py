"""The report as one self-contained HTML page: style, script, charts and data are inline, and its policy forbids loading anything."""

from __future__ import annotations

from sfumato.reporting.document import Report
from sfumato.reporting.markup import Html, code, joined, tag
from sfumato.reporting.script import SCRIPT
from sfumato.reporting.sections import (
    attacked,
    closing,
    columns,
    knowledge,
    learned,
    learning,
    losses,
    models,
    published,
    summary,
)
from sfumato.reporting.shell import document
from sfumato.reporting.style import style

# The first part is read, printed and signed.
FIRST = {
    "summary": (summary.SUMMARY_TITLE, summary.summary),
    "alike": (summary.ALIKE_TITLE, summary.alike),
    "columns": (columns.COLUMNS_TITLE, columns.columns),
    "suppressed": ("Suppressed people", knowledge.suppressed),
    "learned": (learned.LEARNED_TITLE, learned.learned),
    "signature": ("Signature", closing.signature),
}
# Details are closed at first, and printed after the signature if they are open.
DETAILS = {
    "published": ("What was published", published.published),
    "models": ("Privacy models", models.models),
    "losses": (losses.LOSSES_TITLE, losses.losses),
    "classes": (losses.CLASSES_TITLE, losses.classes),
    "worst": (losses.WORST_TITLE, losses.worst),
    "combinations": (knowledge.COMBINATIONS_TITLE, knowledge.combinations),
    "risk": (models.RISKS_TITLE, models.risks),
    "attacked": (attacked.ATTACKED_TITLE, attacked.attacked),
    "learning": (learning.LEARNING_TITLE, learning.learning),
    "settings": ("Settings", closing.settings),
    "again": (closing.AGAIN_TITLE, closing.again),
    "definitions": ("Appendix: definitions, formulas and sources", closing.definitions),
}
SECTIONS = {**FIRST, **DETAILS}


def page(report: Report) -> str:
    """The whole page."""
    shown = {"worst": _has_sensitive(report), "learning": report.learning is not None, "attacked": report.attacks is not None}
    details = {name: each for name, each in DETAILS.items() if shown.get(name, True)}
    first = [tag("section", section(report), id=name) for name, (_, section) in FIRST.items()]
    titles = "; ".join(title for title, _ in details.values())
    behind = [
        tag("section", _behind(title, section(report)), id=name, class_="behind") for name, (title, section) in details.items()
    ]
    paper = tag("p", f"Details that were open on the screen follow. There are: {titles}.", class_="paper soft")
    body = [
        tag("a", "Skip to the report", href="#main", class_="skip"),
        _header(report),
        tag("main", *first, paper, tag("h2", "Details", class_="behind-title"), *behind, id="main", tabindex="-1"),
        _footer(report),
    ]
    return document(f"Release report: {report.facts.file}", style(), SCRIPT, body)


def _has_sensitive(report: Report) -> bool:
    return any(each.sensitive for each in report.findings)


def _behind(title: str, inner: Html) -> Html:
    """A detail that is closed at first, under its title."""
    return tag("details", tag("summary", tag("h3", title)), inner)


def _header(report: Report) -> Html:
    made = joined(["Made ", published.moment(report.made), f" by sfumato {report.version}"])
    return tag(
        "header",
        tag("h1", "Release report: ", code(report.facts.file)),
        tag("p", made, class_="soft"),
        summary.warnings(report),
    )


def _footer(report: Report) -> Html:
    return tag(
        "footer",
        tag(
            "p",
            f"This page does not contain labels of classes with fewer than {report.few} people, or the names of sensitive values that "
            f"fewer than 5 people have.{_owners(report)} It loads nothing and sends nothing.",
        ),
    )


def _owners(report: Report) -> str:
    if report.overview.differences is None:
        return ""
    return f" A label that at least {report.few} people of the original table had may be named with the suppressed people."
