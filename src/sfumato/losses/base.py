"""What a class-wise loss is, the register of all of them, and how they are summarized over a table.

A loss has one value per class. Over a table it has a maximum, a minimum, a mean over classes and a mean over people. In the mean over
people a suppressed person counts with the loss of the prior, as if in one class with everybody; the others are over kept classes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sfumato.errors import UsageError, unknown
from sfumato.frequency import Counts
from sfumato.losses import distances, privacy, utility
from sfumato.losses.information import INFORMATION
from sfumato.statistics import ClassStatistics, Floats


@dataclass(frozen=True, slots=True)
class ClassLoss:
    """A loss of each class. `monotone`: its maximum never grows when classes merge. `of_prior`: its value for one class of everybody."""

    name: str
    definition: str
    source: str
    of: Callable[[ClassStatistics], Floats]
    of_prior: Callable[[ClassStatistics], float] = lambda statistics: 0.0
    monotone: bool = False


@dataclass(frozen=True, slots=True)
class Summary:
    """A class-wise loss over a table. `worst` is the number of the class with the largest value."""

    max: float
    min: float
    class_mean: float
    people_mean: float
    worst: int


def summarize(values: Floats, sizes: Counts, *, suppressed: int = 0, of_prior: float = 0.0) -> Summary:
    """Summarize one value per class; the mean over people includes the suppressed ones.

    Parameters
    ----------
    values : array
        A value for each class.
    sizes : array
        The people of each class.
    suppressed : int
        How many people are suppressed.
    of_prior : float
        The value of those: what somebody knows of them who has no class.

    Returns
    -------
    Summary
        The largest, the smallest and the means.
    """
    people = int(sizes.sum()) + suppressed
    total = float((values * sizes).sum()) + of_prior * suppressed
    return Summary(
        max=float(values.max()),
        min=float(values.min()),
        class_mean=float(values.mean()),
        people_mean=total / people,
        worst=int(values.argmax()) + 1,
    )


LOSSES: dict[str, ClassLoss] = {}


def register(loss: ClassLoss) -> ClassLoss:
    """Add a loss under its name; refuses a name that is taken.

    Parameters
    ----------
    loss : ClassLoss
        The loss.

    Returns
    -------
    ClassLoss
        The same loss.
    """
    if loss.name in LOSSES or loss.name in INFORMATION:
        raise UsageError(f"a loss named {loss.name!r} exists already", where="losses")
    LOSSES[loss.name] = loss
    return loss


def loss_named(name: str) -> ClassLoss:
    """A registered loss."""
    if name not in LOSSES:
        raise UsageError(unknown("loss", name, LOSSES, within="the register"), where="losses")
    return LOSSES[name]


for _loss in (
    ClassLoss(
        "distribution",
        "sqrt(sum_i (a_i - x_i)^2): how far the posterior x lies from the prior a",
        "leakage paper, IV",
        privacy.distribution,
        monotone=True,
    ),
    ClassLoss("entropy", "|H(a) - H(x)| in bits", "leakage paper, IV", privacy.entropy),
    ClassLoss(
        "utility-distribution",
        "sum_i x_i sqrt(1 - 2 x_i + sum_j x_j^2): mean distance of x from a person's own value",
        "negotiation paper, 3.1",
        utility.distribution,
        utility.distribution_of_prior,
    ),
    ClassLoss(
        "utility-entropy",
        "H(x) in bits: what is still open about a person's value",
        "negotiation paper, 3.1",
        utility.entropy,
        utility.entropy_of_prior,
    ),
    ClassLoss(
        "emd",
        "earth mover's distance of x from a, in the distance that fits the attribute",
        "Li, Li and Venkatasubramanian 2007",
        distances.emd,
        monotone=True,
    ),
    ClassLoss("l1", "sum_i |a_i - x_i|", "leakage paper, IV", distances.column("l1"), monotone=True),
    ClassLoss("kl", "sum_i x_i log2(x_i / a_i)", "Kullback and Leibler 1951", distances.column("kl"), monotone=True),
    ClassLoss("js", "mean divergence of a and x from their middle, in bits", "Lin 1991", distances.column("js"), monotone=True),
    ClassLoss(
        "hellinger",
        "sqrt(sum_i (sqrt(x_i) - sqrt(a_i))^2 / 2)",
        "Hellinger 1909",
        distances.column("hellinger"),
        monotone=True,
    ),
    ClassLoss("chi2", "sum_i (x_i - a_i)^2 / a_i", "Pearson 1900", distances.column("chi2"), monotone=True),
    ClassLoss(
        "map-error",
        "1 - max_i x_i: how often the best guess of a person's value is wrong",
        "channel paper, 4.1",
        utility.map_error,
        utility.map_error_of_prior,
    ),
):
    register(_loss)
