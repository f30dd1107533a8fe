"""The models of a report: those in the certificate, judged again on the file, and those that the caller asks for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sfumato.assessment.assess import Assessed
from sfumato.errors import UsageError
from sfumato.models import Verdict, model_of
from sfumato.question.question import Question
from sfumato.release.certificate import Certificate
from sfumato.reporting.document import Judgment


def judgments_of(
    assessed: Assessed, certificate: Certificate | None, question: Question, *, original: bool
) -> tuple[Judgment, ...]:
    """One judgment per model and sensitive attribute, those of the certificate first. A model that is certified and asked for appears once.

    Under stated beliefs, verdicts about sensitive values may differ from the certificate; so may they without the `original`, where
    the certificate withholds its prior.
    """
    again = []
    for entry in (certificate.models if certificate else None) or ():
        judgment = replace(_again(assessed, _verdict(entry)), withheld="value" not in entry)
        other_beliefs = question.prior is not None and bool(judgment.sensitive)
        again.append(replace(judgment, comparable=not other_beliefs and (original or not judgment.withheld)))
    known = {(each.model, each.sensitive) for each in again}
    anew = [Judgment(verdict.model, judged=verdict) for verdict in assessed.verdicts(question.models)]
    return (*again, *(each for each in anew if (each.model, each.sensitive) not in known))


def _verdict(entry: Mapping[str, Any]) -> Verdict:
    """A verdict as recorded in the certificate."""
    witness = entry.get("witness") or {}
    satisfied = entry["satisfied"]
    return Verdict(
        model=str(entry["model"]),
        value=entry.get("value"),
        direction=str(entry["direction"]),
        threshold=entry["threshold"],
        satisfied=satisfied if isinstance(satisfied, bool) else None,
        witness=witness.get("class"),
        witness_size=witness.get("size"),
        reason=entry.get("reason"),
        sensitive=entry.get("sensitive"),
    )


def _again(assessed: Assessed, certified: Verdict) -> Judgment:
    """The same model, judged on the file."""
    try:
        verdicts = assessed.verdicts([model_of(certified.model)])
    except UsageError as error:
        return Judgment(certified.model, certified, why_not=error.message)
    same = next((verdict for verdict in verdicts if certified.sensitive in (None, verdict.sensitive)), None)
    if same is None or same.satisfied is None:
        return Judgment(certified.model, certified, same, why_not=same.reason if same else "the attribute is not in the schema")
    return Judgment(certified.model, certified, same)
