"""Make the report on a published file: read it, judge it, measure it, and say what cannot be known.

The file is read as `check` reads it, so that one that does not fit its certificate is refused. The certificate's own verdicts are
not taken on trust: every model is asked again about the file, as far as it can be.
"""

from __future__ import annotations

from dataclasses import dataclass
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
from sfumato.release.reading import Reading
from sfumato.reporting.again import commands_of
from sfumato.reporting.document import Learned, Report
from sfumato.reporting.facts import facts_of, removed_of, settings_of, unknown_of, warnings_of
from sfumato.reporting.hiding import MOST_CLASSES, classes_of, few_of, worst_believed
from sfumato.reporting.judging import judgments_of
from sfumato.table import Table
from sfumato.vocabulary.node import Node
from sfumato.vocabulary.schema import Attribute

# Of more QIDs only single ones and pairs are looked at: every subset would be thousands.
MOST_QIDS = 10
EVERY, PAIRS, NONE = "every", "pairs", "none"


@dataclass(frozen=True, slots=True, eq=False)
class _Known:
    """What a file is measured with: its priors, the classes whose parts can be counted, and, with the original, what it cost."""

    priors: Priors
    counts: FrequencySet
    cost: Cost | None = None
    original: str | None = None


def report_on(published: Any, inquiry: Inquiry, original: Any, schema_name: str, now: datetime | None) -> Report:
    """Everything about a published file. With the original the recoding's cost is known, too, and the prior is the original's."""
    reading = inquiry.read(published, certified=True)
    with inquiry.original(original) as table:
        inquiry.require_held(reading, table)
        if table is not None:
            reading = beside_original(reading, table)
        known = _known(reading, inquiry, table)
    assessed = inquiry.assess(reading, known.priors)
    context, certificate = assessed.context, reading.certificate
    few = few_of(certificate)
    judgments = judgments_of(assessed, certificate, inquiry.question)
    facts = facts_of(reading, inquiry.schema, known.original, known.cost.node if known.cost else None)
    return Report(
        made=(now or datetime.now(UTC)).astimezone(UTC).isoformat(timespec="seconds"),
        version=__version__,
        few=few,
        facts=facts,
        judgments=judgments,
        learned=_learned(assessed, reading, known, few),
        combinations_of=_combinations_of(known.counts),
        information=known.cost.information if known.cost else MappingProxyType({}),
        risk=risk(reading.counts, context.population_size, context.population.people if context.population else None),
        gone=removed_of(reading, known.priors, reading.suppressed if certificate or known.cost else None),
        settings=settings_of(reading, inquiry.schema, known.priors.source),
        commands=commands_of(reading, schema_name, known.original, [str(model) for model in inquiry.question.models]),
        unknown=unknown_of(reading, known.cost, known.counts),
        warnings=warnings_of(facts, judgments),
    )


def _known(reading: Reading, inquiry: Inquiry, original: Table | None) -> _Known:
    priors = inquiry.priors(reading, original)
    if original is None:
        return _Known(priors, reading.counts)
    return _Known(priors, _divisible(reading, original), Cost.of_file(reading, original), original.source.name)


def _divisible(reading: Reading, table: Table) -> FrequencySet:
    """The classes of the file, counted in the original where only that can tell the people of a part of the QIDs."""
    certificate, counts = reading.certificate, reading.counts
    if counts.basis == "row" or certificate is None or not certificate.node:
        return counts
    names = counts.node.attributes
    whole = table.count(names).roll_up(Node(names, tuple(certificate.node[name] for name in names)))
    kept = {counts.labels(number) for number in range(1, counts.classes + 1)}
    return whole.keep(_mark(whole, kept))


def _mark(whole: FrequencySet, kept: set[tuple[str | None, ...]]) -> npt.NDArray[np.bool_]:
    return np.array([whole.labels(number) in kept for number in range(1, whole.classes + 1)], bool)


def _learned(assessed: Assessed, reading: Reading, known: _Known, few: int) -> tuple[Learned, ...]:
    """Each sensitive attribute; if there is none, the sizes of the classes alone."""
    if not assessed.statistics:
        return (Learned(None, MappingProxyType({}), classes_of(reading.counts, None, few)),)
    most = MOST_CLASSES // len(assessed.statistics)
    return tuple(_one(assessed, reading, known, name, few, most) for name in assessed.statistics)


def _one(assessed: Assessed, reading: Reading, known: _Known, name: str, few: int, most: int) -> Learned:
    statistics, prior = assessed.statistics[name], known.priors.of[name]
    combinations = _combinations(known.counts, reading.schema[name], known.priors)
    return Learned(
        sensitive=name,
        losses=MappingProxyType(assessed.losses(name)),
        classes=classes_of(reading.counts, statistics, few, most),
        worst=worst_believed(statistics, prior, Prior.of(reading.counts, name), few),
        combinations=tuple(combinations),
        shares=tuple(contributions(combinations)) if _combinations_of(known.counts) == EVERY else (),
    )


def _combinations_of(counts: FrequencySet) -> str:
    """Which combinations of QIDs can be measured."""
    if counts.basis == "owner" and counts.incidence is None:
        return NONE
    return EVERY if len(counts.node.attributes) <= MOST_QIDS else PAIRS


def _combinations(counts: FrequencySet, attribute: Attribute, priors: Priors) -> list[Combination]:
    prior, stated = priors.of[attribute.name], priors.statements.get(attribute.name, ())
    which, names = _combinations_of(counts), counts.node.attributes
    if which == EVERY:
        return every_combination(counts, attribute, prior, stated)
    pairs = [(one, other) for place, one in enumerate(names) for other in names[place + 1 :]] if which == PAIRS else []
    found = {
        each.attributes: each
        for pair in pairs
        for each in every_combination(counts.project(pair), attribute, prior, [s for s in stated if set(s.when) <= set(pair)])
    }
    return sorted(found.values(), key=lambda each: (-each.distribution_max, -each.distribution_people_mean, each.attributes))
