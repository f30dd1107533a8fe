"""Strategies in small trees: played, enumerated, and tried against every deviation. Nothing here knows how a game is solved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

from sfumato.negotiation.game.tree import Decision, History, Leaf, Payoffs, Tree

Strategy = Mapping[History, str]
EXACT = 1e-9


def nodes(tree: Tree, history: History = ()) -> dict[History, Decision]:
    """Every node at which somebody decides, by what happened before."""
    if isinstance(tree, Leaf):
        return {}
    below = [nodes(following, (*history, move)) for move, following in tree.moves.items()]
    return {history: tree} | {place: node for part in below for place, node in part.items()}


def played(tree: Tree, strategy: Strategy, history: History = ()) -> Payoffs:
    """What comes out if everybody keeps to a strategy."""
    while isinstance(tree, Decision):
        move = strategy[history]
        tree, history = tree.moves[move], (*history, move)
    return tree.payoffs


def strategies(tree: Tree, player: int | None = None) -> Iterator[dict[History, str]]:
    """Every strategy of a player, or of all of them."""
    own = {history: node for history, node in nodes(tree).items() if player in (None, node.player)}
    for moves in product(*(node.moves for node in own.values())):
        yield dict(zip(own, moves, strict=True))


def pays_to_deviate_once(tree: Tree, strategy: Strategy) -> bool:
    """Whether somewhere a single other move, everything else as it is, is better for whoever makes it."""
    for history, node in nodes(tree).items():
        kept = played(node, _below(strategy, history), ())[node.player]
        for move in node.moves:
            changed = {**_below(strategy, history), (): move}
            if played(node, changed)[node.player] > kept + EXACT:
                return True
    return False


def pays_to_deviate(tree: Tree, strategy: Strategy) -> bool:
    """Whether in some part of the game another strategy is better for a player: by trying all of them."""
    for history, node in nodes(tree).items():
        below = _below(strategy, history)
        for player in {each.player for each in nodes(node).values()}:
            kept = played(node, below)[player]
            if any(played(node, {**below, **own})[player] > kept + EXACT for own in strategies(node, player)):
                return True
    return False


def _below(strategy: Strategy, history: History) -> dict[History, str]:
    size = len(history)
    return {place[size:]: move for place, move in strategy.items() if place[:size] == history}
