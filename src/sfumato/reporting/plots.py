"""Results as charts for a notebook: what their method `plot` returns. Needs the extra `report`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sfumato.channel import ChannelMatrix, Hinted, RulesK, Wasted
from sfumato.channel.bridge import SideBySide
from sfumato.losses.comparison import Comparison
from sfumato.release import Release
from sfumato.reporting.channel_curves import hinted_chart, rules_chart, side_by_side_chart
from sfumato.reporting.channels import matrix_chart, waste_chart
from sfumato.reporting.charts import BLUE, ORANGE, altair
from sfumato.reporting.dimensions import dimensions_chart
from sfumato.reporting.explorer.picture import tradeoff_chart
from sfumato.reporting.lattice import lattice_chart
from sfumato.reporting.learning import learning_chart
from sfumato.reporting.methods import methods_chart
from sfumato.reporting.metrics import metrics_chart
from sfumato.reporting.sequence import sequence_chart
from sfumato.search.space import PolicySpace
from sfumato.search.space.dimensions import Dimensions
from sfumato.search.space.trade_off import TradeOff
from sfumato.sequence.audit import Audited

_MOST_VALUES = 30


def space(result: PolicySpace, models: Sequence[str] | None = None, loss: str | None = None) -> Any:
    """The lattice, nodes colored by what the models say."""
    return _chart(lattice_chart(result, models, loss))


def trade_off(result: TradeOff) -> Any:
    """Every node by the two losses, with the front and its knee."""
    return _chart(tradeoff_chart(result))


def dimensions(result: Dimensions) -> Any:
    """Classes, losses and feasible nodes as QIDs are added."""
    return _chart(dimensions_chart(result))


def metrics(result: Comparison) -> Any:
    """The metrics along the path, and the correlation of their ranks."""
    return _chart(metrics_chart(result))


def release(result: Release) -> Any:
    """How many people are in classes of which size, from the smallest class to the largest."""
    alt = altair()
    sizes, classes = np.unique(result.classes.people, return_counts=True)
    bounds = 2 ** np.arange(0, int(sizes.max()).bit_length() + 1)
    place = np.searchsorted(bounds, sizes, side="right") - 1
    people = np.zeros(len(bounds), np.int64)
    number = np.zeros(len(bounds), np.int64)
    np.add.at(people, place, sizes * classes)
    np.add.at(number, place, classes)
    spans = [(max(low, int(sizes.min())), min(2 * low - 1, int(sizes.max()))) for low in bounds.tolist()]
    rows = [
        {"size": f"{low:,}" if low == high else f"{low:,} to {high:,}", "people": int(counted), "classes": int(count)}
        for (low, high), counted, count in zip(spans, people, number, strict=True)
        if low <= high
    ]
    order = [row["size"] for row in rows]
    base = alt.Chart(
        alt.Data(values=rows), width=480, height=220, title=f"People by the size of their class ({result.certificate.size()})"
    )
    x = alt.X("size:N", sort=order, title="people in the class", axis=alt.Axis(labelAngle=-40))
    bars = base.mark_bar(color=BLUE).encode(x=x, y=alt.Y("people:Q", title="people"), tooltip=["size:N", "people:Q", "classes:Q"])
    return bars + base.mark_text(dy=-7).encode(x=x, y="people:Q", text=alt.Text("people:Q", format=","))


def audited(result: Audited) -> Any:
    """What an attacker knows after one release, two, and so on."""
    return _chart(sequence_chart(result))


def compared(result: Any) -> Any:
    """The distribution of every sensitive attribute in two releases; values that few have are together in one bar."""
    alt = altair()
    panels = []
    for each in result.distributions:
        shares = sorted(each.shares, key=lambda row: -row[1])
        listed = [(("(missing)" if value is None else value), one, other) for value, one, other in shares[:_MOST_VALUES]]
        rest = [sum(row[side] for row in shares[_MOST_VALUES:]) + each.others[side - 1] for side in (1, 2)]
        listed += [("(all others)", *rest)] if any(rest) else []
        rows = [
            {"value": value, "release": name, "share": share}
            for value, *both in listed
            for name, share in zip(("first", "second"), both, strict=True)
        ]
        color = alt.Color("release:N", scale=alt.Scale(domain=["first", "second"], range=[BLUE, ORANGE]), title=None)
        y = alt.Y("value:N", sort=[value for value, *_ in listed], title=None)
        base = alt.Chart(alt.Data(values=rows), width=360, height=alt.Step(10), title=f"{each.sensitive}: share of people")
        panels.append(
            base.mark_bar().encode(
                x=alt.X("share:Q", axis=alt.Axis(format="%"), title=None),
                y=y,
                yOffset="release:N",
                color=color,
                tooltip=["value:N", "release:N", alt.Tooltip("share:Q", format=".1%")],
            )
        )
    return alt.vconcat(*panels)


def utility_losses(result: Any) -> Any:
    """The utility loss of every release against its privacy losses."""
    return _chart(learning_chart(result))


def methods_compared(result: Any) -> Any:
    """What every method discloses and costs, and the rates of attacks on it."""
    return _chart(methods_chart(result))


def channel_matrix(result: ChannelMatrix) -> Any:
    """The matrix as a heat map."""
    return _chart(matrix_chart(result))


def wasted(result: Wasted) -> Any:
    """For each rule its value and the best possible."""
    return _chart(waste_chart(result))


def hinted(result: Hinted) -> Any:
    """The MAP error against what the adversary knows."""
    return _chart(hinted_chart(result))


def rules_by_k(result: RulesK, picture: str = "error") -> Any:
    """The MAP error against k, or utility against privacy."""
    return _chart(rules_chart(result, picture))


def side_by_side(result: SideBySide) -> Any:
    """L_PD against the MAP error of every node."""
    return _chart(side_by_side_chart(result))


def _chart(spec: dict[str, Any]) -> Any:
    return altair().Chart.from_dict(spec)
