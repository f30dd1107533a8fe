"""A transformer of scikit-learn: `fit` learns a recoding, `transform` applies it to new rows.

What is wrong with the input is a `ValueError`, as scikit-learn wants it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from sfumato.engines.sources import in_memory
from sfumato.errors import SfumatoError, raise_alone, several
from sfumato.learn.learned import AUTO, Learned, learned_from
from sfumato.models import KAnonymity, Models, models_of
from sfumato.question import Question
from sfumato.table.source import SchemaLike, schema_of
from sfumato.vocabulary.kinds import Role
from sfumato.vocabulary.schema import Attribute, Schema

TARGET = "y"
UNKNOWN = ("star", "error")


class Generalizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Learns the recoding of a table that satisfies privacy models at the least loss, and applies it to any rows.

    The rows that it was fitted to become a release that satisfies the models. Other rows get labels of the same classes. They promise
    nothing by themselves: judge what you publish with `sfumato.check`.

    Parameters
    ----------
    k : int or None
        Short for the model `k-anonymity:K`; None leaves it to `models`.
    models : str, PrivacyModel, or a list of them
        Further models. Those that judge a sensitive attribute judge `y`.
    suppress : str or float
        The largest share of people who may be suppressed, `5%` or 0.05. Their rows are unknown.
    schema : Schema, path or dict, optional
        What each column is: quasi-identifiers are generalized, identifiers left out, other columns stay as they are. Without it, every
        column is a quasi-identifier, with the type and hierarchy that `Schema.of` suggests.
    minimize : str
        The loss to minimize.
    algorithm : str
        `optimal` or `evolutionary` (needs the extra `evolve`); `auto` is optimal up to 200,000 nodes, and above
        that evolutionary, among 500 nodes.
    codes : bool
        Return numbers in the place of labels: their places in their order, NaN where a value is missing, -1 in unknown rows.
    unknown : str
        What happens to a row with a value that is in no label, or whose labels are together no class: `star` writes `*` in every
        quasi-identifier, `error` raises a `ValueError`.

    Attributes
    ----------
    schema_ : Schema
        The schema that was used.
    node_ : dict of str to int
        The level of each quasi-identifier.
    learned_ : Learned
        The recoding: labels and classes, and no row.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : array of str
        Their names, if they have names.
    """

    def __init__(
        self,
        k: int | None = 5,
        *,
        models: Models = (),
        suppress: str | float = 0,
        schema: SchemaLike | None = None,
        minimize: str = "loss",
        algorithm: str = AUTO,
        codes: bool = False,
        unknown: str = "star",
    ) -> None:
        self.k = k
        self.models = models
        self.suppress = suppress
        self.schema = schema
        self.minimize = minimize
        self.algorithm = algorithm
        self.codes = codes
        self.unknown = unknown

    def fit(self, X: Any, y: Any = None) -> Generalizer:  # noqa: N803  as scikit-learn calls it
        """Learn the recoding.

        Parameters
        ----------
        X : frame or array
            The rows.
        y : array, optional
            The sensitive attribute, for models that judge one.

        Returns
        -------
        Generalizer
            Itself.
        """
        table = self._table(X, fitting=True)
        try:
            learned, schema = self._learn(table, y)
        except SfumatoError as error:
            raise_alone(ValueError(str(error)))
        if learned is None:
            raise ValueError(
                f"no recoding of these rows satisfies the models (n_samples = {table.num_rows}); a smaller k, or suppression, would help"
            )
        self.schema_: Schema = schema
        self.learned_: Learned = learned
        self.node_ = learned.node
        return self

    def transform(self, X: Any) -> Any:  # noqa: N803
        """Apply the recoding.

        Parameters
        ----------
        X : frame or array
            The rows, with the columns that were fitted.

        Returns
        -------
        array, shape (rows, columns)
            Labels (or codes) of the quasi-identifiers, other columns as they are. A missing value stays missing (None).
        """
        check_is_fitted(self)
        table = self._table(X, fitting=False)
        rows, known = self.learned_.labels(table)
        if self.unknown == "error" and not all(known):
            raise ValueError(
                f"{known.count(False):,} of {len(known):,} rows are unknown: values in no label, or labels in no class"
            )
        labels: dict[str, Sequence[Any]] = dict(zip(self.node_, zip(*rows, strict=True), strict=True))
        if self.codes:
            orders = dict(zip(self.node_, self.learned_.codes(), strict=True))
            labels = {name: [orders[name][label] for label in column] for name, column in labels.items()}
        published = self._published()
        numbers = self.codes and set(published) == set(labels)
        result = np.empty((table.num_rows, len(published)), dtype=float if numbers else object)
        for place, name in enumerate(published):
            result[:, place] = labels[name] if name in labels else table[name].to_pylist()
        return result

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """The names of the columns that `transform` returns.

        Parameters
        ----------
        input_features : array of str, optional
            The names of the columns that were fitted; refused if they are others.

        Returns
        -------
        array of str
            The names.
        """
        check_is_fitted(self)
        fitted = list(getattr(self, "feature_names_in_", self._names()))
        if input_features is not None and list(input_features) != fitted:
            same_length = len(input_features) == len(fitted)
            if not same_length or hasattr(self, "feature_names_in_"):
                raise ValueError("input_features should have length equal to number of features, and be feature_names_in_")
            return np.asarray([str(input_features[self._names().index(name)]) for name in self._published()], dtype=object)
        return np.asarray(self._published(), dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.transformer_tags.preserves_dtype = []
        return tags

    def _learn(self, table: pa.Table, y: Any) -> tuple[Learned | None, Schema]:
        models = models_of([*([] if self.k is None else [KAnonymity(self.k)]), *models_of(self.models)])
        schema = schema_of(self.schema) if self.schema is not None else Schema.of(table, quasi=table.column_names)
        declared = [attribute.name for attribute in schema.attributes]
        if undeclared := [name for name in table.column_names if name not in declared]:
            raise ValueError(f"{several(len(undeclared), 'column')} not declared in the schema: {', '.join(undeclared)}")
        if any(model.needs_sensitive for model in models) and not schema.sensitive:
            table, schema = _with_target(table, schema, y)
        question = Question(models, self.suppress)
        question.require_models()
        return learned_from(table, schema, question, self.minimize, self.algorithm), schema

    def _table(self, X: Any, *, fitting: bool) -> pa.Table:  # noqa: N803
        """The rows as an Arrow table; columns without names are x0, x1, …"""
        if self.unknown not in UNKNOWN:
            raise ValueError(f"unknown must be one of {', '.join(UNKNOWN)}; it is {self.unknown!r}")
        if type(X).__module__.partition(".")[0] in ("pandas", "polars") and hasattr(X, "columns"):
            validate_data(self, X, reset=fitting, skip_check_array=True)
            if len(X) == 0:
                raise ValueError("Found array with 0 sample(s) while a minimum of 1 is required.")
            frame = X.reset_index(drop=True) if hasattr(X, "reset_index") else X
            return _read(frame)
        array = validate_data(self, X, reset=fitting, dtype=None, ensure_all_finite="allow-nan")
        return _read({name: _plain(array[:, place]) for place, name in enumerate(self._names())})

    def _names(self) -> list[str]:
        if hasattr(self, "feature_names_in_"):
            return list(self.feature_names_in_)
        return [f"x{place}" for place in range(self.n_features_in_)]

    def _published(self) -> list[str]:
        """The columns that are returned: all but identifiers and owners."""
        left_out = (Role.IDENTIFIER, Role.OWNER)
        roles = {attribute.name: attribute.role for attribute in self.schema_.attributes}
        return [name for name in self._names() if roles[name] not in left_out]


def _read(data: Any) -> pa.Table:
    try:
        return in_memory(data).table
    except SfumatoError as error:
        raise_alone(ValueError(str(error)))


def _plain(column: Any) -> pa.Array:
    """A column of an array: numbers as they are; objects by their type, if they have one, else as texts."""
    try:
        return pa.array(column, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError):
        return pa.array([None if each is None else str(each) for each in column.tolist()], pa.string())


def _with_target(table: pa.Table, schema: Schema, y: Any) -> tuple[pa.Table, Schema]:
    """The table with the sensitive attribute as a column of its own."""
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None: a model judges a sensitive attribute, which y is")
    values = np.asarray(y).ravel()
    if len(values) != table.num_rows:
        raise ValueError(f"y has {len(values)} values and X {table.num_rows} rows: inconsistent numbers of samples")
    name = TARGET
    while name in table.column_names:
        name += "_"
    sensitive = Attribute(name, Role.SENSITIVE)
    return table.append_column(name, _plain(values)), Schema((*schema.attributes, sensitive), schema.suppressed, schema.missing)
