"""The transformer: what it learns, what it does with new rows, and scikit-learn's own checks of it."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections import Counter
from typing import Any
from unittest import SkipTest

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.utils.estimator_checks import parametrize_with_checks

import sfumato as sf
from sfumato.learn import Generalizer

LABELS = "labels are texts, and the check subtracts them; codes=True passes it"
TEXTS = (
    "check_pipeline_consistency",
    "check_estimators_pickle",
    "check_transformer_data_not_an_array",
    "check_transformer_general",
    "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
    "check_fit_idempotent",
)
ARRAY_API = {"check_array_api_input": "the array API is not supported: rows go through Arrow"}


def expected_to_fail(estimator: Any) -> dict[str, str]:
    return ARRAY_API | ({} if estimator.codes else dict.fromkeys(TEXTS, LABELS))


@pytest.mark.slow
@parametrize_with_checks([Generalizer(codes=True), Generalizer()], expected_failed_checks=expected_to_fail, xfail_strict=True)
def test_scikit_learn_checks(estimator: Any, check: Any) -> None:
    try:
        check(estimator)
    except SkipTest as skipped:
        pytest.xfail(str(skipped))


SCHEMA = {
    "attributes": {
        "age": {"role": "quasi", "hierarchy": {"builder": "intervals", "widths": [10, 50], "lower": 0, "upper": 100}},
        "job": {
            "role": "quasi",
            "hierarchy": {"builder": "tree", "tree": {"health": ["nurse", "doctor"], "office": ["clerk", "buyer"]}},
        },
        "note": {"role": "plain"},
        "name": {"role": "identifier"},
    }
}


def people(count: int = 160) -> pd.DataFrame:
    jobs = ["nurse", "doctor", "clerk", "buyer"]
    return pd.DataFrame(
        {
            "age": [20 + (i // 4) % 40 for i in range(count)],
            "job": [jobs[i % 4] for i in range(count)],
            "note": [f"note {i}" for i in range(count)],
            "name": [f"person {i}" for i in range(count)],
        }
    )


def test_the_fitted_rows_are_the_release() -> None:
    """What `transform` makes of them has the classes of `anonymize` under the same schema and models."""
    data = people()
    made = Generalizer(k=5, schema=SCHEMA).fit(data)
    rows = made.transform(data)
    result = sf.anonymize(data, SCHEMA, k=5, minimize="loss")
    assert isinstance(result, sf.Anonymized)
    assert made.node_ == result.release.certificate.node
    released = result.frame[["age", "job"]].itertuples(index=False, name=None)
    assert Counter(map(tuple, rows[:, :2])) == Counter(released)
    assert list(made.get_feature_names_out()) == ["age", "job", "note"]
    assert rows[:, 2].tolist() == data["note"].tolist()  # in the order of the rows


def test_new_rows_get_the_same_labels_and_unknown_ones_stars() -> None:
    made = Generalizer(k=5, schema=SCHEMA).fit(people())
    assert made.node_ == {"age": 1, "job": 0}
    new = pd.DataFrame({"age": [25, 95, 25, 300], "job": ["nurse", "nurse", "astronaut", "clerk"], "note": "x", "name": "y"})
    # 95 is a band of the hierarchy, but nobody of that age was fitted; an astronaut and 300 are nowhere.
    assert made.transform(new)[:, :2].tolist() == [["[20, 30)", "nurse"], ["*", "*"], ["*", "*"], ["*", "*"]]
    strict = Generalizer(k=5, schema=SCHEMA, unknown="error").fit(people())
    assert strict.transform(new[:1])[0, 0] == "[20, 30)"
    with pytest.raises(ValueError, match="3 of 4 rows are unknown"):
        strict.transform(new)


def test_labels_that_are_no_class_together_are_unknown() -> None:
    """Young nurses and old clerks were fitted; a young clerk has labels that exist, in a class that does not."""
    data = pd.DataFrame({"age": [22] * 6 + [62] * 6, "job": ["nurse"] * 6 + ["clerk"] * 6, "note": "x", "name": "y"})
    made = Generalizer(k=5, schema=SCHEMA).fit(data)
    young_clerk = pd.DataFrame({"age": [22], "job": ["clerk"], "note": "x", "name": "y"})
    assert made.transform(young_clerk)[0, :2].tolist() == ["*", "*"]


def test_suppressed_rows_are_unknown_and_the_rest_satisfies_the_models() -> None:
    data = pd.concat([people(), pd.DataFrame({"age": [99], "job": ["nurse"], "note": "x", "name": "y"})], ignore_index=True)
    rows = Generalizer(k=5, suppress="2%", schema=SCHEMA).fit_transform(data)
    assert rows[-1, :2].tolist() == ["*", "*"]
    classes = Counter(map(tuple, rows[:-1, :2]))
    assert min(classes.values()) >= 5


def test_models_that_judge_a_sensitive_attribute_judge_y() -> None:
    data = people()[["age", "job"]]
    schema = {"attributes": {name: SCHEMA["attributes"][name] for name in ("age", "job")}}
    y = ["ill" if job == "nurse" else "well" for job in data["job"]]
    made = Generalizer(k=2, models="distinct-diversity:2", schema=schema).fit(data, y)
    labels = pd.DataFrame(made.transform(data)).assign(y=y)
    assert labels.groupby([0, 1])["y"].nunique().min() >= 2  # nurses are not told apart from others
    assert Generalizer(k=2, schema=schema).fit(data).node_ != made.node_
    with pytest.raises(ValueError, match="requires y"):
        Generalizer(models="distinct-diversity:2", schema=schema).fit(data)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        Generalizer(models="distinct-diversity:2", schema=schema).fit(data, y[:-1])


@pytest.mark.parametrize("kind", ["pandas", "polars", "array", "objects"])
def test_any_table_is_fitted(kind: str) -> None:
    data = people()[["age", "job"]]
    given = {"pandas": data, "polars": pl.DataFrame(data), "array": data[["age"]].to_numpy(), "objects": data.to_numpy()}
    made = Generalizer(k=5).fit(given[kind])
    labels = made.transform(given[kind])
    assert min(Counter(map(tuple, labels)).values()) >= 5
    named = kind in ("pandas", "polars")
    assert list(made.get_feature_names_out()) == (["age", "job"] if named else ["x0", "x1"][: labels.shape[1]])


def test_missing_values_stay_missing() -> None:
    data = people()[["age", "job"]].astype({"age": float})
    data.loc[data.index % 4 == 0, "age"] = np.nan
    schema = {"attributes": {name: SCHEMA["attributes"][name] for name in ("age", "job")}}
    labels = Generalizer(k=5, schema=schema).fit_transform(data.astype({"age": "Int64"}))
    assert [label is None for label in labels[:, 0]] == data["age"].isna().tolist()
    codes = Generalizer(k=5, schema=schema, codes=True).fit_transform(data.astype({"age": "Int64"}))
    assert np.isnan(codes[:, 0]).tolist() == data["age"].isna().tolist()


def test_codes_are_in_the_order_of_the_labels() -> None:
    data = people()[["age", "job"]]
    schema = {"attributes": {name: SCHEMA["attributes"][name] for name in ("age", "job")}}
    labels, codes = (Generalizer(k=5, schema=schema, codes=each).fit_transform(data) for each in (False, True))
    pairs = sorted(set(zip(codes[:, 0].tolist(), labels[:, 0], strict=True)))
    assert pairs == [(0.0, "[20, 30)"), (1.0, "[30, 40)"), (2.0, "[40, 50)"), (3.0, "[50, 60)")]
    made = Generalizer(k=5, schema=schema, codes=True).fit(data)
    assert made.transform(pd.DataFrame({"age": [99], "job": ["nurse"]})).tolist() == [[-1.0, -1.0]]


def test_it_works_in_a_pipeline_is_cloned_and_pickled_without_rows() -> None:
    data = people()
    y = data["job"].isin(["nurse", "doctor"])
    pipeline = make_pipeline(Generalizer(k=5, schema=SCHEMA), OneHotEncoder(handle_unknown="ignore"), LogisticRegression())
    assert pipeline.fit(data[["age", "job", "note", "name"]], y).score(data, y) > 0.9
    made = Generalizer(k=5, schema=SCHEMA).set_output(transform="pandas").fit(data)
    frame = made.transform(data)
    assert list(frame.columns) == ["age", "job", "note"]
    text = pickle.dumps(made)
    assert b"person 7" not in text
    assert b"note 7" not in text
    again = pickle.loads(text)
    pd.testing.assert_frame_equal(again.transform(data), frame)
    with pytest.raises(NotFittedError):
        clone(made).transform(data)


def test_what_cannot_be_learned_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="no recoding of these rows satisfies the models"):
        Generalizer(k=5).fit(people(4)[["age", "job"]])
    with pytest.raises(ValueError, match="name at least one model"):
        Generalizer(k=None).fit(people()[["age", "job"]])
    with pytest.raises(ValueError, match="unknown must be one of star, error"):
        Generalizer(unknown="drop").fit(people()[["age", "job"]])
    with pytest.raises(ValueError, match="1 column not declared in the schema: weight"):
        Generalizer(schema=SCHEMA).fit(people().assign(weight=1))
    with pytest.raises(ValueError, match="no column 'name' in the data"):
        Generalizer(schema=SCHEMA).fit(people().drop(columns="name"))


def test_many_columns_are_searched_within_seconds() -> None:
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 100, size=(200, 9))
    labels = Generalizer(k=5).fit_transform(rows)
    assert min(Counter(map(tuple, labels)).values()) >= 5


def test_without_scikit_learn_one_line_says_what_is_missing() -> None:
    tried = "try:\n    from sfumato.learn import Generalizer\nexcept Exception as e: print(type(e).__name__, e)"
    code = f"import sys; sys.modules['sklearn'] = None\n{tried}"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert ended.stdout.strip() == "UsageError sfumato.learn: needs the extra 'learn': pip install 'sfumato[learn]'"
