"""The figures about the losses themselves: leakage paper, Fig. 1; thesis, Fig. 3.1 to 3.3."""

from __future__ import annotations

from typing import Any

import numpy as np

from sfumato.losses.comparison import compare_metrics
from sfumato.reporting.charts import ORANGE, PURPLE, SKY, altair, finished
from sfumato.reporting.metrics import metrics_chart
from sfumato.statistics import TOLERANCE
from sfumato_studies import charts
from sfumato_studies.comparing import claim, numbers
from sfumato_studies.exhibit import Contents, exhibit
from sfumato_studies.exhibits.patients import distribution_losses
from sfumato_studies.tables import THREE_DISEASES

_NOT_PRINTED = (
    "the sources print neither which metrics nor which distributions they compare; along our path the Hellinger "
    "distance rises a little "
    "faster at first than both, while the divergences start flat"
)
_EARLY = 10
DISEASES = ("flu", "heart disease", "cancer")


@exhibit(
    "leakage-fig-1",
    "thesis-fig-3.1",
    source="leakage paper, Fig. 1; thesis, Fig. 3.1",
    title="Statistical distances while a posterior moves from the prior to its reverse",
)
def metrics() -> Contents:
    """Which metrics measure the same, and which are sensitive."""
    comparison = compare_metrics()
    early = dict(zip(comparison.metrics, comparison.shares[_EARLY].tolist(), strict=True))
    others = [place for place, name in enumerate(comparison.metrics) if name != "entropy"]
    entropy = comparison.metrics.index("entropy")
    alone = float(np.abs(comparison.correlation[entropy, others]).max())
    together = float(comparison.correlation[np.ix_(others, others)].min())
    rivals = {name: share for name, share in early.items() if name not in ("distribution", "l1", "entropy")}
    where = "leakage paper, IV; thesis, 3.2"
    return Contents(
        "All distances but one rank the steps of the path alike. The entropy distance alone is independent of the "
        "others: it measures something else.",
        (
            claim(
                "the entropy distance",
                where,
                "the only one that is independent of the others",
                f"rank correlation with the others at most {alone:.2f}, between the others at least {together:.2f}",
                alone < 0.1 and together > 0.99,
            ),
            claim(
                "the most sensitive of the others",
                where,
                "L1 and the Euclidean distance",
                f"shares of the maximum after a tenth of the path: L1 {early['l1']:.3f}, Euclidean {early['distribution']:.3f}, "
                + ", ".join(f"{name} {share:.3f}" for name, share in rivals.items()),
                max(rivals.values()) <= min(early["l1"], early["distribution"]) + TOLERANCE,
                _NOT_PRINTED,
            ),
        ),
        chart=metrics_chart(comparison),
        note="The prior is (0.4, 0.3, 0.15, 0.1, 0.05). The Euclidean, L1 and earth mover's distances fall on one line.",
    )


@exhibit(
    "thesis-fig-3.2",
    source="thesis, Fig. 3.2",
    title="The distribution loss alone does not suffice",
)
def insufficient() -> Contents:
    """Class 3 has the largest distribution loss; in classes 1 and 2 a value is ruled out."""
    shares = THREE_DISEASES.shares()
    ruled_out = [place for place, each in enumerate(shares, start=1) if "cancer" not in each]
    return Contents(
        "Class 3 has the largest distribution loss. Yet of classes 1 and 2 an adversary knows for certain that nobody "
        "has the third value.",
        (
            *distribution_losses("thesis, Fig. 3.2"),
            claim(
                "classes without the third value",
                "thesis, Fig. 3.2",
                "1 and 2",
                " and ".join(map(str, ruled_out)),
                ruled_out == [1, 2],
            ),
        ),
        chart=_insufficient_chart(shares),
    )


def _insufficient_chart(shares: list[dict[str, float]]) -> dict[str, Any]:
    """Distributions as stacked bars, beside the distribution loss of every class."""
    alt = altair()
    losses = THREE_DISEASES.losses()
    everybody = {value: float(np.mean([each.get(value, 0.0) for each in shares])) for value in DISEASES}
    stacks = {"original": everybody, **{f"class {place}": each for place, each in enumerate(shares, start=1)}}
    rows = [
        {"where": where, "value": value, "share": each.get(value, 0.0), "order": place}
        for where, each in stacks.items()
        for place, value in enumerate(DISEASES)
    ]
    colors = alt.Scale(domain=list(DISEASES), range=[SKY, ORANGE, PURPLE])
    stacked = (
        alt.Chart(alt.Data(values=rows), width=260, height=230, title="Original and published distributions")
        .mark_bar()
        .encode(
            x=alt.X("where:N", sort=list(stacks), title=None, axis=alt.Axis(labelAngle=0)),
            y=alt.Y(
                "share:Q", title="share of the people", axis=alt.Axis(format="%"), scale=alt.Scale(domain=[0, 1.05], nice=False)
            ),
            color=alt.Color("value:N", scale=colors, sort=list(DISEASES), title=None, legend=alt.Legend(orient="bottom")),
            order=alt.Order("order:Q"),
        )
    )
    values = [
        {"class": place, "loss": "distribution", "value": value} for place, value in enumerate(losses["distribution"], start=1)
    ]
    bars = charts.class_bars(values, "distribution", marked=3, width=200, height=230).properties(
        title="Class 3 has the largest loss"
    )
    return finished(alt.hconcat(stacked, bars, spacing=40))


@exhibit(
    "thesis-fig-3.3",
    source="thesis, Fig. 3.3",
    title="The two privacy losses measure different things",
)
def distinct() -> Contents:
    """The class that is worst in one loss is best in the other."""
    losses = THREE_DISEASES.losses()
    distribution, entropy = losses["distribution"], losses["entropy"]
    worst, least = distribution.index(max(distribution)) + 1, entropy.index(min(entropy)) + 1
    values = [
        {"class": place, "loss": loss, "value": value}
        for loss in ("distribution", "entropy")
        for place, value in enumerate(losses[loss], start=1)
    ]
    alt = altair()
    panels = [charts.class_bars(values, loss, marked=3, width=220, height=230) for loss in ("distribution", "entropy")]
    titles = ("Class 3: the largest distribution loss …", "… and the least entropy loss")
    titled = [panel.properties(title=title) for panel, title in zip(panels, titles, strict=True)]
    return Contents(
        "Class 3 has the largest distribution loss and the least entropy loss: a large one does not imply a large other one.",
        (
            *distribution_losses("thesis, Fig. 3.3"),
            *numbers("entropy loss", "thesis, Fig. 3.3", "0.57 0.57 0.11", entropy),
            claim(
                "class with the largest distribution loss, class with the least entropy loss",
                "thesis, Fig. 3.3",
                "3 and 3",
                f"{worst} and {least}",
                (worst, least) == (3, 3),
            ),
        ),
        chart=finished(alt.hconcat(*titled, spacing=40)),
    )
