"""Where nothing is feasible, the explanation is exact: the nearest thresholds work, and nothing stricter does."""

from __future__ import annotations

from dataclasses import fields, replace
from math import inf, isfinite
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from sfumato.data import adult
from sfumato.models import PrivacyModel, model_of
from sfumato.models.base import AT_LEAST
from sfumato.models.parameter import Parameter, parameter_of
from sfumato.question import Question, problem_of
from sfumato.search.algorithms import explain as module
from sfumato.search.algorithms.explain import Explanation, Nearest, explain
from sfumato.search.algorithms.optimal import optimal
from sfumato.search.lattice import Lattice
from sfumato.search.outcome import NotFound
from sfumato.search.problem import Problem
from tests.contracts.model_world import World
from tests.strategies import Drawn, Row
from tests.unit.search.problems import TEXTS, TWELVE, Case, cases, limits, plainly, several, stated_about

# Where a condition's threshold stands among the parameters of its model, and what it is there. A pair of bounds is one condition.
SIMPLE = {
    "k-anonymity": "k",
    "distinct-diversity": "l",
    "t-closeness": "t",
    "distribution-loss": "bound",
    "entropy-loss": "bound",
    "utility-distribution-loss": "bound",
    "utility-entropy-loss": "bound",
    "map-error": "least",
    "confidence-bounding": "h",
    "beta-likeness": "beta",
    "delta-disclosure": "delta",
    "personalized-privacy": "p",
    "ct-isolation": "t",
    "average-risk": "r",
    "population-uniqueness": "share",
    "recursive-diversity": "c",
    "k-map": "k",
    "multirelational-k-anonymity": "k",
}
INVERSE = {"probabilistic-diversity": "l", "em-anonymity": "m"}
BOTH = {"privacy-loss": ("epsilon", "alpha"), "utility-loss": ("gamma", "delta")}
PARTS = {"alpha-k-anonymity": ("alpha", "k"), "xy-privacy": ("k", "h"), "ke-anonymity": ("e", "k")}
STRICT = "recursive-diversity"  # its bound must not be reached
NAMES = [name for name in (*SIMPLE, *INVERSE, *BOTH, *PARTS, "entropy-diversity") if name not in (STRICT, "k-map")]
NAMES.remove("multirelational-k-anonymity")
WHOLE = ("average-risk", "population-uniqueness", "ct-isolation")  # of the table as a whole, as every bound on a total


def at_threshold(model: PrivacyModel, part: int, value: float) -> PrivacyModel:
    """The model with the threshold of one of its conditions set; one that it does not take becomes the nearest that it takes."""
    made: Any = model
    if model.name in SIMPLE:
        changes = {SIMPLE[model.name]: value}
    elif model.name in INVERSE:
        changes = {INVERSE[model.name]: 1 / max(value, 1e-12)}
    elif model.name == "entropy-diversity":
        changes = {"l": 2**value}
    elif model.name in BOTH:
        changes = {name: getattr(made, name) * value for name in BOTH[model.name]}
    else:
        changes = {PARTS[model.name][part]: value}
    ranges = {each.name: parameter_of(each) for each in fields(made)}
    return replace(made, **{name: nearest_in(ranges[name], each) for name, each in changes.items()})


def nearest_in(taken: Parameter | None, value: float) -> float:
    assert taken is not None
    least = value if taken.at_least is None else max(value, taken.kind(taken.at_least))
    return least if taken.at_most is None else min(least, taken.at_most)


def stricter(near: Nearest) -> float:
    """One more for counts; else a millionth, and more than the tolerance of 1e-9."""
    assert near.nearest is not None
    if isinstance(near.threshold, int):
        return near.nearest + 1 if near.direction == AT_LEAST else near.nearest - 1
    step = max(1e-6 * abs(near.nearest), 1e-8)
    return near.nearest + step if near.direction == AT_LEAST else near.nearest - step


def is_feasible(problem: Problem) -> bool:
    return bool(plainly(problem, [])["feasible"].any())


def conditions(problem: Problem, found: Explanation) -> list[tuple[PrivacyModel, int, Nearest]]:
    """Each condition with its model and its number among those of the model."""
    by_label = {str(problem.criterion(model, name)): model for model, name in problem.asked()}
    counted: dict[str, int] = {}
    numbered = []
    for near in found.nearest:
        part = counted.get(near.model, 0)
        counted[near.model] = part + 1
        numbered.append((by_label[near.model], part, near))
    return numbered


def require_exact(problem: Problem) -> None:
    """Of a problem without a feasible node."""
    found = explain(problem)
    assert found is not None
    numbered = conditions(problem, found)
    assert {str(model) for model, _, _ in numbered} == {str(model) for model in problem.models}
    for model, part, near in numbered:

        def with_threshold(value: float, model: PrivacyModel = model, part: int = part) -> Problem:
            models = tuple(at_threshold(each, part, value) if each is model else each for each in problem.models)
            return replace(problem, models=models)

        if near.nearest is None:
            assert near.node is None
            assert not is_feasible(with_threshold(0 if near.direction == AT_LEAST else 1e12))
            continue
        value = int(near.nearest) if isinstance(near.threshold, int) else near.nearest
        if near.direction == AT_LEAST and isinstance(near.threshold, int) and value < 1:
            continue  # no model asks for less than one: a class may hold no number at all
        assert is_feasible(with_threshold(value)), near
        assert near.node is not None
        place = plainly(with_threshold(value), []).levels.tolist().index(list(near.node.levels))
        assert plainly(with_threshold(value), [])["feasible"][place], near
        if near.direction == AT_LEAST or stricter(near) >= 0:
            assert not is_feasible(with_threshold(stricter(near))), near
        if model.name not in PARTS:
            alone = plainly(replace(problem, models=(model,)), [])["feasible"]
            assert near.alone == int(alone.sum()), near
    require_fewest(problem, found)


def require_fewest(problem: Problem, found: Explanation) -> None:
    if found.suppression is None:
        assert not is_feasible(replace(problem, limit=problem.people))
        return
    people, node = found.suppression
    assert problem.limit < people < problem.people
    whole = plainly(replace(problem, limit=people), [])
    assert whole["feasible"][whole.levels.tolist().index(list(node.levels))]
    assert not is_feasible(replace(problem, limit=people - 1))


def few(case: Case) -> st.SearchStrategy[int]:
    """Not everybody may leave."""
    return st.sampled_from([0, 0, 0.1, 0.3, 0.6]).map(lambda share: int(share * case.people))


# Every class of a table of ten rows keeps none of these for long: what is gained by merging is lost by merging.
COSTS = st.sampled_from(
    ["utility-distribution-loss:0", "utility-distribution-loss:0.3", "utility-entropy-loss:0.2", "k-anonymity:30"]
)
COSTS |= st.sampled_from(["distinct-diversity:5", "ke-anonymity:5,2"])
infeasible = settings(max_examples=8, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.function_scoped_fixture])


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@infeasible
@given(data=st.data())
def test_the_nearest_threshold_of_a_model_beside_one_that_costs_works_and_nothing_stricter_does(
    name: str, data: st.DataObject
) -> None:
    case, text = data.draw(cases()), data.draw(TEXTS[name].filter(lambda text: not text.endswith(("enhanced", "total"))))
    problem = case.problem([text, data.draw(COSTS)], limit=data.draw(few(case)) if name not in WHOLE else 0)
    assume(not is_feasible(problem))
    require_exact(problem)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["k-anonymity", "distinct-diversity", "utility-entropy-loss", "em-anonymity", "alpha-k-anonymity"]
)
@infeasible
@given(data=st.data())
def test_the_nearest_threshold_of_a_model_alone_works_and_nothing_stricter_does(name: str, data: st.DataObject) -> None:
    case = data.draw(cases())
    problem = case.problem([data.draw(TEXTS[name])], limit=data.draw(few(case)))
    assume(not is_feasible(problem))
    require_exact(problem)


@pytest.mark.slow
@settings(infeasible, max_examples=25)
@given(data=st.data())
def test_the_nearest_threshold_given_several_models_works_and_nothing_stricter_does(data: st.DataObject) -> None:
    """Conditions on classes, with and without suppression."""
    names = [name for name in NAMES if name not in WHOLE]
    case = data.draw(cases())
    texts = [text for text in data.draw(several(names)) if not text.endswith(("enhanced", "total"))]
    problem = case.problem([*texts, data.draw(COSTS)], limit=data.draw(few(case)))
    assume(not is_feasible(problem))
    require_exact(problem)


@pytest.mark.slow
@settings(infeasible, max_examples=25)
@given(data=st.data())
def test_the_nearest_threshold_beside_models_of_the_whole_table_works(data: st.DataObject) -> None:
    """Who leaves for a condition of classes changes what a model of the whole table says."""
    case = data.draw(cases())
    texts = [
        data.draw(TEXTS["average-risk"] | st.sampled_from(["distribution-loss:0.2,total", "utility-entropy-loss:0.4,total"])),
        data.draw(TEXTS["k-anonymity"] | TEXTS["t-closeness"] | TEXTS["confidence-bounding"]),
    ]
    problem = case.problem(texts, limit=data.draw(few(case)))
    assume(not is_feasible(problem))
    require_exact(problem)


@infeasible
@given(data=st.data())
def test_nearest_thresholds_of_several_sensitive_attributes(data: st.DataObject) -> None:
    """Each attribute has its own condition; the threshold of the model must suit all: it is set to the worst of them."""
    case = data.draw(cases())
    text = data.draw(st.sampled_from(["t-closeness:0", "confidence-bounding:0.1", "distinct-diversity:4", "distribution-loss:0"]))
    problem = case.problem([text], sensitive=("value", "score"))
    assume(not is_feasible(problem))
    found = explain(problem)
    assert found is not None
    assert [near.model for near in found.nearest] == [f"{text}@value", f"{text}@score"]
    for near, name in zip(found.nearest, ("value", "score"), strict=True):
        other = next(each for each in ("value", "score") if each != name)
        assert (near.nearest is None) == (not is_feasible(case.problem([text], sensitive=(other,))))
    require_fewest(problem, found)


@infeasible
@given(data=st.data())
def test_nearest_thresholds_with_owners(data: st.DataObject) -> None:
    case = data.draw(cases(owned=True))
    names = [
        "k-anonymity",
        "distinct-diversity",
        "t-closeness",
        "average-risk",
        "distribution-loss",
        "multirelational-k-anonymity",
    ]
    texts = [*data.draw(several(names, most=2)), data.draw(st.sampled_from(["k-anonymity:9", "utility-entropy-loss:0"]))]
    problem = case.problem(texts, limit=data.draw(few(case)))
    assume(not is_feasible(problem))
    require_exact(problem)


@infeasible
@given(data=st.data())
def test_nearest_thresholds_with_a_population(data: st.DataObject) -> None:
    case = data.draw(cases())
    texts = [
        *data.draw(several(["k-map", "k-anonymity", "t-closeness"])),
        data.draw(st.sampled_from(["k-map:40", "utility-entropy-loss:0"])),
    ]
    problem = case.problem(texts, population=True, limit=data.draw(few(case)))
    assume(not is_feasible(problem))
    require_exact(problem)


@infeasible
@given(data=st.data())
def test_nearest_thresholds_under_stated_beliefs(data: st.DataObject) -> None:
    case = data.draw(cases())
    assume(stated_about(case))
    texts = [*data.draw(several(["t-closeness", "distribution-loss", "confidence-bounding"], most=2)), data.draw(COSTS)]
    problem = case.problem(texts, stated=stated_about(case), limit=data.draw(few(case)))
    assume(not is_feasible(problem))
    require_exact(problem)


@pytest.mark.parametrize("kind", ["rows", "owners", "stated", "population"])
def test_the_limit_counts_where_people_do_not_add_up_or_more_than_the_table_is_known(kind: str) -> None:
    """Nine people with 5 and 4 of two values, and one with a third in a class of their own, who may leave.

    The nine have 0.991 bits, all ten have more: under a bound of 0.995 bits the one must leave, and the nearest share is 5/9.
    """
    rows = tuple(Row((leaf,), None, owner, 1) for owner, leaf in enumerate([0] * 9 + [1]))
    world = World(Drawn(((("a", "*"), ("b", "*")),), rows, owned=kind == "owners"), (*[0] * 5, *[1] * 4, 2), (None,) * 10)
    models = ["confidence-bounding:0.1", "utility-entropy-loss:0.995"]
    stated = {"1": 0.5} if kind == "stated" else None
    found = explain(Case(world, {}).problem(models, limit=1, population=kind == "population", stated=stated))
    assert found is not None
    assert found.nearest[0].nearest == pytest.approx(5 / 9)


def owned_pair() -> Case:
    """Two classes: two owners with one value each of two, and one owner alone with a third."""
    rows = tuple(Row((leaf,), None, owner, 1) for leaf, owner in ((0, 0), (0, 1), (1, 2)))
    world = World(Drawn(((("a", "*"), ("b", "*")),), rows, owned=True), (0, 0, 0), (None,) * 3)
    return Case(world, {})


def test_with_owners_the_conditions_of_one_model_are_not_mixed_up() -> None:
    """(0.5, 2): everybody has the same value, so the share is 1 at every node; the bound on the share that works is 1 and no count."""
    problem = owned_pair().problem(["alpha-k-anonymity:0.5,2"])
    assert not is_feasible(problem)
    require_exact(problem)


# The quick way and the plain one


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(data=st.data(), owned=st.booleans(), population=st.booleans())
def test_owners_and_populations_are_explained_by_the_compiled_loops_as_they_are_plainly(
    data: st.DataObject, owned: bool, population: bool
) -> None:
    """Feasible or not: what every condition could reach is the same."""
    case = data.draw(cases(owned=owned))
    names = ["k-anonymity", "distinct-diversity", "t-closeness", "average-risk", "alpha-k-anonymity", "ke-anonymity"]
    texts = data.draw(several([*names, *(["k-map", "delta-presence"] if population else [])]))
    problem = case.problem(texts, population=population, limit=data.draw(limits(case)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_plainly", None)
        quick = explain(problem)
    plain = module._plainly(problem.narrowed_to([]), Lattice.of(problem.counts))
    assert quick is not None
    assert (quick.suppression or (None,))[0] == (plain.suppression or (None,))[0]
    assert len(quick.nearest) == len(plain.nearest)
    for one, other in zip(quick.nearest, plain.nearest, strict=True):
        assert replace(one, nearest=None, node=None) == replace(other, nearest=None, node=None)
        assert one.nearest == (other.nearest if other.nearest is None else pytest.approx(other.nearest, abs=1e-12))


# Models of the whole table beside conditions of classes


def test_those_who_leave_for_a_condition_may_satisfy_the_whole_table() -> None:
    """Classes of 1, 1, 1 and 5 people, three may leave; nobody shares a value with another class, so the leaves alone are pure.

    Once the three have left, 5-anonymity holds and the average risk is 1/5: 5 is the nearest k, though 4 classes of 8 people exceed 0.3.
    """
    rows = tuple(Row((leaf,), None, 0, times) for leaf, times in ((0, 1), (1, 1), (2, 1), (3, 5)))
    paths = ((("a", "*"), ("b", "*"), ("c", "*"), ("d", "*")),)
    case = Case(World(Drawn(paths, rows, owned=False), (0, 1, 2, 3), (None,) * 4), {})
    problem = case.problem(["k-anonymity:6", "average-risk:0.3", "utility-entropy-loss:0"], limit=3)
    assert is_feasible(replace(problem, models=(model_of("k-anonymity:5"), *problem.models[1:])))
    found = explain(problem)
    assert found is not None
    assert found.nearest[0].nearest == 5


def test_those_who_leave_for_a_condition_may_break_the_whole_table() -> None:
    """Classes (4, 0), (1, 1), (1, 1) of two values, four may leave; average risk 0.4.

    A share of at most 1/2 would have the first class leave, and then 2 classes of 4 people exceed 0.4. What works is 3/4, at the top.
    """
    cells = ((0, 0, 4), (1, 0, 1), (1, 1, 1), (2, 0, 1), (2, 1, 1))
    rows = tuple(Row((leaf,), None, 0, times) for leaf, _, times in cells)
    paths = ((("a", "*"), ("b", "*"), ("c", "*")),)
    case = Case(World(Drawn(paths, rows, owned=False), tuple(value for _, value, _ in cells), (None,) * 5), {})
    problem = case.problem(["confidence-bounding:0.4", "average-risk:0.4"], limit=4)
    assert not is_feasible(replace(problem, models=(model_of("confidence-bounding:0.5"), problem.models[1])))
    assert is_feasible(replace(problem, models=(model_of("confidence-bounding:0.75"), problem.models[1])))
    found = explain(problem)
    assert found is not None
    assert found.nearest[0].nearest == 0.75


# The strict bound


def test_the_nearest_bound_of_recursive_diversity_works() -> None:
    """Three of each of four values at the top: 3 < c (3 + 3 + 3) holds for every c above 1/3, and for 1/3 itself it does not."""
    problem = TWELVE.problem(["recursive-diversity:0.2,2"])
    found = explain(problem)
    assert found is not None
    near = found.nearest[0]
    assert near.nearest is not None
    assert near.nearest == pytest.approx(1 / 3, abs=1e-6)
    assert is_feasible(replace(problem, models=(model_of(f"recursive-diversity:{near.nearest!r},2"),)))


# All may leave


@pytest.mark.parametrize("text", ["distinct-diversity:5", "k-anonymity:13"])
def test_where_everybody_may_leave_somebody_must_stay(text: str) -> None:
    """A limit of all twelve people: the best class alone decides, for a release of nobody is none."""
    few, all_of_them = (explain(TWELVE.problem([text], limit=limit)) for limit in (11, 12))
    assert few is not None
    assert all_of_them is not None
    assert few.nearest[0].nearest == (12 if text.startswith("k") else 4)
    assert all_of_them.nearest == few.nearest


# By hand and on the census


def test_a_small_example_by_hand() -> None:
    """Twelve rows, two in each of six classes; q0 and q1 have leaves a, b (group g) and c (group h), of q1 only a and b occur.

    13-anonymity: the top has 12, which is the nearest; every class violates, so suppression helps nobody.
    """
    problem = TWELVE.problem(["k-anonymity:13"])
    found = explain(problem)
    assert found is not None
    [near] = found.nearest
    assert (near.model, near.direction, near.threshold, near.nearest) == ("k-anonymity:13", "at_least", 13, 12)
    assert near.node is not None
    assert found.suppression is None
    assert near.node.levels in ((2, 1), (2, 2))


def test_the_smallest_suppression_by_hand() -> None:
    """Classes of 3, 2 and 1 people and a utility bound that only the leaves keep: 2-anonymity there costs one person, 3-anonymity three."""
    rows = tuple(Row((leaf,), None, 0, times) for leaf, times in ((0, 3), (1, 2), (2, 1)))
    world = World(Drawn(((("a", "*"), ("b", "*"), ("c", "*")),), rows, owned=False), (0, 1, 2), (None,) * 3)
    for k, people in ((2, 1), (3, 3)):
        found = explain(Case(world, {}).problem([f"k-anonymity:{k}", "utility-distribution-loss:0.1"]))
        assert found is not None
        assert found.suppression is not None
        assert (found.suppression[0], found.suppression[1].levels) == (people, (0,))


@pytest.mark.slow
def test_the_census_says_which_utility_loss_goes_with_a_distribution_loss_of_a_tenth() -> None:
    with adult() as table:
        problem, _ = problem_of(table, Question(["distribution-loss:0.1", "utility-distribution-loss:0.85"]))
    found = explain(problem)
    assert found is not None
    near = {each.model: each.nearest for each in found.nearest}
    assert near["utility-distribution-loss:0.85"] == pytest.approx(0.9409, abs=5e-5)
    # No node keeps the utility bound in every class, whatever the distribution loss: that bound alone does not help.
    assert isinstance(optimal(replace(problem, models=problem.models[1:]), "loss"), NotFound)
    assert near["distribution-loss:0.1"] is None


def test_a_lattice_too_large_is_not_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sfumato.search.algorithms.explain.MOST_NODES", 8)
    assert explain(TWELVE.problem(["k-anonymity:13"])) is None
    assert explain(TWELVE.problem([])) is None


def test_what_is_told_is_finite() -> None:
    found = explain(TWELVE.problem(["delta-disclosure:0", "k-anonymity:13"], limit=3))
    assert found is not None
    assert all(near.nearest is None or isfinite(near.nearest) for near in found.nearest)
    assert inf not in [near.threshold for near in found.nearest]
