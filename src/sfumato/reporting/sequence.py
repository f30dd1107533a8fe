"""What an attacker knows of people after one release, two, and so on: how many sensitive values remain, and the losses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sfumato.reporting.charts import BLUE, DARK, ORANGE, RED, SKY, altair, finished
from sfumato.sequence.audit import Audited, Step

# Values that remain: a band and its color, the worst first.
BANDS = (
    (1, 1, "1: known", RED),
    (2, 2, "2", ORANGE),
    (3, 4, "3 or 4", "#F0E442"),
    (5, 9, "5 to 9", SKY),
    (10, None, "10 or more", BLUE),
)
# Name, color, width and dashes of each loss.
_LINES = (
    ("L_PD, worst, linking rows", RED, 6, [1, 0]),
    ("L_PD, worst, intersecting", DARK, 2, [1, 0]),
    ("L_PD, mean, intersecting", BLUE, 2.5, [6, 4]),
)


def sequence_chart(result: Audited) -> dict[str, Any]:
    """A row of two panels per sensitive attribute: people by values that remain, and losses, against the number of releases."""
    alt = altair()
    apart = dict.fromkeys(("color", "strokeWidth", "strokeDash"), "independent")
    panels = [(_remaining(alt, name, steps), _losses(alt, steps)) for name, steps in result.steps.items()]
    rows = [alt.hconcat(*each, spacing=44).resolve_scale(**apart).resolve_legend(**apart) for each in panels]
    subtitle = [
        "linking: knows which rows of several releases are one person's; an upper bound",
        "intersecting: knows everybody's class in each release, and keeps the values that occur in all",
    ]
    title = alt.Title("What somebody knows who has all releases so far", subtitle=subtitle)
    return finished(alt.vconcat(*rows, spacing=30).resolve_scale(**apart).resolve_legend(**apart).properties(title=title))


def _axis(alt: Any) -> Any:
    return alt.X("releases:O", title="number of releases", axis=alt.Axis(labelAngle=0))


def _remaining(alt: Any, name: str, steps: Sequence[Step]) -> Any:
    """Shares of people by how many values remain possible."""
    rows = []
    for step in steps:
        for order, (low, high, label, _) in enumerate(BANDS):
            people = sum(
                count for number, count in step.known.by_candidates if number >= low and (high is None or number <= high)
            )
            rows.append({"releases": step.releases, "values": label, "order": order, "share": people / max(step.known.people, 1)})
    labels = [label for *_, label, _ in BANDS]
    color = alt.Color(
        "values:N",
        scale=alt.Scale(domain=labels, range=[color for *_, color in BANDS]),
        legend=alt.Legend(title=f"values of {name} that remain", orient="bottom", columns=5),
    )
    drawn = alt.Chart(alt.Data(values=rows), width=max(30 * len(steps), 300), height=240).mark_bar(
        stroke="white", strokeWidth=0.5
    )
    y = alt.Y("share:Q", title="share of people", axis=alt.Axis(format="%"), scale=alt.Scale(domain=[0, 1]), stack="zero")
    return drawn.encode(x=_axis(alt), y=y, color=color, order="order:Q")


def _losses(alt: Any, steps: Sequence[Step]) -> Any:
    rows = []
    for step in steps:
        values = (step.distribution, step.known.distribution_max, step.known.distribution_mean)
        rows += [
            {"releases": step.releases, "loss": value, "of": label} for (label, *_), value in zip(_LINES, values, strict=True)
        ]
    names = [label for label, *_ in _LINES]
    legend = alt.Legend(title=None, orient="bottom", columns=1, symbolSize=400, symbolType="stroke")
    color = alt.Color("of:N", scale=alt.Scale(domain=names, range=[color for _, color, *_ in _LINES]), legend=legend)
    # The two worst losses are often the same: the wider line shows on both sides of the other.
    width = alt.StrokeWidth(
        "of:N", scale=alt.Scale(type="ordinal", domain=names, range=[width for *_, width, _ in _LINES]), legend=legend
    )
    dash = alt.StrokeDash("of:N", scale=alt.Scale(domain=names, range=[dash for *_, dash in _LINES]), legend=legend)
    base = alt.Chart(alt.Data(values=rows), width=max(30 * len(steps), 300), height=240).mark_line(point=False)
    y = alt.Y("loss:Q", title="distribution loss", scale=alt.Scale(domain=[0, 1.42]))
    return base.encode(x=_axis(alt), y=y, color=color, strokeWidth=width, strokeDash=dash)
