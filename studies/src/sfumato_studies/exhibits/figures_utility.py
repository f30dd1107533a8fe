"""Privacy beside utility on the census sample: negotiation paper, Fig. 4 to 6; thesis, Fig. 4.11 to 4.13."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import sfumato as sf
from sfumato.reporting.charts import BLUE, ORANGE, RED, altair, finished
from sfumato.results import Rows
from sfumato_studies import census, charts
from sfumato_studies.comparing import claim, count
from sfumato_studies.exhibit import Contents, exhibit
from sfumato_studies.exhibits.figures_census import (
    class_counts,
    class_distribution,
    losses_table,
    model_claims,
    pairs_chart,
    set_name,
)

PRIVACY, UTILITY = "distribution", "utility-distribution"
# The sources' third set names attribute 8, which is sensitive; all seven QIDs are meant.
SETS = ((1, 2, 3), (1, 2, 3, 4, 6), (1, 2, 3, 4, 5, 6, 7))
_PRINTED = "(1, 2, 3, 4, 6, 7, 8)"
_EIGHT = "erratum: attribute 8 is sensitive; the seven QIDs (1, 2, 3, 4, 5, 6, 7) are used"
EPSILON = 0.5


@exhibit(
    "negotiation-fig-4",
    "thesis-fig-4.11",
    source="negotiation paper, Fig. 4; thesis, Fig. 4.11",
    title="Age and work class: class 7 loses the most privacy and the least utility",
)
def two_qids() -> Contents:
    """The table of Fig. 2 again, with its utility losses."""
    released = census.pair((1, 2))
    privacy, utility = released.losses[PRIVACY], released.losses[UTILITY]
    worst, best = privacy.index(max(privacy)) + 1, utility.index(min(utility)) + 1
    where, text = "negotiation paper, Fig. 4; thesis, Fig. 4.11", "negotiation paper, 6.2; thesis, 4.6.2"
    return Contents(
        "The class that reveals most is the most useful one: only six of fourteen occupations occur in class 7.",
        (
            *model_claims(released, where, 6, 6, 0.5),
            claim("class with the largest privacy loss", text, "7", str(worst), worst == 7),
            claim("class with the least utility loss", text, "7", str(best), best == 7),
            count("occupations that occur in class 7", text, 6, released.distinct(7)),
            count("occupations in all", text, 14, len(released.values)),
        ),
        chart=_evaluated(released),
        table=losses_table(released, PRIVACY, "entropy", UTILITY, "utility-entropy"),
    )


def _evaluated(released: census.Released) -> dict[str, Any]:
    alt = altair()
    values = released.lines(PRIVACY, UTILITY)
    panels = alt.hconcat(
        charts.class_bars(values, PRIVACY, marked=7, width=270), charts.class_dots(values, UTILITY, marked=7, width=270)
    )
    upper = panels.properties(title="(a) Privacy and utility loss of every class")
    return finished(alt.vconcat(upper, class_distribution(released, 7), spacing=30))


@exhibit(
    "negotiation-fig-5",
    "thesis-fig-4.12",
    source="negotiation paper, Fig. 5; thesis, Fig. 4.12",
    title="Privacy and utility losses for four pairs of QIDs",
)
def four_pairs() -> Contents:
    """What the owner compares before answering a request."""
    released = {pair: census.pair(pair) for pair in census.PAIRS}
    privacy = {set_name(pair): each.of(PRIVACY, 3) for pair, each in released.items()}
    utility = {set_name(pair): each.of(UTILITY, 3) for pair, each in released.items()}
    worst, best = max(privacy, key=lambda name: privacy[name]), min(utility, key=lambda name: utility[name])
    where = "negotiation paper, 6.2; thesis, 4.6.2"
    return Contents(
        "The same people may be exposed or not, and useful or not, depending on the QIDs: at (2, 3) class 3 leaks most "
        "and loses least utility.",
        (
            *class_counts(released, "negotiation paper, Fig. 5; thesis, Fig. 4.12"),
            claim("where class 3 leaks most", where, "at QID (2, 3)", _list_losses(privacy), worst == "(2, 3)"),
            claim("where class 3 has a low utility loss", where, "at QID (2, 3)", _list_losses(utility), best == "(2, 3)"),
        ),
        chart=pairs_chart(released, {PRIVACY: 0, UTILITY: 0.8}, "Privacy loss (above) and utility loss (below) of every class"),
    )


def _list_losses(losses: dict[str, float]) -> str:
    return "losses of class 3: " + ", ".join(f"{name} {value:.3f}" for name, value in losses.items())


def fronts() -> dict[str, list[dict[str, float]]]:
    """For every set of QIDs, the nodes that no other node beats in both losses, by rising privacy loss."""
    result = {}
    with sf.data.adult() as table:
        for numbers in SETS:
            space = sf.explore(table, quasi=census.named(numbers))
            front = space.pareto(f"{PRIVACY}.max", UTILITY)
            pairs = sorted(zip(front[f"{PRIVACY}.max"].tolist(), front[UTILITY].tolist(), strict=True))
            result[set_name(numbers)] = [{"privacy": privacy, "utility": utility} for privacy, utility in pairs]
    return result


@exhibit(
    "negotiation-fig-6",
    "thesis-fig-4.13",
    source="negotiation paper, Fig. 6; thesis, Fig. 4.13",
    title="What privacy costs in utility, for three, five and seven QIDs",
)
def trade_offs() -> Contents:
    """The least utility loss under every bound on the privacy loss."""
    by_set = fronts()
    least = {name: _least(front, EPSILON) for name, front in by_set.items()}
    where, figure = "negotiation paper, 6.2; thesis, 4.6.2", "negotiation paper, Fig. 6; thesis, Fig. 4.13"
    falls = all(one["utility"] > other["utility"] for front in by_set.values() for one, other in pairwise(front))
    names = list(by_set)
    return Contents(
        "Every bit of privacy is paid for in utility, and what a given bound costs depends on the attributes that the "
        "user asks for: with more of them there are more releases to choose from, and the least utility loss is never larger.",
        (
            claim("the third set of QIDs", figure, _PRINTED, names[-1], names[-1] == _PRINTED, _EIGHT),
            claim(
                "privacy against utility",
                where,
                "a trade-off",
                "the utility loss falls as the bound on privacy rises" if falls else "the utility loss does not fall everywhere",
                falls,
            ),
            claim(
                "utility under a given privacy constraint",
                where,
                "depends on the attributes of interest",
                f"least utility loss where the privacy loss is at most {EPSILON:g}: "
                + ", ".join(f"{name} {value:.4f}" for name, value in least.items()),
                len({round(value, 4) for value in least.values()}) > 1,
            ),
        ),
        chart=_fronts_chart(by_set),
        table=Rows(
            ("QIDs", "policies on the front", f"least utility loss at {EPSILON:g}"),
            tuple((name, len(by_set[name]), least[name]) for name in names),
        ),
    )


def _least(front: Sequence[dict[str, float]], bound: float) -> float:
    return min(each["utility"] for each in front if each["privacy"] <= bound)


def _fronts_chart(by_set: dict[str, list[dict[str, float]]]) -> dict[str, Any]:
    """The whole fronts, and the part with narrow bounds enlarged."""
    alt = altair()
    rows = [{"QIDs": name, **each} for name, front in by_set.items() for each in front]
    title = {
        "text": "The least utility loss under a bound on the privacy loss",
        "subtitle": "QIDs: 1 age, 2 workclass, 3 education, 4 native-country, 5 marital-status, 6 race, 7 sex",
    }
    whole = _fronts_panel(alt, rows, [0.0, 1.1], [0.55, 0.96]).properties(title="All bounds")
    near = _fronts_panel(alt, rows, [0.0, 0.82], [0.882, 0.952]).properties(title="Bounds up to 0.8, enlarged")
    return finished(alt.vconcat(whole, near, spacing=24).properties(title=title))


def _fronts_panel(alt: Any, rows: list[dict[str, Any]], x: list[float], y: list[float]) -> Any:
    names = list(dict.fromkeys(row["QIDs"] for row in rows))
    colors = alt.Scale(domain=names, range=[BLUE, ORANGE, RED])
    dashes, widths = (alt.Scale(type="ordinal", domain=names, range=each) for each in ([[1, 0], [1, 0], [4, 2]], [5, 2.5, 2]))
    base = alt.Chart(alt.Data(values=rows), width=470, height=240).encode(
        x=alt.X("privacy:Q", title="largest distribution loss of a class (privacy)", scale=alt.Scale(domain=x, nice=False)),
        y=alt.Y("utility:Q", title="distribution utility loss, mean over people", scale=alt.Scale(domain=y, nice=False)),
        color=alt.Color("QIDs:N", scale=colors, title="QIDs", legend=alt.Legend(symbolStrokeWidth=3)),
    )
    return base.mark_line(interpolate="step-after", clip=True).encode(
        strokeDash=alt.StrokeDash("QIDs:N", scale=dashes, title="QIDs"),
        strokeWidth=alt.StrokeWidth("QIDs:N", scale=widths, legend=None),
    )
