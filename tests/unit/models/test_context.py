"""What a model may know besides the classes."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.errors import UsageError
from sfumato.models import Context, Population, model_of
from tests.contracts.model_world import release

PEOPLE = np.array([4, 3])


@pytest.mark.parametrize(
    ("context", "size"),
    [
        (Context(), None),
        (Context(population_size=50), 50),
        (Context(population=Population(PEOPLE, unmatched=2, size=9)), 9),
        (Context(population=Population(PEOPLE, size=9), population_size=50), 50),
        (Context(population=Population(PEOPLE)), None),
        (Context(population_size=0), None),
    ],
)
def test_the_number_of_people_of_a_population_may_be_given_or_counted(context: Context, size: int | None) -> None:
    assert context.size_of_population == size


def test_a_model_for_a_group_needs_to_know_who_is_in_it() -> None:
    with pytest.raises(UsageError, match="needs the schema that defines the group"):
        model_of("k-anonymity:2 for q=0").judge(release([(3, 1), (1, 1)]))
