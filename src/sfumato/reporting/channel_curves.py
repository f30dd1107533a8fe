"""Charts of what mechanisms leave to guess: against k, against what the adversary knows, against utility; and three views of a space."""

from __future__ import annotations

from typing import Any

from sfumato.channel import Hinted, RulesK
from sfumato.channel.bridge import SideBySide
from sfumato.errors import UsageError, argument, unknown
from sfumato.reporting.charts import BLUE, DARK, GRAY, GREEN, ORANGE, PURPLE, RED, SKY, altair, finished

_COLORS = (BLUE, ORANGE, GREEN, PURPLE, SKY, RED)
_CHOICES = {"uniform": "uniform: any node that satisfies k", "deterministic": "deterministic: the one with the least levels"}
_NAMES, _RANGE, _SHAPES = list(_CHOICES.values()), [BLUE, ORANGE], ["circle", "square"]
# Where the labels of the points of each choice stand: below and left, above and right.
_BESIDE = {_NAMES[0]: {"align": "right", "dx": -8, "dy": 12}, _NAMES[1]: {"align": "left", "dx": 8, "dy": -9}}
_BEST = "the best possible channel"
_LOOKS = ["safe to both", "safe to one only", "safe to neither"]
_NAMED = 30  # nodes whose names can be told apart


def hinted_chart(result: Hinted) -> dict[str, Any]:
    """The MAP error against how likely a hint is right, a line per channel; dashed, without an output."""
    alt = altair()
    if len(result.names) > len(_COLORS) + 1:
        raise UsageError(f"a picture has up to {len(_COLORS)} channels", where="plot")
    rows = [
        {"hint": hint, "error": error, "channel": name}
        for name, errors in zip(result.names, result.errors.tolist(), strict=True)
        for hint, error in zip(result.hints, errors, strict=True)
    ]
    names = list(result.names)
    color = alt.Scale(domain=names, range=[*_COLORS[: len(names) - 1], GRAY])
    dashes = alt.Scale(domain=names, range=[[1, 0]] * (len(names) - 1) + [[5, 4]])
    drawn = (
        alt.Chart(alt.Data(values=rows), width=440, height=280)
        .mark_line(strokeWidth=2.5)
        .encode(
            x=alt.X("hint:Q", title="probability that the adversary's hint is right (0: the prior, 1: certainty)"),
            y=alt.Y("error:Q", title="MAP error", scale=alt.Scale(domain=[0, 1])),
            color=alt.Color("channel:N", scale=color, sort=names, title=None),
            strokeDash=alt.StrokeDash("channel:N", scale=dashes, sort=names, title=None),
        )
    )
    return finished(drawn.properties(title="How often the best guess is wrong, by what is known before"))


def rules_chart(result: RulesK, picture: str = "error") -> dict[str, Any]:
    """The MAP error against k, or utility against privacy."""
    charts = {"error": error_chart, "utility": utility_chart}
    if picture not in charts:
        raise UsageError(unknown("picture", picture, list(charts), within="the rules"), where=argument("picture"))
    return charts[picture](result)


def error_chart(result: RulesK) -> dict[str, Any]:
    """The probability of a right guess against k, as a line per choice; its value beside each point. One minus the MAP error, on a
    logarithmic scale: the errors of larger k are all close to one."""
    alt = altair()
    rows = [
        {"k": each.k, "choice": _CHOICES[each.choice], "right": each.adversary, "error": f"{each.map_error:.4f}"}
        for each in result.rules
    ]
    least = min(each.adversary for each in result.rules)
    x = alt.X("k:O", title="k: the least number of people in a class", axis=alt.Axis(labelAngle=0))
    scale = alt.Scale(type="log", domain=[least / 3, 1.6], nice=False)
    y = alt.Y("right:Q", scale=scale, title="probability of a right guess (1 − MAP error)", axis=_powers(alt, least / 3))
    base = alt.Chart(alt.Data(values=rows), width=460, height=300).encode(x=x, y=y, color=_choice(alt), shape=_shape(alt))
    lines = base.mark_line(strokeWidth=2, point=alt.OverlayMarkDef(size=90, filled=True, opacity=1))
    title = alt.Title("How often the best guess of the whole table is right", subtitle="the numbers are MAP errors")
    return finished(alt.layer(lines, *_labels(alt, base, "error:N")).properties(title=title))


def utility_chart(result: RulesK) -> dict[str, Any]:
    """What rules tell against how often the adversary is right: in bits of information, beside the best possible, and as the utility of
    what is published."""
    information, utility = _information(result), _utility(result)
    title = "What a rule tells, and how often the best guess of the whole table is right"
    return finished(altair().hconcat(information, utility, spacing=40, title=title))


def _information(result: RulesK) -> Any:
    alt = altair()
    curve = [{"right": right, "bits": bits, "channel": _BEST} for right, bits in result.best_curve()]
    y = alt.Y("bits:Q", title="information about the input (bits)")
    best = alt.Chart(alt.Data(values=curve)).mark_line(color=DARK, strokeWidth=1.5, strokeDash=[5, 3])
    drawn = best.encode(x=_right(alt, result), y=y) + _points(alt, result, "information", y)
    middle = curve[len(curve) // 2]
    label = alt.Chart(alt.Data(values=[middle])).mark_text(text=_BEST, align="left", dx=8, dy=-8, fontSize=12, color=DARK)
    drawn += label.encode(x=_right(alt, result), y=y)
    return drawn.properties(width=400, height=300)


def _utility(result: RulesK) -> Any:
    alt = altair()
    y = alt.Y("bits:Q", title="mean utility of a release (bits)", scale=alt.Scale(domain=[0, 1.15 * result.before], nice=False))
    return _points(alt, result, "utility", y).properties(width=400, height=300)


def _points(alt: Any, result: RulesK, name: str, y: Any) -> Any:
    """A point per rule, with the k that it stands for: of several at one place, all of them."""
    spans: dict[tuple[str, float, float], list[int]] = {}
    for each in result.rules:
        spans.setdefault((_CHOICES[each.choice], each.adversary, getattr(each, name)), []).append(each.k)
    rows = [
        {"choice": choice, "right": right, "bits": bits, "k": f"k = {ks[0]}" + (f" to {ks[-1]}" if len(ks) > 1 else "")}
        for (choice, right, bits), ks in spans.items()
    ]
    base = alt.Chart(alt.Data(values=rows)).encode(x=_right(alt, result), y=y)
    marks = base.mark_point(filled=True, size=100, opacity=1).encode(color=_choice(alt), shape=_shape(alt))
    return alt.layer(marks, *_labels(alt, base, "k:N"))


def _labels(alt: Any, base: Any, text: str) -> list[Any]:
    """Texts beside the points of each choice, on the side where the other has none."""
    return [
        base.transform_filter(f"datum.choice == '{name}'")
        .mark_text(fontSize=11, **beside)
        .encode(text=text, color=alt.value(DARK))
        for name, beside in _BESIDE.items()
    ]


def _right(alt: Any, result: RulesK) -> Any:
    """The axis of privacy: more of it to the right, where right guesses are rarer."""
    scale = alt.Scale(type="log", domain=[1, 1 / result.inputs], nice=False)
    return alt.X(
        "right:Q",
        scale=scale,
        title="probability of a right guess (more private to the right)",
        axis=_powers(alt, 1 / result.inputs),
    )


def _powers(alt: Any, least: float) -> Any:
    """Ticks at powers of ten only."""
    ticks, tick = [], 1.0
    while tick >= least:
        ticks.append(tick)
        tick /= 10
    return alt.Axis(values=ticks, format="~g", labelFlush=False)


def _choice(alt: Any) -> Any:
    return alt.Color("choice:N", scale=alt.Scale(domain=_NAMES, range=_RANGE), title=None, legend=_legend(alt))


def _shape(alt: Any) -> Any:
    return alt.Shape("choice:N", scale=alt.Scale(domain=_NAMES, range=_SHAPES), title=None, legend=_legend(alt))


def _legend(alt: Any) -> Any:
    return alt.Legend(orient="top", labelLimit=400)


def side_by_side_chart(result: SideBySide) -> dict[str, Any]:
    """L_PD against the MAP error of every node, with both thresholds; nodes on which these two disagree are named."""
    alt = altair()
    epsilon, _, error = result.thresholds
    rows = [
        {"node": node, "loss": values[0], "error": values[2], "looks": _LOOKS[2 - int(safe[0]) - int(safe[2])]}
        for node, values, safe in zip(result.nodes, result.values.tolist(), result.safe.tolist(), strict=True)
    ]
    x = alt.X(
        "error:Q", title="MAP error: how often the best guess is wrong, mean over people", scale=_scale(alt, rows, "error", error)
    )
    y = alt.Y("loss:Q", title="distribution loss L_PD of the worst class", scale=_scale(alt, rows, "loss", epsilon))
    color = alt.Color("looks:N", scale=alt.Scale(domain=_LOOKS, range=[BLUE, RED, GRAY]), title=None, legend=_legend(alt))
    shapes = alt.Scale(domain=_LOOKS, range=["circle", "diamond", "cross"])
    marks = alt.Chart(alt.Data(values=rows), width=520, height=340).mark_point(filled=True, size=80, opacity=0.9)
    points = marks.encode(x=x, y=y, color=color, shape=alt.Shape("looks:N", scale=shapes, title=None, legend=_legend(alt)))
    lines = alt.Chart(alt.Data(values=[{"error": error, "loss": epsilon}])).mark_rule(strokeDash=[5, 4], color=GRAY)
    named = alt.Chart(alt.Data(values=_named(rows))).mark_text(align="left", dx=8, dy=-6, fontSize=11)
    layers = [lines.encode(x=x), lines.encode(y=y), points, named.encode(x=x, y=y, text="nodes:N")]
    title = alt.Title(
        "Two views of one space", subtitle="dashed: the thresholds; safe is below the one and to the right of the other"
    )
    return finished(alt.layer(*layers).properties(title=title))


def _scale(alt: Any, rows: list[dict[str, Any]], name: str, threshold: float) -> Any:
    """From the least to the largest value and the threshold, with some room; never below zero."""
    values = [threshold, *(row[name] for row in rows)]
    room = 0.06 * (max(values) - min(values)) or 0.05
    return alt.Scale(domain=[max(min(values) - room, 0), max(values) + 2 * room], nice=False, zero=False)


def _named(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The names of the nodes on which the views disagree; those of nodes close to each other in one text. None, if they are many."""
    apart = [row for row in rows if row["looks"] == _LOOKS[1]]
    if len(apart) > _NAMED:
        return []
    wide, high = (max(row[name] for row in rows) - min(row[name] for row in rows) for name in ("error", "loss"))
    texts: list[dict[str, Any]] = []
    for row in sorted(apart, key=lambda row: row["error"]):
        near = [
            text for text in texts if row["error"] - text["error"] <= wide / 16 and abs(row["loss"] - text["loss"]) <= high / 30
        ]
        if near:
            near[0] |= {"nodes": f"{near[0]['nodes']}, {row['node']}", "error": row["error"]}
        else:
            texts.append({"nodes": row["node"], "error": row["error"], "loss": row["loss"]})
    return texts
