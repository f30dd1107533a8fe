"""Models by name, each with a small grid to search, and how features reach them.

Categories become one column each (the most frequent ones; the rest share one). What learns by distances or weights gets numbers of one
scale. Randomness comes from the seed, and a model works in one thread: sums in another order would change last digits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sklearn.base import clone, is_classifier
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import BernoulliNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import KBinsDiscretizer, OneHotEncoder, StandardScaler

from sfumato.errors import UsageError, argument, unknown
from sfumato.learn.columns import Features
from sfumato.learn.plan import Plan

Grid = Mapping[str, Sequence[Any]]
MODEL = "model"
_MOST_CATEGORIES = 100
_BINS = 10
_SCALED, _AS_THEY_ARE, _IN_BINS = "scaled", "as they are", "in bins"

# What is enough to compare settings by: a forest of fewer trees costs a quarter, and its settings are those of the larger one.
SEARCHED_WITH: Mapping[str, Mapping[str, Any]] = {"random-forest": {"n_estimators": 10}}
# Name: how the model is made from a seed, the grid, and how it gets numbers.
ESTIMATORS: Mapping[str, tuple[Callable[[int], Any], Grid, str]] = {
    "random-forest": (
        lambda seed: RandomForestClassifier(40, random_state=seed, n_jobs=1),
        {"min_samples_leaf": (2, 8)},
        _AS_THEY_ARE,
    ),
    "logistic-regression": (lambda seed: LogisticRegression(max_iter=1000), {"C": (0.1, 1.0)}, _SCALED),
    "nearest-neighbors": (lambda seed: KNeighborsClassifier(n_jobs=1), {"n_neighbors": (5, 25)}, _SCALED),
    "gradient-boosting": (
        lambda seed: HistGradientBoostingClassifier(max_iter=60, random_state=seed, early_stopping=False),
        {"learning_rate": (0.1, 0.3)},
        _AS_THEY_ARE,
    ),
    "naive-bayes": (lambda seed: BernoulliNB(), {"alpha": (0.01, 1.0)}, _IN_BINS),
}


def require_estimator(plan: Plan) -> None:
    """Refuse a model that does not exist, or is none that classifies."""
    if isinstance(plan.estimator, str):
        if plan.estimator not in ESTIMATORS:
            raise UsageError(unknown("estimator", plan.estimator, ESTIMATORS, within="this version"), where=argument("estimator"))
        known: Any = ESTIMATORS[plan.estimator][0](0)
    else:
        known = plan.estimator
        if isinstance(known, type) or not hasattr(known, "get_params") or not is_classifier(known):
            raise UsageError(
                f"takes a classifier of scikit-learn, or one of {', '.join(ESTIMATORS)}", where=argument("estimator")
            )
    for name in plan.grid or ():
        if name not in known.get_params():
            raise UsageError(unknown("parameter", name, known.get_params(), within="the estimator"), where=argument("grid"))


def pipeline_of(plan: Plan, features: Features, seed: int) -> tuple[Pipeline, Grid]:
    """The model behind what prepares its features, and the grid to search."""
    if isinstance(plan.estimator, str):
        make, usual, how = ESTIMATORS[plan.estimator]
        model = make(seed)
    else:
        model, usual, how = _seeded(clone(plan.estimator), seed), {}, _SCALED
    grid = {f"{MODEL}__{name}": list(values) for name, values in (plan.grid or usual).items()}
    return Pipeline([("features", _prepared(features, how)), (MODEL, model)]), grid


def searched_with(plan: Plan, pipeline: Pipeline) -> Pipeline:
    """The model whose settings are compared: a smaller one where that is enough, unless a grid of the user's says how large it is."""
    smaller = {} if plan.grid else SEARCHED_WITH.get(plan.estimator if isinstance(plan.estimator, str) else "", {})
    return clone(pipeline).set_params(**{f"{MODEL}__{name}": value for name, value in smaller.items()})


def _seeded(model: Any, seed: int) -> Any:
    """A model whose randomness comes from the seed, unless it brings a seed of its own."""
    random = [name for name, value in model.get_params().items() if name.endswith("random_state") and value is None]
    return model.set_params(**dict.fromkeys(random, seed))


def _prepared(features: Features, how: str) -> ColumnTransformer:
    numbers = list(range(features.numbers))
    categories = list(range(features.numbers, features.matrix.shape[1]))
    encoder = OneHotEncoder(max_categories=_MOST_CATEGORIES, handle_unknown="infrequent_if_exist", sparse_output=False)
    scales = {_SCALED: StandardScaler(), _AS_THEY_ARE: "passthrough", _IN_BINS: KBinsDiscretizer(_BINS, encode="onehot-dense")}
    return ColumnTransformer([("numbers", scales[how], numbers), ("categories", encoder, categories)])
