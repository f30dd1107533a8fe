"""Worked tables of patients: leakage paper, Examples 1 and 3; negotiation paper, Example 1; thesis, Examples 5, 8, 9, 10 and 12."""

from __future__ import annotations

from math import sqrt

from sfumato_studies.comparing import at_least, claim, count, formulas, number, numbers
from sfumato_studies.exhibit import Compared, Contents, exhibit
from sfumato_studies.tables import FOUR_ANONYMOUS, THREE_DISEASES, THREE_DIVERSE_PATIENTS

_ROOT_32 = "erratum: the differences are 4, 0 and −4 twelfths, and √32/12 = 0.4714"
_HALF = "erratum: the factor ½ is missing; what leaves one value arrives at another and counts once"
_SWAPPED = "erratum: √74/12 = 0.7169; two digits are exchanged"
_EXAMPLES_5 = "leakage paper, Ex. 1 and 3; thesis, Ex. 5 and 10"
_EXAMPLES_10 = "leakage paper, Ex. 3; thesis, Ex. 10"


def distribution_losses(where: str) -> list[Compared]:
    """The distribution losses of the three classes, which the examples print as roots."""
    losses = THREE_DISEASES.losses()["distribution"]
    printed = (("√8/12", sqrt(8) / 12), ("√8/12", sqrt(8) / 12), ("√26/12", sqrt(26) / 12))
    return formulas("distribution loss", where, printed, losses, _ROOT_32)


@exhibit(
    "leakage-example-3",
    "leakage-example-1",
    "leakage-table-3",
    "thesis-example-5",
    "thesis-example-10",
    "thesis-table-3.4",
    "thesis-table-3.5",
    source="leakage paper, Table III, Examples 1 and 3; thesis, Tables 3.4 and 3.5, Examples 5 and 10",
    title="Three diseases: the class with the largest distribution loss has the least entropy loss",
)
def three_diseases() -> Contents:
    """The two privacy losses, and the earth mover's distance, which does not distinguish them."""
    losses, table = THREE_DISEASES.losses(), "leakage paper, Table IIIb; thesis, Table 3.5"
    moved = (("1/3", 1 / 3), ("1/3", 1 / 3), ("2/3", 2 / 3))
    distribution, entropy = losses["distribution"], losses["entropy"]
    return Contents(
        "A large distribution loss need not come with a large entropy loss: the two losses measure different things.",
        (
            at_least("people in the smallest class", table, 4, int(THREE_DISEASES.judged("k-anonymity:4"))),
            at_least("distinct diseases in the poorest class", table, 2, int(THREE_DISEASES.judged("distinct-diversity:2"))),
            *distribution_losses(_EXAMPLES_5),
            *numbers("entropy loss", _EXAMPLES_5, "0.57 0.57 0.11", entropy),
            *formulas("earth mover's distance", _EXAMPLES_10, moved, losses["emd"], _HALF),
            number("closeness", _EXAMPLES_10, "0.67", max(losses["emd"]), _HALF),
            claim(
                "class 3",
                "leakage paper, Ex. 1; thesis, Ex. 5",
                "largest distribution loss, least entropy loss",
                f"distribution loss {distribution[2]:.4f} of at most {max(distribution):.4f}, "
                f"entropy loss {entropy[2]:.4f} of at least {min(entropy):.4f}",
                distribution[2] == max(distribution) and entropy[2] == min(entropy),
            ),
        ),
    )


@exhibit(
    "thesis-example-8",
    "thesis-example-12",
    "thesis-table-3.1",
    "thesis-table-3.2",
    "thesis-table-4.1",
    "thesis-table-4.2",
    "negotiation-example-1",
    "negotiation-table-1",
    source="negotiation paper, Table 1 and Example 1; thesis, Tables 3.1, 3.2, 4.1 and 4.2, Examples 8 and 12",
    title="A 4-anonymous table of patients: privacy and utility losses of its classes",
)
def four_anonymous() -> Contents:
    """What is lost in privacy is gained in utility."""
    losses = FOUR_ANONYMOUS.losses()
    distribution, utility = losses["distribution"], losses["utility-distribution"]
    both = "negotiation paper, Ex. 1; thesis, Ex. 8 and 12"
    text = "negotiation paper, 6.1; thesis, 4.6.1"
    return Contents(
        "In the third class everybody has cancer: the privacy loss is the largest of all, and the utility loss is zero.",
        (
            count("people in the smallest class", "thesis, Table 3.2", 4, int(FOUR_ANONYMOUS.judged("k-anonymity:4"))),
            *numbers("distribution loss", both, "0.5137 0.2357 0.7619", distribution, {3: _SWAPPED}),
            *numbers("distribution loss, two digits", text, "0.51 0.23 0.76", distribution, {3: _SWAPPED}),
            *numbers("entropy loss", "thesis, Ex. 8", "0.5546 0.0546 1.5546", losses["entropy"]),
            *numbers("distribution utility loss", "negotiation paper, Ex. 1; thesis, Ex. 12", "0.707 0.77 0", utility),
        ),
        note="Definition 16 of the thesis divides by the people of the table; its own example divides by those of the "
        "class, as we do.",
    )


@exhibit(
    "thesis-example-9",
    "thesis-table-3.3",
    source="thesis, Table 3.3 and Example 9",
    title="The same patients in a 3-diverse table",
)
def three_diverse_patients() -> Contents:
    """All classes nearer to the prior than in the 4-anonymous table."""
    losses, where = THREE_DIVERSE_PATIENTS.losses(), "thesis, Ex. 9"
    return Contents(
        "With all three conditions in every class, both privacy losses are far below those of the 4-anonymous table.",
        (
            at_least(
                "distinct conditions in the poorest class", where, 3, int(THREE_DIVERSE_PATIENTS.judged("distinct-diversity:3"))
            ),
            *numbers("distribution loss", where, "0.1179 0.2357 0.1179", losses["distribution"]),
            *numbers("entropy loss", where, "0.0546 0.0546 0.0546", losses["entropy"]),
        ),
    )
