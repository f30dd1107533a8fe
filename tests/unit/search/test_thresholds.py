"""A space that was explored with one threshold answers for every other one as if it had been explored with that."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import sfumato as sf
from sfumato.errors import UsageError
from sfumato.models import MODELS, models_of
from sfumato.question import Question, problem_of
from sfumato.search.space.thresholds import top_of, under

PAIRS = {
    "k-anonymity": ("k-anonymity:2", "k-anonymity:9"),
    "multirelational-k-anonymity": ("multirelational-k-anonymity:2", "multirelational-k-anonymity:9"),
    "k-map": ("k-map:2", "k-map:12"),
    "distinct-diversity": ("distinct-diversity:2", "distinct-diversity:4"),
    "probabilistic-diversity": ("probabilistic-diversity:1.2", "probabilistic-diversity:3"),
    "entropy-diversity": ("entropy-diversity:1.5", "entropy-diversity:3.5"),
    "recursive-diversity": ("recursive-diversity:1,2", "recursive-diversity:3,2"),
    "t-closeness": ("t-closeness:0.05", "t-closeness:0.2"),
    "distribution-loss": ("distribution-loss:0.05,total", "distribution-loss:0.2,total"),
    "entropy-loss": ("entropy-loss:0.1", "entropy-loss:0.6"),
    "utility-distribution-loss": ("utility-distribution-loss:0.8", "utility-distribution-loss:0.9"),
    "utility-entropy-loss": ("utility-entropy-loss:0.5", "utility-entropy-loss:2"),
    "map-error": ("map-error:0.4", "map-error:0.6"),
    "confidence-bounding": ("confidence-bounding:0.3", "confidence-bounding:0.6"),
    "em-anonymity": ("em-anonymity:1,1.2", "em-anonymity:1,2.5"),
    "personalized-privacy": ("personalized-privacy:0.3,guard", "personalized-privacy:0.6,guard"),
    "ct-isolation": ("ct-isolation:2,5", "ct-isolation:2,60"),
    "delta-disclosure": ("delta-disclosure:0.5", "delta-disclosure:1.5"),
    "average-risk": ("average-risk:0.02", "average-risk:0.2"),
    "population-uniqueness": ("population-uniqueness:0.001", "population-uniqueness:0.05"),
}
SCHEMA = """
[attributes.age]
role = "quasi"
type = "integer"
hierarchy = { builder = "intervals", lower = 20, upper = 60, widths = [5, 20] }
[attributes.town]
role = "quasi"
[attributes.pay]
role = "sensitive"
type = "integer"
[attributes.guard]
role = "identifier"
[attributes.who]
role = "identifier"
"""


def people(rows: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    pay = rng.choice([1, 2, 4, 8, 16], rows, p=[0.4, 0.3, 0.15, 0.1, 0.05])
    guard = rng.choice(["1", None], rows, p=[0.2, 0.8])
    return pd.DataFrame(
        {
            "age": rng.integers(20, 60, rows),
            "town": rng.choice(list("abcd"), rows),
            "pay": pay,
            "guard": guard,
            "who": rng.integers(0, rows // 2, rows),
        }
    )


@pytest.fixture(scope="module")
def source() -> sf.Source:
    return sf.Source(people(500, 1), sf.Schema.parse(SCHEMA))


@pytest.fixture
def described(source: sf.Source, one: str) -> sf.Source:
    """The table; where the model is about owners, with one."""
    if not one.startswith("multirelational"):
        return source
    return replace(source, schema=sf.Schema.parse(SCHEMA).with_role("who", "owner"))


def question(model: str) -> Question:
    return Question(model, population=people(3000, 2), population_size=None if model.startswith("k-map") else 3000)


def explored(source: sf.Source, model: str) -> sf.PolicySpace:
    asked = question(model)
    return sf.explore(source, models=model, population=asked.population, population_size=asked.population_size)


def test_every_model_with_a_threshold_is_tried() -> None:
    assert {name for name, model in MODELS.items() if model.compared} == set(PAIRS)


@pytest.mark.slow
@pytest.mark.parametrize(("one", "other"), PAIRS.values(), ids=PAIRS)
def test_another_threshold(described: sf.Source, one: str, other: str) -> None:
    with described.open() as table:
        top = top_of(problem_of(table, question(one))[0])
    spaces = {model: explored(described, model) for model in (one, other)}
    assert len({int(space.satisfying().sum()) for space in spaces.values()}) == 2  # the thresholds tell nodes apart
    for asked, known in ((one, other), (other, one)):
        answered = under(spaces[known], models_of(asked), top)
        expected = spaces[asked]
        assert np.array_equal(answered.satisfying(), expected.satisfying())
        assert answered.about.models == (asked,)


def test_what_was_not_explored_is_refused(source: sf.Source) -> None:
    with source.open() as table:
        top = top_of(problem_of(table, Question("recursive-diversity:3,2"))[0])
    space = sf.explore(source, models="recursive-diversity:3,2")
    for model in ("recursive-diversity:3,3", "beta-likeness:2"):
        with pytest.raises(UsageError, match="explore again"):
            under(space, models_of(model), top)
    limited = replace(space, about=replace(space.about, limit=3))
    with pytest.raises(UsageError, match="with suppression"):
        under(limited, models_of("recursive-diversity:2,2"), top)
    assert under(limited, models_of("recursive-diversity:3,2"), top) is limited
