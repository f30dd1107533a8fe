"""What does a release give away, and what does it cost?"""

from __future__ import annotations

from typing import Any, Unpack

from sfumato.assessment.assess import Assessed
from sfumato.assessment.measurement import Cost, Measurement, beside_original, measured
from sfumato.assessment.published import Inquiry, source_for
from sfumato.errors import UsageError, argument
from sfumato.losses.information import Recoded
from sfumato.models import Context
from sfumato.models.protected import Members
from sfumato.options import divided
from sfumato.question.population import PopulationOf
from sfumato.question.priors import Priors
from sfumato.question.question import QUESTION_OPTIONS, Question, QuestionOptions
from sfumato.question.spelling import warn_of_spellings
from sfumato.table import Table
from sfumato.table.source import SOURCE_OPTIONS, SchemaLike, SourceOptions, opened
from sfumato.vocabulary.node import Levels


class MeasureOptions(SourceOptions, QuestionOptions, total=False):
    """What `measure` takes besides."""


def measure(
    data: Any,
    schema: SchemaLike | None = None,
    *,
    node: Levels | None = None,
    original: Any = None,
    combinations: bool = False,
    **options: Unpack[MeasureOptions],
) -> Measurement:
    """Measure a node of a table, or a published file against the original it was made of.

    `data` is the table, with `node`, or the published file (a path, a table in memory, a release), with `original`. `combinations`: also
    every subset of the QIDs. The other arguments are the fields of `Source` and `Question`.
    """
    source, asked = divided(options, SOURCE_OPTIONS, QUESTION_OPTIONS)
    question = Question(**asked)
    if (node is None) == (original is None):
        raise UsageError(
            f"give {argument('node')} to measure a node of a table, or {argument('original')} to measure a published file: one of them",
            where="measure",
        )
    if node is not None:
        with opened(data, schema, source) as table:
            return _node(table, node, question, combinations)
    settings = source_for(data, source)
    with opened(original if isinstance(original, Table) else settings.beside(original, schema)) as table:
        inquiry = Inquiry(table.schema, question, settings)
        reading = beside_original(inquiry.read(data), table)
        cost = Cost.of_file(reading, table)  # first: its count answers for the prior
        priors = inquiry.priors(reading, table)
    return measured(inquiry.assess(reading, priors), cost, priors, reading.schema, combinations=combinations)


def _node(table: Table, node: Levels, question: Question, combinations: bool) -> Measurement:
    """A node of the original, as it would be released with nobody suppressed."""
    judged = question.judged(table.schema)
    leaves = table.count(question.quasi, sensitive=judged)
    kept = leaves.roll_up(table.node(node, question.quasi))
    priors = Priors.of_table(table, judged).with_beliefs(question.prior, table.schema)
    population = None
    if question.population is not None:
        larger = table.source.beside(question.population)
        population = PopulationOf.counted(larger, table.declared, kept.node.attributes).of_labels(kept)
    context = Context(Members(table.schema), population, question.population_size)
    warn_of_spellings(kept, judged)
    assessed = Assessed.of(kept, table.schema, priors, context)
    return measured(assessed, Cost.of_node(Recoded(kept, leaves)), priors, table.schema, combinations=combinations)
