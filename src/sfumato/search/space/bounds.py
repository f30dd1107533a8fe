"""What is known of a model from evaluated nodes: its own verdicts, or a bound on a quantity that is known for every node."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from sfumato.errors import UsageError, argument
from sfumato.models import PrivacyModel
from sfumato.models.attribute.t_closeness import TCloseness
from sfumato.models.base import AT_LEAST, AT_MOST, TOLERANCE
from sfumato.models.bounds.loss_bounds import TOTAL, LossBound
from sfumato.models.bounds.loss_pairs import LossPair
from sfumato.models.identity.k_anonymity import KAnonymity
from sfumato.search.evaluation import Array, Criterion, Evaluations, Fact, Measure


@dataclass(frozen=True, slots=True, eq=False)
class Bound:
    """A model's value at nodes, the threshold (None where only the model knows it), and where it is satisfied."""

    model: str
    value: npt.NDArray[np.float64]
    satisfied: npt.NDArray[np.bool_]
    threshold: float | None = None
    direction: str | None = None

    def at(self, place: int) -> Bound:
        """At one node."""
        return replace(self, value=self.value[place : place + 1], satisfied=self.satisfied[place : place + 1])

    def __str__(self) -> str:
        sign = {AT_LEAST: "≥", AT_MOST: "≤", None: ""}[self.direction]
        answer = "yes" if self.satisfied.all() else "no"
        bound = f" {sign} {self.threshold:g}" if self.threshold is not None else ""
        if not np.isfinite(self.value[0]):  # satisfied, it speaks of a group that nobody is left of
            return f"{self.model}: {'no class to judge' if self.satisfied.all() else 'infinite'}{bound} {answer}"
        return f"{self.model}: {self.value[0]:.6g}{bound} {answer}"


def bounds_of(
    model: PrivacyModel, nodes: Evaluations, sensitive: Sequence[str], distance: str, *, suppression: bool
) -> list[Bound]:
    """What evaluated nodes say of a model; refuses one that they do not know."""
    declared = [criterion for name in (None, *sensitive) if (criterion := Criterion(str(model), name)) in nodes.verdicts]
    if declared:
        return [_declared(criterion, model, nodes) for criterion in declared]
    bounds = [] if suppression else _known(model, nodes, distance, sensitive)
    if not bounds:
        how = "explored with suppression for other models" if suppression else "explored without it"
        raise UsageError(
            f"the space cannot answer for {model}: it was {how}; explore again with {argument('models')} {model}",
            where=argument("models"),
        )
    return bounds


def _declared(criterion: Criterion, model: PrivacyModel, nodes: Evaluations) -> Bound:
    known = {bound.model: bound for bound in _known(model, nodes, "", ())}.get(str(model))
    threshold, direction = (known.threshold, known.direction) if known else (None, None)
    judgments = nodes.verdicts[criterion]
    return Bound(str(criterion), judgments.value, judgments.satisfied, threshold, direction)


def _known(model: PrivacyModel, nodes: Evaluations, distance: str, sensitive: Sequence[str]) -> list[Bound]:
    """Bounds on what is known of every node."""
    match model:
        case KAnonymity(k=k):
            return [_bound(model, nodes, Fact.SMALLEST, k, AT_LEAST)]
        case LossBound() | LossPair():
            bounded = [(Measure(each.loss, worst=each.scope != TOTAL), each.bound) for each in model.bounds]
        case TCloseness(t=t) if not model.distance or model.distance == distance:
            bounded = [(Measure("emd", worst=True), t)]
        case _:
            return []
    # Several sensitive attributes are judged one by one: a mean over them says nothing about each.
    each = [(measure.of(name), bound) for measure, bound in bounded for name in sensitive if measure.of(name) in nodes.columns]
    return [_bound(model, nodes, measure, bound, AT_MOST) for measure, bound in each or bounded]


def _bound(model: PrivacyModel, nodes: Evaluations, key: Fact | Measure, threshold: float, direction: str) -> Bound:
    if key not in nodes.columns:
        raise UsageError(f"the space holds no {str(key)!r}, which {model} bounds", where=argument("models"))
    value: Array = nodes[key]
    if direction == AT_LEAST:
        return Bound(str(model), value, value >= threshold, threshold, direction)
    return Bound(str(model), value, value <= threshold + TOLERANCE, threshold, direction)
