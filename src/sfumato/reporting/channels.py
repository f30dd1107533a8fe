"""Charts of channels: the matrix as a heat map, and what rules waste."""

from __future__ import annotations

from typing import Any

from sfumato.channel import ChannelMatrix
from sfumato.channel.design import Wasted
from sfumato.errors import UsageError
from sfumato.reporting.charts import BLUE, GRAY, altair, finished

_MOST_CELLS = 10_000
_NUMBERED = 150  # cells that have their number written in them


def matrix_chart(channel: ChannelMatrix) -> dict[str, Any]:
    """The matrix as a heat map: a row per input, a column per output."""
    if channel.inputs * channel.outputs > _MOST_CELLS:
        raise UsageError(
            f"a picture has up to {_MOST_CELLS:,} cells; this would have {channel.inputs * channel.outputs:,}", where="plot"
        )
    alt = altair()
    inputs, outputs = [channel.input(x) for x in range(channel.inputs)], [channel.output(y) for y in range(channel.outputs)]
    cells = [
        {"input": inputs[x], "output": outputs[y], "probability": float(value), "number": _number(value)}
        for x, row in enumerate(channel.dense())
        for y, value in enumerate(row)
    ]
    grid = alt.Chart(
        alt.Data(values=cells),
        width=alt.Step(_step(channel.outputs)),
        height=alt.Step(_step(channel.inputs)),
    ).encode(
        x=alt.X("output:N", sort=outputs, title="output", axis=alt.Axis(labelAngle=-40)),
        y=alt.Y("input:N", sort=inputs, title="input"),
    )
    scale = alt.Scale(range=["#f2f2f2", BLUE], domain=[0, 1])
    drawn = grid.mark_rect().encode(color=alt.Color("probability:Q", scale=scale, title="probability"))
    if len(cells) <= _NUMBERED:
        text = alt.condition("datum.probability > 0.5", alt.value("white"), alt.value("black"))
        drawn += grid.mark_text(fontSize=11).encode(text="number:N", color=text)
    return finished(drawn.properties(title="How likely each output is, for each input"))


def _number(probability: float) -> str:
    """Nothing where nothing is possible: a small probability and none are not the same."""
    if probability == 0:
        return ""
    return "<0.01" if probability < 0.005 else f"{probability:.2f}"


def _step(count: int) -> int:
    """The side of a cell in pixels."""
    return max(min(44, 600 // count), 5)


def waste_chart(result: Wasted) -> dict[str, Any]:
    """For each rule its value and the best at the same bound on the adversary, joined by what is wasted."""
    alt = altair()
    rules = [each.rule for each in result.rules]
    ends = [
        {"rule": each.rule, "channel": name, "value": value}
        for each in result.rules
        for name, value in (("of the rule", each.value), ("the best possible", each.best))
    ]
    lines = [{"rule": each.rule, "value": each.value, "best": each.best} for each in result.rules]
    title = "information about the input (bits)" if result.measure == "information" else "expected loss"
    y = alt.Y("rule:N", sort=rules, title=None)
    base = alt.Chart(width=460, height=alt.Step(34), title="What a rule wastes, at the same success of the adversary")
    wasted = base.mark_rule(strokeWidth=3, color="#cccccc").encode(x=alt.X("value:Q", title=title), x2="best:Q", y=y)
    names = ["of the rule", "the best possible"]
    color, shape = alt.Scale(domain=names, range=[GRAY, BLUE]), alt.Scale(domain=names, range=["circle", "square"])
    points = base.mark_point(filled=True, size=110, opacity=1).encode(
        x="value:Q",
        y=y,
        color=alt.Color("channel:N", scale=color, title=None),
        shape=alt.Shape("channel:N", scale=shape, title=None),
    )
    return finished(alt.layer(wasted.properties(data=alt.Data(values=lines)), points.properties(data=alt.Data(values=ends))))
