"""Worked tables about k-anonymity, diversity and closeness: leakage paper I–II, thesis 2.2."""

from __future__ import annotations

from sfumato_studies.comparing import at_least, claim, count, formula, number, numbers
from sfumato_studies.examples import Example
from sfumato_studies.exhibit import Contents, exhibit
from sfumato_studies.tables import CLOSE_SALARIES, DISEASES, THREE_ANONYMOUS, THREE_DIVERSE_SALARIES

_NOT_CLOSE = (
    "not reproducible: with the tree of Li, Li and Venkatasubramanian the classes have 7/27, 8/27 and 5/27, "
    "so that the table is 0.296-close"
)


@exhibit(
    "thesis-table-2.2",
    "thesis-table-2.1",
    "thesis-example-1",
    source="thesis, Tables 2.1 and 2.2, Example 1",
    title="A 3-anonymous table in which one class reveals its disease",
)
def three_anonymous() -> Contents:
    """Size alone does not protect a value that everybody in a class has."""
    shares = THREE_ANONYMOUS.shares()
    alike, two = shares[0], shares[2]
    return Contents(
        "Three people to a class, and yet everybody in the first class has the same disease.",
        (
            count("people in the smallest class", "thesis, Table 2.2", 3, int(THREE_ANONYMOUS.judged("k-anonymity:3"))),
            claim(
                "the first class: homogeneity",
                "thesis, Example 1",
                "everybody has heart disease",
                f"{alike.get('heart disease', 0):.0%} have heart disease",
                alike == {"heart disease": 1.0},
            ),
            claim(
                "the last class, heart disease ruled out: background knowledge",
                "thesis, Example 1",
                "cancer remains",
                f"{', '.join(sorted(set(two) - {'heart disease'}))} remains",
                set(two) - {"heart disease"} == {"cancer"},
            ),
        ),
    )


@exhibit(
    "thesis-example-2",
    source="thesis, Example 2",
    title="Skewness: a 2-diverse class can be worse than one without diversity",
)
def skewed() -> Contents:
    """Ten thousand people, one in a hundred positive; a class of equal numbers, and one of 49 to 1."""
    people = Example.of_counts(("positive", "negative"), (50, 50), (49, 1), (1, 9849))
    even, extreme, _ = (each["positive"] for each in people.shares())
    where = "thesis, Example 2"
    return Contents(
        "Diversity counts values; it ignores that a class has fifty times the share of positive people in the table.",
        (
            count("distinct values in the poorest class", where, 2, int(people.judged("distinct-diversity:2"))),
            formula("share of positive people, even class", where, "50 %", 0.5, even),
            formula("share of positive people, class of 49 to 1", where, "98 %", 0.98, extreme),
        ),
        note="The third class is ours: it holds the other 9,850 people, so that one in a hundred of all people is positive.",
    )


@exhibit(
    "thesis-table-2.4",
    "thesis-table-2.3",
    "thesis-example-3",
    "leakage-table-1",
    source="leakage paper, Table I; thesis, Tables 2.3 and 2.4, Example 3",
    title="A 3-diverse table whose first class holds the lowest salaries and one kind of disease",
)
def three_diverse() -> Contents:
    """Distinct values may mean the same."""
    table, where = THREE_DIVERSE_SALARIES, "leakage paper, Table Ib; thesis, Table 2.4"
    salaries = sorted(map(int, table.shares("salary")[0]))
    diseases = set(table.shares("disease")[0])
    return Contents(
        "Three values to a class, but in the first class they are alike: low salaries, diseases of the stomach.",
        (
            at_least("distinct salaries in the poorest class", where, 3, int(table.judged("distinct-diversity:3", "salary"))),
            at_least("distinct diseases in the poorest class", where, 3, int(table.judged("distinct-diversity:3", "disease"))),
            claim(
                "salaries of the first class",
                "thesis, Example 3",
                "3K to 5K",
                f"{salaries[0]}K to {salaries[-1]}K",
                (salaries[0], salaries[-1]) == (3, 5),
            ),
            claim(
                "diseases of the first class",
                "thesis, Example 3",
                "all of the stomach",
                f"{len(diseases & set(DISEASES['digestive']['stomach']))} of {len(diseases)} of the stomach",
                diseases <= set(DISEASES["digestive"]["stomach"]),
            ),
        ),
    )


@exhibit(
    "thesis-table-2.5",
    "leakage-table-2",
    source="leakage paper, Table II and Example 4; thesis, Table 2.5 and 3.4.1",
    title="The table that is close in salary and in disease",
)
def close_table() -> Contents:
    """Ordered distance for salaries, hierarchical distance for diseases."""
    salary, disease = (CLOSE_SALARIES.losses(name)["emd"] for name in ("salary", "disease"))
    title = "leakage paper, Table II; thesis, Table 2.5"
    return Contents(
        "Every class holds low and high salaries and diseases of several kinds, so earth has to be moved only a little.",
        (
            *numbers("earth mover's distance of salary", "leakage paper, Ex. 4; thesis, 3.4.1", "0.167 0.167 0.083", salary),
            number("closeness of salary", title, "0.167", max(salary)),
            number("closeness of disease", title, "0.278", max(disease), _NOT_CLOSE),
        ),
        note="Distances of disease by class: " + ", ".join(f"{each:.3f}" for each in disease) + ".",
    )
