"""A mechanism as a channel and what an adversary guesses: channel paper, section 4.1 and appendix A."""

from __future__ import annotations

from itertools import pairwise
from math import log2

import numpy as np

from sfumato.channel import (
    ChannelMatrix,
    adversaries,
    bounds,
    conditional_entropy,
    constant,
    entropy,
    error_by_hint,
    identity,
    map_error,
)
from sfumato.reporting.channel_curves import hinted_chart
from sfumato.reporting.channels import matrix_chart
from sfumato.results import Rows
from sfumato_studies.channels import APPENDIX, mechanism, tables
from sfumato_studies.comparing import at_most, claim, formula, number
from sfumato_studies.exhibit import Compared, Contents, exhibit

WHERE, SECTION, KNOWLEDGE = "channel paper, App. A", "channel paper, 4.1", "channel paper, 4.1.1"
PRINTED_ERROR = 1 - (15 / 28 + 20 / 35 + 5 / 35 + 10 / 17) / 4  # equation 26
UNKNOWN = ChannelMatrix.of([[1 / 4] * 4] * 4)  # the matrix of equation 27
CERTAIN = [1.0, 0.0, 0.0, 0.0]


@exhibit(
    "channel-appendix-a",
    source="channel paper, Appendix A, equations 26 and 27",
    title="A mechanism with four inputs and four outputs, and what adversaries guess",
)
def appendix() -> Contents:
    """The matrix of the appendix, and the one of somebody who does not know the mechanism."""
    return Contents(
        "The error depends on what the adversary knows: of the mechanism, and of the input.",
        (
            formula(
                "MAP error, uniform prior",
                f"{WHERE}, eq. 26",
                "1 − ¼ (15/28 + 20/35 + 5/35 + 10/17)",
                PRINTED_ERROR,
                map_error(APPENDIX),
            ),
            number("MAP error, uniform prior, two digits", f"{WHERE}, eq. 26", "0.54", map_error(APPENDIX)),
            number("probability of a right guess", f"{WHERE}, eq. 26", "0.46", 1 - map_error(APPENDIX)),
            number("MAP error, P(T₁) = 1", WHERE, "0", map_error(APPENDIX, CERTAIN)),
            number("MAP error, mechanism unknown", f"{WHERE}, eq. 27", "0.75", map_error(UNKNOWN)),
            number("MAP error, a guess at random", WHERE, "0.75", adversaries(APPENDIX).nothing),
        ),
        chart=matrix_chart(APPENDIX),
        table=APPENDIX.table(),
    )


@exhibit(
    "channel-4.1.1",
    source="channel paper, 4.1.1 and Appendix A",
    title="The error against what the adversary knows, from a uniform prior to certainty",
)
def knowledge() -> Contents:
    """A family of priors between the two of the appendix, and the four adversaries."""
    hinted = error_by_hint({"appendix A": APPENDIX})
    known, silent = hinted.errors.tolist()
    falls = all(one >= other - 1e-12 for one, other in pairwise(known))
    errors = adversaries(APPENDIX, CERTAIN)
    return Contents(
        "The more the adversary knows before, the less the mechanism protects; nothing protects what is known already.",
        (
            number("MAP error, uniform prior", WHERE, "0.54", known[0]),
            number("MAP error, the input is known", WHERE, "0", known[-1]),
            claim(
                "error as knowledge grows",
                KNOWLEDGE,
                "falls to zero",
                f"{known[0]:.4f} to {known[-1]:.4f}",
                falls and known[-1] == 0,
            ),
            formula("knows nothing", KNOWLEDGE, "1 − 1/n", 1 - 1 / 4, errors.nothing),
            formula("knows the prior P(T₁) = 1", KNOWLEDGE, "1 − max P(T)", 0.0, errors.prior),
            formula(
                "knows the mechanism: equation 3, corrected",
                KNOWLEDGE,
                "1 − (1/n) Σ max P(T′|T)",
                PRINTED_ERROR,
                errors.mechanism,
            ),
            formula("knows both, P(T₁) = 1", KNOWLEDGE, "1 − Σ max P(T′|T) P(T)", 0.0, errors.both),
            claim("error if H(T) = 0", KNOWLEDGE, "0 for all mechanisms", *_certain()),
        ),
        chart=hinted_chart(hinted),
        table=Rows(hinted.table().heads, hinted.table().rows[::4]),
        note="The paper prints the two ends. Between them stand the priors (1 − t)·uniform + t·(one input), the beliefs after a hint that "
        "is the input with probability t, and otherwise any input. The errors are means over hints. The dashed line is the adversary who "
        f"sees no output; the two meet at certainty. At t = 0 its error is {silent[0]:g}, as in equation 27.",
    )


def _certain() -> tuple[str, bool]:
    """The error of every adversary who is certain of the input, on mechanisms of all kinds."""
    channels = {"appendix A": APPENDIX, "identity": identity(4), "constant": constant(4)}
    worst = max(map_error(each, np.eye(4)[place]) for each in channels.values() for place in range(4))
    return f"{round(worst, 12):g} on {len(channels)} channels, whichever input is certain", worst < 1e-12


@exhibit(
    "channel-4.1",
    source="channel paper, 4.1, equations 3 and 5 to 7",
    title="Bounds on the error, and where they are reached",
)
def bounded() -> Contents:
    """The bounds by the number of outputs and by Santhi and Vardy, on the appendix and on tables of five rows."""
    found = bounds(APPENDIX)
    left = conditional_entropy(APPENDIX)
    return Contents(
        "The error lies between 1 − m/n and 1 − 1/n, for n inputs and m outputs. The first is reached by deterministic mechanisms.",
        (
            claim("error of the appendix", SECTION, "1 − m/n ≤ error ≤ 1 − 1/n", *_within(found["outputs"])),
            *_reached(),
            at_most("error of the appendix, Santhi and Vardy", f"{SECTION}, eq. 6", 1 - 2**-left, found["Santhi-Vardy"].value),
            _equation_3(),
            _equation_7(left),
        ),
        table=found.table().only(("measure", "bound", "lower", "value", "upper", "reached")),
        note="The upper bound holds with equality for the channel of equation 27: all its rows are equal.",
    )


def _within(bound: object) -> tuple[str, bool]:
    low, value, high = (getattr(bound, name) for name in ("lower", "value", "upper"))
    return f"{low:.4f} ≤ {value:.4f} ≤ {high:.4f}", low <= value <= high


def _reached() -> list[Compared]:
    """The error of the deterministic mechanisms over tables of five rows is the lower bound, with the printed m ≤ n."""
    rows = []
    for k in (2, 3):
        found = mechanism(k, "deterministic")
        lower = 1 - found.channel.outputs / tables().inputs()
        what = f"error of the deterministic mechanism, five rows, k = {k}"
        rows.append(formula(what, SECTION, f"1 − m/n with m = {found.channel.outputs:,}", lower, found.map_error))
    rows.append(formula("error if all rows are equal", SECTION, "1 − 1/n", 1 - 1 / 4, map_error(UNKNOWN)))
    return rows


def _equation_3() -> Compared:
    """Equation 3 as printed takes the largest P(T|T′) instead of P(T′|T)."""
    matrix = APPENDIX.dense()
    printed = 1 - float((matrix / matrix.sum(axis=0)).max(axis=0).sum()) / 4
    why = "erratum: equation 3 prints max P(T|T′) for max P(T′|T), which equation 26 uses"
    return formula(
        "equation 3 on the appendix", f"{SECTION}, eq. 3", "1 − (1/n) Σ max P(T|T′)", printed, map_error(APPENDIX), why
    )


def _equation_7(left: float) -> Compared:
    """Equation 7 as printed lacks a minus: it would be negative."""
    matrix = APPENDIX.dense() / 4
    posterior = matrix / matrix.sum(axis=0)
    printed = float(sum(p * log2(q) for p, q in zip(matrix.ravel(), posterior.ravel(), strict=True) if p > 0))
    why = f"erratum: the minus is missing; a conditional entropy lies between 0 and H(T) = {entropy(np.full(4, 0.25)):g} bits"
    return formula(
        "conditional entropy of the appendix in bits", f"{SECTION}, eq. 7", "Σ P(T′) Σ P(T|T′) log P(T|T′)", printed, left, why
    )
