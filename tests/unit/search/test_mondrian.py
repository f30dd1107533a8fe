"""Mondrian: never a class that violates its model, everybody in one class, labels that cover their values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.beliefs import Prior
from sfumato.errors import UsageError
from sfumato.frequency import CellTable, FrequencySet
from sfumato.losses.information import Recoded, iyengar
from sfumato.models import Context, Judged, model_of
from sfumato.models.protected import Members
from sfumato.release.local import local_classes
from sfumato.search.mondrian.rounds import Local, NoRelease, mondrian
from sfumato.search.problem import Problem
from sfumato.vocabulary.builders import Intervals, Listed, Suppression
from sfumato.vocabulary.hierarchy import Hierarchy
from sfumato.vocabulary.kinds import Kind, Role
from sfumato.vocabulary.node import Node
from sfumato.vocabulary.schema import Attribute, Schema
from tests.contracts.model_oracle import ORACLES
from tests.contracts.model_world import TREE, VALUES

PATHS = (("a", "low"), ("b", "low"), ("c", "high"), ("d", "high"), ("e", "high"))
JOBS = Listed(PATHS)
AGES = [str(age) for age in range(9, 30)]
DAYS = [f"2024-0{month}-1{day}" for month in (1, 2, 3) for day in (0, 1, 2)]
VALUE = Attribute("value", Role.SENSITIVE, Kind.INTEGER, TREE)
SCHEMA = Schema(
    (
        Attribute("age", Role.QUASI, Kind.INTEGER),
        Attribute("day", Role.QUASI, Kind.DATE),
        Attribute("job", Role.QUASI, Kind.TEXT, JOBS),
    )
)
KINDS = {"age": Kind.INTEGER, "day": Kind.DATE, "job": Kind.TEXT}
LEAVES = {"age": AGES, "day": DAYS, "job": [path[0] for path in PATHS]}
WHOLE_OR_LARGER = ("average-risk", "k-map")  # of the table as a whole, or of a larger one
MODELS = ["k-anonymity:1", "k-anonymity:4", "entropy-diversity:1.5", "beta-likeness:4", "t-closeness:0.6"] + [
    name
    for name in ORACLES
    if model_of(name).monotone and not name.endswith("total") and name.partition(":")[0] not in WHOLE_OR_LARGER
]


class Row(NamedTuple):
    age: str | None
    day: str | None
    job: str | None
    value: str | None = None
    owner: int = 0


def hierarchy(name: str, *, stated: bool) -> Hierarchy:
    """With `stated`, every age and every day is a bound that the hierarchy states itself, so that ranges are as narrow as they can be."""
    if name == "job":
        return JOBS.build(name, Kind.TEXT, ())
    if not stated:
        return Suppression().build(name, KINDS[name], LEAVES[name])
    days = Listed(tuple((day, day) for day in DAYS))
    ages = Intervals((Decimal(1),), Decimal(AGES[0]), Decimal(AGES[-1]))
    return (days if name == "day" else ages).build(name, KINDS[name], LEAVES[name])


def count(
    rows: Sequence[Row], quasi: Sequence[str] = ("age", "day", "job"), *, owned: bool = False, stated: bool = True
) -> FrequencySet:
    """The frequency set of rows."""
    hierarchies = [hierarchy(name, stated=stated) for name in quasi]
    columns = [_codes(LEAVES[name], [getattr(row, name) for row in rows]) for name in quasi]
    values = (TREE.build("value", Kind.INTEGER, ()), _codes(VALUES, [row.value for row in rows]))
    owners = np.array([row.owner for row in rows]) if owned else None
    cells = CellTable(columns, np.ones(len(rows), np.int64), {"value": values}, owners)
    return FrequencySet.of_cells(Node.bottom(quasi), hierarchies, cells)


def _codes(leaves: Sequence[str], values: Sequence[str | None]) -> np.ndarray:
    return np.array([len(leaves) if value is None else leaves.index(value) for value in values], np.int32)


def problem(counts: FrequencySet, *models: str, **more: Any) -> Problem:
    asked = tuple(model_of(model) for model in models)
    return Problem(counts, {"value": VALUE}, {"value": Prior.of(counts, "value")}, asked, **more)


def found(counts: FrequencySet, *models: str, **options: Any) -> Local:
    result = mondrian(problem(counts, *models), kinds=KINDS, **options)
    assert isinstance(result, Local)
    return result


def labels_of(result: Local) -> list[tuple[str | None, ...]]:
    return [result.recoding.class_labels(number) for number in range(result.classes)]


def maybe(values: Sequence[str]) -> st.SearchStrategy[str | None]:
    return st.sampled_from(values) | st.sampled_from(values) | st.sampled_from([*values, None])


rows_of = st.lists(
    st.builds(Row, maybe(AGES[::3]), maybe(DAYS[::2]), maybe(LEAVES["job"]), maybe(VALUES), st.integers(0, 6)),
    min_size=1,
    max_size=30,
)
ways = st.fixed_dictionaries({"strict": st.booleans(), "by": st.sampled_from(["range", "loss"]), "seed": st.integers(0, 3)})


def covers(name: str, label: str | None, value: str | None) -> bool:
    """Whether a label covers a value, read as people read it."""
    if value is None:
        return label in (None, "*")
    if label is None:
        return False
    if name == "job":
        return label == "*" or label in next(path for path in PATHS if path[0] == value)
    if label == "*":
        return True
    as_read = int if name == "age" else str
    lower, upper = ends_of(label)
    return (lower is None or as_read(lower) <= as_read(value)) and (upper is None or as_read(value) <= as_read(upper))


def ends_of(label: str) -> tuple[str | None, str | None]:
    """Where a range ends, as people read it; None for no end."""
    if label[:2] in (">=", "<="):
        return (label[2:], None) if label[0] == ">" else (None, label[2:])
    lower, _, upper = label.strip("[]").partition(", ")
    return lower, upper or lower


def check_labels(result: Local) -> None:
    recoding = result.recoding
    for cell, number in zip(*recoding.placed(), strict=True):
        pairs = zip(recoding.attributes, recoding.class_labels(number), recoding.cell_labels(cell), strict=True)
        assert all(covers(name, label, value) for name, label, value in pairs)


def check_people(result: Local, counts: FrequencySet) -> FrequencySet:
    """Everybody is in one class; the classes."""
    classes = local_classes(counts, result.recoding)
    assert classes.classes == result.classes == len(set(labels_of(result)))
    assert [classes.labels(number) for number in range(1, classes.classes + 1)] == labels_of(result)
    assert (classes.total_rows, classes.total_people) == (counts.total_rows, counts.total_people)
    assert classes.payloads["value"].distribution().tolist() == counts.payloads["value"].distribution().tolist()
    return classes


@pytest.mark.slow
@given(rows_of, st.sampled_from(MODELS), ways, st.booleans())
@settings(max_examples=300)
def test_no_class_violates_its_model_and_everybody_is_in_one(
    rows: list[Row], model: str, way: dict[str, Any], stated: bool
) -> None:
    counts = count(rows, stated=stated)
    asked = problem(counts, model)
    result = mondrian(asked, kinds=KINDS, **way)
    if isinstance(result, NoRelease):
        top = counts.roll_up(Node(counts.node.attributes, tuple(each.height for each in counts.hierarchies)))
        assert model_of(model).judge(Judged(top, asked.statistics(top)["value"])).satisfied is False
        return
    classes = check_people(result, counts)
    check_labels(result)
    assert model_of(model).judge(Judged(classes, asked.statistics(classes)["value"])).satisfied is True
    assert 0 <= result.loss <= 1
    if way["strict"]:
        assert result.recoding.division is None


def may_hold(group: str, labels: Sequence[str | None]) -> bool:
    """Whether labels may stand for somebody of a group, value by value."""
    named = dict(zip(("age", "day", "job"), labels, strict=True))
    pairs = [pair.split("=") for pair in group.split(" & ")]
    return all(
        any(covers(name, wanted, value) and covers(name, named[name], value) for value in LEAVES[name]) for name, wanted in pairs
    )


@pytest.mark.slow
@given(
    rows_of,
    st.sampled_from(["k-anonymity:3", "distribution-loss:0.3", "t-closeness:0.2", "distinct-diversity:2"]),
    st.sampled_from(["age=[9, 15]", "age=12", "job=high", "job=b", "day=2024-01-10", "age=[15, 40] & job=low"]),
    ways,
    st.booleans(),
)
@settings(max_examples=150)
def test_a_model_for_a_group_holds_in_every_class_that_may_hold_its_people(
    rows: list[Row], model: str, group: str, way: dict[str, Any], stated: bool
) -> None:
    counts = count(rows, stated=stated)
    asked = problem(counts, "k-anonymity:1", f"{model} for {group}", context=Context(Members(SCHEMA)))
    result = mondrian(asked, kinds=KINDS, **way)
    if isinstance(result, NoRelease):
        top = counts.roll_up(Node(counts.node.attributes, tuple(each.height for each in counts.hierarchies)))
        assert model_of(model).judge(Judged(top, asked.statistics(top)["value"])).satisfied is False
        return
    classes = check_people(result, counts)
    check_labels(result)
    inside = np.array([may_hold(group, labels) for labels in labels_of(result)])
    if inside.any():
        held = classes.keep(inside)
        assert model_of(model).judge(Judged(held, asked.statistics(held)["value"])).satisfied is True


@given(rows_of, st.sampled_from(["k-anonymity:2", "k-anonymity:3", "distinct-diversity:2", "ke-anonymity:2,3"]))
def test_owners_are_counted_once_per_class(rows: list[Row], model: str) -> None:
    counts = count(rows, owned=True)
    asked = problem(counts, model)
    result = mondrian(asked, kinds=KINDS)
    if isinstance(result, Local):
        classes = check_people(result, counts)
        check_labels(result)
        assert model_of(model).judge(Judged(classes, asked.statistics(classes)["value"])).satisfied is True


@given(rows_of, ways)
def test_classes_as_large_as_the_table_are_one(rows: list[Row], way: dict[str, Any]) -> None:
    assert found(count(rows), f"k-anonymity:{len(rows)}", **way).classes == 1


@given(rows_of)
def test_classes_of_one_keep_every_cell_as_it_is(rows: list[Row]) -> None:
    counts = count(rows)
    result = found(counts, "k-anonymity:1")
    assert set(labels_of(result)) == {(row.age, row.day, row.job) for row in rows}
    assert result.loss == 0


@given(rows_of, ways)
def test_no_class_could_be_split_where_only_numbers_count(rows: list[Row], way: dict[str, Any]) -> None:
    """With one number and k people a class is split as long as its halves hold k: relaxed, every class has fewer than 2k."""
    rows = [row for row in rows if row.age is not None] or [Row("9", None, None)]
    result = found(count(rows, ["age"]), "k-anonymity:3", **way | {"strict": False}) if len(rows) >= 3 else None
    if result:
        sizes = {labels: int(people) for labels, people in zip(labels_of(result), _sizes(result, rows), strict=True)}
        assert all(people < 6 or not str(label[0]).startswith("[") for label, people in sizes.items())


def _sizes(result: Local, rows: list[Row]) -> list[int]:
    return local_classes(count(rows, ["age"]), result.recoding).people.tolist()


@given(rows_of, st.sampled_from(["k-anonymity:2", "k-anonymity:3", "distinct-diversity:2"]), st.booleans(), ways)
def test_no_range_ends_at_a_value_that_few_people_share(rows: list[Row], model: str, owned: bool, way: dict[str, Any]) -> None:
    """An enemy who knows everybody's values: no end of a range is the value of fewer than k people, or of five without a k."""
    counts = count(rows, owned=owned, stated=False)
    asked = problem(counts, model)
    result = mondrian(asked, kinds=KINDS, **way | {"strict": way["strict"] or owned})
    few = {"k-anonymity:2": 2, "k-anonymity:3": 3}.get(model, 5)
    for place, name in enumerate(("age", "day") if isinstance(result, Local) else ()):
        for label in {labels[place] for labels in labels_of(result)} - {None, "*"}:
            for end in ends_of(label):
                sharing = [row for row in rows if getattr(row, name) == end]
                assert end is None or len({row.owner for row in sharing} if owned else sharing) >= few


def aged(*ages: int | None, jobs: str = "", values: str = "") -> list[Row]:
    return [
        Row(None if age is None else str(age), None, jobs[place] if jobs else None, values[place] if values else None)
        for place, age in enumerate(ages)
    ]


def test_a_small_table_by_hand() -> None:
    rows = aged(10, 12, 14, 16, 20, 28, jobs="aacccd")
    # Both attributes span the table, so the first is split: 10, 12, 14 and 16, 20, 28. Then jobs: {a, a} and {c} would leave one
    # person, and so would the next median. On the other side c, c and d are under one node, whose children leave one alone.
    result = found(count(rows, ["age", "job"]), "k-anonymity:2")
    assert labels_of(result) == [("[10, 14]", "*"), ("[16, 28]", "high")]
    assert result.loss == pytest.approx(((3 * 4 / 20 + 3 * 12 / 20) / 6 + 1) ** 0.5 * ((3 * 1 + 3 * 2 / 4) / 6 + 1) ** 0.5 - 1)
    # With jobs first the nodes are split: {a, a} and {c, c, c, d}, and the latter into 14 and 16 and into 20 and 28.
    jobs = found(count(rows, ["job", "age"]), "k-anonymity:2")
    assert labels_of(jobs) == [("a", "[10, 12]"), ("c", "[14, 16]"), ("high", "[20, 28]")]


def test_the_median_stays_whole_when_strict_and_is_divided_when_relaxed() -> None:
    rows = aged(10, 20, 20, 20, 20, 20, 28)
    counts = count(rows, ["age"])
    assert labels_of(found(counts, "k-anonymity:3")) == [("[10, 28]",)]
    relaxed = found(counts, "k-anonymity:3", strict=False)
    assert labels_of(relaxed) == [("[10, 20]",), ("[20, 28]",)]
    assert _sizes(relaxed, rows) == [4, 3]


def _lower(result: Local, counts: FrequencySet) -> Counter[str | None]:
    """How many people of the first class have each value."""
    payload = local_classes(counts, result.recoding).payloads["value"]
    first = slice(0, int(payload.offsets[1]))
    names = [*VALUES, None]
    return Counter(
        {names[value]: int(people) for value, people in zip(payload.values[first], payload.people[first], strict=True)}
    )


@given(st.lists(st.sampled_from([*VALUES, None]), min_size=3, max_size=40), st.integers(0, 3), st.integers(0, 9))
def test_each_value_is_divided_as_its_place_is_to_within_one_person(values: list[str | None], below: int, seed: int) -> None:
    """One split: `below` people are 10, the others 20 except the last, who is 28; nobody could be split twice."""
    rows = (
        [Row("10", None, None, "1")] * below + [Row("20", None, None, value) for value in values] + [Row("28", None, None, "1")]
    )
    half = (len(rows) + 1) // 2
    counts = count(rows, ["age"])
    result = found(counts, f"k-anonymity:{len(rows) // 2}", strict=False, seed=seed)
    taken = half - below  # of the place that the median is in
    if result.classes == 1 or not 0 < taken < len(values):
        return
    lower = _lower(result, counts)
    lower["1"] -= below
    assert lower.total() == taken
    for value, people in Counter(values).items():
        assert abs(lower[value] - people * taken / len(values)) < 1


def test_who_goes_where_is_drawn_by_the_seed() -> None:
    """Seven of fourteen people are in the lower class: with every seed the same number of each value, to within one, and over the
    seeds everybody as often."""
    counts = count(aged(*[20] * 12, 10, 28, values="112255991259" + "11"), ["age"])
    lots = Counter()
    for seed in range(200):
        lots.update(_lower(found(counts, "k-anonymity:7", strict=False, seed=seed), counts))
    lots["1"] -= 200  # the one who is 10
    for value in ("1", "2", "5", "9"):
        assert abs(lots[value] / 200 - 1.5) < 4 * 0.5 / 200**0.5
    same = [found(counts, "k-anonymity:7", strict=False, seed=3).recoding.division for _ in range(2)]
    assert all(
        np.array_equal(getattr(same[0], part), getattr(same[1], part)) for part in ("cells", "values", "classes", "people")
    )


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("by", ["range", "loss"])
def test_a_value_that_does_not_depend_on_age_does_not_in_the_release_either(seed: int, by: str) -> None:
    """Half of the people of each cell have the value: a class has half, give or take one person for each split that made it."""
    rows = [Row(str(age), None, job, value) for age in range(9, 30, 3) for job in "abc" for value in "12" for _ in range(11)]
    counts = count(rows, ["age", "job"])
    result = found(counts, "k-anonymity:20", strict=False, seed=seed, by=by)
    classes = local_classes(counts, result.recoding)
    assert result.recoding.division is not None
    shares = classes.payloads["value"]
    for number in range(classes.classes):
        own = slice(int(shares.offsets[number]), int(shares.offsets[number + 1]))
        first, second = shares.people[own]
        assert abs(first - second) <= 2 * result.rounds
        assert abs(first - second) < 0.25 * (first + second)


def test_a_value_that_is_rare_in_every_cell_is_not_favored() -> None:
    """Each of 100 cells of one place has two people with one value and three with another; 60 percent go to the lower half: 120 and
    180. By the largest remainder of 1.2 and 1.8 in each cell, it would be 100 and 200."""
    hierarchies = [Suppression().build("age", Kind.INTEGER, AGES), Hierarchy.flat([str(number) for number in range(100)])]
    pairs = [(11, "1"), *[(11, "9")] * 99, *[(20, value) for value in "11222" for _ in range(100)], *[(28, "9")] * 200]
    ages = np.array([AGES.index(str(age)) for age, _ in pairs], np.int32)
    places = np.array([number % 100 for number in range(len(pairs))], np.int32)
    values = (TREE.build("value", Kind.INTEGER, ()), _codes(VALUES, [value for _, value in pairs]))
    counts = FrequencySet.of_cells(
        Node.bottom(["age", "place"]), hierarchies, CellTable([ages, places], np.ones(len(pairs), np.int64), {"value": values})
    )
    for seed in range(5):
        result = mondrian(problem(counts, "k-anonymity:400"), kinds={"age": Kind.INTEGER}, strict=False, seed=seed)
        assert isinstance(result, Local)
        lower = _lower(result, counts)
        assert (lower["1"], lower["2"]) in {(120 + 1 + off, 180 - off) for off in (-1, 0, 1)}


def test_a_missing_number_is_kept_apart_if_that_is_allowed() -> None:
    assert labels_of(found(count(aged(10, 11, 12, None, None, None), ["age"]), "k-anonymity:3")) == [("[10, 12]",), (None,)]
    assert labels_of(found(count(aged(10, 11, 12, 13, None, None), ["age"]), "k-anonymity:3")) == [("*",)]
    assert labels_of(found(count(aged(None, None), ["age"]), "k-anonymity:2")) == [(None,)]


def test_ranges_end_where_enough_people_share_a_value_or_nowhere() -> None:
    ages = [10, 11, 11, 12, 14, 14, 16, 20, 20, 28]
    # Shared by two are 11, 14 and 20. The cut is after 12; the lower half stays, for 10 would be alone; the other one is cut after 16.
    result = found(count(aged(*ages), ["age"], stated=False), "k-anonymity:2")
    assert labels_of(result) == [("<=14",), ("[14, 20]",), (">=20",)]


def test_ranges_end_at_the_bounds_of_a_declared_hierarchy() -> None:
    bands = Intervals((Decimal(5), Decimal(10)), Decimal(0), Decimal(30)).build("age", Kind.INTEGER, AGES)
    ages = [10, 11, 12, 13, 21, 22, 22, 29]
    codes = np.array([bands.labels[0].index(str(age)) for age in ages], np.int32)
    counts = count(aged(*ages), ["age"])
    made = CellTable(
        [codes], np.ones(len(ages), np.int64), {"value": (counts.payloads["value"].hierarchy, np.zeros(8, np.int32))}
    )
    named = FrequencySet.of_cells(Node.bottom(["age"]), [bands], made)
    # 10, 11 and 12, 13 are halves with one name: they are one class.
    assert labels_of(found(named, "k-anonymity:2")) == [("[10, 15]",), ("[20, 30]",)]


def test_dates_are_ranges_from_day_to_day() -> None:
    rows = [Row(None, day, None) for day in (DAYS[0], DAYS[1], DAYS[7], DAYS[8])]
    assert labels_of(found(count(rows, ["day"]), "k-anonymity:2")) == [
        ("[2024-01-10, 2024-01-11]",),
        ("[2024-03-11, 2024-03-12]",),
    ]


def test_classes_are_numbered_by_the_bounds_of_their_ranges() -> None:
    result = found(count(aged(9, 9, 10, 11, 28, 29, 29, 29), ["age"]), "k-anonymity:2")
    assert labels_of(result) == [("9",), ("[10, 11]",), ("[28, 29]",)]


def test_groups_of_one_name_are_one_class() -> None:
    names = Listed((("Other", "X"), ("p", "Other"), ("q", "Other")))
    codes = np.array([0, 0, 0, 1, 2, 2], np.int32)
    counts = count(aged(*[10] * 6), ["age"])
    made = CellTable([codes], np.ones(6, np.int64), {"value": (counts.payloads["value"].hierarchy, np.zeros(6, np.int32))})
    named = FrequencySet.of_cells(Node.bottom(["job"]), [names.build("job", Kind.TEXT, ())], made)
    result = found(named, "k-anonymity:3")
    assert (labels_of(result), result.classes) == ([("Other",)], 1)


def test_splitting_for_the_loss_costs_less_here() -> None:
    rows = [Row(age, None, job, "1") for age in AGES for job in LEAVES["job"]]
    by_range, by_loss = (found(count(rows, ["age", "job"]), "k-anonymity:4", by=by) for by in ("range", "loss"))
    assert by_loss.loss <= by_range.loss


def test_the_loss_is_that_of_the_node_where_the_labels_are_those_of_a_node() -> None:
    rows = [Row(None, None, job, "1") for job in "abcde"] * 2
    counts = count(rows, ["job"])
    result = found(counts, "k-anonymity:4")
    assert labels_of(result) == [("high",), ("low",)]
    assert result.loss == pytest.approx(iyengar(Recoded(counts.roll_up(Node(("job",), (1,))), counts)))


def test_a_table_that_is_too_small_has_no_release() -> None:
    result = mondrian(problem(count(aged(10, 20)), "k-anonymity:3", "k-anonymity:2"), kinds=KINDS)
    assert isinstance(result, NoRelease)
    assert str(result) == "k-anonymity:3 is not satisfied by the whole table as one class: 2, which should be at least 3"


@pytest.mark.parametrize(
    ("models", "options", "message"),
    [
        (["em-anonymity:2,1"], {}, "may be lost when classes merge"),
        (["average-risk:0.5"], {}, "says nothing of each class by itself"),
        (["k-map:2"], {}, "says nothing of each class by itself"),
        ([], {}, "needs a model that says when to stop"),
        (["k-anonymity:2"], {"by": "widest"}, "no way to choose an attribute 'widest' in Mondrian"),
    ],
)
def test_what_mondrian_cannot_do_is_refused(models: list[str], options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        mondrian(problem(count(aged(10, 20)), *models), kinds=KINDS, **options)


def test_suppression_floors_several_values_and_owners_are_refused() -> None:
    counts = count(aged(10, 20))
    for asked, strict, message in [
        (problem(counts, "k-anonymity:2", limit=1), True, "suppresses nobody"),
        (problem(counts.roll_up(Node(counts.node.attributes, (1, 0, 0))), "k-anonymity:2"), True, "splits from level 0"),
        (problem(count(aged(10, 20), owned=True), "k-anonymity:2"), False, "rows of owners"),
        (problem(count(aged(10, 20), owned=True), "entropy-diversity:1"), True, "may be lost when classes merge"),
        (
            problem(replace(counts, payloads={**counts.payloads, "x": counts.payloads["value"]}), "k-anonymity:2"),
            False,
            "there are 2",
        ),
    ]:
        with pytest.raises(UsageError, match=message):
            mondrian(asked, kinds=KINDS, strict=strict)
