"""Attacks with a control set, as European regulators ask for (Article 29 Working Party, opinion 05/2014; Giomi et al. 2023).

The same attack is run on people of the original and on people outside the release. What also works on the latter is knowledge
about people in general; only the difference is due to being in the table. The figure `risk` is that difference as a share of
what was possible.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sfumato.attacks.base import Attack, Attempt, NotApplicable
from sfumato.attacks.kinds.learned import CONTROL
from sfumato.attacks.view import View
from sfumato.frequency import Counts, FrequencySet
from sfumato.statistics import TOLERANCE

DRAWN = 1000


def control_of(view: View) -> FrequencySet:
    """The people outside the release, by the columns of the release; refuses to do without."""
    if view.control is None:
        raise NotApplicable(CONTROL)
    missing = [name for name in view.held if name not in view.control.node.attributes]
    if missing:
        raise NotApplicable(f"the control set has no column {missing[0]!r}; it needs all that the attacker holds")
    return view.control


def drawn(people: FrequencySet, count: int, rng: np.random.Generator) -> Counts:
    """The cells of so many different people, or of all if there are fewer."""
    cells = np.repeat(np.arange(people.classes), people.rows)
    return cells if len(cells) <= count else np.sort(rng.choice(cells, count, replace=False))


def compared_values(view: View, people: int) -> int:
    """How many values are compared, if so many people of each side are compared with every class."""
    return 0 if view.control is None else 2 * people * view.release.classes * len(view.held)


def compared(attack: Attack, view: View, about: str | None, run: Callable[[FrequencySet], tuple[int, float]]) -> Attempt:
    """Run an attack on people of the original and on the control set: tries and hits of each."""
    tries, hits = run(view.original)
    others, control = run(control_of(view))
    rate, baseline = hits / max(tries, 1), control / max(others, 1)
    better = baseline > rate + TOLERANCE
    return Attempt(
        attack=str(attack),
        threat=attack.threat,
        about=about,
        tries=tries,
        hits=hits,
        baseline=baseline,
        control=others,
        figures={"risk": 0.0 if better or baseline >= 1 else (rate - baseline) / (1 - baseline)},
        remark="the attack does better on people outside the release" if better else None,
    )
