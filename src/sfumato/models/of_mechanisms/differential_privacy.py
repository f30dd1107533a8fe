"""Differential privacy."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from sfumato.models.of_mechanisms.mechanism import Mechanism, MechanismModel, MechanismVerdict, at_most
from sfumato.models.parameter import number


@dataclass(frozen=True, slots=True)
class DifferentialPrivacy(MechanismModel):
    """P(y | x) is at most e^epsilon times P(y | x') for all outputs y and all neighbors x, x' (Dwork 2006).

    Which inputs are neighbors is part of the question: tables that differ in one person's row, counts that differ by one, or any two
    values of one person (the local model). Where outputs are countable, the condition on single outputs is that on all sets of them.
    Blind to: what follows from the population, and would be learned without this person too. An output that one input can have and
    its neighbor cannot makes it infinite.
    Example: randomized response over two values, truth with 3/4: value ln 3 = 1.099.
    """

    name: ClassVar[str] = "differential-privacy"
    stops: ClassVar[str] = "T,P"
    needs: ClassVar[str] = "which inputs are neighbors (all, if not stated)"

    epsilon: float = field(metadata=number(at_least=0, example=1))

    def judge(self, mechanism: Mechanism) -> MechanismVerdict:
        return at_most(self, mechanism.log_ratio(), self.epsilon, "the largest log ratio of two neighbors")
