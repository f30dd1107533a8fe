"""Negotiations on the census sample: thesis, Fig. 4.10 with Algorithms 1 and 2; negotiation paper, 5."""

from __future__ import annotations

from typing import Any

import numpy as np

import sfumato as sf
from sfumato.negotiation import UtilityPattern
from sfumato.negotiation.owner import Owner
from sfumato.negotiation.pricing import Price
from sfumato.negotiation.simulation import Simulated, simulate
from sfumato.reporting.charts import BLUE, DARK, ORANGE, altair, finished
from sfumato.search.space import PolicySpace
from sfumato.statistics import TOLERANCE
from sfumato_studies import census
from sfumato_studies.comparing import claim
from sfumato_studies.exhibit import Compared, Contents, exhibit
from sfumato_studies.exhibits.figures_profit import EPSILON, PRIVACY

USERS, SEED, LIMIT = 300, 1, 10
PRICE, EXPECTED, GRID = "linear:1000,1000", 65.0, 0.001
QIDS = (1, 2, 3, 4)
# What Fig. 4.11 prints of its table, and a user who can use age and workclass if they keep half of their levels.
MODELS, PATTERN, SHARE = ("k-anonymity:6", "distinct-diversity:6", "t-closeness:0.5"), ("age", "workclass"), 0.5
WHERE = "thesis, 4.5, Fig. 4.10; negotiation paper, 5"


def played() -> tuple[PolicySpace, dict[str, Simulated]]:
    """The same random users against an owner with a flat and one with a variable rate, without the ledger, which the sources lack."""
    with sf.data.adult() as table:
        space = sf.explore(table, quasi=census.named(QIDS))
    within = space[PRIVACY] <= EPSILON
    owners = {
        "flat": Owner(space, within, grid=GRID),
        "variable": Owner(space, within, price=Price.of(PRICE), expected=EXPECTED, grid=GRID),
    }
    return space, {rate: simulate(owner, USERS, SEED, LIMIT) for rate, owner in owners.items()}


def deals(result: Simulated, rate: str) -> list[dict[str, Any]]:
    """The deals without the ledger: what each loses, and what that is worth by the price."""
    price = Price.of(PRICE)
    return [
        {"utility": each.loss, "profit": float(price.at([each.loss])[0]), "rate": rate}
        for each in result.free
        if each.loss is not None
    ]


def the_table_of_figure_11() -> dict[str, int]:
    """What an owner with the bounds of Fig. 4.11 offers first."""
    with sf.data.adult() as table:
        space = sf.explore(table, quasi=list(PATTERN), models=MODELS)
    owner = Owner(space, space.satisfying(MODELS))
    pattern = UtilityPattern((PATTERN,), (SHARE,))
    place, _ = owner.choose(pattern)
    return {} if place is None else dict(owner.terms(place, pattern).levels)


@exhibit("thesis-fig-4.10", source=WHERE, title="Both protocols, played by random users")
def protocols() -> Contents:
    """The two protocols run, and their deals are compared with what the sources say of them."""
    space, results = played()
    made = {rate: deals(result, rate) for rate, result in results.items()}
    everything = [deal for each in made.values() for deal in each]
    return Contents(
        "An owner with a flat rate takes any policy that matches and keeps the bound; one with a variable rate "
        "takes the policy whose profit is the one she expects.",
        (_private(space, results), *_claims(results, made), _figure_11()),
        chart=_chart(everything),
        note=f"The sources draw the messages; they print no numbers. Ours are {USERS} random users on age, workclass, education and "
        f"native-country with ε = {EPSILON:g}, price {PRICE} and an expected profit of {EXPECTED:g}; the same users meet both owners. "
        "Fig. 4.12 prints no bounds, so no negotiation can be said to lead to its tables.",
    )


def _private(space: PolicySpace, results: dict[str, Simulated]) -> Compared:
    nodes = {each.node for result in results.values() for each in result.free if each.node is not None}
    privacy = float(space[PRIVACY][space.lattice.numbers(np.array(sorted(nodes)))].max())
    ours = f"{privacy:.4f} at the most, ε = {EPSILON:g}"
    return claim("privacy of every deal", WHERE, "loss of at most ε", ours, privacy <= EPSILON + TOLERANCE)


def _claims(results: dict[str, Simulated], made: dict[str, list[dict[str, Any]]]) -> list[Compared]:
    answers = max(each.answers for result in results.values() for each in result.free)
    enough = sum((each.price or 0) >= EXPECTED for each in results["variable"].free)
    best = sum(each.distance is not None and each.distance <= GRID for each in results["flat"].free)
    shares = {rate: len(each) / USERS for rate, each in made.items()}
    return [
        claim("every negotiation ends", WHERE, "after at most Z answers", f"after {answers} of {LIMIT}", answers <= LIMIT),
        claim(
            "a variable rate matches the expected profit",
            WHERE,
            "it does",
            f"{enough} of {len(made['variable'])} deals earn it or more; the others had a smaller budget or no better policy",
            enough > 0,
        ),
        claim(
            "a flat rate and the best utility",
            WHERE,
            "no guarantee",
            f"{best} of {len(made['flat'])} deals are the best matching policy",
            best < len(made["flat"]),
            "the sources let the owner take any policy within the bound; ours offers the one that loses least utility first",
        ),
        claim(
            "deals",
            WHERE,
            "some users end without one",
            ", ".join(f"{share:.0%} of users at a {rate} rate" for rate, share in shares.items()),
            all(0 < share < 1 for share in shares.values()),
        ),
    ]


def _figure_11() -> Compared:
    levels = {name: census.LEVELS[name] for name in PATTERN}
    found = the_table_of_figure_11()
    return claim(
        "the table of Fig. 4.11",
        "thesis, Fig. 4.11",
        "k ≥ 6, 6-diversity, 0.5-closeness",
        "the first offer to a user who asks for age and workclass, generalized by half at the most",
        found == levels,
    )


def _chart(made: list[dict[str, Any]]) -> dict[str, Any]:
    """Every deal of both owners at its loss, and the price as a line."""
    alt = altair()
    x = alt.X("utility:Q", title="distribution utility loss, mean over people", scale=alt.Scale(zero=False))
    color = alt.Color("rate:N", scale=alt.Scale(domain=["flat", "variable"], range=[ORANGE, BLUE]), title="rate")
    counted = alt.Chart(alt.Data(values=made), width=460, height=240)
    points = counted.mark_point(filled=True, opacity=0.75).encode(
        x=x,
        y=alt.Y("profit:Q", title="profit of the owner, by the price", scale=alt.Scale(zero=False)),
        color=color,
        size=alt.Size("count():Q", title="deals"),
    )
    expected = alt.Chart(alt.Data(values=[{"profit": EXPECTED}])).mark_rule(strokeDash=[6, 4], color=DARK).encode(y="profit:Q")
    title = f"Deals of both owners; dashed: the profit that is expected, {EXPECTED:g}"
    return finished((points + expected).properties(title=title))
