"""Charts of the game: who gains by which protocol under which rules; and a menu over the utility loss."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sfumato.negotiation.game.comparing import PROTOCOLS, RULES, Comparison
from sfumato.negotiation.game.market import Stakes
from sfumato.negotiation.game.rates import Rates
from sfumato.reporting.charts import BLUE, DARK, GRAY, ORANGE, altair, finished

_SIDES = ("the user", "the owner")
_STEPS = 200  # of the line of a price
_ROOM = 1.15  # above the highest value, for labels


def game_chart(comparison: Comparison) -> dict[str, Any]:
    """The mean payoff of each side: a panel per set of rules, two bars per protocol."""
    alt = altair()
    rows = [
        {"rules": row[0], "protocol": row[1], "side": side, "payoff": row[place], "deals": f"{row[2]:,} deals"}
        for row in comparison.table().rows
        for place, side in zip((3, 4), _SIDES, strict=True)
    ]
    x = alt.X("protocol:N", sort=list(PROTOCOLS), title=None, axis=alt.Axis(labelAngle=0))
    top = max(row["payoff"] for row in rows)
    y = alt.Y("payoff:Q", title="mean payoff per user", scale=alt.Scale(domainMax=_ROOM * top if top > 0 else 1))
    color = alt.Color("side:N", sort=list(_SIDES), scale=alt.Scale(domain=list(_SIDES), range=[BLUE, ORANGE]), title=None)
    base = alt.Chart(width=290, height=260)
    bars = base.mark_bar().encode(x=x, y=y, color=color, xOffset=alt.XOffset("side:N", sort=list(_SIDES)))
    zero = base.mark_rule(color=DARK).encode(y=alt.datum(0))
    deals = base.transform_filter(f"datum.side == '{_SIDES[0]}'").mark_text(baseline="top", color=DARK, fontSize=12)
    counts = deals.encode(x=x, y=alt.value(6), text="deals:N")
    panels = alt.layer(bars, zero, counts, data=alt.Data(values=rows)).facet(
        column=alt.Column("rules:N", sort=list(RULES), title=None)
    )
    title = alt.Title(
        f"Who gains, over {len(comparison.best):,} random users", subtitle="equilibrium: exact, by backward induction"
    )
    return finished(panels.properties(title=title))


def menu_chart(
    stakes: Stakes,
    names: Sequence[str],
    offers: Sequence[tuple[int | None, float]],
    rates: Rates,
    ways: Mapping[str, tuple[float, float]],
) -> dict[str, Any]:
    """The policies on the menu by utility loss and price, beside the variable rate; and what each way to sell leaves to each side."""
    return finished(altair().hconcat(_offers(stakes, names, offers, rates), _gains(ways)).resolve_scale(color="independent"))


def _offers(stakes: Stakes, names: Sequence[str], offers: Sequence[tuple[int | None, float]], rates: Rates) -> Any:
    alt = altair()
    takers: dict[tuple[int, float], list[str]] = {}
    for name, (place, asked) in zip(names, offers, strict=True):
        if place is not None:
            takers.setdefault((place, round(asked, 9)), []).append(name)
    points: list[dict[str, Any]] = [
        {"loss": float(stakes.utility[place]), "price": asked, "way": "the menu", "types": _span(each)}
        for (place, asked), each in takers.items()
    ]
    losses = np.linspace(min((point["loss"] for point in points), default=0.0), float(stakes.utility.max()), _STEPS)
    line: list[dict[str, Any]] = [
        {"loss": loss, "price": asked, "way": "the variable rate"}
        for loss, asked in zip(losses.tolist(), rates.asked(stakes, losses).tolist(), strict=True)
    ]
    names_of = ["the menu", "the variable rate"]
    color = alt.Color("way:N", scale=alt.Scale(domain=names_of, range=[ORANGE, GRAY]), title=None)
    x = alt.X("loss:Q", title="utility loss of the policy", scale=alt.Scale(zero=False, padding=12))
    top = max(row["price"] for row in (*points, *line)) or 1.0
    y = alt.Y("price:Q", title="price", scale=alt.Scale(domain=[0, _ROOM * top], nice=False))
    drawn = alt.Chart(alt.Data(values=line)).mark_line(interpolate="step-before").encode(x=x, y=y, color=color)
    marked = alt.Chart(alt.Data(values=points)).mark_point(size=110, filled=True, opacity=1).encode(x=x, y=y, color=color)
    labels = alt.Chart(alt.Data(values=points)).mark_text(align="left", dx=10, dy=-6, color=DARK, fontSize=12)
    return alt.layer(drawn, marked, labels.encode(x=x, y=y, text="types:N")).properties(
        width=400, height=280, title="The best menu, and who takes what"
    )


def _span(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) <= 2 else f"{names[0]} and {len(names) - 1} more"


def _gains(ways: Mapping[str, tuple[float, float]]) -> Any:
    alt = altair()
    sides = ("the owner", "the users")
    rows = [
        {"way": way, "side": side, "payoff": payoff}
        for way, payoffs in ways.items()
        for side, payoff in zip(sides, payoffs, strict=True)
    ]
    color = alt.Color("side:N", sort=list(sides), scale=alt.Scale(domain=list(sides), range=[ORANGE, BLUE]), title=None)
    return (
        alt.Chart(alt.Data(values=rows), width=320, height=280, title="What is left to each side, per user")
        .mark_bar()
        .encode(
            y=alt.Y("way:N", sort=list(ways), title=None, axis=alt.Axis(labelLimit=220)),
            yOffset=alt.YOffset("side:N", sort=list(sides)),
            x=alt.X("payoff:Q", title="expected payoff"),
            color=color,
        )
    )
