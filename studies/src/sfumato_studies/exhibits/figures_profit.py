"""What an owner can offer and earn: negotiation paper, Fig. 3; thesis, Fig. 4.9."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

import sfumato as sf
from sfumato.reporting.charts import DARK, GREEN, RED, altair, finished
from sfumato_studies import census
from sfumato_studies.comparing import claim
from sfumato_studies.exhibit import Contents, exhibit

PRIVACY, UTILITY = "distribution.max", "utility-distribution"
QIDS = (1, 2, 3)
EPSILON, EXPECTED = 0.5, 10.0


def policies(bound: float = EPSILON) -> list[dict[str, Any]]:
    """All policies over three QIDs with both losses, and the profit of the owner: 100 for the QIDs unchanged, 0 for the table that
    withholds them all, linear in between."""
    with sf.data.adult() as table:
        space = sf.explore(table, quasi=census.named(QIDS))
    within = space.feasible(f"distribution-loss:{bound}").evaluations.levels.tolist()
    levels, least, most = space.evaluations.levels.tolist(), float(np.min(space[UTILITY])), float(np.max(space[UTILITY]))
    return [
        {"utility": utility, "privacy": privacy, "profit": 100 * (most - utility) / (most - least), "offered": level in within}
        for level, utility, privacy in zip(levels, space[UTILITY].tolist(), space[PRIVACY].tolist(), strict=True)
    ]


@exhibit(
    "thesis-fig-4.9",
    "negotiation-fig-3",
    source="negotiation paper, Fig. 3; thesis, Fig. 4.9",
    title="The policies that an owner can offer, and what they earn",
)
def profit() -> Contents:
    """The set of policies within the privacy bound, and a profit that falls with the utility loss."""
    ranked = sorted(policies(), key=lambda each: each["utility"])
    offered = [each for each in ranked if each["offered"]]
    falls = all(one["profit"] >= other["profit"] for one, other in pairwise(offered))
    within, where = all(each["privacy"] <= EPSILON for each in offered), "thesis, 4.4; negotiation paper, 4"
    return Contents(
        "A bound on the privacy loss leaves a set of policies. The less utility a policy loses, the more the owner "
        "earns by it: with a variable "
        "rate she offers the policy whose profit is the one she expects.",
        (
            claim(
                "profit and utility loss",
                where,
                "the one falls as the other rises",
                "it falls, as the function is chosen" if falls else "no",
                falls,
            ),
            claim(
                "the policies that can be offered",
                where,
                "all within the privacy bound",
                f"{len(offered)} of {len(ranked)} policies, all within {EPSILON:g}" if within else "some beyond the bound",
                within and len(offered) > 0,
            ),
        ),
        chart=_profit_chart(ranked),
        note="The sources draw a sketch. Ours shows every policy over age, workclass and education. The profit is an "
        "example: 100 for these QIDs as "
        "they are, 0 for the table that withholds them, linear in the utility loss.",
    )


def _profit_chart(ranked: list[dict[str, Any]]) -> dict[str, Any]:
    """All policies by both losses, and below them what those within the bound earn."""
    alt = altair()
    rows = [{**each, "kind": "within the bound" if each["offered"] else "beyond the bound"} for each in ranked]
    kinds = alt.Scale(domain=["within the bound", "beyond the bound"], range=[GREEN, "#b9b9b9"])
    axis = alt.Axis(tickCount=7, format=".2f")
    x = alt.X(
        "utility:Q",
        title="distribution utility loss, mean over people",
        scale=alt.Scale(domain=[0.81, 0.96], nice=False),
        axis=axis,
    )
    base = alt.Chart(alt.Data(values=rows), width=460, height=210).encode(
        x=x, color=alt.Color("kind:N", scale=kinds, title="policies")
    )
    upper = base.mark_point(filled=True, size=60, opacity=1).encode(
        y=alt.Y("privacy:Q", title="largest distribution loss (privacy)")
    )
    lower = base.mark_point(filled=True, size=60, opacity=1).encode(y=alt.Y("profit:Q", title="profit of the owner"))
    above = (upper + _level(alt, "privacy", EPSILON)).properties(
        title=f"Privacy against utility; dashed: the bound ε = {EPSILON:g}"
    )
    below = (lower + _level(alt, "profit", EXPECTED) + _offer(alt, ranked, x)).properties(
        title=f"Profit against utility; dashed: the profit that is expected, {EXPECTED:g}"
    )
    return finished(alt.vconcat(above, below))


def _level(alt: Any, name: str, value: float) -> Any:
    return alt.Chart(alt.Data(values=[{name: value}])).mark_rule(strokeDash=[6, 4], color=DARK).encode(y=f"{name}:Q")


def _offer(alt: Any, ranked: list[dict[str, Any]], x: Any) -> Any:
    """The policy within the bound whose profit is nearest at or above the expected one."""
    fitting = [row for row in ranked if row["offered"] and row["profit"] >= EXPECTED]
    star = alt.Chart(alt.Data(values=[min(fitting, key=lambda row: row["profit"])])).encode(x=x, y="profit:Q")
    mark = star.mark_point(shape="diamond", size=220, filled=True, color=RED, opacity=1)
    return mark + star.mark_text(align="left", dx=12, dy=-10, fontSize=13, color=RED).encode(text=alt.value("the offer"))
