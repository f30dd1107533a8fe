"""Utility by learning (Algorithm 3) on a table whose best answers are known."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import csv
from sklearn.ensemble import VotingClassifier
from sklearn.tree import DecisionTreeClassifier

import sfumato as sf
from sfumato.errors import BadInput
from sfumato.learn import UtilityLoss, along_pareto, utility_loss, utility_losses
from sfumato.learn import utility as module
from sfumato.learn.estimators import ESTIMATORS
from tests.unit.learn.conftest import SCHEMA, rows

QUICK: dict[str, Any] = {"target": "sick", "estimator": "naive-bayes", "repeats": 2}


def test_a_release_that_keeps_what_matters_costs_nothing(table: sf.Table) -> None:
    loss = utility_loss(table, {"age": 3, "place": 0}, **QUICK)
    assert loss.best.accuracy == loss.released.accuracy == 1
    assert loss.loss.value == 0


def test_a_release_that_hides_what_matters_costs_all_but_the_majority(table: sf.Table) -> None:
    # In the north and in the south, half of all are sick: nobody who knows only that does better than chance on average.
    loss = utility_loss(table, [3, 1], features=["place"], **QUICK)
    assert loss.best.accuracy == 1
    assert loss.released.baseline == 0.5
    assert loss.loss.value == 1 - loss.released.accuracy
    assert 0.3 < loss.loss.value < 0.7


def test_both_readings_agree_where_nobody_is_suppressed(table: sf.Table) -> None:
    loss = utility_loss(table, [2, 1], **QUICK)
    assert loss.mapped == loss.released
    assert loss.rows == 240


def test_the_suppressed_are_in_the_second_reading_only() -> None:
    lone = rows().slice(0, 200)  # ten of the old live in Nice: too few for k = 13
    with sf.Table.open(lone, SCHEMA) as table:
        loss = utility_loss(table, [1, 0], models="k-anonymity:13", suppress="50%", **QUICK)
        classes = table.count().roll_up(table.node([1, 0]))
    kept = int(classes.rows[classes.rows >= 13].sum())
    assert loss.rows == kept
    assert 0 < kept < 200
    assert loss.mapped is not None
    tested = [int(np.sum(each.confusion)) for each in (loss.released, loss.mapped)]
    assert tested[1] == 2 * 50
    assert tested[0] < tested[1]


def test_a_release_of_ours_is_recoded_as_its_node_is(table: sf.Table) -> None:
    release = sf.publish(table, node=[1, 1])
    assert utility_loss(table, release, **QUICK).released == utility_loss(table, [1, 1], **QUICK).released


def test_a_file_has_the_first_reading_only(table: sf.Table, tmp_path: Path) -> None:
    sf.publish(table, node=[1, 0], output=tmp_path / "release.parquet", ledger=tmp_path)
    loss = utility_loss(table, tmp_path / "release.parquet", **QUICK)
    assert (loss.name, loss.node, loss.mapped, loss.mapped_loss) == ("release.parquet", None, None, None)
    assert loss.released.accuracy == 1


def test_a_file_discloses_what_its_node_does(table: sf.Table, tmp_path: Path) -> None:
    sf.publish(table, node=[1, 0], output=tmp_path / "release.csv", ledger=tmp_path)
    found = utility_losses(table, [tmp_path / "release.csv", [1, 0]], **QUICK)
    first, second = (each.disclosure for each in found.releases)
    measured = sf.measure(table, node=[1, 0]).attributes[0].losses
    assert first == second
    assert second is not None
    assert (second.epsilon, second.alpha) == (measured["distribution"].max, measured["entropy"].max)
    assert second.mean_distribution == measured["distribution"].people_mean


@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_named_estimator_learns_what_is_plain(name: str, table: sf.Table) -> None:
    loss = utility_loss(table, [3, 0], target="sick", estimator=name, repeats=1, features="place")
    assert loss.released.accuracy == 1
    assert loss.loss.low is None


def test_any_classifier_of_scikit_learn_will_do_with_a_grid_of_its_own(table: sf.Table) -> None:
    grid = {"max_depth": [1, 4]}
    loss = utility_loss(table, [3, 0], target="sick", estimator=DecisionTreeClassifier(), grid=grid, repeats=2)
    assert loss.settings == ((("max_depth", "4"),),) * 2


def test_results_do_not_depend_on_how_many_work_at_once(table: sf.Table) -> None:
    forest = {**QUICK, "estimator": "random-forest", "seed": 5}
    nodes = [[1, 1]]
    assert utility_losses(table, nodes, jobs=1, **forest) == utility_losses(table, nodes, jobs=2, **forest)


def test_a_run_goes_on_where_it_was_stopped(table: sf.Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = utility_losses(table, [[1, 1], [2, 0]], **QUICK)
    utility_losses(table, [[1, 1]], results=tmp_path / "kept", **QUICK)
    trained: list[str] = []
    taught = module.taught

    def watched(lesson: Any, *rest: Any) -> Any:
        trained.append(lesson.name)
        return taught(lesson, *rest)

    monkeypatch.setattr(module, "taught", watched)
    again = utility_losses(table, [[1, 1], [2, 0]], results=tmp_path / "kept", **QUICK)
    assert trained == ["[2,0]"] * 2
    assert again == whole
    assert len(list((tmp_path / "kept").iterdir())) == 3


def test_releases_with_the_same_rows_are_taught_once_and_kept_once(table: sf.Table, tmp_path: Path) -> None:
    progress: list[tuple[int, int]] = []
    asked: dict[str, Any] = {**QUICK, "progress": lambda done, whole: progress.append((done, whole))}
    kept = utility_losses(table, [[0, 0], [1, 1], [0, 0]], results=tmp_path / "kept", **asked)
    assert progress == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert len(list((tmp_path / "kept").iterdir())) == 2
    assert kept == utility_losses(table, [[0, 0], [1, 1], [0, 0]], **QUICK)
    assert [each.name for each in kept.releases] == ["[0,0]", "[1,1]", "[0,0]"]
    assert kept.releases[0].loss.value == 0


def test_the_results_along_a_front_that_begins_with_the_original_are_kept(table: sf.Table, tmp_path: Path) -> None:
    along = along_pareto(table, 3, results=tmp_path / "kept", **QUICK)
    assert any(not sum((each.node or {}).values()) for each in along.releases)
    assert along == along_pareto(table, 3, results=tmp_path / "kept", **QUICK)


def test_a_result_of_another_plan_is_not_taken(table: sf.Table, tmp_path: Path) -> None:
    utility_losses(table, [[1, 1]], results=tmp_path, **QUICK)
    utility_losses(table, [[1, 1]], results=tmp_path, **{**QUICK, "seed": 1})
    assert len(list(tmp_path.iterdir())) == 4


def test_a_result_is_not_taken_if_others_are_suppressed(tmp_path: Path) -> None:
    # The models are the same; who leaves depends on which attribute they judge.
    whole = rows()
    blood = ["A" if age < 40 or age % 2 else "B" for age in whole["age"].to_pylist()]
    schema = {"attributes": {**SCHEMA["attributes"], "blood": {"role": "sensitive", "type": "text"}}}
    with sf.Table.open(whole.append_column("blood", pa.array(blood)), schema) as table:
        asked: dict[str, Any] = {"models": "distinct-diversity:2", "suppress": "60%", "results": tmp_path, **QUICK}
        kept = [utility_losses(table, [[2, 2]], sensitive=name, **asked).releases[0].rows for name in ("diagnosis", "blood")]
    assert kept == [240, 120]


def test_a_result_of_a_model_with_other_settings_is_not_taken(table: sf.Table, tmp_path: Path) -> None:
    # Models print short: both look the same but for what is left out.
    for depth in (1, 4):
        parts = [(f"model {number}", DecisionTreeClassifier(max_depth=depth, min_samples_leaf=number)) for number in range(2, 42)]
        utility_losses(table, [[3, 0]], target="sick", estimator=VotingClassifier(parts), repeats=1, results=tmp_path)
    assert len(list(tmp_path.iterdir())) == 4


def _without_a_repeat(document: dict[str, Any]) -> None:
    document["result"]["repeats"].pop()


def _with_less(document: dict[str, Any]) -> None:
    document["result"]["repeats"][0]["released"][0][0] -= 5


def _empty(document: dict[str, Any]) -> None:
    document.clear()


@pytest.mark.parametrize("damage", [_without_a_repeat, _with_less, _empty])
def test_a_damaged_result_is_named(damage: Callable[[dict[str, Any]], None], table: sf.Table, tmp_path: Path) -> None:
    utility_losses(table, [[1, 1]], results=tmp_path, **QUICK)
    for path in tmp_path.iterdir():
        document = json.loads(path.read_text())
        damage(document)
        path.write_text(json.dumps(document))
    with pytest.raises(BadInput, match="not a result of learning; remove it"):
        utility_losses(table, [[1, 1]], results=tmp_path, **QUICK)


def test_progress_counts_models(table: sf.Table) -> None:
    reports: list[tuple[int, int]] = []
    utility_losses(table, [[1, 1]], progress=lambda done, whole: reports.append((done, whole)), **QUICK)
    assert reports == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_within_a_tolerance_the_least_leaking_release_is_chosen_and_the_bound_is_strict(table: sf.Table) -> None:
    found = utility_losses(table, [[0, 0], [3, 0], [3, 2]], **QUICK)
    assert [each.loss.value for each in found.releases[:2]] == [0, 0]
    chosen = found.least_leaking(0.01)
    assert chosen is found.releases[1]
    assert found.least_leaking(0.0) is None
    for beyond in (1.5, -0.1, float("nan")):
        with pytest.raises(BadInput, match="a tolerance is a share between 0 and 1"):
            found.least_leaking(beyond)
    exactly = found.releases[2].loss.value
    assert not found.releases[2].tolerated(exactly)


def test_of_releases_whose_worst_classes_are_equally_bad_the_one_with_the_lower_mean_leaks_least(table: sf.Table) -> None:
    found = utility_losses(table, [[0, 0], [1, 0]], **QUICK)
    fine, coarse = (each.disclosure for each in found.releases)
    assert fine is not None
    assert coarse is not None
    # At level 1 one band of ages has one diagnosis still, so the worst class is as bad as at level 0; on the average fewer are.
    assert (fine.epsilon, fine.alpha) == pytest.approx((coarse.epsilon, coarse.alpha))
    assert coarse.mean_distribution < fine.mean_distribution - 1e-9
    assert found.releases[0].loss.value == found.releases[1].loss.value == 0
    assert found.least_leaking(0.01) is found.releases[1]


def test_rows_without_a_target_teach_nothing() -> None:
    whole = rows()
    column = pa.array([None if number < 40 else value for number, value in enumerate(whole["sick"].to_pylist())])
    table = whole.set_column(whole.column_names.index("sick"), "sick", column)
    assert utility_loss(table, [3, 0], schema=SCHEMA, **QUICK).rows == 200


BAD: list[tuple[Any, dict[str, Any], str]] = [
    ([1, 1], {"target": "name"}, "'name' is declared identifier, which no release holds; choose among age, place"),
    ([1, 1], {"target": "same"}, "all rows have one value"),
    ([1, 1], {"target": "ills"}, "no attribute 'ills' in the schema"),
    ([1, 1], {"target": "age"}, "80 of its 80 values are in too few rows (3 folds and a test need 5)"),
    ([1, 1], {"estimator": "forest"}, "no estimator 'forest' in this version; did you mean 'random-forest'?"),
    ([1, 1], {"estimator": 5}, "takes a classifier of scikit-learn"),
    ([1, 1], {"features": ["name"]}, "no column 'name' in what is published"),
    ([1, 1], {"grid": {"depth": [1]}}, "no parameter 'depth' in the estimator"),
    ([1, 1], {"positive": "maybe"}, "no row has 'maybe' as the value of 'sick'; leave it out"),
    ([1, 1], {"folds": 1}, "a whole number from 2 to 100"),
    ([1, 1], {"repeats": 0}, "a whole number from 1 to 1,000"),
    ([1, 1], {"jobs": 0}, "a whole number from 1 to 256"),
    ([1, 1], {"folds": 100}, "are in too few rows (100 folds and a test need 134)"),
    ([9, 1], {}, "level 9 of 'age' does not exist"),
    ([0, 1], {"target": "place"}, "[0,1] generalizes the target 'place'; leave it at level 0"),
]


@pytest.mark.parametrize(("release", "options", "message"), BAD)
def test_what_cannot_be_learned_is_refused_in_one_line(
    release: Any, options: dict[str, Any], message: str, table: sf.Table
) -> None:
    with pytest.raises(BadInput) as refused:
        utility_loss(table, release, **{**QUICK, **options})
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_table_without_a_row_is_refused(ending: str, tmp_path: Path) -> None:
    place = tmp_path / f"none.{ending}"
    {"csv": csv.write_csv, "parquet": pq.write_table}[ending](rows(8).slice(0, 0), place)
    with pytest.raises(BadInput, match="no row of data"):
        utility_loss(str(place), [1, 1], schema=SCHEMA, **QUICK)


def test_fewer_rows_than_folds_are_refused() -> None:
    with pytest.raises(BadInput, match="4 rows with a value; 3 folds and a test need 5"):
        utility_loss(rows(4), [1, 1], schema=SCHEMA, **QUICK)


def _changed(name: str, value: str) -> pa.Table:
    whole = rows().drop_columns(["name"])
    return whole.set_column(whole.column_names.index(name), name, pa.array([value] * whole.num_rows))


STRANGE = [
    (pa.concat_tables([rows(), rows()]).drop_columns(["name"]), "480 rows, and the original has 240"),
    (_changed("sick", "perhaps"), "1 value of the target that the original does not have"),
    (_changed("sick", "yes"), "1 value of the target in more rows than the original has"),
    (rows().drop_columns(["name", "sick"]), "it has no column 'sick', which is the target"),
    (_changed("place", "Oslo"), "a label of column 'place' is in more rows than the original has of it"),
    (rows().drop_columns(["name"]).slice(0, 0), "no rows"),
    (_changed("sick", "yes").slice(0, 60), "45 rows for training and 15 rows for testing are too few for 3 folds"),
    (rows(4).drop_columns(["name"]), "3 rows for training and 1 row for testing are too few for 3 folds"),
    (rows(1).drop_columns(["name"]), "1 row for training and 0 rows for testing are too few for 3 folds"),
]


@pytest.mark.parametrize(("release", "message"), STRANGE)
def test_a_release_of_other_rows_is_refused_without_a_value(release: pa.Table, message: str, table: sf.Table) -> None:
    with pytest.raises(BadInput) as refused:
        utility_loss(table, release, **QUICK)
    assert message in str(refused.value)
    assert "perhaps" not in str(refused.value)


def test_the_only_row_of_its_value_is_for_training() -> None:
    whole = rows()
    sick = ["dead" if number < 5 else value for number, value in enumerate(whole["sick"].to_pylist())]
    table = whole.set_column(whole.column_names.index("sick"), "sick", pa.array(sick))
    loss = utility_loss(table, table.slice(4).drop_columns(["name"]), schema=SCHEMA, **QUICK)
    dead = loss.values.index("dead")
    assert sum(loss.released.confusion[dead]) == 0 < sum(loss.best.confusion[dead])


def test_a_target_that_a_node_withholds_is_refused(table: sf.Table) -> None:
    with pytest.raises(BadInput, match=r"\[1\] withholds the target 'place'; publish it at level 0"):
        utility_loss(table, [1], quasi=["age"], **{**QUICK, "target": "place"})


def test_the_front_is_one_of_nodes_that_leave_the_target_as_it_is(table: sf.Table) -> None:
    found = along_pareto(table, 3, **{**QUICK, "target": "place"})
    assert len(found.releases) == 3
    assert {(each.node or {})["place"] for each in found.releases} == {0}


def test_everybody_may_be_suppressed_and_some_stay(table: sf.Table) -> None:
    assert utility_loss(table, [1, 0], models="k-anonymity:13", suppress="100%", **QUICK).disclosure is not None


def test_a_release_of_another_table_is_refused(table: sf.Table) -> None:
    other = sf.publish(rows(200), SCHEMA, node=[1, 1])
    with pytest.raises(BadInput, match="not a release of this table: its classes are not those"):
        utility_loss(table, other, **QUICK)


def test_what_a_model_says_when_it_fails_is_not_repeated(table: sf.Table) -> None:
    class Failing(DecisionTreeClassifier):  # type: ignore[misc]
        def fit(self, *given: Any, **options: Any) -> Any:
            raise ValueError("Oslo")

    with pytest.raises(BadInput) as refused:
        utility_loss(table, [1, 1], target="sick", estimator=Failing())
    assert "cannot learn from it (ValueError)" in str(refused.value)
    assert refused.value.__context__ is None


def test_the_result_prints_and_converts(table: sf.Table) -> None:
    loss: UtilityLoss = utility_loss(table, [1, 1], **QUICK)
    assert str(loss).splitlines()[0].split()[:2] == ["trained", "on"]
    assert loss.confusion().heads == ("true value", "no", "yes")
    record = loss.as_dict()
    assert record["loss"]["value"] == (loss.best.accuracy - loss.released.accuracy) / loss.best.accuracy
