"""How an attacker comes to read a release: by its labels, by the method that its certificate names, or, where labels fit almost nobody and
nobody says why, by the nearest rows.

Comparing everybody with every class may take too long. Then people are drawn at random, with all others who have the same QIDs.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sfumato.attacks.base import LEAST_VISIBLE
from sfumato.attacks.fitting.mechanism import Mechanism, mechanism_of
from sfumato.attacks.view import MOST_COMPARED, View


def knowing(view: View, *, naive: bool = False) -> View:
    """The view of an attacker who knows how the release was made, as far as its certificate says it; a naive one does not ask."""
    method = view.reading.method
    mechanism = mechanism_of(method, view.schema, view.whole)
    if mechanism is None and method is None and view.grouped is None and view.visible < LEAST_VISIBLE:
        mechanism = Mechanism(view.schema, view.whole, view.published.node.attributes)
    if mechanism is None:
        return view
    read = replace(view, mechanism=mechanism, naive=naive)
    return _drawn(read) if mechanism.moved else read


def _drawn(view: View) -> View:
    """The view of some people, if all would be too many."""
    cost = view.cost(view.whole, view.published)
    if cost <= MOST_COMPARED:
        return view
    count = max(int(view.whole.classes * MOST_COMPARED / cost), 1)
    kept = np.zeros(view.whole.classes, bool)
    kept[np.random.default_rng(view.seed).choice(view.whole.classes, count, replace=False)] = True
    whole = view.whole.keep(kept)
    return replace(view, whole=whole, drawn=int(whole.rows.sum()) / int(view.whole.rows.sum()))
