"""What searches rule nodes out by is sound: bounds on what splitting a class can cure, and on the loss of nodes not looked at."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from sfumato.models import MODELS, Judged, model_of
from sfumato.models.curable import between, near_equal, near_euclidean, near_hierarchical, near_ordered, within_caps
from sfumato.search.detail import BY_LEVELS, Detail
from sfumato.search.evaluation import Evaluations, Measure
from sfumato.search.problem import Problem
from sfumato.statistics import ClassStatistics
from sfumato.vocabulary.kinds import Kind
from tests.contracts.model_world import GUARDS, VALUES, World, release
from tests.strategies import Drawn, Row
from tests.unit.losses.classes import counts_of, statistics, trees
from tests.unit.search.problems import (
    OWNERS,
    PUBLIC,
    ROWS,
    TEXTS,
    cases,
    plainly,
    problems,
    unusual,
)
from tests.unit.search.problems import below as at_or_below

Split = list[list[list[int]]]  # per class, per part: people of each value, the missing one last

# Splitting a class


@st.composite
def splits(draw: st.DrawFn) -> tuple[World, list[list[int]]]:
    """Classes that are split into parts: a table whose one QID names the part, then the class, then `*`; the parts of each class."""
    parts = st.lists(counts_of(len(VALUES) + 1, most=4), min_size=1, max_size=4)
    classes: Split = draw(st.lists(parts, min_size=1, max_size=3))
    paths, rows, values, guards, held = [], [], [], [], []
    for number, split in enumerate(classes):
        held.append(list(range(len(paths), len(paths) + len(split))))
        for counts in split:
            guard = draw(st.none() | st.integers(0, len(GUARDS) - 1))
            for value, people in enumerate(counts):
                if people:
                    rows.append(Row((len(paths),), None, 0, people))
                    values.append(None if value == len(VALUES) else value)
                    guards.append(guard)
            paths.append((f"p{len(paths)}", f"c{number}", "*"))
    others = [Row((draw(st.integers(0, len(paths) - 1)),), None, 0, draw(st.integers(1, 4))) for _ in range(2)]
    world = World(Drawn((tuple(paths),), tuple(rows), owned=False), tuple(values), tuple(guards), tuple(others))
    return world, held


def parts_of(text: str, world: World, level: int) -> tuple[Judged, tuple]:
    judged = world.judged((level,))
    return judged, model_of(text).parts(judged)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in MODELS if name not in OWNERS])
@given(data=st.data())
@settings(max_examples=25)
def test_at_least_the_incurable_people_of_a_class_violate_however_it_is_split(name: str, data: st.DataObject) -> None:
    (world, held), text = data.draw(splits()), data.draw(TEXTS[name])
    (whole, ones), (_, others) = (parts_of(text, world, level) for level in (1, 0))
    fine = world.judged((0,)).counts.people
    for one, other in zip(ones, others, strict=True):
        incurable, violating = one.incurable(whole.counts.people), other.broken()
        for number, parts in enumerate(held):
            assert incurable[number] <= sum(fine[part] for part in parts if violating[part]) + 1e-6


FLAT = [name for name in MODELS if name not in (*OWNERS, *PUBLIC, "personalized-privacy")]


@pytest.mark.parametrize("name", FLAT)
@given(data=st.data(), counts=st.lists(st.integers(0, 5), min_size=3, max_size=3).filter(any))
@settings(max_examples=25)
def test_at_least_the_incurable_people_violate_whichever_two_parts_a_class_is_split_into(
    name: str, data: st.DataObject, counts: list[int]
) -> None:
    """Every way to split a class in two, among them those that leave one part just within the bound: there the bound is tight."""
    prior, text = data.draw(st.lists(st.integers(1, 6), min_size=3, max_size=3)), data.draw(TEXTS[name])
    halves = [half for half in product(*(range(count + 1) for count in counts)) if 0 < sum(half) < sum(counts)]
    rest = [tuple(count - part for count, part in zip(counts, half, strict=True)) for half in halves]
    judged = release([counts, *halves, *rest], kind=Kind.INTEGER, labels=("1", "2", "5"), prior=prior)
    people = judged.counts.people
    for part in model_of(text).parts(judged):
        least = part.incurable(people)[0]
        violating = np.where(part.broken(), people, 0)
        ones, others = violating[1 : len(halves) + 1], violating[len(halves) + 1 :]
        assert least <= (ones + others).min(initial=violating[0]) + 1e-6


@pytest.mark.parametrize("name", FLAT)
@given(data=st.data(), counts=st.lists(st.integers(0, 5), min_size=3, max_size=3).filter(any))
@settings(max_examples=25)
def test_where_a_whole_class_is_ruled_out_for_people_with_several_rows_no_class_with_the_same_values_or_fewer_is_fine(
    name: str, data: st.DataObject, counts: list[int]
) -> None:
    """Their parts overlap, so that any people may be together in one, with any of the values that they have in the class."""
    prior, text = data.draw(st.lists(st.integers(1, 6), min_size=3, max_size=3)), data.draw(TEXTS[name])
    parts = [part for part in product(*(range(7 if count else 1) for count in counts)) if any(part)]
    judged = release([counts, *parts], kind=Kind.INTEGER, labels=("1", "2", "5"), prior=prior)
    people = judged.counts.people
    for part in model_of(text).parts(judged):
        ruled_out = part.incurable(people, overlapping=True)[0]
        assert ruled_out in (0, people[0])
        fewer = people <= people[0]
        assert not ruled_out or part.broken()[fewer].all()


@pytest.mark.parametrize(
    "text",
    [
        "t-closeness:0.3,equal",
        "t-closeness:0.1,ordered",
        "distribution-loss:0.3",
        "beta-likeness:0.3",
        "delta-disclosure:1",
        "confidence-bounding:0.4",
        "entropy-diversity:2.5",
        "recursive-diversity:3,3",
        "entropy-loss:0.5",
    ],
)
def test_a_class_that_lacks_the_values_it_would_need_is_ruled_out_for_people_with_several_rows(text: str) -> None:
    """Two of three equally frequent values, in unequal shares: 0.68 bits off, and far from the third."""
    judged = release([(5, 1, 0), (2, 2, 2)], kind=Kind.INTEGER, labels=("1", "2", "5"), prior=(4, 4, 4))
    assert [part.incurable(judged.counts.people, overlapping=True).tolist() for part in model_of(text).parts(judged)] == [[6, 0]]


def test_the_bound_on_who_is_cured_is_reached() -> None:
    """Counts (8, 2), at most 1/2: six people with one value leave, and (2, 2) stays. Of ten people s stay where 0.5 s + 0.2 >= s."""
    judged = release([(8, 2)], prior=(8, 2))
    [part] = model_of("confidence-bounding:0.5").parts(judged)
    assert part.incurable(judged.counts.people)[0] == pytest.approx(6, abs=1e-6)


@pytest.mark.parametrize("name", [name for name in MODELS if name not in OWNERS])
@given(data=st.data())
@settings(max_examples=10)
def test_every_part_of_a_class_that_violates_a_hereditary_condition_violates_it(name: str, data: st.DataObject) -> None:
    (world, held), text = data.draw(splits()), data.draw(TEXTS[name])
    (_, ones), (_, others) = (parts_of(text, world, level) for level in (1, 0))
    for one, other in zip(ones, others, strict=True):
        assert one.hereditary == other.hereditary
        for number in np.flatnonzero(one.broken()) if one.hereditary else ():
            assert other.broken()[held[number]].all()


@given(splits())
@settings(max_examples=40)
def test_everybody_in_a_small_class_is_incurable(drawn: tuple[World, list[list[int]]]) -> None:
    """The bound for conditions on sizes and distinct values is not merely sound but tight."""
    world, _ = drawn
    for text in ("k-anonymity:5", "distinct-diversity:3", "ke-anonymity:2,3"):
        judged, parts = parts_of(text, world, 1)
        people = judged.counts.people
        for part in parts:
            assert part.incurable(people).tolist() == np.where(part.broken(), people, 0).tolist()


def test_a_class_of_one_value_is_incurable_for_closeness() -> None:
    """Prior (1/2, 1/2): a class of one value has distance 1/2 from it, and so has every part of it."""
    rows = (Row((0,), None, 0, 6), Row((1,), None, 0, 6))
    world = World(Drawn(((("p0", "c0", "*"), ("p1", "c1", "*")),), rows, owned=False), (0, 3), (None, None))
    for text in (
        "t-closeness:0.2,equal",
        "t-closeness:0.2,ordered",
        "t-closeness:0.2",
        "distribution-loss:0.2",
        "beta-likeness:0.5",
    ):
        judged, (part,) = parts_of(text, world, 1)
        assert part.incurable(judged.counts.people) == pytest.approx([6, 6], abs=1e-6)


# How many can stay: what the closed forms say, beside a linear program or the definition


@st.composite
def tangents(draw: st.DrawFn) -> tuple[list[int], list[int], list[list[int]], list[list[int]]]:
    """A prior, a class, distributions to compare with, and a tree."""
    m = draw(st.integers(1, 6))
    prior, own = draw(counts_of(m)), draw(counts_of(m))
    return prior, own, draw(st.lists(counts_of(m), min_size=1, max_size=6)), draw(trees(m))


def distance_rows(kind: str, tree: Sequence[Sequence[int]], m: int) -> tuple[list[list[float]], list[float]]:
    """Sums over values whose absolute differences, with these weights, add up to a distance."""
    if kind == "equal":
        return np.eye(m).tolist(), [0.5] * m
    if kind == "ordered":
        return [[float(value <= place) for value in range(m)] for place in range(m - 1)], [1 / (m - 1)] * (m - 1)
    levels = [list(range(m)), *tree[:-1]]
    rows = [[float(own == node) for own in level] for level in levels for node in sorted(set(level))]
    return rows, [1 / (2 * len(tree))] * len(rows)


def most_that_stay(
    x: Sequence[float], a: Sequence[float], rows: Sequence[Sequence[float]], weights: Sequence[float], t: float
) -> float:
    """The largest s for which there are w <= x with the sum s and sum_r weight_r |row_r (w - s a)| <= s t: a linear program."""
    m, r = len(x), len(rows)
    cost = np.concatenate((-np.ones(m), np.zeros(r)))
    shift = np.array(rows) @ (np.eye(m) - np.outer(a, np.ones(m)))  # row_r (w - a sum w)
    above = np.hstack((shift, -np.eye(r)))
    under = np.hstack((-shift, -np.eye(r)))
    spent = np.concatenate((-t * np.ones(m), weights))[None]
    found = linprog(
        cost,
        A_ub=np.vstack((above, under, spent)),
        b_ub=np.zeros(2 * r + 1),
        bounds=[(0, each) for each in x] + [(0, None)] * r,
    )
    return float(-found.fun)


CLOSE = {"equal": near_equal, "ordered": near_ordered, "hierarchical": near_hierarchical}


@pytest.mark.parametrize("kind", CLOSE)
@given(drawn=tangents(), t=st.sampled_from([0.0, 0.05, 0.2, 0.4, 0.7]))
@settings(max_examples=60)
def test_as_many_can_stay_close_as_a_linear_program_says(
    kind: str, drawn: tuple[list[int], list[int], list[list[int]], list[list[int]]], t: float
) -> None:
    """Never fewer. For equal distance and along a tree no more either."""
    prior, own, _, tree = drawn
    assume(kind != "ordered" or len(prior) > 1)
    a, x = (np.array(counts) / sum(counts) for counts in (prior, own))
    right = most_that_stay(x.tolist(), a.tolist(), *distance_rows(kind, tree, len(x)), t)
    bound = CLOSE[kind](statistics([own], prior, tree=tree), t)(np.array([True]))[0]
    assert bound >= right - 1e-7
    if t >= 0.05 and kind != "ordered":  # with less room the last digits decide
        assert bound <= right + 1e-4


@given(drawn=tangents(), most=st.sampled_from([0.0, 0.1, 0.3, 0.6, 1.0]), data=st.data())
@settings(max_examples=80)
def test_no_more_people_stay_within_a_euclidean_distance_than_is_told(
    drawn: tuple[list[int], list[int], list[list[int]], list[list[int]]], most: float, data: st.DataObject
) -> None:
    """Some of the people are picked; if their distribution is near enough, they are no more than that."""
    prior, own, *_ = drawn
    picked = [data.draw(st.integers(0, count)) for count in own]
    assume(sum(picked) > 0)
    known = statistics([own, picked], prior)
    bound = near_euclidean(known, most)(np.array([True, False]))[0]
    if known.column("distribution")[1] <= most:
        assert sum(picked) / sum(own) <= bound + 1e-9


@given(drawn=tangents(), beta=st.sampled_from([0.0, 0.3, 1.0, 3.0]), delta=st.sampled_from([0.0, 0.3, 1.0, 2.0]))
@settings(max_examples=60)
def test_as_many_can_stay_under_caps_as_a_linear_program_says(
    drawn: tuple[list[int], list[int], list[list[int]], list[list[int]]], beta: float, delta: float
) -> None:
    prior, own, *_ = drawn
    assume(all(prior))
    known = statistics([own], prior)
    a, x = (np.array(counts) / sum(counts) for counts in (prior, own))
    for low, high, largest in (
        (0 * a, a * (1 + beta), within_caps(known, a * (1 + beta))),
        (a * np.exp(-delta), a * np.exp(delta), between(known, a * np.exp(-delta), a * np.exp(delta))),
    ):
        m = len(x)
        rows = np.vstack((np.eye(m) - np.outer(high, np.ones(m)), np.outer(low, np.ones(m)) - np.eye(m)))
        right = -linprog(-np.ones(m), A_ub=rows, b_ub=np.zeros(2 * m), bounds=[(0, each) for each in x]).fun
        share = largest(np.array([True]))[0]
        assert share >= right - 1e-7
        assert min(beta, delta) < 0.3 or share <= right + 1e-4


@given(drawn=tangents(), beta=st.floats(0.1, 4))
@settings(max_examples=100)
def test_no_class_exceeds_the_most_that_a_convex_column_can_be(
    drawn: tuple[list[int], list[int], list[list[int]], list[list[int]]], beta: float
) -> None:
    prior, own, others, tree = drawn
    assume(all(prior))
    known = statistics([own, *others], prior, tree=tree)
    for name, *parameters in (("gain",), ("capped_gain", beta), ("distribution",), ("emd_equal",), ("emd_hierarchical",)):
        assert known.column(str(name), *parameters).max() <= known.most(str(name), *parameters) + 1e-9


@given(drawn=tangents(), data=st.data())
def test_some_classes_have_the_columns_that_they_have_among_all(
    drawn: tuple[list[int], list[int], list[list[int]], list[list[int]]], data: st.DataObject
) -> None:
    prior, own, others, tree = drawn
    known = statistics([own, *others], prior, tree=tree)
    marked = np.array(data.draw(st.lists(st.booleans(), min_size=known.classes, max_size=known.classes)))
    for name in ("mass", "distribution", "emd_hierarchical", "entropy"):
        assert known.only(marked).column(name).tolist() == known.column(name)[marked].tolist()


def test_with_a_prior_for_every_class_nothing_is_known_of_a_split() -> None:
    known = statistics([[3, 0], [1, 1]], [1, 1])
    own = ClassStatistics(known.sizes, known.cells, np.array([[0.5, 0.5], [0.1, 0.9]]), known.domain)
    assert own.most("distribution") == np.inf


# Nodes


def require_sound(found: Evaluations) -> None:
    """No feasible node at or below a hopeless one, and at least the incurable people violate at every node below."""
    for place, node in enumerate(found.levels):
        under = at_or_below(found.levels, node)
        if found["hopeless"][place]:
            assert not found["feasible"][under].any()
        assert (found["violating"][under] >= found["incurable"][place] - 1e-6).all()


@given(problems())
@settings(max_examples=40)
def test_no_node_below_a_hopeless_one_is_feasible(problem: Problem) -> None:
    require_sound(plainly(problem, []))


@pytest.mark.parametrize("name", ROWS)
@given(data=st.data())
@settings(max_examples=5)
def test_no_node_below_one_that_is_hopeless_for_a_model_is_feasible(name: str, data: st.DataObject) -> None:
    require_sound(plainly(data.draw(problems([name], sensitive=("value",))), []))


@given(unusual())
@settings(max_examples=40)
def test_hopeless_nodes_are_so_with_owners_stated_beliefs_and_a_population(problem: Problem) -> None:
    require_sound(plainly(problem, []))


@pytest.mark.parametrize("name", ROWS)
@given(data=st.data(), share=st.sampled_from([0, 0.3, 0.5]))
@settings(max_examples=5)
def test_no_node_below_one_that_is_hopeless_for_people_with_several_rows_is_feasible(
    name: str, data: st.DataObject, share: float
) -> None:
    case = data.draw(cases(owned=True, least=2))
    require_sound(plainly(case.problem([data.draw(TEXTS[name])], limit=int(share * case.people)), []))


@given(problems(["k-anonymity", "distinct-diversity"], limit=0))
@settings(max_examples=30)
def test_a_node_that_violates_a_monotone_model_is_hopeless(problem: Problem) -> None:
    """Pruning not only is sound, it happens."""
    found = plainly(problem, [])
    assert (found["hopeless"] == ~found["feasible"]).all()


# Losses that the levels decide


def require_lower(problem: Problem) -> None:
    """Neither the people who must leave nor those who do raise the bound of a feasible node above its loss."""
    found = plainly(problem, BY_LEVELS)
    detail = Detail.of(problem.counts, BY_LEVELS)
    for loss in BY_LEVELS:
        for least in (
            np.zeros(len(found)),
            np.minimum(found["incurable"], found["suppressed"]),
            found["suppressed"].astype(float),
        ):
            bound = detail.bound(found.levels, loss, least)
            assert (bound <= found[Measure(loss)] + 1e-12).all(), (loss, bound, found[Measure(loss)])


@given(problems(["k-anonymity", "distinct-diversity", "t-closeness", "entropy-diversity"], most=2))
@settings(max_examples=40)
def test_the_bound_on_a_loss_never_exceeds_it(problem: Problem) -> None:
    require_lower(problem)


@given(problems(["k-anonymity"], limit=0))
@settings(max_examples=30)
def test_without_suppression_the_bound_is_the_loss(problem: Problem) -> None:
    found = plainly(problem, BY_LEVELS)
    detail = Detail.of(problem.counts, BY_LEVELS)
    for loss in BY_LEVELS:
        assert detail.bound(found.levels, loss, np.zeros(len(found))) == pytest.approx(found[Measure(loss)], abs=1e-12)
