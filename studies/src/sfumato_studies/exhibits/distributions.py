"""Examples that sources give as distributions: leakage paper, Examples 2 and 4; thesis, Examples 4, 6, 7 and 11, and section 2.5."""

from __future__ import annotations

from math import sqrt

import sfumato as sf
from sfumato_studies.comparing import claim, formula, formulas, number, numbers
from sfumato_studies.examples import Example
from sfumato_studies.exhibit import Contents, exhibit

_NO_ROOT = "erratum: the root is missing"
_POINT = "erratum: log₂ 3 = 1.585; the decimal point is in the wrong place"

SAME_DISTANCE = Example.of_counts(("cancer", "heart disease", "flu"), (2, 4, 4), (0, 6, 4))
UNIFORM = Example.of_counts("abcd", (4, 4, 4, 4), (12, 4, 0, 0), (12, 0, 4, 0), (12, 0, 0, 4))
UNIFORM_WORST = Example.of_counts("abcd", (4, 4, 4, 4), (8, 4, 4, 0), (12, 4, 0, 0), (12, 0, 0, 4))
# Twenty-seven records, three of each salary. The sources name the first two classes; the others are ours and make up the table.
SALARIES = Example.of_counts(
    range(3, 12),
    (1, 1, 1, 0, 0, 0, 0, 0, 0),
    (0, 0, 0, 0, 3, 0, 0, 0, 0),
    (1, 1, 1, 0, 0, 0, 0, 0, 0),
    (1, 1, 1, 0, 0, 0, 0, 0, 0),
    (0, 0, 0, 3, 0, 0, 0, 0, 0),
    (0, 0, 0, 0, 0, 3, 0, 0, 0),
    (0, 0, 0, 0, 0, 0, 3, 0, 0),
    (0, 0, 0, 0, 0, 0, 0, 3, 0),
    (0, 0, 0, 0, 0, 0, 0, 0, 3),
)


@exhibit(
    "thesis-example-4", source="thesis, Example 4", title="Two classes at the same earth mover's distance that leak differently"
)
def same_distance() -> Contents:
    """A difference that closeness ignores and the entropy loss shows."""
    losses, where = SAME_DISTANCE.losses(), "thesis, Ex. 4"
    first, second = losses["entropy"]
    return Contents(
        "The distance is the same, but the second class rules cancer out. The entropy loss distinguishes the two.",
        (
            *numbers("earth mover's distance", where, "0.1 0.1", losses["emd"]),
            claim(
                "which class is more prone to inference",
                where,
                "class 2",
                f"entropy losses {first:.4f} and {second:.4f}",
                second > first,
            ),
        ),
    )


@exhibit(
    "leakage-example-2",
    "thesis-example-6",
    source="leakage paper, Example 2; thesis, Example 6",
    title="A uniform class does not have the least distribution loss",
)
def uniform() -> Contents:
    """The published distribution should match the original one, not the uniform one."""
    losses, where = UNIFORM.losses(), "leakage paper, Ex. 2; thesis, Ex. 6"
    printed = (("√48/16", sqrt(48) / 16), *[("4/16", 4 / 16)] * 3)
    return Contents(
        "The first class is uniform and has the largest distribution loss: matching the prior protects, being even does not.",
        (
            *formulas("distribution loss", where, printed, losses["distribution"]),
            *numbers("entropy loss", where, "0.45 0.73 0.73 0.73", losses["entropy"]),
        ),
    )


@exhibit(
    "thesis-example-7",
    source="thesis, Example 7",
    title="A uniform class can be the worst in distribution loss and not the best in entropy loss",
)
def uniform_worst() -> Contents:
    """The same with another prior."""
    losses, where = UNIFORM_WORST.losses(), "thesis, Ex. 7"
    printed = [(f"√{square}/16", sqrt(square) / 16) for square in (34, 10, 18, 26)]
    distribution, entropy = losses["distribution"], losses["entropy"]
    return Contents(
        "The uniform class lies farthest from the prior, and another class has less entropy loss.",
        (
            *formulas("distribution loss", where, printed, losses["distribution"]),
            *numbers("entropy loss", where, "0.33 0.16 0.85 0.85", entropy),
            claim(
                "the uniform class",
                where,
                "largest distribution loss, not the least entropy loss",
                f"{distribution[0]:.4f} of at most {max(distribution):.4f}; {entropy[0]:.4f}, the least is {min(entropy):.4f}",
                distribution[0] == max(distribution) and entropy[0] > min(entropy),
            ),
        ),
    )


@exhibit(
    "leakage-example-4",
    "thesis-example-11",
    source="leakage paper, Example 4; thesis, Example 11",
    title="Nine salaries: closeness prefers the class in which everybody earns the same",
)
def salaries() -> Contents:
    """{3K, 4K, 5K} against {7K, 7K, 7K}."""
    losses, where = {name: each[:2] for name, each in SALARIES.losses().items()}, "leakage paper, Ex. 4; thesis, Ex. 11"
    first, second = losses["emd"]
    return Contents(
        "By earth mover's distance the class of equal salaries is the better one; both privacy losses say that it "
        "reveals everything.",
        (
            *numbers("earth mover's distance", where, "0.375 0.278", losses["emd"]),
            *numbers("distribution loss", where, "0.22 0.89", losses["distribution"], {1: _NO_ROOT, 2: _NO_ROOT}),
            *numbers("entropy loss", where, "0.158 3.16", losses["entropy"], {1: _POINT}),
            claim(
                "which class leaks more",
                where,
                "class 2, against its distance",
                f"distance {first:.4f} > {second:.4f}, distribution loss {losses['distribution'][0]:.4f} < "
                f"{losses['distribution'][1]:.4f}, "
                f"entropy loss {losses['entropy'][0]:.4f} < {losses['entropy'][1]:.4f}",
                first > second and all(losses[name][0] < losses[name][1] for name in ("distribution", "entropy")),
            ),
        ),
        note="Class 1 is {3K, 4K, 5K}, class 2 {7K, 7K, 7K}, as in the thesis; the leakage paper lists the classes in "
        "the opposite order of "
        "their values. Seven further classes of ours make up the 27 records.",
    )


@exhibit("thesis-2.5", source="thesis, section 2.5", title="A prior that the owner states: cancer among people in their fifties")
def stated_prior() -> Contents:
    """The estimate P(cancer | 5*) = 16/100 is the prior of the class, not the share of the table."""
    estimate = (4 / 100) / (1 / 4)
    # One in four of 100 people is in class 1 (5*); one in ten has cancer, seven of them in class 1.
    people = Example.of_counts(("cancer", "other"), (7, 18), (3, 72))
    stated = [sf.Prior.stated({"class": "1"}, {"cancer": estimate})]
    losses, believed = people.losses(prior=stated), people.believed(stated)[0]["cancer"]
    same = Example.of_counts(("HIV", "other"), (1, 9), (1, 9)).losses()
    where = "thesis, 2.5"
    return Contents(
        "Only what a release adds to prior beliefs is a loss; a share that was public costs nothing.",
        (
            formula("prior of cancer in the class", where, "16/100", 16 / 100, believed),
            formula("posterior of cancer in the class", where, "28/100", 28 / 100, people.shares()[0]["cancer"]),
            number("loss where 10 % are believed and 10 % are found", where, "0", same["distribution"][0]),
        ),
        note=f"The distribution loss of the class is √2 · 12/100 = {losses['distribution'][0]:.4f}, its entropy loss "
        f"{losses['entropy'][0]:.4f} bits.",
    )
