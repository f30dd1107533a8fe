"""What does a release give away, and what does it cost?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np

from sfumato.assessment.assess import Assessed
from sfumato.assessment.combinations import every_combination, require_few, require_quick
from sfumato.assessment.measurement import Cost, Measurement, beside_original, measured
from sfumato.assessment.published import Inquiry, is_file, released, require_table, source_for
from sfumato.errors import UsageError, argument, several
from sfumato.frequency import FrequencySet, Mask
from sfumato.losses.information import Recoded
from sfumato.models import Context
from sfumato.models.protected import Members
from sfumato.options import divided
from sfumato.progress import Progress
from sfumato.question import problem_of
from sfumato.question.population import PopulationOf
from sfumato.question.priors import Priors
from sfumato.question.question import JUDGING_OPTIONS, JudgingOptions, Question
from sfumato.question.spelling import warn_of_spellings
from sfumato.release import Release
from sfumato.search.deadline import require_seconds
from sfumato.search.plain import PlainEvaluator
from sfumato.table import Table
from sfumato.table.source import SOURCE_OPTIONS, SchemaLike, SourceOptions, opened
from sfumato.vocabulary.node import Levels
from sfumato.vocabulary.recoding import Recoding
from sfumato.vocabulary.schema import Schema


class MeasureOptions(SourceOptions, JudgingOptions, total=False):
    """What `measure` takes besides."""


@dataclass(frozen=True, slots=True)
class _Every:
    """Every combination of QIDs is asked for: how long that may take, and what shows how far it is."""

    time_limit: float | None
    progress: Progress | None


def measure(
    data: Any,
    schema: SchemaLike | None = None,
    *,
    node: Levels | Release | None = None,
    original: Any = None,
    combinations: bool = False,
    time_limit: float | None = None,
    progress: Progress | None = None,
    **options: Unpack[MeasureOptions],
) -> Measurement:
    """Measure a release, a published file against the original it was made of, or a table: at a node, or as it is.

    Parameters
    ----------
    data : Release, Anonymized, path, frame, Arrow table, Source, Table
        A release; a published file, with `original`; or a table.
    schema : Schema, path or dict, optional
        What each column is. A release knows its own.
    node : dict, list, str or Release, optional
        A level for each QID; without it, the table is measured as it is. Levels do not say who is suppressed: a node is measured with
        everybody in it, unless `models` and `suppress` say who may leave, or `node` is a release, whose suppressed classes leave.
    original : path, frame, Source, Table, optional
        The table that a published file was made of. A release knows its own.
    combinations : bool
        Also measure every subset of the QIDs. What would take very long is refused, unless `time_limit` says how long it may take.
    time_limit : float, optional
        The seconds after which the combinations measured so far are all there are.
    progress : callable, optional
        Called with the combinations done and all combinations.
    **options
        The fields of `Source` and `Question`, but for where a search starts.

    Returns
    -------
    Measurement
        All losses, and the risk of re-identification.
    """
    require_seconds(time_limit)
    if time_limit is not None and not combinations:
        raise UsageError(f"it limits {argument('combinations')}; give both, or leave it out", where=argument("time_limit"))
    every = _Every(time_limit, progress) if combinations else None
    source, asked = divided(options, SOURCE_OPTIONS, JUDGING_OPTIONS)
    question, data, node = Question(**asked), released(data), released(node)
    if node is None and original is None and isinstance(data, Release):
        original = data.source
    if node is not None and original is not None:
        raise UsageError(
            f"give {argument('node')} to measure a node of a table, or {argument('original')} to measure a published file: one of them",
            where="measure",
        )
    if original is None:
        if isinstance(data, Release):
            raise UsageError(f"a release is as it is; leave {argument('node')} out", where=argument("node"))
        require_table(data)
        with opened(data, schema, source) as table:
            return _node(table, node, question, every)
    settings = source_for(data, source)
    schema = data.schemas[0] if schema is None and isinstance(data, Release) else schema
    other = settings.asked if is_file(original) else settings.beside
    with opened(original if isinstance(original, Table) else other(original, schema)) as table:
        inquiry = Inquiry(table.schema, question, settings, of_original=is_file(original))
        reading = beside_original(inquiry.read_classes(data), table)
        cost = Cost.of_file(reading, table)  # first: its count answers for the prior
        priors = inquiry.priors(reading, table)
    return _measured(inquiry.assess(reading, priors), cost, priors, reading.schema, every, chosen=False)


def _node(table: Table, node: Levels | Release | None, question: Question, every: _Every | None) -> Measurement:
    """A node of the original, as it would be released: without the classes that a release at the node suppresses, or that violate the
    models within the limit."""
    quasi = node.recoding.attributes if isinstance(node, Release) else question.quasi
    judged, chosen = question.judged(table.schema), not isinstance(node, Release)
    if every is not None and every.time_limit is None and judged:
        require_few(len(table.schema.choose_quasi(quasi)), chosen=chosen)
    leaves = table.count(quasi, sensitive=judged)
    whole = leaves if node is None else leaves.roll_up(table.node(_levels(node), quasi))
    kept = whole.keep(kept_classes(table, whole, node, question))
    suppressed = whole.total_people - kept.total_people
    priors = Priors.of_table(table, judged).with_beliefs(question.prior, table.schema)
    population = None
    if question.population is not None:
        larger = table.source.beside(question.population)
        population = PopulationOf.counted(larger, table.declared, kept.node.attributes).of_labels(kept)
    context = Context(Members(table.schema), population, question.population_size, suppressed)
    warn_of_spellings(kept, judged)
    assessed = Assessed.of(kept, table.schema, priors, context)
    cost = Cost.of_node(Recoded(kept, leaves, suppressed))
    return _measured(assessed, cost, priors, table.schema, every, chosen=chosen)


def _measured(
    assessed: Assessed, cost: Cost, priors: Priors, schema: Schema, every: _Every | None, *, chosen: bool
) -> Measurement:
    """Everything about an assessed release, with combinations if they are asked for; `chosen`: whether its QIDs were."""
    if every is None or not assessed.statistics:
        return measured(assessed, cost, priors)
    counts, attributes = assessed.counts, [schema[name] for name in assessed.statistics]
    if every.time_limit is None:
        require_quick(counts, len(attributes), chosen=chosen)
    found = every_combination(counts, attributes, priors, progress=every.progress, time_limit=every.time_limit)
    return measured(assessed, cost, priors).with_combinations(found)


def _levels(node: Levels | Release) -> Levels:
    if not isinstance(node, Release):
        return node
    if not isinstance(node.recoding, Recoding):
        raise UsageError(
            "the release has no node, but labels of several levels; measure the release itself", where=argument("node")
        )
    return node.recoding.node.as_dict()


def kept_classes(table: Table, whole: FrequencySet, node: Levels | Release | None, question: Question) -> Mask:
    """Which classes of a node are released: not those that a release suppresses, or that violate the models within the limit."""
    numbers = range(1, whole.classes + 1)
    if isinstance(node, Release):
        left = set(node.recoding.suppressed_labels()) if isinstance(node.recoding, Recoding) else set()
        return np.array([whole.labels(number) not in left for number in numbers], bool)
    if not (question.models and question.suppress):
        return np.ones(whole.classes, bool)
    problem, _ = problem_of(table, question, searching=False)
    violating = set(PlainEvaluator(problem, []).leaving(whole.node.levels))
    kept = np.array([number not in violating for number in numbers], bool)
    people = whole.total_people - whole.keep(kept).total_people
    if people > problem.limit or not kept.any():
        raise UsageError(
            f"the classes that violate the models at this node hold {several(people, 'person', 'people')}, and at most "
            f"{problem.limit:,} may be suppressed",
            where=argument("suppress"),
        )
    return kept
