"""What may be said to others about the suppressed people.

They are a class to whoever knows that somebody was in the table and finds them in no class of the file. The prior of the original
minus the file is this class's distribution, and so are its sensitive values where they stand in the file as `*`; a loss or a distance
to that prior can be inverted by trying the few possibilities. All this is said only if the class keeps every model of the release
*whatever its sensitive values are*. Were it said just when its values happen to satisfy a model, silence would say that they do not:
under confidence-bounding:0.5, that most of the suppressed have the value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sfumato.frequency import FrequencySet
from sfumato.models import PrivacyModel, Verdict
from sfumato.search.problem import Problem
from sfumato.vocabulary.node import Node

_OF_THE_PRIOR = ("value", "witness", "reason")
_OF_THE_SEARCH = ("visited",)


def may_be_shown(suppressed: FrequencySet, problem: Problem | None) -> bool:
    """Whether the sensitive values of the suppressed may be worked out from what is published. Without models nothing was promised,
    and nothing is shown."""
    if not suppressed.classes:
        return True
    if problem is None or not problem.models or any(_depends_on_values(model) for model in problem.models):
        return False
    one_class = suppressed.roll_up(Node(suppressed.node.attributes, tuple(h.height for h in suppressed.hierarchies)))
    return all(verdict.satisfied is True for verdict in problem.judge(one_class, 0))


def _depends_on_values(model: PrivacyModel) -> bool:
    return model.needs_sensitive or bool(model.columns)


def public_verdicts(verdicts: Sequence[Verdict], models: Sequence[PrivacyModel], *, shown: bool) -> list[dict[str, Any]]:
    """The verdicts for others: where the suppressed are not shown, those about sensitive values with their bound, but no value."""
    hidden = set() if shown else {str(model) for model in models if _depends_on_values(model)}
    return [
        {name: value for name, value in verdict.as_dict().items() if verdict.model not in hidden or name not in _OF_THE_PRIOR}
        for verdict in verdicts
    ]


def public_search(search: Mapping[str, Any] | None, *, shown: bool) -> Mapping[str, Any] | None:
    """How the recoding was chosen, for others: how many nodes a search visited depends on every sensitive value."""
    if search is None or shown:
        return search
    return {name: value for name, value in search.items() if name not in _OF_THE_SEARCH}
