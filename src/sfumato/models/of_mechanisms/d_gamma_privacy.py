"""(d, gamma)-privacy."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from sfumato.errors import UsageError
from sfumato.models.base import AT_LEAST, AT_MOST, TOLERANCE
from sfumato.models.of_mechanisms.mechanism import Mechanism, MechanismModel, MechanismVerdict
from sfumato.models.parameter import share


@dataclass(frozen=True, slots=True)
class DGammaPrivacy(MechanismModel):
    """d/gamma <= Pr[t|V] / Pr[t] and Pr[t|V] <= gamma, for every output V and tuple t with Pr[t] <= d (Rastogi, Suciu and Hong 2007).

    It must hold for every d-independent adversary: one for whom tuples are in the table independently of each other, each with a
    probability of at most d, or certainly. The inputs of the channel are all sets of tuples. Both sides are extreme where every other
    tuple is absent, at d, or known, and the tuple itself at d (for the ratio: nearly absent). So finitely many adversaries cover all.
    Blind to: adversaries who believe more than d of a tuple without knowing it, and those for whom tuples depend on each other.
    Example: each tuple of the table is kept with 3/4, every other of the domain inserted with 1/4, d = 1/4: the largest posterior is 1/2,
    the least ratio 1/3. So it is (1/4, 3/4)-private, and (1/4, 1/2)-private it is not: 1/3 is below d/gamma = 1/2.
    """

    name: ClassVar[str] = "d-gamma-privacy"
    stops: ClassVar[str] = "T,P"
    needs: ClassVar[str] = "which tuples are in each input"

    d: float = field(metadata=share(example=0.1))
    gamma: float = field(metadata=share(example=0.5))

    def check_parameters(self) -> None:
        """The prior may not exceed what is allowed of the posterior."""
        if not 0 < self.d <= self.gamma:
            raise UsageError("d must be more than 0 and at most gamma", where=f"model {self.name}")

    def judge(self, mechanism: Mechanism) -> MechanismVerdict:
        found, floor = mechanism.beliefs(self.d), self.d / self.gamma
        ratio, largest = found.least_ratio, found.largest
        if ratio.value < floor - TOLERANCE and largest.value <= self.gamma + TOLERANCE:
            says = "the least ratio of posterior to prior"
            return MechanismVerdict(str(self), ratio.value, AT_LEAST, floor, False, ratio.inputs, says)
        satisfied = largest.value <= self.gamma + TOLERANCE
        return MechanismVerdict(str(self), largest.value, AT_MOST, self.gamma, satisfied, largest.inputs, "the largest posterior")
