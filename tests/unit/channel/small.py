"""Small universes that the tests share: the channel paper's example, and others."""

from __future__ import annotations

from sfumato.channel.enumeration import Universe

PAPER = {
    "attributes": {
        "age": {"role": "quasi", "hierarchy": {"tree": {"young": ["20", "30"], "old": ["40", "50"]}}},
        "gender": {"role": "quasi", "values": ["male", "female"]},
        "disease": {"role": "sensitive", "values": ["cold", "heart attack", "diabetes"]},
    }
}
# Two branches of different size and two of the same; sensitive values in a tree, so that they are not all alike.
UNEVEN = {
    "attributes": {
        "place": {"role": "quasi", "hierarchy": {"tree": {"north": ["a", "b"], "south": ["c"], "west": ["d"]}}},
        "illness": {"role": "sensitive", "hierarchy": {"tree": {"lung": ["flu", "asthma"], "skin": ["eczema"]}}},
    }
}
QUASI_ONLY = {"attributes": {"age": {"role": "quasi", "hierarchy": {"tree": {"young": ["1", "2"], "old": ["3"]}}}}}


def paper(rows: int) -> Universe:
    return Universe.of(PAPER, rows)
