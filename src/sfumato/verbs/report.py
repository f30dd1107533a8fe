"""Report on a release: the document that its owner signs."""

from __future__ import annotations

from datetime import datetime
from os import PathLike
from pathlib import Path
from typing import Any, Unpack

from sfumato.assessment.published import Inquiry, source_for
from sfumato.commit.call import one_call
from sfumato.options import divided
from sfumato.question.question import QUESTION_OPTIONS, Question, QuestionOptions
from sfumato.reporting.document import Report
from sfumato.table.source import SOURCE_OPTIONS, SchemaLike, SourceOptions, schema_of


class ReportOptions(SourceOptions, QuestionOptions, total=False):
    """What `report` takes besides."""


@one_call()
def report(
    published: Any,
    schema: SchemaLike,
    *,
    original: Any = None,
    output: str | PathLike[str] | None = None,
    force: bool = False,
    now: datetime | None = None,
    **options: Unpack[ReportOptions],
) -> Report:
    """Everything about a published file: a path, a table in memory, or a release. With `output` it is also written, as one HTML page.

    With the original the recoding's cost is known, too, what the columns were before, and who was suppressed; the prior is the
    original's, and the report is for the owner only. The models of the question are judged beside those of the certificate. The other
    arguments are the fields of `Question`, and of `Source` for the published file.
    """
    from sfumato.reporting.making import report_on
    from sfumato.reporting.writing import place_of, write_page

    source, asked = divided(options, SOURCE_OPTIONS, QUESTION_OPTIONS)
    path = None if output is None else place_of(output, force)
    inquiry = Inquiry(schema_of(schema), Question(**asked), source_for(published, source))
    name = Path(schema).name if isinstance(schema, str | PathLike) else "SCHEMA"
    made = report_on(published, inquiry, original, name, now)
    if path is not None:
        write_page(made, path, force=force)
    return made
