"""Policy spaces and trade-offs in a notebook: a few nodes in a small table. Numbers only, no value of a record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.errors import several
from sfumato.results import Rows, as_html

if TYPE_CHECKING:
    from sfumato.search.space.policies import Point, PolicySpace
    from sfumato.search.space.trade_off import TradeOff

MOST = 8
_COUNTED = ("classes", "smallest", "suppressed")


def space_html(space: PolicySpace) -> str:
    """The feasible nodes with the least loss."""
    loss = next(name for name in ("loss", "utility-distribution", "classes") if name in space.evaluations.named())
    part = space.feasible()
    first = np.argsort(part[loss], kind="stable")[:MOST]
    nodes = [part.node(part.evaluations.levels[place].tolist()) for place in first.tolist()]
    models = f" under {', '.join(space.about.models)}" if space.about.models else ""
    caption = f"{space!r}: {len(part):,} feasible{models}; those with the least {loss}"
    return as_html(_rows(space.lattice.attributes, nodes, [loss]), caption)


def trade_off_html(result: TradeOff) -> str:
    """The front from left to right; where it is long, some of its nodes, the knee among them."""
    places = result.front.tolist()
    chosen = places if len(places) <= MOST else [places[i] for i in np.linspace(0, len(places) - 1, MOST).astype(int)]
    chosen = [place for place in places if place in chosen or place == result.knee]
    nodes = [result.point(place) for place in chosen]
    marks = ["knee" if place == result.knee else "" for place in chosen]
    listed = "" if len(chosen) == len(places) else f", {len(chosen)} of them"
    caption = f"{result!r}; the front of {several(len(places), 'node')}{listed}"
    return as_html(_rows(result.space.lattice.attributes, nodes, list(result.axes), marks), caption)


def _rows(attributes: tuple[str, ...], nodes: list[Point], losses: list[str], marks: list[str] | None = None) -> Rows:
    heads = (*attributes, *_COUNTED, *losses, *([""] if marks else []))
    rows: list[tuple[Any, ...]] = [
        (*node.node.levels, *(int(node[name]) for name in _COUNTED), *(float(node[name]) for name in losses)) for node in nodes
    ]
    return Rows(heads, tuple((*row, mark) for row, mark in zip(rows, marks, strict=True)) if marks else tuple(rows))
