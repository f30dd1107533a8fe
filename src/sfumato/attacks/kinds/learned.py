"""A learned attack.

Who: somebody who is not interested in the people of the release, but in others like them. What they hold: the release, and the
quasi-identifiers of people outside it. What they want: the sensitive values of these. They train a model on the release, which
has learned how values go together, and ask it about everybody else. Without the release the same model knows only what is most
frequent.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar
from warnings import catch_warnings, simplefilter

import numpy as np

from sfumato.attacks.base import Attack, Attempt, NotApplicable
from sfumato.attacks.fitting.matching import matches, middles
from sfumato.attacks.view import Secret, View
from sfumato.frequency import Counts, FrequencySet
from sfumato.models.parameter import whole
from sfumato.release.numbering import codes_among
from sfumato.vocabulary.hierarchy import Hierarchy

CONTROL = "needs a control set: people like those of the original who are not in the release, with their sensitive values"
_DEPTH = 12


@dataclass(frozen=True, slots=True)
class Learned(Attack):
    """A random forest of so many trees learns from the classes of the release, and is asked about the control set. Needs the extra
    `learn`."""

    name: ClassVar[str] = "learned"
    threat: ClassVar[str] = "A"

    trees: int = field(default=30, metadata=whole(at_least=1, example=30))

    def run(self, view: View) -> Iterable[Attempt]:
        if view.control is None:
            raise NotApplicable(CONTROL)
        return [self._about(view, view.control, secret) for secret in view.secrets()]

    def _about(self, view: View, control: FrequencySet, secret: Secret) -> Attempt:
        payload = control.payloads[secret.name]
        true = codes_among(payload.hierarchy.labels[0], Hierarchy.flat(secret.values), 0)[payload.values]
        cell = np.repeat(np.arange(control.classes), np.diff(payload.offsets))
        guessed = self._forest(view, secret).predict(_as_published(view, control))[cell]
        released = np.bincount(
            secret.released_codes[secret.released.values], weights=secret.released.rows, minlength=secret.width
        )
        return Attempt(
            attack=str(self),
            threat=self.threat,
            about=secret.name,
            tries=int(payload.rows.sum()),
            hits=float(payload.rows[guessed == true].sum()),
            baseline=float(payload.rows[true == released.argmax()].sum() / max(int(payload.rows.sum()), 1)),
            unit="people of the control set",
        )

    def _forest(self, view: View, secret: Secret) -> Any:
        """A forest that has learned from the classes, weighted by their rows."""
        try:
            from sklearn.ensemble import RandomForestClassifier
        except ImportError:
            raise NotApplicable("needs the extra 'learn': pip install 'sfumato[learn]'") from None
        payload = secret.released
        features = np.repeat(view.release.codes, np.diff(payload.offsets), axis=0)
        # Without bootstrap, where all rows look alike the forest says what is most frequent, as its baseline does.
        forest = RandomForestClassifier(n_estimators=self.trees, max_depth=_DEPTH, bootstrap=False, random_state=view.seed)
        with catch_warnings():  # about targets with many values, which is not news to an attacker
            simplefilter("ignore", UserWarning)
            return forest.fit(features, secret.released_codes[payload.values], sample_weight=payload.rows)


def _as_published(view: View, people: FrequencySet) -> Counts:
    """The codes of people as the release would publish them: the first label that stands for each value, the nearest number where none
    does, -1 where there is none or the column is not known. Labels are in the order of their hierarchy, so that trees can divide them."""
    columns = []
    for place, name in enumerate(view.release.node.attributes):
        if name not in people.node.attributes:
            columns.append(np.full(people.classes, -1))
            continue
        values, labels = people.hierarchy(name).labels[0], view.release.hierarchies[place].labels[0]
        found = matches(view.schema[name], view.whole.hierarchy(name), values, labels)
        padded = np.append(found.labels, -1)
        first = np.where(found.counts() > 0, padded[found.offsets[:-1]], _nearest(values, labels))
        columns.append(first[people.codes[:, people.node.attributes.index(name)]])
    return np.stack(columns, axis=1)


def _nearest(values: Sequence[str], labels: Sequence[str]) -> Counts:
    """The label whose number is nearest to that of each value; -1 for those that are no numbers, and for the missing value after them."""
    own, their = middles(values), middles(labels)
    if own is None or their is None or not np.isfinite(their).any():
        return np.full(len(values) + 1, -1)
    order = np.argsort(their)  # the root, which has no number, comes last
    numbers = their[order][np.isfinite(their[order])]
    after = np.clip(np.searchsorted(numbers, own), 1, max(len(numbers) - 1, 1))
    before = after - 1
    after = np.minimum(after, len(numbers) - 1)
    near = np.where(np.abs(numbers[after] - own) < np.abs(own - numbers[before]), after, before)
    return np.append(np.where(np.isfinite(own), order[near], -1), -1)
