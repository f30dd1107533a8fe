"""The channel of an appendix, and the mechanisms over all tables of five rows: what the exhibits of the channel paper share."""

from __future__ import annotations

from functools import cache
from math import comb

from sfumato.channel import ChannelMatrix, RulesK, rules_by_k
from sfumato.channel.enumeration import Enumerated, Universe, enumerate_mechanism

APPENDIX = ChannelMatrix.of(
    [
        [5 / 17, 2 / 17, 0, 10 / 17],
        [0, 20 / 35, 5 / 35, 10 / 35],
        [15 / 28, 5 / 28, 3 / 28, 5 / 28],
        [5 / 20, 8 / 20, 0, 7 / 20],
    ],
    [f"T{number}" for number in "₁₂₃₄"],
    [f"T′{number}" for number in "₁₂₃₄"],
)
# The paper names the domains by their sizes, 4, 2 and 3, and the diseases; the other labels are ours.
DOMAINS = {
    "attributes": {
        "age": {"role": "quasi", "hierarchy": {"tree": {"young": ["20", "30"], "old": ["40", "50"]}}},
        "gender": {"role": "quasi", "values": ["male", "female"]},
        "disease": {"role": "sensitive", "values": ["cold", "heart attack", "diabetes"]},
    }
}
ROWS = 5


@cache
def tables() -> Universe:
    """All tables of five rows."""
    return Universe.of(DOMAINS, ROWS)


@cache
def mechanism(k: int, choice: str) -> Enumerated:
    """The mechanism that publishes a k-anonymous generalization."""
    return enumerate_mechanism(tables(), f"k-anonymity:{k}", choice=choice)


@cache
def rules() -> RulesK:
    """k from 1 to 5, both choices."""
    return rules_by_k(tables())


def printed_equation_25(values: int, rows: int, k: int) -> int:
    """The number of k-anonymous tables at a node as the paper prints it: `values` is the product of the domain sizes of all attributes."""
    groups = rows // k
    return sum(comb(values, groups - i) * comb(groups - i + i * k - 1, i * k) for i in range(groups))
