"""What a release is worth to a user, what it costs the owner, and how many people stay: the payoffs of the game.

A policy with utility loss u and privacy loss p, of which the share s of the people stays, is worth scale · value(u) · s to a user, who
pays a price for it. It costs the owner compensation(p) · s, paid to those who stay, and departure · (1 - s) for those who leave.
Losses are those that are announced for the whole table: whoever leaves is assumed to be missing evenly.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path

import numpy as np

from sfumato.errors import UsageError, argument
from sfumato.frequency import Mask
from sfumato.negotiation.coalition import Coalitions, proved_monotone
from sfumato.negotiation.game.providers import Counts, Providers
from sfumato.negotiation.pricing import Price
from sfumato.search.space import PolicySpace
from sfumato.search.space.within import Bounds
from sfumato.statistics import Floats

_FULL = 100.0  # what the best release is worth, unless somebody says otherwise
EXACT = 1e-9  # payoffs are compared with this tolerance


@dataclass(frozen=True, slots=True)
class Market:
    """What users value, what owners pay for, and when people leave.

    Parameters
    ----------
    value : str, optional
        What a release of all people is worth to a user of scale 1, as a function of its utility loss, which never rises with it. Unless
        given, it falls evenly from 100 at the least loss that keeps the rules to 0 at the largest loss, where nothing is left to learn.
    compensation : str
        What the owner pays if everybody stays, as a function of the privacy loss, which never falls with it.
    departure : float
        What it costs the owner if everybody leaves.
    providers : str
        When people leave: `uniform:LOW,HIGH`, `steps:LOSS=SHARE,…` or `never`.
    utility, privacy : str
        The losses that users and people look at.
    """

    value: str | None = None
    compensation: str = "40 * loss^2"
    departure: float = 10.0
    providers: str = "uniform:0.3,1.5"
    utility: str = "utility-distribution"
    privacy: str = "distribution.max"

    def __post_init__(self) -> None:
        if not (isfinite(self.departure) and self.departure >= 0):
            raise UsageError("a number from 0 up", where=argument("departure"))

    def rated(self, space: PolicySpace | str | Path, rules: Rules) -> tuple[Stakes, Mask]:
        """The payoffs of every policy of a space or of its file, and which policies keep the rules."""
        explored = space if isinstance(space, PolicySpace) else PolicySpace.read(space)
        within = rules.within(explored)
        return self.stakes(explored, within), within

    def stakes(self, space: PolicySpace, within: Mask) -> Stakes:
        """The payoffs of every policy of a space; `within` are those that keep the owner's rules."""
        utility, privacy = (_column(space, name) for name in (self.utility, self.privacy))
        value = _evenly(utility, within) if self.value is None else Price.of(self.value, "value")
        value.require_decreasing(utility)
        paid = Price.of(self.compensation, "compensation")
        compensation = paid.at(privacy)
        _require_rising(privacy, compensation)
        people = space.about.people
        staying = Providers.of(self.providers).staying(privacy, people)
        share = staying / people if people else np.ones(len(space))
        cost = compensation * share + self.departure * (1 - share)
        return Stakes(self, space, value, value.at(utility) * share, cost, utility, privacy, staying)


@dataclass(frozen=True, slots=True, eq=False)
class Stakes:
    """Of every policy: what it is worth to a user of scale 1, what it costs the owner, its losses, and how many people stay."""

    market: Market
    space: PolicySpace
    value: Price
    worth: Floats
    cost: Floats
    utility: Floats
    privacy: Floats
    staying: Counts

    def policy(self, place: int) -> dict[str, int]:
        """The levels of a policy."""
        return dict(zip(self.space.lattice.attributes, self.space.evaluations.levels[place].tolist(), strict=True))

    def levels(self, place: int | None) -> str:
        """A policy in short, as `--node` takes it."""
        return "nothing" if place is None else str(self.space.evaluations.levels[place].tolist()).replace(" ", "")

    def facts(self, place: int) -> dict[str, float | int]:
        """What a policy gives away, and who stays."""
        named = self.space.evaluations.named()
        losses = dict.fromkeys(("distribution.max", "entropy.max", self.market.privacy, self.market.utility))
        found: dict[str, float | int] = {name: float(named[name][place]) for name in losses if name in named}
        return found | {
            "worth": float(self.worth[place]),
            "cost": float(self.cost[place]),
            "people who stay": int(self.staying[place]),
        }

    def half(self) -> Price:
        """A price list that asks for half of what a release of all people is worth to a user of scale 1."""
        return Price(f"half of {self.value}", lambda loss: self.value.at(loss) / 2)

    @property
    def order(self) -> Floats:
        """The rank of policies that are equally good for both sides: less privacy loss first, then the finer one, then by levels."""
        levels = self.space.evaluations.levels
        ranks = np.empty(len(levels))
        losses = np.round(self.privacy, 9)
        ranks[np.lexsort((*levels.T[::-1], levels.sum(axis=1), losses))] = np.arange(len(levels))
        return ranks


@dataclass(frozen=True, slots=True)
class Rules:
    """What every release must keep.

    Parameters
    ----------
    epsilon, alpha : float, optional
        Bounds on the distribution and the entropy loss of the worst class.
    models : tuple of str
        Privacy models besides; those that the space was explored with, unless given.
    """

    epsilon: float | None = None
    alpha: float | None = None
    models: tuple[str, ...] = field(default=())

    def within(self, space: PolicySpace) -> Mask:
        """The policies that keep them."""
        models = self.models or space.about.models
        if self.epsilon is None and self.alpha is None and not models:
            wanted = f"{argument('epsilon')}, {argument('alpha')} or {argument('models')}"
            raise UsageError(f"say what every release must keep: {wanted}", where="the game")
        bounds = Bounds(self.epsilon, self.alpha)
        for name in bounds.given:
            _column(space, {"epsilon": "distribution.max", "alpha": "entropy.max"}[name])
        kept = bounds.kept(space.evaluations)
        kept = kept & space.satisfying(models) if models else kept
        if not kept.any():
            raise UsageError("no policy keeps these bounds; 'sfumato space' shows the least loss of each kind", where="the game")
        return kept

    def coalitions(self, space: PolicySpace, within: Mask) -> Coalitions:
        """A ledger without any deal."""
        models = self.models or space.about.models
        return Coalitions(space.lattice, within, monotone=proved_monotone(space, self.alpha, models))


def _evenly(losses: Floats, within: Mask) -> Price:
    """From 100 at the least loss within the rules to 0 at the largest of all."""
    high = float(losses.max())
    slope = _FULL / ((high - float(losses[within].min())) or 1.0)
    return Price(f"linear:{slope * high:.6g},{slope:.6g}", lambda loss: np.maximum(slope * (high - loss), 0.0), "value")


def _column(space: PolicySpace, name: str) -> Floats:
    """A loss of every policy; refuses one that the space does not hold, or that is infinite somewhere."""
    if len(space) != space.lattice.size or not space.about.complete:
        raise UsageError("a game needs the whole space of the table; explore it without a time limit", where="the space")
    named = space.evaluations.named()
    if name not in named:
        raise UsageError(
            f"the space does not have the loss {name!r}; explore the table again (it has: {', '.join(_losses(space)) or 'none'})",
            where="the space",
        )
    column = np.asarray(named[name], np.float64)
    if not np.isfinite(column).all():
        raise UsageError(f"{name} is infinite for some policies; choose another loss", where="the space")
    return column


def _losses(space: PolicySpace) -> list[str]:
    return [name for name, column in space.evaluations.named().items() if column.dtype.kind == "f" and ":" not in name]


def _require_rising(losses: Floats, amounts: Floats) -> None:
    order = np.argsort(losses, kind="stable")
    ordered, where = amounts[order], argument("compensation")
    if not np.isfinite(ordered).all() or (ordered < 0).any():
        raise UsageError("a compensation is a number from 0 up at every privacy loss, as in '20 * loss'", where=where)
    if (np.diff(ordered) < -EXACT).any():
        raise UsageError("it falls with the privacy loss; who gives away more must not get less, as in '20 * loss'", where=where)
