"""The private variant: noisy counts of people per query, beyond a threshold, as an (ε, δ)-differentially private release.

A person is counted for at most c different queries in each of p periods, so one person more or less changes at most c·p counts by one each.
Each count of at least k people (k is declared) gets discrete Laplace noise of scale b = c·p / ε, and is published if it is then at least t.
A query may be there only because of one person: then k people, of whom one is they, must be lifted from k to t, which has the probability
q = P(Z >= t - k). None of c·p such queries is published with probability (1 - q)^(c·p), hence

    δ = 1 - (1 - q)^(c·p),

for all periods together; all other queries of the person cost e^ε at most. Queries with fewer than k people are left out before the noise:
for k = 1 this is the release of Korolova, Kenthapadi, Mishra and Ntoulas (2009). δ is computed here: opendp's own is too small.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, exp, expm1, log, log1p

from sfumato.errors import UsageError, argument
from sfumato.operations.laplace import at_least

_WIDEST = 1_000_000
_MOST = 100  # beyond it nothing is hidden, and probabilities vanish in floating point


@dataclass(frozen=True, slots=True)
class Privacy:
    """What is promised, (`epsilon`, `delta`) over all periods, and what follows: `changes` counts that one person changes, the `scale` of
    the noise, the `least` noisy count that is published, and the `delta_spent`, which is at most `delta`."""

    epsilon: float
    delta: float
    per_person: int
    periods: int
    threshold: int

    def __post_init__(self) -> None:
        if not 0 < self.epsilon <= _MOST:
            raise UsageError(f"epsilon must be more than 0 and at most {_MOST}, as in 1,1e-6", where=argument("private"))
        if not 0 < self.delta < 1:
            raise UsageError("delta must be more than 0 and less than 1, as in 1,1e-6", where=argument("private"))
        if not self.scale <= _WIDEST:
            raise UsageError(
                f"epsilon must be at least {self.changes / _WIDEST:g}: nothing is seen in more noise", where=argument("private")
            )

    @property
    def changes(self) -> int:
        return self.per_person * self.periods

    @property
    def scale(self) -> float:
        return self.changes / self.epsilon

    @property
    def least(self) -> int:
        # Near the answer, from (1 - q)^changes = 1 - delta and q = p^lift / (1 + p); then up to the first that fits.
        most = -expm1(log1p(-self.delta) / self.changes)
        near = ceil(-self.scale * log(most * (1 + exp(-1 / self.scale))))
        least = self.threshold + max(near - 2, 0)
        while delta_of(self.scale, least - self.threshold, self.changes) > self.delta:
            least += 1
        return least

    @property
    def delta_spent(self) -> float:
        return delta_of(self.scale, self.least - self.threshold, self.changes)


def delta_of(scale: float, lift: int, changes: int) -> float:
    """The probability that noise lifts at least one of so many counts by so much.

    >>> delta_of(1.0, 2, 1) == at_least(1.0, 2)
    True
    """
    return min(1.0, -expm1(changes * log1p(-at_least(scale, lift)))) if at_least(scale, lift) < 1 else 1.0


def private_of(text: str, per_person: int | None, periods: int, threshold: int) -> Privacy:
    """From EPSILON,DELTA, and what is declared about people."""
    if per_person is None:
        raise UsageError(
            "a private release needs to know how many different queries of a person count in a period; declare it, as in "
            f"{argument('per_person', '10')}",
            where=argument("private"),
        )
    try:
        epsilon, delta = (float(part) for part in text.split(","))
    except ValueError:
        raise UsageError("write EPSILON,DELTA, as in 1,1e-6", where=argument("private")) from None
    return Privacy(epsilon, delta, per_person, periods, threshold)
