"""The lattice of a policy space as a picture: single nodes up to a few hundred, above that the number of each kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sfumato.reporting.charts import altair
from sfumato.search.space import PolicySpace

MOST_NODES = 500
_KINDS = ("optimal", "minimal", "feasible", "not feasible")
_COLORS = ("#b5179e", "#0b6e4f", "#7fc8a9", "#c9c9c9")


def lattice_chart(space: PolicySpace, models: Sequence[str] | None = None, loss: str | None = None) -> dict[str, Any]:
    """Nodes by the sum of their levels, colored by kind. The optimum is the feasible node with the least loss."""
    loss = loss or ("utility-distribution" if "utility-distribution" in space.evaluations.named() else "loss")
    kinds = _kinds(space, models, loss)
    return _nodes(space, kinds, loss) if len(space) <= MOST_NODES else _density(space, kinds, loss)


def _kinds(space: PolicySpace, models: Sequence[str] | None, loss: str) -> list[str]:
    """The kind of each node."""
    place_of = {tuple(levels): place for place, levels in enumerate(space.evaluations.levels.tolist())}
    kinds = ["not feasible"] * len(space)
    parts = [("feasible", space.feasible(models))]
    parts += [("minimal", space.minimal(models))] if space.about.complete else []
    for kind, part in parts:
        for levels in part.evaluations.levels.tolist():
            kinds[place_of[tuple(levels)]] = kind
    best = space.best(loss, models)
    if best is not None:
        kinds[place_of[best.node.levels]] = "optimal"
    return kinds


def _nodes(space: PolicySpace, kinds: list[str], loss: str) -> dict[str, Any]:
    alt = altair()
    levels = space.evaluations.levels
    sums = levels.sum(axis=1)
    at = np.zeros(len(space))
    for total in np.unique(sums):
        here = np.flatnonzero(sums == total)
        at[here] = np.arange(len(here)) - (len(here) - 1) / 2
    text = ["".join(map(str, row)) if levels.max() < 10 else ",".join(map(str, row)) for row in levels.tolist()]
    points = [
        {"x": float(x), "sum": int(total), "kind": kind, "levels": label, "loss": float(value)}
        for x, total, kind, label, value in zip(at, sums, kinds, text, space[loss], strict=True)
    ]
    number = {tuple(row): place for place, row in enumerate(levels.tolist())}
    edges = [
        {"x": float(at[place]), "y": int(sums[place]), "x2": float(at[number[below]]), "y2": int(sums[number[below]])}
        for row, place in number.items()
        for below in space.lattice.predecessors(row)
        if below in number
    ]
    span = max(40 * float(np.abs(at).max() * 2 + 1), 300)
    size = {"width": min(span, 1800), "height": 70 * len(np.unique(sums))}
    x = alt.X("x:Q", axis=None, scale=alt.Scale(padding=24))
    y = alt.Y("sum:Q", title="sum of the levels", axis=alt.Axis(tickMinStep=1, grid=False))
    lines = alt.Chart(alt.Data(values=edges)).mark_rule(color="#dddddd").encode(x=x, y=alt.Y("y:Q"), x2="x2:Q", y2="y2:Q")
    nodes = alt.Chart(alt.Data(values=points)).encode(x=x, y=y)
    dots = nodes.mark_circle(size=260, opacity=1).encode(color=_color(alt), tooltip=["levels:N", "kind:N", "loss:Q"])
    labels = nodes.mark_text(dy=18, fontSize=9).encode(text="levels:N")
    spec: dict[str, Any] = (lines + dots + labels).properties(title=_title(space, kinds, loss), **size).to_dict()
    return spec


def _density(space: PolicySpace, kinds: list[str], loss: str) -> dict[str, Any]:
    """The number of nodes of each kind at each sum of levels."""
    alt = altair()
    sums = space.evaluations.levels.sum(axis=1)
    counted: dict[tuple[int, str], int] = {}
    for total, kind in zip(sums.tolist(), kinds, strict=True):
        counted[total, kind] = counted.get((total, kind), 0) + 1
    values = [
        {"sum": total, "kind": kind, "nodes": nodes, "order": _KINDS.index(kind)} for (total, kind), nodes in counted.items()
    ]
    spec: dict[str, Any] = (
        alt.Chart(alt.Data(values=values), title=_title(space, kinds, loss), width=520, height=24 * len(np.unique(sums)))
        .mark_bar()
        .encode(
            y=alt.Y("sum:O", sort="descending", title="sum of the levels"),
            x=alt.X("nodes:Q", title="nodes"),
            color=_color(alt),
            order=alt.Order("order:Q"),
        )
        .to_dict()
    )
    return spec


def _color(alt: Any) -> Any:
    return alt.Color("kind:N", scale=alt.Scale(domain=list(_KINDS), range=list(_COLORS)), title=None)


def _title(space: PolicySpace, kinds: list[str], loss: str) -> dict[str, Any]:
    feasible = sum(kind != "not feasible" for kind in kinds)
    text = (
        f"{feasible:,} of {len(space):,} nodes feasible, {kinds.count('minimal') + kinds.count('optimal'):,} minimal or optimal"
    )
    return {"text": text, "subtitle": f"levels of {', '.join(space.lattice.attributes)}; optimal: least {loss}"}
