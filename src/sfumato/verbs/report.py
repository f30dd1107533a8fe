"""Report on a release: the document that its owner signs."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from os import PathLike
from pathlib import Path
from typing import Any, Unpack

from sfumato.assessment.published import Inquiry, is_file, released, schema_for, source_for
from sfumato.commit.call import one_call
from sfumato.options import divided
from sfumato.question.question import JUDGING_OPTIONS, JudgingOptions, Question
from sfumato.reporting.document import Report
from sfumato.table.source import SOURCE_OPTIONS, SchemaLike, SourceOptions


class ReportOptions(SourceOptions, JudgingOptions, total=False):
    """What `report` takes besides."""


@one_call()
def report(
    published: Any,
    schema: SchemaLike | None = None,
    *,
    original: Any = None,
    output: str | PathLike[str] | None = None,
    force: bool = False,
    now: datetime | None = None,
    learned: Any = None,
    attacked: Any = None,
    **options: Unpack[ReportOptions],
) -> Report:
    """Report on a published file: everything that its owner signs, as a value and with `output` as one HTML page.

    With the original the recoding's cost is known, too, what the columns were before, and who was suppressed; the prior is the
    original's, and the report is for the owner only.

    Parameters
    ----------
    published : path, table in memory, Release, Anonymized
        The published file, whoever made it.
    schema : Schema, path or dict, optional
        The schema that it was made under. A release knows its own.
    original : path, frame, Source, Table, optional
        The table that it was made of.
    output : path, optional
        The page to write.
    force : bool
        Replace what exists.
    now : datetime, optional
        The time that the report states.
    learned : UtilityLosses, path or dict, optional
        What `sfumato.learn` found of this table's releases, or the file that `sfumato learn --json` printed.
    attacked : Attacked, path or dict, optional
        What `sfumato.attack` tried on this release, or the file that `sfumato attack --json` printed.
    **options
        The fields of `Question`, whose models are judged in addition to those of the certificate, and of `Source` for the published file.

    Returns
    -------
    Report
        Everything that the page shows.
    """
    from sfumato.reporting.attacked import attacks_of
    from sfumato.reporting.learned import learning_of
    from sfumato.reporting.making import report_on
    from sfumato.reporting.writing import place_of, write_page

    source, asked = divided(options, SOURCE_OPTIONS, JUDGING_OPTIONS)
    path = None if output is None else place_of(output, force)
    published = released(published)
    inquiry = Inquiry(
        schema_for(published, schema), Question(**asked), source_for(published, source), of_original=is_file(original)
    )
    name = Path(schema).name if isinstance(schema, str | PathLike) else "SCHEMA"
    lessons = None if learned is None else learning_of(learned)
    attacks = None if attacked is None else attacks_of(attacked)
    made = replace(report_on(published, inquiry, original, name, now), learning=lessons, attacks=attacks)
    if path is not None:
        write_page(made, path, force=force)
    return made
