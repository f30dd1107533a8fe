"""What does the best guesser gain from a published file?"""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Unpack

from sfumato.assessment.published import Inquiry, has_classes, released, require_classes, schema_for, source_for
from sfumato.channel.records import Guessing, guessing, guessing_changed
from sfumato.channel.records.changed import CHANGED
from sfumato.errors import SchemaError, UsageError, argument
from sfumato.operations.register import operation_of
from sfumato.options import divided
from sfumato.question.priors import Priors
from sfumato.question.question import JUDGING_OPTIONS, JudgingOptions, Question
from sfumato.release.reading import Reading
from sfumato.release.shapes import Method
from sfumato.results import Printed, Rows
from sfumato.table import Table
from sfumato.table.source import SOURCE_OPTIONS, SchemaLike, SourceOptions

OWN = "the file, as it was before the values were changed"


@dataclass(frozen=True, slots=True, eq=False)
class ChannelOf(Printed):
    """What the best guesser gains from a published file, for each sensitive attribute, and the prior this rests on."""

    path: Path | None
    attributes: tuple[Guessing, ...]
    classes: int
    people: int
    rows: int
    basis: str
    suppressed: int
    prior: str

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        names = ("classes", "people", "rows", "basis", "suppressed", "prior")
        record = {"file": str(self.path) if self.path else None, **{name: getattr(self, name) for name in names}}
        return {**record, "sensitive": [each.as_dict() for each in self.attributes]}

    def table(self) -> Rows:
        """One row per sensitive attribute."""
        first, *_ = tables = [each.table() for each in self.attributes]
        return Rows(first.heads, tuple(row for table in tables for row in table.rows))


class ChannelOptions(SourceOptions, JudgingOptions, total=False):
    """What `channel_of` takes besides."""


def channel_of(
    published: Any,
    schema: SchemaLike | None = None,
    *,
    original: Any = None,
    certificate: str | PathLike[str] | None = None,
    **options: Unpack[ChannelOptions],
) -> ChannelOf:
    """What the best guesser of a sensitive value gains from a published file, from its classes alone.

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
    ChannelOf
        Prior and posterior vulnerability, MAP error and gain.
    """
    source, asked = divided(options, SOURCE_OPTIONS, JUDGING_OPTIONS)
    published = released(published)
    inquiry = Inquiry(schema_for(published, schema), Question(**asked), source_for(published, source), certificate)
    if inquiry.question.models:
        raise UsageError("a guesser keeps no model; `sfumato check` judges a file by models", where=argument("models"))
    reading = inquiry.read(published)
    with inquiry.original(original) as table:
        priors = inquiry.priors(reading, table)
    if not priors.of:
        raise SchemaError("the file has no sensitive attribute to guess", where=argument("sensitive"))
    guesses, prior = _guesses(inquiry, reading, priors, original=table)
    counts = reading.counts
    size = (counts.classes, counts.total_people, counts.total_rows, reading.basis)
    return ChannelOf(reading.path, guesses, *size, reading.suppressed, prior)


def _guesses(inquiry: Inquiry, reading: Reading, priors: Priors, original: Table | None) -> tuple[tuple[Guessing, ...], str]:
    """The best guesses of every sensitive attribute, and the prior."""
    method = reading.method
    if method is None or has_classes(method):
        assessed = inquiry.assess(reading, priors)
        return tuple(guessing(each) for each in assessed.statistics.values()), priors.source
    if not _understood(method, reading, priors):
        require_classes(method, reading.name)
    operation = operation_of(f"{method['name']}:{method['parameters']}")
    known = original is not None or inquiry.question.prior is not None
    guesses = [guessing_changed(reading.counts, name, operation, prior if known else None) for name, prior in priors.of.items()]
    return tuple(guesses), priors.source if known else OWN


def _understood(method: Method, reading: Reading, priors: Priors) -> bool:
    """Whether only the sensitive values that are asked about went through a channel that the certificate states."""
    changed = set(method["columns"])
    return method["name"] in CHANGED and changed == set(priors.of) and not changed & set(reading.counts.node.attributes)
