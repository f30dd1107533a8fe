"""Make the report on a published file: open it, judge it, measure it, and say what cannot be known.

The file is opened as `check` opens it, so that one that does not fit its certificate is refused. The certificate's own verdicts are
not taken on trust: every model is asked again about the file, as far as it can be.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato._version import __version__
from sfumato.assessment.assess import Seen, losses, seen
from sfumato.assessment.combinations import Combination, every_combination, own_shares
from sfumato.assessment.risk import risk
from sfumato.beliefs import Prior
from sfumato.errors import UsageError
from sfumato.frequency import FrequencySet
from sfumato.models import Context, Models, PrivacyModel, columns_of, model_of, models_of
from sfumato.models.protected import Members, require_groups
from sfumato.question.population import population_of
from sfumato.question.priors import Priors, Stated, priors_of_table, stated_beliefs
from sfumato.release.certificate import Certificate, certificate_path
from sfumato.release.reading import PublishedFile, open_published
from sfumato.reporting.again import commands_of
from sfumato.reporting.document import Learned, Report
from sfumato.reporting.facts import facts_of, gone_of, settings_of, unknown_of, warnings_of
from sfumato.reporting.hiding import MOST_CLASSES, classes_of, few_of, worst_believed
from sfumato.reporting.judging import judgments_of
from sfumato.table import Table
from sfumato.verbs.check import choose_priors, require_held
from sfumato.verbs.measure import Measurement, measure
from sfumato.vocabulary.hierarchy import ROOT
from sfumato.vocabulary.node import Node
from sfumato.vocabulary.schema import Attribute, Schema

# Of more QIDs only single ones and pairs are looked at: every subset would be thousands.
MOST_QIDS = 10
EVERY, PAIRS, NONE = "every", "pairs", "none"


@dataclass(frozen=True, slots=True, eq=False)
class _Known:
    """What a file is measured with: its priors, the classes whose parts can be counted, and, with the original, what it cost."""

    priors: Priors
    counts: FrequencySet
    measured: Measurement | None = None
    original: str | None = None


def report(
    published: Any,
    schema: Schema | str | PathLike[str],
    *,
    original: Any = None,
    models: Models = (),
    prior: Stated | None = None,
    population: Any = None,
    population_size: int | None = None,
    memory_limit: str | None = None,
    now: datetime | None = None,
) -> Report:
    """Everything about a published file: a path, or a release that has one.

    With the original the recoding's cost is known, too, and the prior is the original's. `models` are judged beside those of the
    certificate; `prior` states beliefs; `population` and `population_size` are for the journalist's risk and the models that ask.
    """
    path = Path(getattr(published, "path", published) or _in_memory())
    declared = schema if isinstance(schema, Schema) else Schema.read(schema)
    asked = models_of(models)
    file = open_published(path, declared, memory_limit=memory_limit, counted=_further(path, asked))
    if original is not None and file.certificate is None:
        file = replace(file, counts=_without_stars(file.counts))
    known = _known(file, declared, original, prior, memory_limit)
    release = seen(file.counts, file.schema, known.priors, _suppressed(file, known))
    require_groups(asked, Members(declared))
    require_held(asked, Members(declared), file, original, memory_limit)
    larger = population_of(population, declared, file.counts, memory_limit) if population is not None else None
    context = Context(Members(declared), larger, population_size)
    few, named = few_of(file.certificate), Path(schema).name if not isinstance(schema, Schema) else "SCHEMA"
    judgments = judgments_of(release, file.certificate, asked, context, stated=prior is not None)
    facts = facts_of(file, declared, known.original, known.measured.node if known.measured else None)
    gone = gone_of(file, known.priors, release.suppressed if file.certificate or known.measured else None)
    return Report(
        made=(now or datetime.now(UTC)).astimezone(UTC).isoformat(timespec="seconds"),
        version=__version__,
        few=few,
        facts=facts,
        judgments=judgments,
        learned=_learned(release, file, known, few),
        combinations_of=_combinations_of(known.counts),
        information=known.measured.information if known.measured else MappingProxyType({}),
        risk=risk(file.counts, population_size, larger.people if larger else None),
        gone=gone,
        settings=settings_of(file, declared, known.priors.source),
        commands=commands_of(file, named, known.original, [str(model) for model in asked]),
        unknown=unknown_of(file, known.measured, known.counts),
        warnings=warnings_of(facts, judgments),
    )


def _without_stars(counts: FrequencySet) -> FrequencySet:
    """Without a class that stands as `*` in every QID beside others, as `measure` does: the original tells that they were suppressed."""
    stars = np.array([set(counts.labels(number)) == {ROOT} for number in range(1, counts.classes + 1)])
    return counts if stars.all() else counts.keep(~stars)


def _in_memory() -> str:
    raise UsageError("the release is in memory; publish it with an output, and report on the file", where="report")


def _further(path: Path, asked: Sequence[PrivacyModel]) -> list[str]:
    """The further columns that models count; those of the certificate's models only if they were published."""
    beside = certificate_path(path)
    told = Certificate.read(beside) if path.is_file() and beside.exists() else None
    promised = [model_of(str(entry["model"])) for entry in (told.models if told else None) or ()]
    published = [name for name in columns_of(promised) if told and name in told.columns]
    return list(dict.fromkeys((*columns_of(asked), *published)))


def _known(file: PublishedFile, schema: Schema, original: Any, prior: Stated | None, memory_limit: str | None) -> _Known:
    if original is None:
        return _Known(choose_priors(file, schema, None, prior, memory_limit), file.counts)
    with Table.open(original, schema, memory_limit=memory_limit) as table:
        names = [name for name in file.counts.payloads if name in table.schema.sensitive]
        priors = Priors(priors_of_table(table, names), "the original table")
        if prior is not None:
            statements, name = stated_beliefs(prior, table.schema)
            priors = replace(priors, statements=statements, source=f"{name} over the original table")
        measured = measure(table, file.path, prior=prior, memory_limit=memory_limit)
        counts = _divisible(file, table)
    name = Path(original).name if isinstance(original, str | PathLike) else "a table in memory"
    return _Known(priors, counts, measured, name)


def _divisible(file: PublishedFile, table: Table) -> FrequencySet:
    """The classes of the file, counted in the original where only that can tell the people of a part of the QIDs."""
    told = file.certificate
    if file.counts.basis == "row" or told is None or told.local:
        return file.counts
    names = file.counts.node.attributes
    whole = table.count(names).roll_up(Node(names, tuple(told.node[name] for name in names)))
    kept = {file.counts.labels(number) for number in range(1, file.counts.classes + 1)}
    return whole.keep(_mark(whole, kept))


def _mark(whole: FrequencySet, kept: set[tuple[str | None, ...]]) -> npt.NDArray[np.bool_]:
    return np.array([whole.labels(number) in kept for number in range(1, whole.classes + 1)], bool)


def _suppressed(file: PublishedFile, known: _Known) -> int:
    """From the certificate; without one, those of the original whom the file lacks."""
    return known.measured.suppressed if file.certificate is None and known.measured else file.suppressed


def _learned(release: Seen, file: PublishedFile, known: _Known, few: int) -> tuple[Learned, ...]:
    """Each sensitive attribute; if there is none, the sizes of the classes alone."""
    if not release.statistics:
        return (Learned(None, MappingProxyType({}), classes_of(file.counts, None, few)),)
    most = MOST_CLASSES // len(release.statistics)
    return tuple(_one(release, file, known, name, few, most) for name in release.statistics)


def _one(release: Seen, file: PublishedFile, known: _Known, name: str, few: int, most: int) -> Learned:
    statistics, prior = release.statistics[name], known.priors.of[name]
    found = _combinations(known.counts, file.schema[name], known.priors)
    return Learned(
        sensitive=name,
        losses=MappingProxyType(losses(release, name)),
        classes=classes_of(file.counts, statistics, few, most),
        worst=worst_believed(statistics, prior, Prior.of(file.counts, name), few),
        combinations=tuple(found),
        shares=tuple(own_shares(found)) if _combinations_of(known.counts) == EVERY else (),
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
