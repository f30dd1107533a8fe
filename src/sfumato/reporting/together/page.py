"""What releases tell together as one HTML page, for whoever publishes the table. No value of a record and nobody’s name is on it.

It has counts of very few people, as the audit has them, so it is for the owner and says so.
"""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from pathlib import Path

from sfumato._version import __version__
from sfumato.commit.writing import write_text
from sfumato.reporting.markup import Html, code, joined, tag
from sfumato.reporting.shell import document
from sfumato.reporting.style import style
from sfumato.reporting.together import advice, knowledge, listing, pairs, summary
from sfumato.reporting.writing import place_of
from sfumato.sequence import Audited

TITLE = "What the releases tell together"
OWNER = (
    "This page is for the owner of the tables and not for publication: it says of how few people something is true, and where the tables "
    "are."
)


def page(audited: Audited) -> str:
    """The whole page."""
    shown = [tag("section", section(audited), id=name) for name, section in sections(audited).items()]
    made = joined([f"{listing.size(audited)}, in the ledger ", code(_ledger(audited)), f"; made by sfumato {__version__}"])
    body = [
        tag("a", "Skip to the report", href="#main", class_="skip"),
        tag("header", tag("h1", TITLE), tag("p", made, class_="soft"), tag("p", OWNER, class_="note")),
        tag("main", *shown, id="main", tabindex="-1"),
        tag("footer", tag("p", "No value of a record and nobody’s name is on this page. It loads nothing and sends nothing.")),
    ]
    return document(f"{TITLE}: {_ledger(audited)}", style(), "", body)


def sections(audited: Audited) -> dict[str, Callable[[Audited], Html]]:
    """What there is to say about a sequence, in the order in which its owner needs it."""
    each: dict[str, tuple[bool, Callable[[Audited], Html]]] = {
        "summary": (True, summary.summary),
        "releases": (True, listing.releases),
        "certain": (bool(audited.steps), knowledge.certain),
        "possible": (bool(audited.steps), knowledge.possible),
        "alone": (True, knowledge.alone),
        "pairs": (len(audited.releases) > 2, pairs.pairs),
        "invariance": (bool(audited.invariance), listing.invariance),
        "beliefs": (bool(audited.steps), knowledge.beliefs),
        "help": (True, advice.helping),
        "left-out": (True, listing.left_out),
        "untold": (True, advice.assumptions),
    }
    return {name: section for name, (shown, section) in each.items() if shown}


def _ledger(audited: Audited) -> str:
    return "" if audited.ledger is None else audited.ledger.name or str(audited.ledger)


def write(audited: Audited, output: str | PathLike[str], force: bool) -> Path:
    """Write the complete page or nothing."""
    path = place_of(output, force)
    write_text(path, page(audited), force=force)
    return path
