"""Make the report on a published file: read it, judge it, measure it, and list what is unknown.

The file is read as `check` reads it, so a file that does not match its certificate is refused. The verdicts in the certificate are not
trusted: every model is judged again on the file where possible.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato._version import __version__
from sfumato.assessment.assess import Assessed
from sfumato.assessment.combinations import Combination, contributions, every_combination
from sfumato.assessment.measurement import Cost, beside_original
from sfumato.assessment.published import Inquiry
from sfumato.assessment.risk import risk
from sfumato.beliefs import Prior
from sfumato.frequency import FrequencySet
from sfumato.question.priors import Priors
from sfumato.question.spelling import spelling_warnings
from sfumato.release.reading import Reading
from sfumato.release.release import plain_columns
from sfumato.reporting.again import commands_of
from sfumato.reporting.document import AttributeFindings, Facts, Report
from sfumato.reporting.facts import audience_of, facts_of, settings_of, suppression_of, unknown_of, warnings_of
from sfumato.reporting.hiding import MOST_CLASSES, beliefs_in_worst_class, few_of, worst_classes_first
from sfumato.reporting.judging import judgments_of
from sfumato.reporting.overview import Overview
from sfumato.reporting.views.columns import Compared, columns_of
from sfumato.reporting.views.differences import differences_of
from sfumato.reporting.views.disclosed import disclosed_in, sizes_of
from sfumato.table import Table
from sfumato.table.marginals import marginals_of
from sfumato.vocabulary.kinds import Role
from sfumato.vocabulary.node import Node
from sfumato.vocabulary.schema import Attribute

# With more QIDs, only single QIDs and pairs are measured: there would be thousands of subsets.
MOST_QIDS = 10
EVERY, PAIRS, NONE = "every", "pairs", "none"


@dataclass(frozen=True, slots=True, eq=False)
class _Known:
    """What a file is measured against: the priors, the counts for combinations of QIDs and, with the original, the cost."""

    priors: Priors
    counts: FrequencySet
    cost: Cost | None = None
    original: str | None = None
    leaves: FrequencySet | None = None
    plain: Mapping[str, Prior] = field(default_factory=dict)


def report_on(published: Any, inquiry: Inquiry, original: Any, schema_name: str, now: datetime | None) -> Report:
    """The report on a published file. With the original, the cost of the recoding is known and the prior is that of the original."""
    reading = inquiry.read_classes(published, certified=True)
    with inquiry.original(original) as table:
        inquiry.require_held(reading, table)
        if table is not None:
            reading = beside_original(reading, table)
        known = _known(reading, inquiry, table)
    assessed = inquiry.assess(reading, known.priors)
    context, certificate = assessed.context, reading.certificate
    few = few_of(certificate)
    judgments = judgments_of(assessed, certificate, inquiry.question, original=known.cost is not None)
    audience = audience_of(known.cost)
    facts = facts_of(reading, inquiry.schema, known.original, known.cost.node if known.cost else None)
    return Report(
        made=(now or datetime.now(UTC)).astimezone(UTC).isoformat(timespec="seconds"),
        version=__version__,
        few=few,
        facts=facts,
        judgments=judgments,
        findings=_findings(assessed, reading, known, few),
        combinations_of=_combinations_of(known.counts),
        information=known.cost.information if known.cost else MappingProxyType({}),
        risk=risk(reading.counts, context.population_size, context.population.people if context.population else None),
        suppressed=suppression_of(reading, known.priors, known.cost),
        audience=audience,
        settings=settings_of(reading, inquiry.schema, known.priors.source),
        commands=commands_of(reading, schema_name, known.original, [str(model) for model in inquiry.question.models]),
        unknown=unknown_of(reading, known.cost, known.counts),
        warnings=warnings_of(facts, judgments, audience, spelling_warnings(reading.counts, known.priors.of)),
        overview=_overview(reading, inquiry, known, facts, few, plain_columns(published, reading, inquiry.as_published)),
    )


def _overview(reading: Reading, inquiry: Inquiry, known: _Known, facts: Facts, few: int, plain: Mapping[str, Prior]) -> Overview:
    """The first screen. Only with the original does it show what was before, and who was suppressed."""
    levels = {level.attribute: level.level for level in facts.levels}
    compared = Compared(reading, inquiry.schema, levels, few, known.leaves, plain, known.plain)
    sensitive = [name for name in known.priors.of if name in reading.counts.payloads]
    return Overview(
        disclosed=tuple(disclosed_in(reading.counts, reading.schema[name]) for name in sensitive),
        sizes=sizes_of(reading.counts, known.leaves),
        columns=columns_of(compared),
        risk_before=None if known.leaves is None else risk(known.leaves),
        differences=differences_of(compared),
    )


def _known(reading: Reading, inquiry: Inquiry, original: Table | None) -> _Known:
    if original is None:
        return _Known(inquiry.priors(reading, None), reading.counts)
    cost = Cost.of_file(reading, original)  # first: its count answers for the prior
    leaves = original.count(reading.counts.node.attributes)
    plain = marginals_of(original.engine, original.schema, reading.schema.names(Role.PLAIN))
    return _Known(inquiry.priors(reading, original), _divisible(reading, original), cost, original.source.name, leaves, plain)


def _divisible(reading: Reading, table: Table) -> FrequencySet:
    """The classes of the file; counted in the original where the file cannot show who is who under fewer QIDs."""
    certificate, counts = reading.certificate, reading.counts
    if counts.basis == "row" or certificate is None or not certificate.node:
        return counts
    names = counts.node.attributes
    whole = table.count(names).roll_up(Node(names, tuple(certificate.node[name] for name in names)))
    kept = {counts.labels(number) for number in range(1, counts.classes + 1)}
    return whole.keep(_mark(whole, kept))


def _mark(whole: FrequencySet, kept: set[tuple[str | None, ...]]) -> npt.NDArray[np.bool_]:
    return np.array([whole.labels(number) in kept for number in range(1, whole.classes + 1)], bool)


def _findings(assessed: Assessed, reading: Reading, known: _Known, few: int) -> tuple[AttributeFindings, ...]:
    """One entry per sensitive attribute; if there is none, one entry with the class sizes."""
    if not assessed.statistics:
        return (AttributeFindings(None, MappingProxyType({}), worst_classes_first(reading.counts, None, few)),)
    most = MOST_CLASSES // len(assessed.statistics)
    return tuple(_one(assessed, reading, known, name, few, most) for name in assessed.statistics)


def _one(assessed: Assessed, reading: Reading, known: _Known, name: str, few: int, most: int) -> AttributeFindings:
    statistics, prior = assessed.statistics[name], known.priors.of[name]
    combinations = _combinations(known.counts, reading.schema[name], known.priors)
    return AttributeFindings(
        sensitive=name,
        losses=MappingProxyType(assessed.losses(name)),
        classes=worst_classes_first(reading.counts, statistics, few, most),
        worst=beliefs_in_worst_class(statistics, prior, Prior.of(reading.counts, name), few, reading.schema[name].kind),
        combinations=tuple(combinations),
        shares=tuple(contributions(combinations)) if _combinations_of(known.counts) == EVERY else (),
    )


def _combinations_of(counts: FrequencySet) -> str:
    """Which combinations of QIDs can be measured."""
    if counts.basis == "owner" and counts.incidence is None:
        return NONE
    return EVERY if len(counts.node.attributes) <= MOST_QIDS else PAIRS


def _combinations(counts: FrequencySet, attribute: Attribute, priors: Priors) -> list[Combination]:
    which, names = _combinations_of(counts), counts.node.attributes
    if which == EVERY:
        return list(every_combination(counts, [attribute], priors).of[attribute.name])
    pairs = [(one, other) for place, one in enumerate(names) for other in names[place + 1 :]] if which == PAIRS else []
    results = {
        each.attributes: each
        for pair in pairs
        for each in every_combination(counts.project(pair), [attribute], priors).of[attribute.name]
    }
    return sorted(results.values(), key=lambda each: (-each.distribution_max, -each.distribution_people_mean, each.attributes))
