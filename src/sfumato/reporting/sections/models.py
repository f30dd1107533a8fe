"""The verdicts of the privacy models, and the risk of re-identification."""

from __future__ import annotations

from sfumato.errors import several
from sfumato.models import Verdict
from sfumato.reporting.definitions import PLAIN_RISKS
from sfumato.reporting.document import Judgment, Report
from sfumato.reporting.markup import Cell, Html, joined, link, paragraphs, table, tag, with_options
from sfumato.results import cell_text

RISKS_TITLE = "Risk of being identified"
ANSWERS = {True: ("good", "✓ satisfied"), False: ("bad", "✗ violated"), None: ("soft", "– not applicable")}
BOUNDS = {"at_least": "at least", "at_most": "at most"}


def models(report: Report) -> Html:
    """The verdicts, each with the class that decided it."""
    if not report.judgments:
        return paragraphs(with_options("The certificate has no models, and none was given for this report (--model)."))
    about = (
        "A privacy model sets a bound that the release must meet. Every model was judged on the file itself, including those in the "
        "certificate. Each verdict names the class that decided it. Each model links to what it stops and what it is blind to."
    )
    if any(" for " in each.model for each in report.judgments):
        about += " A model for a group is judged on the classes whose labels may include people of the group."
    if any(each.withheld and not each.comparable for each in report.judgments):
        about += (
            " Some bounds are about the original table, which the file does not show because people were suppressed. For these the "
            "verdict is the certificate’s, and the value is what the file shows by itself."
        )
    heads = ["model", "verdict", "value and bound", "decided by", "in the certificate"]
    return joined(
        [
            paragraphs(about),
            table("Verdicts", heads, [_row(each) for each in report.judgments], name="verdicts"),
        ]
    )


def _row(judgment: Judgment) -> tuple[Cell, ...]:
    verdict = judgment.verdict
    short = " " not in judgment.model  # a model for a group has a long name
    name = tag("span", link(f"model-{judgment.model.partition(':')[0]}", judgment.model), class_="word" if short else None)
    of = joined([name, f" of {judgment.sensitive}"]) if judgment.sensitive else name
    if verdict is None:
        return of, "–", "–", judgment.why_not or "", _certificate(judgment)
    kind, answer = ANSWERS[verdict.satisfied]
    by_file = judgment.judged if verdict is judgment.certified else None
    if by_file is not None and judgment.withheld:
        return (
            of,
            tag("span", f"{answer}, as certified", class_=kind),
            f"{_number(by_file)} by the file alone",
            "",
            _certificate(judgment),
        )
    value = tag("span", _value(verdict), class_="word")
    return of, tag("span", answer, class_=f"word {kind}"), value, _witness(verdict), _certificate(judgment)


def _value(verdict: Verdict) -> str:
    return f"{_number(verdict)}, {BOUNDS[verdict.direction]} {cell_text(verdict.threshold)}"


def _number(verdict: Verdict) -> str:
    infinite = verdict.value is None and verdict.satisfied is False
    return "infinite" if infinite else cell_text(verdict.value)


def _witness(verdict: Verdict) -> str:
    if verdict.witness is None:
        return verdict.reason or "the table as a whole"
    return f"class {verdict.witness:,} ({several(verdict.witness_size or 0, 'person', 'people')})"


def _certificate(judgment: Judgment) -> Cell:
    if judgment.certified is None:
        return "no"
    if not judgment.comparable and judgment.withheld:
        bound = f"{BOUNDS[judgment.certified.direction]} {cell_text(judgment.certified.threshold)}"
        return f"{ANSWERS[judgment.certified.satisfied][1]}, {bound}, against the original table"
    if not judgment.comparable:
        return f"{_value(judgment.certified)}, under other beliefs"
    if judgment.agrees is None:
        return f"only there: {judgment.why_not or 'not judged again'}"
    return "same verdict" if judgment.agrees else tag("span", f"differs: {_value(judgment.certified)}", class_="bad")


def risks(report: Report) -> Html:
    """Prosecutor, journalist, marketer."""
    risks = report.risk.as_dict()
    rows = [
        (PLAIN_RISKS[name][0], tag("span", _risk(name, risks[name]), class_="word"), PLAIN_RISKS[name][1])
        for name in PLAIN_RISKS
        if name in risks
    ]
    parts = [
        table("Risk of re-identification, by type of attacker", ["attacker", "risk", "meaning"], rows, name="risks"),
    ]
    if report.risk.journalist_max is None:
        needs = "The journalist risk needs a population: its table (--population) or its size (--population-size)."
        parts.append(paragraphs(with_options(needs)))
    parts.append(paragraphs("These figures are only about identity. What a class reveals about its people is shown above."))
    return joined(parts)


def _risk(name: str, value: float) -> str:
    if name in ("unique", "at_risk"):
        return f"{value:.2%}" if value else "nobody"
    return f"1 in {round(1 / value):,}" if 0 < value < 0.5 else cell_text(value)
