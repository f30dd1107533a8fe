"""Distributional privacy."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from sfumato.models.of_mechanisms.mechanism import Mechanism, MechanismModel, MechanismVerdict, at_most
from sfumato.models.parameter import number, share


@dataclass(frozen=True, slots=True)
class DistributionalPrivacy(MechanismModel):
    """P(y | x) <= e^alpha P(y | x') for all y, with probability 1 - beta over two drawn tables x, x' (Blum, Ligett and Roth 2008).

    The original asks it for rows drawn without replacement from any population. Here the two tables are drawn independently of each
    other, by the laws that are stated (uniform, if none is), and the worst law decides. So a violation is one; that it holds is said of
    these laws only.
    Blind to: pairs of tables that are drawn rarely. With beta = 0 every two tables that a law can draw count, neighbors or not.
    Example: randomized response over two values, truth with 3/4, both values alike: value ln 3 = 1.099 for beta below 1/2, else 0.
    """

    name: ClassVar[str] = "distributional-privacy"
    stops: ClassVar[str] = "T,P"
    needs: ClassVar[str] = "the laws that tables are drawn by (uniform, if not stated)"

    alpha: float = field(metadata=number(at_least=0, example=1))
    beta: float = field(default=0.0, metadata=share(example=0.05))

    def judge(self, mechanism: Mechanism) -> MechanismVerdict:
        says = "the log ratio that two drawn tables keep to, but for beta of the draws"
        return at_most(self, mechanism.drawn_log_ratio(self.beta), self.alpha, says)
