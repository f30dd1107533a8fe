"""Attack a release: the verb. Every table is read once, every attack works on what was counted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any, Unpack

import numpy as np

from sfumato.assessment.published import Inquiry, is_file, meant, promised_by, released, schema_for, source_for
from sfumato.attacks.attackers import columns_of
from sfumato.attacks.base import Attack, Attempt, NotApplicable
from sfumato.attacks.fitting.knowing import knowing
from sfumato.attacks.grouped import read_grouped
from sfumato.attacks.holdings import HOLDING_OPTIONS, HoldingOptions, Holdings
from sfumato.attacks.positions import class_of_rows, positions_in
from sfumato.attacks.register import ALL, Attacks, attacks_of, in_scenario
from sfumato.attacks.results import Attacked, Read
from sfumato.attacks.tables import original_by, people_by
from sfumato.attacks.view import View, by_rows
from sfumato.errors import DataError, UsageError, argument
from sfumato.frequency import FrequencySet
from sfumato.models import Verdict, model_of, models_of
from sfumato.options import divided
from sfumato.progress import Progress
from sfumato.question.question import JUDGING_OPTIONS, JudgingOptions, Question
from sfumato.release import Reading, Release
from sfumato.release.publishing import Watch
from sfumato.table import Table
from sfumato.table.source import SOURCE_OPTIONS, SchemaLike, Source, SourceOptions

MOST_SEED = 2**32 - 1
_A_SECOND = 300_000_000  # values of people and classes that are compared in a second
_LONG = 3  # seconds


class AttackOptions(HoldingOptions, SourceOptions, JudgingOptions, total=False):
    """What `attack` takes besides."""


def attack(
    published: Any,
    schema: SchemaLike | None = None,
    *,
    original: Any,
    attacks: Attacks | None = None,
    scenario: str | None = None,
    seed: int = 0,
    certificate: str | PathLike[str] | None = None,
    watch: Watch = lambda step, engine: None,
    progress: Progress | None = None,
    **options: Unpack[AttackOptions],
) -> Attacked:
    """Attack a release: how often is an attacker right, and how often without the release?

    Parameters
    ----------
    published : path, table in memory, Release, Anonymized
        The published file, whoever made it.
    schema : Schema, path or dict, optional
        The schema that it was made under. A release knows its own.
    original : path, frame, Source, Table
        The table that it was made of: who is right can only be said with it.
    attacks : str, Attack, or a list of them, optional
        `homogeneity`, `record-linkage:marketer,errors=0.05`, …; all of them if None. Of all, those that lack something are listed
        with what they lack; one that you name and that lacks something is an error.
    scenario : str, optional
        Who links records: `prosecutor`, `journalist` or `marketer`, in the place of what `record-linkage` says itself. Of all attacks,
        record linkage is then tried once.
    seed : int
        Seed of everything that is random.
    certificate : path, optional
        The certificate of the release; the one beside the file by default.
    watch : callable, optional
        Called with the name of each step, and how long it will take about if that is long.
    progress : callable, optional
        Called with the number of attacks that are done, and of all.
    **options
        The fields of `Holdings`: what the attacker has; of `Question`, whose models are judged in addition to those of the certificate; and
        of `Source` for the published file.

    Returns
    -------
    Attacked
        Every attempt, with its rate, interval and baseline; and what the satisfied models claim to stop.
    """
    source, asked, held = divided(options, SOURCE_OPTIONS, JUDGING_OPTIONS, HOLDING_OPTIONS)
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed <= MOST_SEED:
        raise UsageError(f"a whole number from 0 to {MOST_SEED:,}", where=argument("seed"))
    named, holdings = None if attacks is None else attacks_of(attacks), Holdings(**held)
    chosen = in_scenario(attacks_of(ALL) if named is None else named, scenario)
    published = released(published)
    inquiry = Inquiry(
        schema_for(published, schema), Question(**asked), source_for(published, source), certificate, is_file(original)
    )
    with inquiry.original(original) as table:
        if table is None:
            raise UsageError("who is right can only be said with the original table", where=argument("original"))
        reading, grouped = read_grouped(inquiry, published, table.schema, certified=True)
        verdicts = _verdicts(inquiry, reading, table)
        view = replace(_view(inquiry, reading, table, holdings, seed, verdicts), grouped=grouped)
    people, view = int(view.whole.rows.sum()), knowing(view, naive=holdings.naive)
    if view.changed:
        watch(f"comparing people and classes (about {view.cost(view.whole, view.published) / _A_SECOND:,.0f} s)", None)
    attempts = _run(view, chosen, progress, watch, named=named is not None)
    attempts = _placed(attempts, published, inquiry.as_published, view)
    size = (view.published.classes, int(view.published.rows.sum()), people)
    read = Read(view.method, tuple(view.mechanism.columns if view.mechanism else ()), view.naive, view.drawn)
    unfit = view.unfit(view.labeled)
    return Attacked(view.reading.path, tuple(attempts), verdicts, view.held, holdings.attacker, *size, seed, unfit, read)


def _verdicts(inquiry: Inquiry, reading: Reading, table: Table) -> tuple[Verdict, ...]:
    """What the models say that the certificate names or that were asked for."""
    models = models_of([*promised_by(reading.certificate), *inquiry.question.models])
    if not models:
        return ()
    assessed = inquiry.assess(reading, inquiry.priors(reading, table))
    return tuple(meant(verdict, reading) for verdict in assessed.verdicts(models))


def _view(inquiry: Inquiry, reading: Reading, table: Table, holdings: Holdings, seed: int, verdicts: Iterable[Verdict]) -> View:
    """Read and count everything."""
    reading = reading.without_stars()
    beside = replace(inquiry, certificate=None)  # that of the release is not theirs
    others = [read_grouped(beside, released(each), table.schema)[0].without_stars() for each in holdings.others]
    every = [name for name in table.schema.quasi if any(name in r.counts.node.attributes for r in (reading, *others))]
    known = columns_of(holdings.attacker, holdings.holds, every)
    sensitive = [name for name in inquiry.question.judged(reading.schema) if name in table.schema.sensitive]
    external = _people(inquiry, holdings.external, table, known, (), "external")
    control = _people(inquiry, holdings.control, table, known, sensitive, "control")
    known = known if external is None else external.node.attributes
    held = tuple(name for name in known if name in reading.counts.node.attributes)
    if not held:
        raise UsageError(f"the release has none of the columns that the attacker holds ({', '.join(known)})", where="attack")
    satisfied = {each.model for each in verdicts} - {each.model for each in verdicts if each.satisfied is not True}
    whole = original_by(table, every, sensitive)
    if not whole.classes or not reading.counts.classes:
        raise DataError(
            "has no rows, so that there is nobody to attack", where=table.source.name if reading.counts.classes else reading.name
        )
    models = tuple(model_of(name) for name in sorted(satisfied))
    rows = tuple(by_rows(each.counts) for each in others)
    return View(table.schema, reading, whole, held, tuple(sensitive), models, external, control, rows, known, seed)


def _people(
    inquiry: Inquiry, data: Any, table: Table, names: Sequence[str], sensitive: Sequence[str], what: str
) -> FrequencySet | None:
    if data is None:
        return None
    source = data if isinstance(data, Source) else table.source.beside(data)
    return people_by(source, table.schema, names, sensitive, what)


def _run(view: View, chosen: tuple[Attack, ...], progress: Progress | None, watch: Watch, *, named: bool) -> list[Attempt]:
    """Try one attack after the other; one that was named must be possible."""
    attempts: list[Attempt] = []
    for done, each in enumerate(chosen):
        watch(f"{done + 1} of {len(chosen)}: {_step(each, view)}", None)
        try:
            attempts += each.run(view)
        except NotApplicable as lacking:
            if named:
                raise UsageError(str(lacking), where=f"attack {each}") from None
            attempts.append(Attempt(str(each), each.threat, reason=str(lacking)))
        if progress is not None:
            progress(done + 1, len(chosen))
    return attempts


def _step(attack: Attack, view: View) -> str:
    """What is tried next; if that may take long, how long about."""
    seconds = attack.effort(view) / _A_SECOND
    return f"{attack.name} (about {seconds:,.0f} s)" if seconds >= _LONG else attack.name


def _placed(attempts: Iterable[Attempt], published: Any, source: Source, view: View) -> list[Attempt]:
    """The attempts with the rows of their classes, for which the release is read once more if there are any."""
    attempts = list(attempts)
    if not any(each.classes for each in attempts):
        return attempts
    inner = published.published if isinstance(published, Release) else published
    class_of = class_of_rows(inner if isinstance(inner, Source) else replace(source, data=inner), view.reading, view.published)
    rows = view.published.rows
    return [
        replace(
            each,
            positions=positions_in(class_of, each.classes),
            rows=int(rows[np.array(each.classes, np.int64) - 1].sum()),
        )
        for each in attempts
    ]
