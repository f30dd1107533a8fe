"""The three problems of utility against privacy, drawn from their solutions: thesis, Fig. 4.3 to 4.5. Needs the extra `tradeoff`.

The thesis draws sketches. Here the prior is that of its Example 5, (7, 3, 2)/12, and every region and optimum is computed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sfumato.reporting.charts import GREEN, ORANGE, SKY, altair, finished
from sfumato.statistics import Floats
from sfumato.tradeoff import feasible_region, recommend
from sfumato_studies import simplex
from sfumato_studies.comparing import claim
from sfumato_studies.exhibit import Contents, exhibit

VALUES = ("flu", "heart disease", "cancer")
SHARES = (7 / 12, 3 / 12, 2 / 12)
PRIOR: Floats = np.array(SHARES)
EPSILON, ALPHA, DELTA = 0.2, 0.3, 0.6
PRIVACY, ENTROPY, UTILITY = "distribution", "entropy", "utility-distribution"
SKETCH = "The thesis draws a sketch without numbers; the prior is (7, 3, 2)/12."
_TRIANGLE = "every point of the triangle is a distribution of three values in a class"
_GRAYS = ("#fafafa", "#e6e6e6", "#d2d2d2", "#bcbcbc", "#a4a4a4", "#8c8c8c")
NEAR = 1e-6


@exhibit("thesis-fig-4.3", source="thesis, Fig. 4.3", title="The least utility loss within a bound on privacy")
def least_utility_loss() -> Contents:
    """The first problem: minimize the utility losses where the privacy losses are bounded."""
    best = recommend(PRIOR, epsilon=EPSILON, alpha=ALPHA).chosen
    losses = simplex.losses(simplex.grid(), PRIOR)
    within = (losses[PRIVACY] <= EPSILON) & (losses[ENTROPY] <= ALPHA)
    on_grid, ours = float(losses[UTILITY][within].min()), best.losses[UTILITY]
    return Contents(
        "Around the prior lies the set of distributions that keep the privacy bounds. Among them the one nearest to "
        "certainty is recommended: it lies "
        "on the edge of the set.",
        (
            claim(
                "the recommended distribution",
                "thesis, 4.3.1",
                "the least utility loss that the privacy constraint allows",
                f"utility loss {ours:.4f} at {_shares(best.shares)}; on a fine grid within the bounds it is nowhere "
                f"below {on_grid:.4f}",
                ours <= on_grid + NEAR,
            ),
            claim(
                "where it lies",
                "thesis, Fig. 4.3",
                "on the privacy constraint",
                f"distribution loss {best.losses[PRIVACY]:.4f} of {EPSILON:g}, entropy loss {best.losses[ENTROPY]:.4f} "
                f"of {ALPHA:g}",
                EPSILON - best.losses[PRIVACY] < NEAR or ALPHA - best.losses[ENTROPY] < NEAR,
            ),
        ),
        chart=_first_chart(best.shares),
        note=f"{SKETCH} Bounds: distribution loss {EPSILON:g}, entropy loss {ALPHA:g}.",
    )


def _shares(shares: Sequence[float]) -> str:
    return f"({', '.join(f'{share:.3f}' for share in shares)})"


def _bands(alt: Any, loss: str, centers: Sequence[Sequence[float]], levels: Sequence[float], title: str) -> Any:
    """The loss as shades: its values below rising levels, around the places where it is least."""
    edges = [0.0, *levels]
    names = [f"{low:.1f} to {high:.1f}" for low, high in zip(edges, levels, strict=False)] + [f"above {levels[-1]:.1f}"]
    whole = [simplex.place(corner) for corner in simplex.CORNERS]
    parts = [(names[-1], whole)]
    for name, level in reversed(list(zip(names, levels, strict=False))):
        parts += [(name, simplex.region(center, PRIOR, _below(loss, level))) for center in centers]
    return simplex.filled(alt, parts, dict(zip(names, _GRAYS, strict=True)), title)


def _below(loss: str, level: float) -> simplex.Inside:
    return lambda losses: losses[loss] <= level


def _drawn(alt: Any, title: str, *layers: Any) -> dict[str, Any]:
    whole = alt.layer(*layers).resolve_scale(fill="independent", color="independent", shape="independent")
    return finished(whole.properties(title={"text": title, "subtitle": _TRIANGLE}, view={"stroke": None}))


def _first_chart(best: Sequence[float]) -> dict[str, Any]:
    alt = altair()
    outline = simplex.region(SHARES, PRIOR, lambda losses: (losses[PRIVACY] <= EPSILON) & (losses[ENTROPY] <= ALPHA))
    kept = f"within ε = {EPSILON:g}, α = {ALPHA:g}"
    return _drawn(
        alt,
        "Minimize the utility loss within privacy bounds",
        _bands(alt, UTILITY, simplex.CORNERS, (0.2, 0.3, 0.4, 0.5, 0.6), "utility loss"),
        simplex.filled(alt, [(kept, outline)], {kept: GREEN}, "privacy losses"),
        simplex.frame(alt, VALUES),
        simplex.spots(alt, {"prior": [SHARES], "recommended": [best]}),
    )


@exhibit("thesis-fig-4.4", source="thesis, Fig. 4.4", title="The least privacy loss within a bound on utility")
def least_privacy_loss() -> Contents:
    """The second problem: minimize the privacy losses where the utility loss is bounded."""
    best = recommend(PRIOR, delta=DELTA, weights=(1, 0)).chosen
    losses = simplex.losses(simplex.grid(), PRIOR)
    on_grid, ours = float(losses[PRIVACY][losses[UTILITY] <= DELTA].min()), best.losses[PRIVACY]
    return Contents(
        "Useful are the distributions near the corners, where a value is nearly certain. The one of them that lies "
        "nearest to the prior reveals least.",
        (
            claim(
                "the recommended distribution",
                "thesis, 4.3.1",
                "the least privacy loss that the utility constraint allows",
                f"distribution loss {ours:.4f} at {_shares(best.shares)}; on a fine grid within the bound it is nowhere "
                f"below {on_grid:.4f}",
                ours <= on_grid + NEAR,
            ),
            claim(
                "where it lies",
                "thesis, Fig. 4.4",
                "on the utility constraint",
                f"utility loss {best.losses[UTILITY]:.4f} of {DELTA:g}",
                abs(DELTA - best.losses[UTILITY]) < NEAR,
            ),
        ),
        chart=_second_chart(best.shares),
        note=f"{SKETCH} Bound: distribution utility loss {DELTA:g}. The entropy losses have no bounds.",
    )


def _useful() -> list[list[dict[str, float]]]:
    """The three regions within the utility bound, one at each corner."""
    return [simplex.region(corner, PRIOR, lambda losses: losses[UTILITY] <= DELTA) for corner in simplex.CORNERS]


def _second_chart(best: Sequence[float]) -> dict[str, Any]:
    alt = altair()
    kept = f"within δ = {DELTA:g}"
    return _drawn(
        alt,
        "Minimize the privacy loss within a utility bound",
        _bands(alt, PRIVACY, [SHARES], (0.1, 0.2, 0.3, 0.5, 0.7), "distribution loss"),
        simplex.filled(alt, [(kept, outline) for outline in _useful()], {kept: ORANGE}, "utility loss"),
        simplex.frame(alt, VALUES),
        simplex.spots(alt, {"prior": [SHARES], "recommended": [best]}),
    )


@exhibit("thesis-fig-4.5", source="thesis, Fig. 4.5", title="The distributions that keep both bounds")
def both_bounds() -> Contents:
    """The third problem: the feasible region, and its Pareto-optimal points."""
    region = feasible_region(PRIOR, epsilon=EPSILON, delta=DELTA, sample=0)
    kept = all(
        candidate.losses[PRIVACY] <= EPSILON + NEAR and candidate.losses[UTILITY] <= DELTA + NEAR for candidate in region.pareto
    )
    return Contents(
        "Both constraints together leave a small region between the prior and the corners. Its best points cannot be "
        "improved in one loss without "
        "losing in another.",
        (
            claim(
                "solutions under both constraints",
                "thesis, 4.3.1",
                "a feasible region",
                "a region whose Pareto-optimal points keep both bounds" if region.feasible and kept else "none",
                region.feasible and kept,
            ),
        ),
        chart=_third_chart([candidate.shares for candidate in region.pareto]),
        note=f"{SKETCH} Bounds: distribution loss {EPSILON:g}, distribution utility loss {DELTA:g}. Pareto-optimal is "
        "meant in all four losses.",
    )


def _both(losses: dict[str, Floats]) -> Any:
    return (losses[PRIVACY] <= EPSILON) & (losses[UTILITY] <= DELTA)


def _third_chart(front: list[tuple[float, ...]]) -> dict[str, Any]:
    """The whole triangle, and the region enlarged."""
    alt = altair()
    center = np.mean(front, axis=0).tolist()
    names = (f"privacy: ε = {EPSILON:g}", f"utility: δ = {DELTA:g}", "both")
    parts = [(names[0], simplex.region(SHARES, PRIOR, lambda losses: losses[PRIVACY] <= EPSILON))]
    parts += [(names[1], outline) for outline in _useful()]
    parts += [(names[2], simplex.region(center, PRIOR, _both, directions=960))]  # many, since its tips are narrow
    colors = dict(zip(names, (SKY, "#f3cf80", GREEN), strict=True))
    middle = simplex.place(center)
    near = ([middle["x"] - 0.16, middle["x"] + 0.16], [middle["y"] - 0.11, middle["y"] + 0.1675])
    panels = []
    for window, name in ((simplex.WHOLE, "All distributions"), (near, "The region, enlarged")):
        marks: dict[str, Sequence[Sequence[float]]] = {"prior": [SHARES], "Pareto-optimal": front if window == near else []}
        layers = (simplex.filled(alt, parts, colors, "within the bounds", window), simplex.frame(alt, VALUES, window))
        layered = alt.layer(*layers, simplex.spots(alt, marks, window))
        panels.append(layered.properties(title=name, view={"stroke": "#cccccc" if window == near else None}))
    title = {"text": "Privacy and utility bounded at once", "subtitle": _TRIANGLE}
    return finished(alt.vconcat(*panels, spacing=16).properties(title=title))
