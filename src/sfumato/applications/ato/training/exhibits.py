"""Tables 5.4 to 5.6 and Figures 5.4 to 5.6 of the thesis: what it prints, and beside it what we find.

Its logs (700 million logins of 1886 companies) are private, so the numbers need not agree; the pattern may. Whether it does is told, not
assumed.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

from sfumato.applications.ato.confusion import Confusion
from sfumato.applications.ato.events import FLAG, LEVELS
from sfumato.applications.ato.forest.model import heads
from sfumato.applications.ato.training.training import Trained, Variant
from sfumato.results import Rows

TITLES = {"ip": "Original Data", "subnet": "Sub-net Generalized", "country": "Country Generalized"}
_SHORT = {"ip": "Original", "subnet": "Sub-net", "country": "Country"}
# Thesis, Tables 5.5 and 5.6; the importances of its Figures 5.4 to 5.6 are not printed as numbers.
PRINTED_COUNTS = {"ip": (33581, 249996, 4, 16), "subnet": (33509, 249960, 40, 110), "country": (33256, 249006, 994, 341)}
PRINTED_SHARES = {
    "ip": ("99.98%", "99.95%", "99.99%"),
    "subnet": ("99.88%", "99.67%", "99.94%"),
    "country": ("97.09%", "98.98%", "99.52%"),
}
PRINTED_TRADE_OFF = {
    "ip": (None, None, None, None, None, "0%"),
    "subnet": (21368, "(0.87, 0.5293)", "(7.79e-7, 3.436e-6)", "(0.1338, 0.1661)", None, "0.045%"),
    "country": (272, "(0.87, 0.5293)", "(1.73e-7, 1.78e-7)", "(0.0333, 0.0224)", None, "0.46%"),
}
STATISTICS = {"Max": "max", "Min": "min", "Average": "class_mean", "Average over logins": "people_mean"}


def table_5_4() -> Rows:
    """The features of each variant."""
    columns = [heads(level) for level in LEVELS]
    return Rows(("Original Features", "Sub-net Features", "Country Features"), tuple(zip(*columns, strict=True)))


def table_5_5(found: Trained) -> Rows:
    """How each model decides the test logins, by their labels."""
    names = ("TP", "TN", "FP", "FN", "Precision", "Recall", "Accuracy")
    printed = {level: (*PRINTED_COUNTS[level], *PRINTED_SHARES[level]) for level in LEVELS}
    return _beside(names, printed, {level: _decided(found.variants[level].labels) for level in LEVELS})


def table_5_5_by_truth(found: Trained) -> Rows | None:
    """The same, by what the logins really are; None where that is not known."""
    scores = {level: found.variants[level].truth for level in LEVELS}
    columns = [_decided(score) for score in scores.values() if score is not None]
    names = ("TP", "TN", "FP", "FN", "Precision", "Recall", "Accuracy")
    if len(columns) < len(scores):
        return None
    return Rows(("by the truth", *TITLES.values()), tuple(zip(names, *columns, strict=True)))


def table_5_6(found: Trained) -> Rows:
    """Privacy losses of Fraudulence and utility losses."""
    names = ("# of classes", *(f"{name} privacy loss (ε, α)" for name in STATISTICS), "Data utility loss")
    return _beside(names, PRINTED_TRADE_OFF, {level: _lost(found, found.variants[level]) for level in LEVELS})


def _beside(names: tuple[str, ...], printed: dict[str, Any], ours: dict[str, Any]) -> Rows:
    """Two columns for each level: as printed in the thesis, and ours."""
    columns = [column for level in LEVELS for column in (printed[level], ours[level])]
    tops = [f"{title}: {whose}" for title in _SHORT.values() for whose in ("thesis", "ours")]
    return Rows(("", *tops), tuple(zip(names, *columns, strict=True)))


def _decided(score: Confusion) -> tuple[Any, ...]:
    counts = score.true_positives, score.true_negatives, score.false_positives, score.false_negatives
    return (*counts, *(_percent(share) for share in (score.precision, score.recall, score.accuracy)))


def _lost(found: Trained, variant: Variant) -> tuple[Any, ...]:
    pairs = (variant.losses.pair(statistic) for statistic in STATISTICS.values())
    losses = [f"({distribution:.4g}, {entropy:.4g})" for distribution, entropy in pairs]
    return (variant.losses.classes, *losses, _percent(found.utility_loss(variant.level), 3))


def _percent(share: float | None, digits: int = 2) -> str | None:
    return None if share is None else f"{share:.{digits}%}"


def importances(found: Trained) -> Rows:
    """How much each feature decides at each level, under the names of the original ones: Figures 5.4 to 5.6 as numbers."""
    columns = [found.variants[level].model.importances for level in LEVELS]
    return Rows(("importance", *TITLES.values()), tuple(zip(heads("ip"), *columns, strict=True)))


def pattern(found: Trained) -> dict[str, bool]:
    """Whether what the thesis finds from address to subnet to country shows here, claim by claim."""
    losses = [found.variants[level].losses for level in LEVELS]
    means = [each.pair("class_mean") for each in losses]
    people = [each.pair("people_mean") for each in losses]
    utility = [found.utility_loss(level) or 0.0 for level in LEVELS]
    flags = [found.variants[level].importances()[FLAG] for level in LEVELS]
    return {
        "the mean privacy loss over classes falls": _each(means, lambda first, second: first > second),
        "the mean privacy loss over logins falls": _each(people, lambda first, second: first > second),
        "the utility loss grows": utility == sorted(utility) and utility[-1] > 0,
        "the importance of UserAgentFlag grows": flags == sorted(flags) and flags[-1] > flags[0],
    }


def _each(pairs: list[tuple[float, float]], test: Callable[[float, float], bool]) -> bool:
    """Whether a test holds from each level to the next, for both losses."""
    return all(test(finer, coarser) for fine, coarse in pairwise(pairs) for finer, coarser in zip(fine, coarse, strict=True))


def importances_chart(variant: Variant) -> dict[str, Any]:
    """Figure 5.4, 5.5 or 5.6: how much each feature decides. The flag, whose importance the thesis follows, has a color of its own."""
    from sfumato.reporting.charts import BLUE, ORANGE, altair, finished

    draw = altair()
    rows = [
        {"feature": name, "importance": share, "shown": f"{share:.3f}", "color": ORANGE if name == FLAG else BLUE}
        for name, share in variant.importances().items()
    ]
    axis = draw.Axis(grid=False, title="importance (all features together are 1)")
    chart = draw.Chart(draw.Data(values=rows)).encode(
        x=draw.X("importance:Q", axis=axis, scale=draw.Scale(domain=[0, 1])),
        y=draw.Y("feature:N", title=None, sort=list(variant.importances())),
    )
    bars = chart.mark_bar().encode(color=draw.Color("color:N", scale=None))
    values = chart.mark_text(align="left", dx=4, fontSize=12).encode(text="shown:N")
    return finished(draw.layer(bars, values).properties(title=_title(variant), width=420, height=210))


def _title(variant: Variant) -> dict[str, str]:
    number = 4 + list(LEVELS).index(variant.level)
    return {
        "text": f"Figure 5.{number}: what decides, {TITLES[variant.level].lower()}",
        "subtitle": "Of our log. The thesis draws its bars without numbers.",
    }
