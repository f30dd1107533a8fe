"""The lecture's own calculations about losses and models; those about attacks come with that part of the library."""

from __future__ import annotations

from math import log

from sfumato_studies.comparing import claim, count, number
from sfumato_studies.examples import Example
from sfumato_studies.exhibit import Contents, exhibit
from sfumato_studies.tables import FOUR_ANONYMOUS, SUPPRESSED, THREE_DIVERSE_PATIENTS, THREE_DIVERSE_SALARIES, TWO_ANONYMOUS

_MINUS = "erratum: a cross-entropy is −Σ p log q; the minus is missing, and both terms are cut off after four digits"
_THIRD = "erratum: 0.333 stands for ⅓ in the calculation"
RECORDS, POSITIVE = 10_000, 100


@exhibit(
    "lecture-k-anonymity",
    source="lecture, Fig. 2, example of suppression, 4-anonymous and 3-diverse tables",
    title="How anonymous and how diverse the lecture's tables are",
)
def tables() -> Contents:
    """Class sizes and distinct values."""
    people = "people in the smallest class"
    return Contents(
        "The tables satisfy the models that the lecture claims.",
        (
            count(f"{people} of Fig. 2", "lecture, Fig. 2", 2, int(TWO_ANONYMOUS.judged("k-anonymity:2"))),
            count(f"{people}, suppressed table", "lecture, example of suppression", 3, int(SUPPRESSED.judged("k-anonymity:3"))),
            count(f"{people} of patients", "lecture, 4-anonymous table", 4, int(FOUR_ANONYMOUS.judged("k-anonymity:4"))),
            count(
                "distinct conditions in the poorest class",
                "lecture, 3-diverse table",
                3,
                int(THREE_DIVERSE_PATIENTS.judged("distinct-diversity:3")),
            ),
        ),
    )


@exhibit(
    "lecture-entropy", source="lecture, versions of ℓ-diversity", title="The entropy of nine positive and five negative examples"
)
def entropy() -> Contents:
    """H(9/14, 5/14)."""
    ours = Example.of_counts(("positive", "negative"), (9, 5)).losses()["utility-entropy"][0]
    return Contents("What entropy ℓ-diversity bounds.", (number("entropy in bits", "lecture, Entropy([9+,5−])", "0.940", ours),))


@exhibit(
    "lecture-two-diverse",
    source="lecture, limitations of ℓ-diversity",
    title="Ten thousand records, one percent positive: how many 2-diverse classes?",
)
def two_diverse() -> Contents:
    """Every class needs a positive person, and there are a hundred."""
    fitting = [classes for classes in (POSITIVE - 1, POSITIVE, POSITIVE + 1) if _diverse(classes)]
    return Contents(
        "Diversity is hard to reach where a value is rare.",
        (count("most classes of a 2-diverse table", "lecture, 10000·1 %", 100, max(fitting)),),
        note=f"Tables with {POSITIVE - 1}, {POSITIVE} and {POSITIVE + 1} classes are made, the positive people spread "
        "as evenly as they go, and judged.",
    )


def _diverse(classes: int) -> bool:
    """Whether a table of so many classes can be 2-diverse."""
    positive = [POSITIVE // classes + (place < POSITIVE % classes) for place in range(classes)]
    negative = [(RECORDS - POSITIVE) // classes + (place < (RECORDS - POSITIVE) % classes) for place in range(classes)]
    table = Example.of_counts(("positive", "negative"), *zip(positive, negative, strict=True))
    return table.judged("distinct-diversity:2") >= 2


@exhibit(
    "lecture-kl",
    source="lecture, Kullback–Leibler distance",
    title="Cross-entropies and the divergence of a uniform from a binomial distribution",
)
def divergence() -> Contents:
    """In nats, as the lecture has them."""
    # Class 1 has the first distribution, and all classes together the second.
    near = Example.of_counts("ab", (1, 9), (3, 7)).losses()
    far = Example.of_counts("ab", (1, 9), (89, 1)).losses()
    uniform = Example.of_counts("012", (100, 100, 100), (224, 332, 44)).losses()
    crossed = [(each["kl"][0] + each["utility-entropy"][0]) * log(2) for each in (near, far)]
    return Contents(
        "The farther the assumed distribution is from the true one, the larger the divergence.",
        (
            number("cross-entropy of (0.1, 0.9) and (0.2, 0.8)", "lecture, H(D1,D2)", "-0.3617", crossed[0], _MINUS),
            number("cross-entropy of (0.1, 0.9) and (0.9, 0.1)", "lecture, H(D1,D3)", "-2.0828", crossed[1], _MINUS),
            number(
                "divergence of (⅓, ⅓, ⅓) from (0.36, 0.48, 0.16)", "lecture, D(Q‖P)", "0.09637", uniform["kl"][0] * log(2), _THIRD
            ),
        ),
        note="Cross-entropy is divergence plus entropy.",
    )


@exhibit(
    "lecture-emd",
    source="lecture, distance measurement and example of EMD",
    title="Low salaries against spread ones: what the variational distance ignores",
)
def salaries() -> Contents:
    """P1 = {3K, 4K, 5K} and P2 = {6K, 8K, 11K} against all nine."""
    losses = THREE_DIVERSE_SALARIES.losses("salary")
    low, spread = losses["l1"][0] / 2, losses["l1"][1] / 2
    return Contents(
        "The variational distance is the same for both classes; the earth mover's distance reflects that 3K, 4K and 5K "
        "are near each other.",
        (
            claim(
                "variational distances", "lecture, method 1", "equal", f"{low:.4f} and {spread:.4f}", abs(low - spread) < 1e-12
            ),
            number("earth mover's distance of {3K, 4K, 5K}", "lecture, example of EMD", "0.375", losses["emd"][0]),
            number("earth mover's distance of {6K, 8K, 11K}", "lecture, example of EMD", "0.167", losses["emd"][1]),
        ),
    )
