"""Is this file private enough? Judge a published file by any models, whoever made it."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Unpack

from sfumato.assessment.published import Inquiry, is_file, meant, released, schema_for, source_for
from sfumato.errors import several
from sfumato.models import Verdict
from sfumato.options import divided
from sfumato.question.question import JUDGING_OPTIONS, JudgingOptions, Question
from sfumato.results import Printed, Rows
from sfumato.table.source import SOURCE_OPTIONS, SchemaLike, SourceOptions

HEADS = ("model", "value", "", "threshold", "satisfied", "witness")


@dataclass(frozen=True, slots=True)
class Checked(Printed):
    """The verdicts on a published file, in the order of the models, and the prior they rest on."""

    path: Path | None
    verdicts: tuple[Verdict, ...]
    classes: int
    people: int
    rows: int
    basis: str
    suppressed: int
    prior: str

    @property
    def satisfied(self) -> bool:
        """Whether no model is violated."""
        return all(verdict.satisfied is not False for verdict in self.verdicts)

    @property
    def status(self) -> str:
        """`violated` if one model is, `not_applicable` if none could be judged, else `satisfied`."""
        if not self.satisfied:
            return "violated"
        return "satisfied" if any(verdict.satisfied for verdict in self.verdicts) else "not_applicable"

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        names = ("classes", "people", "rows", "basis", "suppressed", "prior", "satisfied")
        record = {"status": self.status, "file": str(self.path) if self.path else None}
        return {**record, **{name: getattr(self, name) for name in names}, "models": [v.as_dict() for v in self.verdicts]}

    def table(self) -> Rows:
        """One row per verdict."""
        return Rows(HEADS, tuple(_row(verdict) for verdict in self.verdicts))


def _row(verdict: Verdict) -> tuple[Any, ...]:
    sign = "≥" if verdict.direction == "at_least" else "≤"
    answer = {True: "yes", False: "no", None: "not applicable"}[verdict.satisfied]
    value = verdict.value if verdict.value is not None or verdict.satisfied is None else float("inf")
    people = several(verdict.witness_size or 0, "person", "people")
    witness = f"class {verdict.witness} ({people})" if verdict.witness else verdict.reason or ""
    name = f"{verdict.model} [{verdict.sensitive}]" if verdict.sensitive else verdict.model
    return name, value, sign, verdict.threshold, answer, witness


class CheckOptions(SourceOptions, JudgingOptions, total=False):
    """What `check` takes besides."""


def check(
    published: Any,
    schema: SchemaLike | None = None,
    *,
    original: Any = None,
    certificate: str | PathLike[str] | None = None,
    **options: Unpack[CheckOptions],
) -> Checked:
    """Judge a published file by models.

    The prior is the original's if it is given, else the certificate's, else the file's own.

    Parameters
    ----------
    published : path, table in memory, Release, Anonymized
        The published file, whoever made it.
    schema : Schema, path or dict, optional
        The schema that it was made under. A release knows its own.
    original : path, frame, Source, Table, optional
        The table that it was made of.
    certificate : path, optional
        Its certificate; the one beside the file by default.
    **options
        The fields of `Question` (but for where a search starts), and of `Source` for the published file.

    Returns
    -------
    Checked
        A verdict for each model.
    """
    source, asked = divided(options, SOURCE_OPTIONS, JUDGING_OPTIONS)
    published = released(published)
    inquiry = Inquiry(
        schema_for(published, schema), Question(**asked), source_for(published, source), certificate, is_file(original)
    )
    inquiry.question.require_models()
    reading = inquiry.read(published)
    with inquiry.original(original) as table:
        inquiry.require_held(reading, table)
        priors = inquiry.priors(reading, table)
    verdicts = [meant(verdict, reading) for verdict in inquiry.assess(reading, priors).verdicts(inquiry.question.models)]
    counts = reading.counts
    size = (counts.classes, counts.total_people, counts.total_rows, reading.basis)
    return Checked(reading.path, tuple(verdicts), *size, reading.suppressed, priors.source)
