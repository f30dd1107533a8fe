"""The chart of the curse of dimensionality."""

from __future__ import annotations

from typing import Any

from sfumato.reporting.charts import altair
from sfumato.search.space.dimensions import Dimensions


def dimensions_chart(result: Dimensions) -> dict[str, Any]:
    """Three panels over the number of QIDs: classes (log scale), losses of the unchanged table, and the share of feasible nodes."""
    alt = altair()
    steps = [{**step, "label": f"{step['qids']} +{step['added']}"} for step in result.as_dict()["steps"]]
    order = [step["label"] for step in steps]
    x = alt.X("label:N", sort=order, title="number of QIDs, and the QID added", axis=alt.Axis(labelAngle=-40))

    def panel(values: list[dict[str, Any]], title: str, y: Any, **more: Any) -> Any:
        return (
            alt.Chart(alt.Data(values=values), width=260, height=240, title=title).mark_line(point=True).encode(x=x, y=y, **more)
        )

    sizes = alt.Y("classes:Q", scale=alt.Scale(type="log"), title="classes (log scale)")
    panels = [panel(steps, f"Classes of {result.people:,} people", sizes)]
    losses = [
        {"label": step["label"], "loss": name.replace("_", "-"), "value": step[name]}
        for step in steps
        for name in ("unique", "distribution", "utility_distribution")
        if step[name] is not None
    ]
    names = alt.Color("loss:N", title=None, legend=alt.Legend(orient="bottom"))
    panels.append(
        panel(losses, "The unchanged table, mean over people", alt.Y("value:Q", title="loss, or share unique"), color=names)
    )
    shares = alt.Y("feasible_share:Q", axis=alt.Axis(format="%"), scale=alt.Scale(domain=[0, 1]), title="share of the nodes")
    panels.append(panel(steps, f"Feasible nodes: {', '.join(result.models)}", shares))
    spec: dict[str, Any] = alt.hconcat(*panels).resolve_scale(color="independent").to_dict()
    return spec
