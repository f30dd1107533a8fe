"""The report of a run as one page that loads nothing and sends nothing."""

from __future__ import annotations

from sfumato._version import __version__
from sfumato.applications.ato.report import decisions, findings
from sfumato.applications.ato.report.document import TakeoverReport
from sfumato.errors import several
from sfumato.reporting.markup import Html, tag
from sfumato.reporting.shell import document
from sfumato.reporting.style import style

SECTIONS = {
    "summary": findings.summary,
    "path": findings.path,
    "campaigns": findings.campaigns,
    "alerts": findings.alerts,
    "addresses": findings.addresses,
    "decisions": decisions.decisions,
    "importances": decisions.importances,
    "losses": decisions.losses,
    "settings": decisions.settings,
    "words": decisions.words,
}


def page(report: TakeoverReport) -> str:
    """The whole page."""
    sections = [tag("section", section(report), id=name) for name, section in SECTIONS.items()]
    body = [
        tag("a", "Skip to the report", href="#main", class_="skip"),
        _header(report),
        tag("main", *sections, id="main", tabindex="-1"),
        _footer(),
    ]
    return document("Account takeovers: report", style(), "", body)


def _header(report: TakeoverReport) -> Html:
    timeline = report.timeline
    days = several(len(timeline["events"]), "day")
    about = f"{several(report.events, 'sign-in')} in {days}, from {timeline['first']} to {timeline['last']}; made by sfumato {__version__}"
    return tag("header", tag("h1", "Account takeovers"), tag("p", about, class_="soft"))


def _footer() -> Html:
    return tag(
        "footer",
        tag("p", "No user id, address or user agent is on this page. It loads nothing and sends nothing."),
    )
