"""What a model says of itself, so that nobody needs to know its class."""

from __future__ import annotations

import pytest

from sfumato.errors import UsageError
from sfumato.models import columns_of, model_of
from sfumato.models.protected import Protected
from sfumato.vocabulary.group import Group
from tests.contracts.model_oracle import ORACLES, OTHERS

GROUP = Group.parse("age=[75, 100]")
# These judge the table as a whole, or each person by their own guard.
WHOLE = ("ct-isolation", "average-risk", "population-uniqueness", "personalized-privacy")


@pytest.mark.parametrize("text", [*ORACLES, *OTHERS, "k-anonymity:5 for sex=F"])
def test_a_model_that_judges_class_by_class_can_be_asked_for_a_group(text: str) -> None:
    model = model_of(text)
    assert model.classwise is not (text.startswith(WHOLE) or text.endswith(",total") or " for " in text)
    if model.classwise:
        assert Protected(model, GROUP).core is model
    else:
        with pytest.raises(UsageError, match="does not judge each class by itself, so it cannot be limited to a group"):
            Protected(model, GROUP)


def test_a_model_names_the_further_columns_that_it_counts() -> None:
    assert columns_of([model_of("k-anonymity:5"), model_of("t-closeness:0.2")]) == ()
    guarded = [
        model_of(f"personalized-privacy:{p},{guard}") for p, guard in (("0.5", "guard"), ("0.2", "mine"), ("0.2", "guard"))
    ]
    assert columns_of(guarded) == ("guard", "mine")


@pytest.mark.parametrize(
    ("text", "smallest"),
    [
        ("k-anonymity:7", 7),
        ("multirelational-k-anonymity:7", 7),
        ("alpha-k-anonymity:0.5,7", 7),
        ("k-map:7", None),
        ("ke-anonymity:7,1", None),
        ("distinct-diversity:7", None),
        ("k-anonymity:7 for sex=F", None),
    ],
)
def test_a_model_names_the_smallest_class_that_it_lets_pass(text: str, smallest: int | None) -> None:
    assert model_of(text).smallest_class == smallest
