"""The models and what they say, and the risk of being found."""

from __future__ import annotations

from sfumato.errors import several
from sfumato.models import Verdict
from sfumato.reporting.definitions import PLAIN_RISKS
from sfumato.reporting.document import Judgment, Report
from sfumato.reporting.markup import Cell, Html, joined, link, option, paragraphs, table, tag
from sfumato.results import cell_text

ANSWERS = {True: ("good", "✓ satisfied"), False: ("bad", "✗ violated"), None: ("soft", "– not applicable")}
BOUNDS = {"at_least": "at least", "at_most": "at most"}


def models(report: Report) -> Html:
    """Verdicts, each with the class that decided."""
    heading = tag("h2", "Privacy models")
    if not report.judgments:
        return joined([heading, paragraphs("The certificate holds no model, and none was asked for this report (--model).")])
    about = (
        "A model is a question to the release with a bound. Every model was asked again about the file, those of the certificate too. "
        "The class that decided is told by its number. Each name leads to what the model stops and what it is blind to."
    )
    if any(" for " in each.model for each in report.judgments):
        about += " A model for a group was asked of the classes whose labels may stand for people of the group."
    heads = ["model", "answer", "value and bound", "decided by", "certificate"]
    return joined(
        [
            heading,
            paragraphs(about),
            table("What the models say", heads, [_row(each) for each in report.judgments], name="verdicts"),
        ]
    )


def _row(judgment: Judgment) -> tuple[Cell, ...]:
    verdict = judgment.verdict
    name = link(f"model-{judgment.model.partition(':')[0]}", judgment.model)
    of = joined([name, f" of {judgment.sensitive}"]) if judgment.sensitive else name
    if verdict is None:
        return of, "–", "–", judgment.why_not or "", _certificate(judgment)
    kind, said = ANSWERS[verdict.satisfied]
    return of, tag("span", said, class_=f"word {kind}"), _value(verdict), _witness(verdict), _certificate(judgment)


def _value(verdict: Verdict) -> str:
    infinite = verdict.value is None and verdict.satisfied is False
    return f"{'infinite' if infinite else cell_text(verdict.value)}, {BOUNDS[verdict.direction]} {cell_text(verdict.threshold)}"


def _witness(verdict: Verdict) -> str:
    if verdict.witness is None:
        return verdict.reason or "the table as a whole"
    return f"class {verdict.witness:,} ({several(verdict.witness_size or 0, 'person', 'people')})"


def _certificate(judgment: Judgment) -> Cell:
    if judgment.certified is None:
        return "not in it"
    if not judgment.comparable:
        return f"says {_value(judgment.certified)}, under other beliefs"
    if judgment.agrees is None:
        return f"its word alone: {judgment.why_not or 'not asked again'}"
    return "says the same" if judgment.agrees else tag("span", f"differs: {_value(judgment.certified)}", class_="bad")


def risks(report: Report) -> Html:
    """Prosecutor, journalist, marketer."""
    found = report.risk.as_dict()
    rows = [
        (PLAIN_RISKS[name][0], tag("span", _risk(name, found[name]), class_="word"), PLAIN_RISKS[name][1])
        for name in PLAIN_RISKS
        if name in found
    ]
    parts = [
        tag("h2", "Risk of being found"),
        table("Risks, as regulators call them", ["who", "risk", "meaning"], rows, name="risks"),
    ]
    if report.risk.journalist_max is None:
        needs = ["The journalist’s risk needs a population: its table (", option("--population"), ") or its size ("]
        parts.append(paragraphs(joined([*needs, option("--population-size"), ")."])))
    parts.append(paragraphs("These figures speak of identities alone. What a class tells about its people stands above."))
    return joined(parts)


def _risk(name: str, value: float) -> str:
    if name in ("unique", "at_risk"):
        return f"{value:.2%}" if value else "nobody"
    return f"1 in {round(1 / value):,}" if 0 < value < 0.5 else cell_text(value)
