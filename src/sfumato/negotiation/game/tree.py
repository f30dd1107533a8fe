"""The same game move by move: an explicit tree, solved by recursion. The plain reference for small games.

Players are numbers: 0 the user, 1 the owner, 2 and up the people in the table. A strategy names a move at every node of its player; what
`backward_induction` finds is one for all of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sfumato.negotiation.game.bargaining import Horizon
from sfumato.negotiation.game.market import EXACT

USER, OWNER = 0, 1
ACCEPT, END, STAY, LEAVE = "accept", "end", "stay", "leave"
History = tuple[str, ...]
Payoffs = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Leaf:
    """How it ends: what every player gets."""

    payoffs: Payoffs


@dataclass(frozen=True, slots=True)
class Decision:
    """A player's turn, and what follows each move; in the order of the tie rule."""

    player: int
    moves: Mapping[str, Tree]


Tree = Leaf | Decision


@dataclass(frozen=True, slots=True)
class Small:
    """A small game: policies with what each is worth if everybody stays, the compensation if everybody stays, and its privacy loss; the
    prices that may be proposed; the threshold of each person; and the rest as in `Market` and `Horizon`.

    Policies are in the order of the tie rule.
    """

    values: Sequence[float]
    compensations: Sequence[float]
    losses: Sequence[float]
    prices: Sequence[float]
    thresholds: Sequence[float] = ()
    departure: float = 0.0
    budget: float = float("inf")
    horizon: Horizon = field(default_factory=Horizon)

    def tree(self) -> Tree:
        """All of it."""
        return self._round(1)

    def _round(self, number: int) -> Tree:
        proposer = USER if number % 2 else OWNER
        made = {
            f"{policy} at {price!r}": self._answer(number, 1 - proposer, policy, price)
            for policy in range(len(self.values))
            for price in self.prices
            if price <= self.budget
        }
        return Decision(proposer, made | {END: self._over()})

    def _answer(self, number: int, player: int, policy: int, price: float) -> Tree:
        moves: dict[str, Tree] = {ACCEPT: self._people(number, policy, price, ()), END: self._over()}
        if number < self.horizon.rounds:
            following = self._round(number + 1)
            moves |= following.moves if isinstance(following, Decision) else {}
        return Decision(player, moves)

    def _people(self, number: int, policy: int, price: float, stayed: tuple[bool, ...]) -> Tree:
        """The people decide one after the other, without knowing of each other, which changes nothing for them."""
        if len(stayed) == len(self.thresholds):
            return self._deal(number, policy, price, stayed)
        moves = {STAY: True, LEAVE: False}
        return Decision(
            2 + len(stayed), {move: self._people(number, policy, price, (*stayed, stays)) for move, stays in moves.items()}
        )

    def _deal(self, number: int, policy: int, price: float, stayed: tuple[bool, ...]) -> Leaf:
        share = sum(stayed) / len(stayed) if stayed else 1.0
        later = self.horizon.patience ** (number - 1)
        cost = self.compensations[policy] * share + self.departure * (1 - share)
        people = [(threshold - self.losses[policy]) * stays for threshold, stays in zip(self.thresholds, stayed, strict=True)]
        return Leaf((later * (self.values[policy] * share - price), later * (price - cost), *people))

    def _over(self) -> Leaf:
        return Leaf((0.0, 0.0, *([0.0] * len(self.thresholds))))


def backward_induction(tree: Tree, history: History = ()) -> tuple[Payoffs, dict[History, str]]:
    """The payoffs of the equilibrium, and the move at every node.

    Of moves that are equally good for whoever decides, an acceptance comes first, then what is best for the other negotiator, then what
    is listed first.

    Parameters
    ----------
    tree : Node or Leaf
        The game.
    history : tuple of str
        The moves that led to it.

    Returns
    -------
    tuple
        The payoffs of all players, and for each history that a decision may follow the move that is made.
    """
    if isinstance(tree, Leaf):
        return tree.payoffs, {}
    strategy: dict[History, str] = {}
    reached: dict[str, Payoffs] = {}
    for move, following in tree.moves.items():
        reached[move], below = backward_induction(following, (*history, move))
        strategy |= below
    most = max(payoffs[tree.player] for payoffs in reached.values())
    best = [move for move, payoffs in reached.items() if payoffs[tree.player] >= most - EXACT]
    if ACCEPT not in best and tree.player <= OWNER:
        other = 1 - tree.player
        kindest = max(reached[move][other] for move in best)
        best = [move for move in best if reached[move][other] >= kindest - EXACT]
    move = ACCEPT if ACCEPT in best else best[0]
    return reached[move], {**strategy, history: move}
