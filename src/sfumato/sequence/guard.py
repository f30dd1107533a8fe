"""What a release must keep together with the earlier ones in a ledger, judged before anything is written.

The earlier releases are those of the ledger under the same schema. The head of the ledger is handed back: the release is entered after
that entry or not at all, for another one that came in between was not judged.

Who asks (`require_together`) gets an answer or an error. Who only names a ledger (`as_promised`) gets a refusal if a promise is broken;
what cannot be judged is told, and does not stop the release. Whoever then had to publish in another ledger would be told nothing at all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from itertools import chain

import numpy as np

from sfumato.errors import DataError, DataSayNo, SfumatoError, UsageError, argument
from sfumato.policy import Policy
from sfumato.release.cells import CellClasses
from sfumato.release.chain import START
from sfumato.release.invariant import M_INVARIANCE
from sfumato.release.output import Output
from sfumato.release.publishing import Watch
from sfumato.release.together import JudgedTogether, NotJudged, way_out
from sfumato.sequence.audit import Progress, broken_in
from sfumato.sequence.coalitions import MOST_RELEASES, PROMISED, Bound, Broken, bounds_of, broken_bounds
from sfumato.sequence.history import History, Past, history_of, open_tables
from sfumato.sequence.invariance import broken_invariance
from sfumato.sequence.joint import Joint
from sfumato.sequence.members import NO_OWNER, OWN_LEDGER, Planned, is_of_a_kind, joint_of
from sfumato.table import Table
from sfumato.vocabulary.recoding import LocalRecoding

NEW = "this one"
MANY = 100  # coalitions, beyond which it is said how many there are
DIVIDED = (
    "this one divides people with the same values among several classes, so nobody can say who is in which; publish a strict recoding, "
    f"or one with a level per QID, or {OWN_LEDGER}"
)


Plan = Callable[[], Planned | None]


def judged(table: Table, plan: Plan, output: Output, wanted: Sequence[str], *, promises: bool, watch: Watch) -> JudgedTogether:
    """Refuse a release that must not follow those in the ledger; what it keeps. `plan` says what it will be, or that nobody can say who
    will be in which of its classes; `promises`: it promises something."""
    progress = _announcing(watch)
    if wanted:
        return require_together(table, plan, output, wanted, progress)
    return as_promised(table, plan, output, promises=promises, progress=progress)


def _announcing(watch: Watch) -> Progress:
    """Says how many coalitions there are to judge, where that may take long."""

    def announce(done: int, total: int) -> None:
        if done == 1 and total > MANY:
            watch(f"judging {total:,} coalitions of releases", None)

    return announce


def require_together(table: Table, plan: Plan, output: Output, together: Sequence[str], progress: Progress) -> JudgedTogether:
    """Refuse a release that breaks a bound together with earlier ones, or cannot be judged; what it keeps."""
    if output.path is None:
        raise UsageError("a release in memory enters no ledger; name the file to write", where=argument("output"))
    if not output.folder.is_dir():
        return JudgedTogether(START)
    history = history_of(output.folder, table.declared)
    _require_one_schema(history, table)
    if not history.releases:
        return JudgedTogether(history.head)
    planned = plan()
    if planned is None:
        raise UsageError(DIVIDED, where=argument("together"))
    with ExitStack() as stack:
        tables = open_tables(history, table.source, table.declared, [table], stack, foreign=True)
        joint = joint_of(history.releases, tables, table.declared, planned)
        broken, judged, unjudged = broken_in(joint, together, having=len(history.releases), progress=progress)
        before = broken_in(joint.without_last(), together)[0] if broken else []
    if unjudged:
        raise UsageError(
            f"{unjudged[0]} is promised, and cannot be judged on several releases together; name the models that they must keep",
            where=argument("together"),
        )
    if not judged:
        raise UsageError(
            f"no release promises a model, so {PROMISED!r} asks for nothing; name one, such as k-anonymity:5",
            where=argument("together"),
        )
    if broken:
        hint = _map_hint(history, joint, planned, broken, before)
        raise DataSayNo(f"{_sentence(broken, before)}; nothing was published{hint}", where=argument("together"))
    return JudgedTogether(history.head, tuple(past.number for past in history.releases), tuple(judged))


def _require_one_schema(history: History, table: Table) -> None:
    """Refuse a ledger in which the same people were published under another schema: nobody would compare."""
    forgotten = _under_another_schema(history, table, promises=True)
    if forgotten:
        raise UsageError(forgotten[0].why, where=argument("together"))


def as_promised(table: Table, plan: Plan, output: Output, *, promises: bool, progress: Progress) -> JudgedTogether:
    """Refuse a release that breaks, together with earlier ones, what one of them promises; what it keeps, and what cannot be judged."""
    history = history_of(output.folder, table.declared)
    found = JudgedTogether(history.head, not_judged=_under_another_schema(history, table, promises=promises))
    if not history.releases or not (promises or any(past.models for past in history.releases)):
        return found
    planned = plan()
    if planned is None:
        return replace(found, not_judged=(NotJudged(None, DIVIDED), *found.not_judged))
    lost = _Lost(list(found.not_judged))
    with ExitStack() as stack:
        try:
            joint = _followed(history, table, planned, lost, stack)
        except SfumatoError as error:
            return replace(found, not_judged=(NotJudged(None, str(error)), *lost.found))
    if joint is None:
        return replace(found, not_judged=tuple(lost.found))
    return _kept(joint, history, planned, lost, found, progress)


def _under_another_schema(history: History, table: Table, *, promises: bool) -> tuple[NotJudged, ...]:
    """The releases of the same people that a change of the schema would make forgotten. `promises`: the new one promises something, so
    that one which promises nothing may break it."""
    digest = table.digest() if history.elsewhere else None
    return tuple(
        NotJudged(
            past.number,
            f"{past.name} is of {'this table' if past.table == digest else 'a table with columns of the same names'} under another schema; "
            f"keep the schema of a table, or {OWN_LEDGER}",
        )
        for past in history.of_the_same_people(table, promising=not promises)
    )


@dataclass(frozen=True, slots=True)
class _Lost:
    """What cannot be judged, told as it is found."""

    found: list[NotJudged] = field(default_factory=list)

    def __call__(self, past: Past, error: SfumatoError) -> None:
        message = error.message if past.name in error.message else f"{past.name} cannot be followed: {error}"
        self.found.append(NotJudged(past.number, message))

    def without(self, history: History) -> History:
        """The others."""
        lost = {each.release for each in self.found}
        return replace(history, releases=tuple(past for past in history.releases if past.number not in lost))


def _followed(history: History, table: Table, planned: Planned, lost: _Lost, stack: ExitStack) -> Joint | None:
    """People by their classes in this release and the earlier ones whose people can be followed; None if there are none of these."""
    for past in history.releases:  # these are lost before their tables are opened
        if table.declared.owner is None and past.table != planned.table:
            lost(past, DataError(f"{past.name} was made of another table, and {NO_OWNER}"))
        else:
            is_of_a_kind(past, lost)
    left = lost.without(history)
    tables = open_tables(left, table.source, table.declared, [table], stack, foreign=True, lose=lost)
    left = lost.without(left)
    if not left.releases:
        return None
    joint = _put_together(left, tables, table, planned, lost)
    return joint if len(joint.members) > 1 else None


def _put_together(history: History, tables: Mapping[str, Table], table: Table, planned: Planned, lost: _Lost) -> Joint:
    """People by their classes in this release and in earlier ones; where tables cannot be joined, in those of this table."""
    same = [past for past in history.releases if past.table == planned.table]
    try:
        return joint_of(history.releases, tables, table.declared, planned, lost)
    except SfumatoError as error:
        if len(same) == len(history.releases):
            raise
        for past in lost.without(history).releases:
            if past not in same:
                lost(past, DataError(f"{past.name} is of another table, and cannot be joined with this one: {error}"))
        return joint_of(same, tables, table.declared, planned, lost)


def _kept(
    joint: Joint, history: History, planned: Planned, lost: _Lost, found: JudgedTogether, progress: Progress
) -> JudgedTogether:
    """What is kept by the releases that can be followed; refuses the new one if anything is not."""
    bounds, unjudged = bounds_of(joint, [PROMISED])
    broken, judged, reasons = _broken(joint, bounds, progress)
    invariant = _least_m(joint)
    models = [str(bound.model) for bound in judged]
    if invariant:
        broken += _not_invariant(joint, invariant, len(joint.members) - 1)
        models.append(f"{M_INVARIANCE}:{invariant}")
    if broken:
        earlier = [bound for bound in judged if str(bound.model) in {each.model for each in broken}]
        before = broken_bounds(joint.without_last(), earlier, every=False)
        before += _not_invariant(joint.without_last(), invariant) if invariant else []
        hint = _map_hint(history, joint, planned, broken, before)
        raise DataSayNo(f"{_sentence(broken, before)}; nothing was published{hint}; {way_out()}", where=argument("ledger"))
    for text in unjudged:
        reasons.append(
            f"{text} is promised, and cannot be judged on several releases together; a model of classes such as k-anonymity can"
        )
    reasons += [*_only_among_themselves(joint), *_nobody_in_common(joint)]
    members = set(joint.names)
    return replace(
        found,
        releases=tuple(past.number for past in history.releases if str(past.number) in members),
        models=tuple(models),
        not_judged=(*lost.found, *(NotJudged(None, reason) for reason in reasons)),
    )


def _broken(joint: Joint, bounds: Sequence[Bound], progress: Progress) -> tuple[list[Broken], list[Bound], list[str]]:
    """The bounds that coalitions with the new release break, those that could be judged, and why others could not."""
    try:
        broken = broken_bounds(joint, bounds, having=len(joint.members) - 1, progress=progress, every=False)
    except UsageError as error:
        if len(bounds) == 1:
            return [], [], [error.message]
        found, judged, unjudged = zip(*(_broken(joint, [bound], progress) for bound in bounds), strict=True)
        return list(chain(*found)), list(chain(*judged)), list(chain(*unjudged))
    few = len(joint.members) <= MOST_RELEASES
    reasons = [
        f"{bound.model} was judged for pairs of releases and for all {len(joint.members)} together: in between there are too many "
        "coalitions; a monotone model needs none of them"
        for bound in bounds
        if not few and not joint.is_monotone(bound.model)
    ]
    return broken, list(bounds), reasons


def _least_m(joint: Joint) -> int | None:
    """The m that the new release and earlier ones must keep together; None if the new one is not m-invariant, or no earlier one is."""
    own = [member.m for member in joint.members if member.m]
    return min(own) if joint.members[-1].m and len(own) > 1 else None


def _not_invariant(joint: Joint, m: int, having: int | None = None) -> list[Broken]:
    """What the m-invariant releases break together."""
    places = [place for place, member in enumerate(joint.members) if member.m]
    judged = (broken_invariance(joint, name, m, places, having) for name in joint.priors)
    return [found for found in judged if found is not None]


def _only_among_themselves(joint: Joint) -> list[str]:
    """The promises of m-invariant releases that releases of another kind cannot keep."""
    *earlier, new = joint.members
    only = "which only m-invariant releases keep"
    if new.m:
        others = [f"release {member.name}" for member in earlier if not member.m]
        return [f"{NEW} promises {M_INVARIANCE}:{new.m}, {only}, and {each} is none; {OWN_LEDGER}" for each in others]
    return [
        f"release {member.name} promises {M_INVARIANCE}:{member.m}, {only}; 'sfumato sequence next' makes them"
        for member in earlier
        if member.m
    ]


def _nobody_in_common(joint: Joint) -> list[str]:
    """Said where nobody of another table is in this one: an owner who has another key now is somebody else, too."""
    codes, new = joint.by_owner.codes, joint.members[-1]
    others = [place for place, member in enumerate(joint.members) if member.table != new.table]
    if not others or ((codes[:, others] > 0).any(axis=1) & (codes[:, -1] > 0)).any():
        return []
    return [
        "this one has no owner in common with the tables of earlier ones; if they are the same people, give them the same keys"
    ]


def _sentence(broken: Sequence[Broken], before: Sequence[Broken]) -> str:
    """What is broken, and what was broken already."""
    found = "; ".join(each.line() for each in broken)
    return found + (f"; without this one, {'; '.join(each.line() for each in before)}" if before else "")


def _map_hint(history: History, joint: Joint, planned: Planned, broken: Sequence[Broken], before: Sequence[Broken]) -> str:
    """With which map a release begins that keeps m-invariance; nothing where that would not help."""
    newest = next((past for past in reversed(history.releases) if past.mapping is not None), None)
    if newest is None or newest.mapping is None or str(newest.number) not in joint.names:
        return ""
    if before or planned.in_groups is None or planned.in_groups.after == newest.mapping:
        return ""
    if not all(each.model.startswith(M_INVARIANCE) and each.people for each in broken):
        return ""
    return f"; {argument('after', repr(newest.mapping))} begins with the map of {newest.name}"


def planned_of(table: Table, policy: Policy) -> Planned | None:
    """What the release will be; None if nobody can say who will be in which of its classes."""
    recoding, models, question = policy.recoding, tuple(map(str, policy.models)), policy.question
    kept, cells = None, None
    if isinstance(recoding, LocalRecoding):
        cells = CellClasses.of(recoding)
        if cells is None:
            return None
    else:
        classes = policy.counts(table).roll_up(recoding.node)
        kept = classes.keep(np.array([tuple(map(int, codes)) not in recoding.suppressed for codes in classes.codes], bool))
    return Planned(
        name=NEW,
        table=table.digest(),
        node={} if isinstance(recoding, LocalRecoding) else recoding.node.as_dict(),
        kept=kept,
        cells=cells,
        starred=recoding.stars,
        models=models,
        about=dict.fromkeys(models, question.judged(table.schema)),
        beliefs=question.prior is not None,
    )
