"""What a model loses that is trained on releases: the λ-(ε,α) table."""

from __future__ import annotations

from sfumato.reporting.document import Report
from sfumato.reporting.learned import Learning, Lesson
from sfumato.reporting.markup import Cell, Html, joined, paragraphs, table

LEARNING_TITLE = "What a model loses that learns from releases"


def learning(report: Report) -> Html:
    """One row per release, the original first."""
    found = report.learning
    if found is None:
        return paragraphs("No model was trained: 'sfumato learn' does it.")
    about = (
        f"{found.estimator} predicts {found.target}: trained on the original and on each release with the same rows, "
        f"{found.repeats} times, seed {found.seed}. The loss λ is the share of the accuracy on the original that is lost, with its 95 % "
        f"confidence interval; "
        f"ε and α are the distribution and the entropy privacy loss of the worst class. 'Majority' is the accuracy of always saying "
        f"what is most frequent."
    )
    heads = ["release", "ε", "α", "accuracy", "majority", "loss λ", "interval"]
    return joined([paragraphs(about), table("Releases that a model learned from", heads, _rows(found), name="learning-rows")])


def _rows(found: Learning) -> list[tuple[Cell, ...]]:
    first: tuple[Cell, ...] = ("original", None, None, *_shares(found.accuracy, found.majority), "", "")
    return [first, *map(_row, found.lessons)]


def _row(each: Lesson) -> tuple[Cell, ...]:
    ends = "" if each.low is None or each.high is None else f"{each.low:.2%} to {each.high:.2%}"
    return each.release, each.epsilon, each.alpha, *_shares(each.accuracy, each.majority), f"{each.loss:.2%}", ends


def _shares(accuracy: float, majority: float) -> tuple[str, str]:
    return f"{accuracy:.2%}", f"{majority:.2%}"
