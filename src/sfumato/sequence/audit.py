"""What somebody learns who has all releases of a sequence: after the first, after two, and so on.

Two attackers are measured. One *links*: knows which rows of several releases are one person's, and sees the distribution of people with
the same classes. The other *intersects*: knows a person's class in every release, and keeps the values that occur in all of them.
What is reported of either never falls when a release is added: the losses are the largest of all single releases, pairs and beginnings
of the sequence so far, for nobody has to use every release.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.beliefs import statistics_of
from sfumato.errors import UsageError, argument
from sfumato.losses import LOSSES
from sfumato.results import Printed, Rows
from sfumato.sequence.candidates import Known, known_after
from sfumato.sequence.coalitions import Broken, bounds_of, broken_bounds
from sfumato.sequence.history import LeftOut
from sfumato.sequence.invariance import Invariance, broken_invariance, invariance_of, m_of
from sfumato.sequence.joint import Joint
from sfumato.sequence.pairs import Pair
from sfumato.upward import above

_LOSSES = ("distribution_max", "distribution_mean", "entropy_max", "entropy_mean")
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class AuditedRelease:
    """One release of the sequence: the number of its entry in the ledger, its file, its time, and what it promises.

    Tables are numbered in the order of their first release; `source` is the file that the table was read from. Of an m-invariant release,
    `people` counts the `counterfeits`, too, and `mapping` is the owner's map.
    """

    number: str
    file: str
    time: str
    people: int
    classes: int
    suppressed: int
    models: tuple[str, ...]
    table: int = 1
    source: str | None = None
    counterfeits: int | None = None
    mapping: str | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """What is known of one sensitive attribute after so many releases.

    `classes` are the combinations of classes that occur, `smallest` the fewest people of one and `alone` the people who have one to
    themselves; `distribution` and `entropy` are the largest losses to somebody who links rows. `known` is what remains to somebody
    who intersects.
    """

    releases: int
    people: int
    classes: int
    smallest: int
    alone: int
    distribution: float
    entropy: float
    known: Known

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        known = asdict(self.known) | {"by_candidates": {str(count): people for count, people in self.known.by_candidates}}
        return {
            "releases": self.releases,
            "people": self.people,
            "linking": {
                "classes": self.classes,
                "smallest": self.smallest,
                "alone": self.alone,
                "losses": {"distribution": self.distribution, "entropy": self.entropy},
            },
            "intersecting": known | {"certain": self.known.certain},
        }


@dataclass(frozen=True, slots=True)
class Alike:
    """The people of the first so many releases in groups: those of a group share their classes in all of these releases. How many people
    and groups there are, the fewest people of a group, and how many people are alone in theirs."""

    releases: int
    people: int
    groups: int
    smallest: int
    alone: int


@dataclass(frozen=True, slots=True, eq=False)
class Audited(Printed):
    """A sequence of releases, audited. `broken` are the models that releases break together, each with a smallest coalition that does;
    `pairs` says of every two releases what they tell without the others, and `harmed_by_all` for how many people all releases together
    break a model. `followed`: people were followed by an owner column."""

    ledger: Path | None
    releases: tuple[AuditedRelease, ...]
    steps: dict[str, tuple[Step, ...]]
    judged: tuple[str, ...]
    broken: tuple[Broken, ...]
    unjudged: tuple[str, ...] = ()
    invariance: tuple[Invariance, ...] = ()
    others: int = 0
    changed: int = 0
    alike: tuple[Alike, ...] = ()
    pairs: tuple[Pair, ...] = ()
    harmed_by_all: Mapping[str, int] = field(default_factory=dict)
    left_out: tuple[LeftOut, ...] = ()
    schema: str | None = None
    followed: bool = False

    @property
    def kept(self) -> bool:
        """Whether nothing is broken."""
        return not self.broken

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        return {
            "status": "kept" if self.kept else "broken",
            "ledger": None if self.ledger is None else str(self.ledger),
            "schema": self.schema,
            "releases": [asdict(each) | {"models": list(each.models)} for each in self.releases],
            "other_releases": self.others,
            "not_audited": [asdict(each) for each in self.left_out],
            "followed_by_owner": self.followed,
            "changed_people": self.changed,
            "alike": [asdict(each) for each in self.alike],
            "sensitive": [{"attribute": name, "steps": [step.as_dict() for step in steps]} for name, steps in self.steps.items()],
            "judged": list(self.judged),
            "unjudged": list(self.unjudged),
            "broken": [each.as_dict() for each in self.broken],
            "harmed_by_all": dict(self.harmed_by_all),
            "m_invariance": [each.as_dict() for each in self.invariance],
            "pairs": [each.as_dict() for each in self.pairs],
        }

    def report(self, output: str | PathLike[str], *, force: bool = False) -> Path:
        """Write all of it as one HTML page for whoever publishes the table.

        Parameters
        ----------
        output : path
            The page, a file whose name ends in `.html`.
        force : bool
            Replace what is there.

        Returns
        -------
        Path
            The page.
        """
        path: Path = above("Audited.report")(self, output, force)
        return path

    def plot(self) -> Any:
        """What an attacker knows after one release, two, and so on: an altair chart. Needs the extra `report`."""
        return above("Audited.plot")(self)

    def table(self) -> Rows:
        """One row per number of releases and sensitive attribute."""
        heads = ("releases", "sensitive", "people", "certain", "alone", "smallest", "L_PD linked", "L_PE linked", "L_PD", "L_PE")
        rows = [
            (
                *(step.releases, name, step.people, step.known.certain, step.alone, step.smallest),
                *(step.distribution, step.entropy, step.known.distribution_max, step.known.entropy_max),
            )
            for name, steps in self.steps.items()
            for step in steps
        ]
        return Rows(heads, tuple(rows))


def steps_of(joint: Joint, progress: Progress | None = None) -> dict[str, tuple[Step, ...]]:
    """What is known of every sensitive attribute after one release, two, and so on."""
    losses = _Losses(joint)
    steps: dict[str, list[Step]] = {name: [] for name in joint.priors}
    known = {name: _rising(known_after(joint, name)) for name in joint.priors}
    for last in range(len(joint.members)):
        losses.add(last)
        together = joint.coalition(range(last + 1))
        for name in joint.priors:
            most = losses.most[name]
            steps[name].append(
                Step(
                    releases=last + 1,
                    people=together.total_people,
                    classes=together.classes,
                    smallest=int(together.people.min(initial=together.total_people)),
                    alone=int((together.people == 1).sum()),
                    distribution=most["distribution"],
                    entropy=most["entropy"],
                    known=known[name][last],
                )
            )
        if progress:
            progress(last + 1, len(joint.members))
    return {name: tuple(each) for name, each in steps.items()}


def _rising(known: Sequence[Known]) -> list[Known]:
    """The largest losses so far, also of the means: what somebody believes may come nearer to the prior again, and newcomers of whom less
    is known lower a mean; what was learned is not forgotten."""
    rising: list[Known] = []
    for each in known:
        before = rising[-1] if rising else each
        largest = {loss: max(getattr(each, loss), getattr(before, loss)) for loss in _LOSSES}
        rising.append(replace(each, **largest))
    return rising


def alike_after(joint: Joint, steps: Mapping[str, Sequence[Step]]) -> tuple[Alike, ...]:
    """The people who are alike in the first release, in the first two, and so on. The steps of any sensitive attribute know it."""
    for known in steps.values():
        return tuple(Alike(step.releases, step.people, step.classes, step.smallest, step.alone) for step in known)
    counted = (joint.coalition(range(last + 1)) for last in range(len(joint.members)))
    return tuple(
        Alike(
            releases=number,
            people=counts.total_people,
            groups=counts.classes,
            smallest=int(counts.people.min(initial=counts.total_people)),
            alone=int((counts.people == 1).sum()),
        )
        for number, counts in enumerate(counted, start=1)
    )


class _Losses:
    """The largest losses over single releases, pairs and beginnings so far."""

    def __init__(self, joint: Joint) -> None:
        self._joint = joint
        self.most = {name: dict.fromkeys(("distribution", "entropy"), 0.0) for name in joint.priors}

    def add(self, last: int) -> None:
        """Take in the coalitions that the next release makes possible."""
        coalitions = {(last,), tuple(range(last + 1)), *((before, last) for before in range(last))}
        for places in sorted(coalitions):
            for counts in self._joint.as_published(places):
                for name, most in self.most.items() if counts.classes else ():
                    statistics = statistics_of(counts, self._joint.schema[name], self._joint.priors[name])
                    for loss in most:
                        most[loss] = max(most[loss], float(np.max(LOSSES[loss].of(statistics))))


def broken_in(
    joint: Joint, together: Sequence[str], *, having: int | None = None, progress: Progress | None = None
) -> tuple[list[Broken], list[str], list[str]]:
    """What is broken, what was judged, and which promises cannot be judged."""
    invariant = [m for text in together if (m := m_of(text)) is not None]
    if invariant and joint.several_rows:
        raise UsageError("m-invariance is about tables with one row per person", where=argument("together"))
    bounds, unjudged = bounds_of(joint, [text for text in together if m_of(text) is None])
    broken = broken_bounds(joint, bounds, having=having, progress=progress)
    for m in invariant:
        broken += [found for name in joint.priors if (found := broken_invariance(joint, name, m, None, having))]
    kept = [place for place, member in enumerate(joint.members) if member.m]
    if kept and not invariant:
        least = min(member.m for member in joint.members if member.m)
        broken += [found for name in joint.priors if (found := broken_invariance(joint, name, least, kept, having))]
        invariant.append(least)
    judged = [str(bound.model) for bound in bounds] + [f"m-invariance:{m}" for m in invariant]
    return broken, judged, unjudged


def invariances(joint: Joint) -> tuple[Invariance, ...]:
    """How far the sequence is m-invariant, where a release claims to be."""
    if not any(member.m for member in joint.members):
        return ()
    return tuple(invariance_of(joint, name) for name in joint.priors)
