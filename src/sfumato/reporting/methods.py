"""Methods side by side as a picture: what each costs against what it discloses, and how often attacks on it are right."""

from __future__ import annotations

from typing import Any

from sfumato.errors import UsageError
from sfumato.reporting.charts import BLUE, ORANGE, altair

_WIDTH, _ROW = 300, 17


def methods_chart(result: Any) -> dict[str, Any]:
    """A panel of bars for the privacy loss, the utility loss and every attack, the methods in the same order in each.

    `result` is what `sfumato.methods` gives, which is above this room.
    """
    alt = altair()
    had = [each for each in result.outcomes if each.reason is None]
    if not had:
        raise UsageError("no method could be had, so there is nothing to draw", where="charts")
    panels = [_panel(alt, title, rows, color, share=share) for title, rows, color, share in _bars(result, had) if rows]
    spec: dict[str, Any] = (
        alt.concat(*panels, columns=2)
        .properties(title={"text": _title(result), "anchor": "start"}, background="white")
        .resolve_scale(x="independent", y="independent")
        .to_dict()
    )
    return spec


def _title(result: Any) -> str:
    if result.equal is None:
        return "Methods side by side"
    return f"Methods at equal {result.equal} loss ({result.bound:g})"


def _bars(result: Any, had: list[Any]) -> list[tuple[str, list[tuple[str, float]], str, bool]]:
    """The panels: title, the value of every method, color, and whether values are shares."""

    def of(value: Any) -> list[tuple[str, float]]:
        return [(each.released, float(found)) for each in had if (found := value(each)) is not None]

    panels = [("mean distribution loss", of(lambda each: each.disclosure.mean_distribution), BLUE, False)]
    if result.target:
        panels.append((f"loss of a model of {result.target}", of(lambda each: each.learned.loss.value), ORANGE, True))
    panels.append(("mean relative error of count queries", of(lambda each: each.queries), ORANGE, False))
    for name in result.attacks():
        panels.append((f"{name}, how often it is right", of(lambda each, name=name: result.rates(each)[name]), BLUE, True))
    return panels


def _panel(alt: Any, title: str, rows: list[tuple[str, float]], color: str, *, share: bool) -> Any:
    values = [{"method": method, "value": value} for method, value in rows]
    base = alt.Chart(alt.Data(values=values), width=_WIDTH, height=alt.Step(_ROW), title={"text": title, "anchor": "start"})
    y = alt.Y("method:N", sort=[method for method, _ in rows], title=None)
    x = alt.X("value:Q", title=None, axis=alt.Axis(format="%") if share else alt.Axis())
    text = alt.Text("value:Q", format=".1%" if share else ".3~g")
    bars = base.mark_bar(color=color).encode(x=x, y=y)
    return bars + base.mark_text(align="left", dx=3, fontSize=10).encode(x=x, y=y, text=text)
