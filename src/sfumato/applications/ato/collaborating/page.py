"""The page of a collaboration: what sharing finds, gives away, shows of others, and pays. It names no address and no organization."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sfumato._version import __version__
from sfumato.applications.ato.collaborating.game import MEASURES
from sfumato.applications.ato.collaborating.others import QUESTIONS
from sfumato.applications.ato.collaborating.results import Collaborated
from sfumato.applications.ato.collaborating.scoring import Score
from sfumato.applications.ato.report.tables import numbers, share
from sfumato.errors import several
from sfumato.reporting.markup import Html, joined, listed, paragraphs, shown, table, tag
from sfumato.reporting.shell import document
from sfumato.reporting.style import style
from sfumato.reporting.svg import bars, pairs
from sfumato.results import Rows

NAMES = {"alone": "alone", "raw": "together, raw counts", "protected": "together, as shared"}
_NOISE = {
    "epsilon": "ε of a person in a period",
    "whole_epsilon": "ε of a person in all periods",
    "whole_delta": "δ of a person in all periods",
    "visits": "cells of a period in which a person counts",
    "noise": "drawn by the system, or from the seed",
}
_WORDS = {
    "owner": "an organization, or several with one log",
    "cell": "a key (an address, or a subnet) in one period",
    "failing": "of a person in a cell: no sign-in there had the right password; everybody else is succeeding",
    "alert": "a bad key in a period in which the owner has a sign-in from it",
    "precision, recall": "the share of alerts with a fraudulent sign-in of this owner in them; the share of the fraudulent sign-ins that "
    "are in alerts. Intervals take what happens at one address for one observation",
    "F1": "the harmonic mean of precision and recall",
    "privacy loss ε, α": "how far the share of failing people in a cell is from that of all people in the table (distribution loss ε), and "
    "how much less uncertain it is (entropy loss α, in bits)",
    "Shapley value": "what an owner adds to a coalition, in the mean over all orders in which the owners may come",
    "baseline": "how often somebody is right who always gives the answer that is right more often",
}


def page(result: Collaborated) -> str:
    """The whole page."""
    parts = {
        "summary": _summary,
        "finds": _finds,
        "gives": _gives,
        "others": _others,
        "payments": _payments,
        "settings": _settings,
        "words": _words,
    }
    body = [
        tag("a", "Skip to the report", href="#main", class_="skip"),
        tag("header", tag("h1", "Collaborative detection"), tag("p", _about(result), class_="soft")),
        tag("main", *(tag("section", part(result), id=name) for name, part in parts.items()), id="main", tabindex="-1"),
        tag("footer", tag("p", "No address, organization or person is on this page. It loads nothing and sends nothing.")),
    ]
    return document("Collaborative detection", style(), "", body)


def _about(result: Collaborated) -> str:
    calendar = result.calendar
    return (
        f"{several(len(result.owners), 'owner')} and {several(calendar.periods, 'period')} of {several(calendar.days, 'day')} from "
        f"{calendar.begin}; made by sfumato {__version__}"
    )


def _summary(result: Collaborated) -> Html:
    return joined([tag("h2", "In short"), listed(_sentences(result))])


def _sentences(result: Collaborated) -> Iterator[str]:
    alone, raw, protected = (result.together[way] for way in NAMES)
    later = result.calendar.periods - result.calendar.trained
    yield (
        f"In the last {several(later, 'period')}, owners alone find {share(alone.caught, alone.fraud)} of their fraudulent sign-ins. "
        f"With all counts of the others it would be {share(raw.caught, raw.fraud)}; with what they share it is "
        f"{share(protected.caught, protected.fraud)}."
    )
    yield (
        f"Of the alerts, {_right(alone)} are right alone, {_right(raw)} with raw counts, {_right(protected)} with what is shared. "
        f"Of the {several(raw.alerts - raw.right, 'other')} with raw counts, {raw.elsewhere:,} are about keys from which somebody "
        "else was tried, or the same owner before."
    )
    yield f"F1 is {alone.f1:.3f} alone, {raw.f1:.3f} with raw counts, {protected.f1:.3f} with what is shared. {_verdict(result)}"
    through = [name for name, each in result.attacks.items() if each.protected.stopped is False]
    learned = f"an owner still learns something by: {', '.join(through)}" if through else "no attack gets through"
    yield f"Raw counts show each owner what the others have. From what is shared, {learned}."
    yield from (f"Read this with care: {warning}." for warning in result.warnings())


def _right(score: Score) -> str:
    return share(score.precision.value)


def _verdict(result: Collaborated) -> str:
    alone, raw, protected = (result.together[way].f1 for way in NAMES)
    if protected > alone:
        gained = share(protected - alone, raw - alone) if raw > alone else "more than all"
        return f"So sharing pays: {gained} of what raw counts would gain is left."
    if protected == alone:
        return "So sharing in this way changes nothing: protection leaves nothing that a detector could use."
    return "So sharing in this way does not pay: what protection leaves misleads detectors more than it helps them."


def _finds(result: Collaborated) -> Html:
    rows = [
        (f"{what}, {NAMES[way]}", part.value or 0.0, share(part.value))
        for what, pick in (("Precision", "precision"), ("Recall", "recall"))
        for way in NAMES
        for part in (getattr(result.together[way], pick),)
    ]
    both = bars("finds-all", "Precision and recall of all owners", "Three bars each: alone, raw, as shared.", rows, "share")
    each = [(f"owner {own.number}", own.scores["alone"].f1, own.scores["protected"].f1) for own in result.owners]
    compared = pairs("finds-owners", "F1 of each owner", "Two bars per owner.", each, ("alone", "as shared"), "F1")
    figures = [
        tag("figure", drawn, tag("figcaption", text)) for drawn, text in ((both, "All owners"), (compared, "F1 of each owner"))
    ]
    return joined(
        [
            tag("h2", "What is found"),
            tag("div", *figures, class_="two"),
            _shown("All owners, with intervals", result.intervals(), "finds-table"),
            _shown("Each owner", result.table(), "owners-table"),
            paragraphs("An address is bad if at least so many people fail there, which is what each detector has learned:"),
            table(
                "Failing people",
                ["", "if nobody gets in", "if one does", "if ten do"],
                list(_fewest(result)),
                name="fewest-table",
            ),
        ]
    )


def _fewest(result: Collaborated) -> Iterator[tuple[str, ...]]:
    for way, detectors in result.fewest.items():
        yield (NAMES[way], *map(_range, zip(*detectors, strict=True)))


def _range(each: Sequence[int | None]) -> str:
    """The numbers of all owners who detect anything."""
    known = [number for number in each if number is not None]
    if not known:
        return "nothing is detected"
    ends = shown(min(known)) if min(known) == max(known) else f"{shown(min(known))} to {shown(max(known))}"
    return ends if len(known) == len(each) else f"{ends}; {several(len(each) - len(known), 'owner')} detect nothing"


def _shown(caption: str, rows: Rows, name: str) -> Html:
    return numbers(caption, rows.heads, rows.rows, name)


def _gives(result: Collaborated) -> Html:
    about = (
        "What somebody who knows that a person was in a cell learns about whether this person failed there. Raw counts would tell it of "
        "everybody; a share tells it of those only whose cell is in it. A share of few cells can have a larger mean than raw counts: what "
        "is left out may be what tells least."
    )
    return joined(
        [tag("h2", "What shares give away"), paragraphs(about), _shown("Privacy losses", result.gives(), "gives-table")]
    )


def _others(result: Collaborated) -> Html:
    asked = listed(f"{name}: {question}" for name, question in QUESTIONS.items())
    about = paragraphs(
        "Every owner in turn takes its own share out of the union, and asks about the others. An attack is stopped if it is right no more "
        "often than somebody who does not look."
    )
    return joined(
        [tag("h2", "What owners learn of each other"), about, asked, _shown("Attacks", result.attempts(), "attacks-table")]
    )


def _payments(result: Collaborated) -> Html:
    rows = [(f"owner {own.number}", own.payment, f"{own.payment:.1f}") for own in result.owners]
    drawn = bars("payments-chart", "Payments", "One bar per owner.", rows, f"of {result.plan.pay:g}")
    orders = "exact, over all coalitions" if result.shapley.intervals is None else "from sampled orders, with intervals"
    about = (
        f"An owner's value is what it adds to a coalition: {MEASURES[result.plan.measure]}, over being alone ({orders}). "
        f"Together the values are {shown(result.shapley.total)}. A negative value pays nothing, and the others are scaled so that "
        f"{result.plan.pay:g} is paid in all; nothing is paid if all owners together gain nothing."
    )
    figure = tag("figure", drawn, tag("figcaption", "Payments"))
    return joined(
        [tag("h2", "Who is paid"), paragraphs(about), figure, _shown("Values and payments", result.payments(), "pay-table")]
    )


def _settings(result: Collaborated) -> Html:
    plan, protection = result.plan, result.plan.protection
    rows = [
        ("keys", "addresses" if plan.level == "ip" else "subnets (/24 and /64)"),
        ("a count is used for", several(plan.days, "day")),
    ]
    rows += [("detector", plan.detector)]
    rows += [("least people that are shared", shown(result.least)), ("keys that are never bad", shown(result.allowed))]
    if result.private:
        rows += [(f"noise: {_NOISE[name]}", shown(value)) for name, value in result.private.items()]
        rows += [("noise: bound on δ", shown(protection.delta))]
    rows += [
        ("seed", "none" if plan.seed is None else shown(plan.seed)),
        ("periods to learn from", shown(result.calendar.trained)),
    ]
    return joined([tag("h2", "Settings"), table("How it was made", ["setting", "value"], rows, name="settings-table")])


def _words(result: Collaborated) -> Html:
    terms = joined(joined([tag("dt", word), tag("dd", meaning)]) for word, meaning in _WORDS.items())
    return joined([tag("h2", "Words"), tag("dl", terms, class_="terms")])
