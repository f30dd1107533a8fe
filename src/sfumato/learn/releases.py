"""What is learned from: a node of the original, recoded here so that rows align; or a release as it stands, whoever made it.

A release of ours at a node is recoded here, too, if it drops whom it suppresses. Every other one is read as it is, and its rows are
divided by the same seed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from sfumato.assessment.published import has_classes, method_of
from sfumato.assessment.published import released as release_in
from sfumato.engines.arrays import plain_array
from sfumato.errors import DataError, NodeError, argument, several
from sfumato.frequency import Mask
from sfumato.learn.columns import Column, features_of
from sfumato.learn.given import is_node, node_of
from sfumato.learn.original import Original, target_codes
from sfumato.learn.plan import Plan
from sfumato.learn.results import Disclosure, largest
from sfumato.learn.training import Lesson
from sfumato.question import Question
from sfumato.question.question import JUDGING_OPTIONS
from sfumato.release import Release
from sfumato.release.shapes import Method
from sfumato.table import Table
from sfumato.table.source import Source
from sfumato.verbs.measure import kept_classes, measure
from sfumato.vocabulary.hierarchy import Codes, Hierarchy
from sfumato.vocabulary.kinds import Role
from sfumato.vocabulary.labels import ORDERED
from sfumato.vocabulary.node import Node
from sfumato.vocabulary.recoding import Recoding
from sfumato.vocabulary.schema import Attribute


@dataclass(frozen=True, slots=True, eq=False)
class Released:
    """A release to learn from: what to call it, its node if its rows are those of the original, recoded here, what was given for it, and
    how its values were changed, if an operation has changed them."""

    name: str
    node: Node | None
    given: Any
    method: Method | None = None


def released_of(given: Any, table: Table, question: Question) -> Released:
    """What is given as a release."""
    given = release_in(given)
    recoding = given.recoding if isinstance(given, Release) else None
    if isinstance(recoding, Recoding) and recoding.kind == Recoding.kind and not recoding.stars:
        node = recoding.node
        return Released(str(given.path.name if given.path else node.brief()), node, given)
    if not isinstance(given, Release) and is_node(given):
        node = node_of(given, table, question.quasi)
        return Released(node.brief(), node, node)
    return Released(_name(given, _source(given, table)), None, given, method_of(given))


def lesson_of(released: Released, original: Original, table: Table, question: Question, plan: Plan) -> Lesson:
    """The rows of a release, as a model learns from them."""
    if released.node is None:
        return _as_it_stands(released, original, table, plan)
    _require_whole_target(released.node, table, plan)
    kept = _kept(released, original, table, question)
    columns = original.at(released.node)
    return Lesson(released.name, features_of(columns, original.rows), original.target, len(original.values), kept)


def lesson_of_original(original: Original) -> Lesson:
    """The rows as they are: what the best model learns from."""
    return Lesson("the original", features_of(original.at(), original.rows), original.target, len(original.values))


def disclosed_by(released: Released, table: Table, question: Question) -> Disclosure | None:
    """The privacy losses of a release; None where nothing is sensitive, or where classes of the file say nothing about people."""
    asked: dict[str, Any] = {name: getattr(question, name) for name in JUDGING_OPTIONS}
    asked["suppress"] = f"{100 * question.suppress}%"  # a bare 1 would be refused
    if not question.judged(table.schema) or not has_classes(released.method):
        return None
    if released.node is not None and not isinstance(released.given, Release):
        found = measure(table, node=released.node.as_dict(), **asked)
    elif released.node is not None:
        found = measure(table, node=released.given, sensitive=question.sensitive, prior=question.prior)
    else:
        about: dict[str, Any] = {"sensitive": question.sensitive, "prior": question.prior}
        given = released.given if isinstance(released.given, Release) else _source(released.given, table)
        found = measure(given, table.declared, original=table, **about)
    losses = [each.losses for each in found.attributes]
    each = [(one["distribution"], one["entropy"]) for one in losses]
    return largest(Disclosure(d.max, e.max, d.people_mean, e.people_mean) for d, e in each)


def _require_whole_target(node: Node, table: Table, plan: Plan) -> None:
    """Refuse a node at which nobody could learn the target."""
    if table.schema[plan.target].role is not Role.QUASI:
        return
    if plan.target not in node.attributes:
        raise NodeError(f"{node.brief()} withholds the target {plan.target!r}; publish it at level 0", where=argument("target"))
    if node[plan.target]:
        raise NodeError(f"{node.brief()} generalizes the target {plan.target!r}; leave it at level 0", where=argument("target"))


def _kept(released: Released, original: Original, table: Table, question: Question) -> Mask | None:
    """Which rows a release keeps; None if all. Refuses a release of another table."""
    node = released.node or Node((), ())
    whole = table.count(node.attributes).roll_up(node)
    given = released.given
    stays = kept_classes(table, whole, given, question)
    if isinstance(given, Release):
        own, theirs = whole.keep(stays), given.classes
        if not (np.array_equal(own.codes, theirs.codes) and np.array_equal(own.rows, theirs.rows)):
            raise _does_not_correspond(released.name, "its classes are not those of the table at its node")
    if stays.all():
        return None
    codes = original.codes_at(node)
    left = whole.codes[~stays]
    _, place = np.unique(np.concatenate([left, codes]), axis=0, return_inverse=True)
    place = place.ravel()
    return ~np.isin(place[len(left) :], place[: len(left)])


def _as_it_stands(released: Released, original: Original, table: Table, plan: Plan) -> Lesson:
    """The rows of a published file or table, whose labels are what they are."""
    columns, target = _read(released, original, table, plan)
    known = target < len(original.values)
    columns = [Column(each.name, each.kind, each.labels, each.codes[known]) for each in columns]
    target = target[known]
    return Lesson(released.name, features_of(columns, len(target)), target, len(original.values), aligned=False)


def _read(released: Released, original: Original, table: Table, plan: Plan) -> tuple[list[Column], Any]:
    source = _source(released.given, table)
    engine = source.open_engine(table.schema)
    try:
        names = [name for name in original.columns if name in engine.kinds]
        if plan.target not in engine.kinds:
            raise _without_target(released, plan.target)
        if not names:
            raise _does_not_correspond(released.name, "it has none of the columns to learn from")
        batches = list(engine.rows([*names, plan.target]))
    finally:
        engine.close()
    if not batches:
        raise _does_not_correspond(released.name, "it has no rows")
    fetched, missing = pa.Table.from_batches(batches), table.schema.missing
    target = _target(released, fetched[plan.target], original, table, plan)
    columns = [_column(original.columns[name][0], fetched[name], missing) for name in names]
    for column in columns if released.method is None else ():
        _require_no_more(released.name, column, *original.columns[column.name])
    return columns, target


def _require_no_more(name: str, column: Column, attribute: Attribute, hierarchy: Hierarchy, codes: Codes) -> None:
    """Refuse a file with more rows of a label than the original has below it. Only labels of categories are judged: numbers may be
    means of groups, which occur more often than in the original."""
    if attribute.role is not Role.QUASI or column.kind in ORDERED:
        return
    counts = np.bincount(column.codes, minlength=len(column.labels))
    most = dict(zip(column.labels, counts.tolist(), strict=False))
    for level in reversed(range(hierarchy.height + 1)):  # a label that occurs at several levels stands for most at the highest
        below = np.bincount(hierarchy.ancestors(0, level)[codes], minlength=hierarchy.codes(level))
        for label, rows in zip(hierarchy.at(level), below.tolist(), strict=False):
            if most.pop(label, 0) > rows:
                raise _does_not_correspond(name, f"a label of column {column.name!r} is in more rows than the original has of it")


def _target(released: Released, column: pa.ChunkedArray, original: Original, table: Table, plan: Plan) -> Any:
    """The target of a release in the codes of the original's; refuses one that is not of its rows, unless an operation changed them."""
    attribute, name = table.schema[plan.target], released.name
    values, places = target_codes(
        replace(attribute, kind=attribute.kind or table.engine.kinds[plan.target]), column, table.schema.missing
    )
    strange = len(set(values) - set(original.values))
    if strange:
        raise _does_not_correspond(name, f"{several(strange, 'value')} of the target that the original does not have")
    if len(places) > len(original.known) and released.method is None:
        raise _does_not_correspond(name, f"{len(places):,} rows, and the original has {len(original.known):,}")
    of = np.array([*(original.values.index(value) for value in values), len(original.values)], np.int32)
    codes = of[places]
    more = np.bincount(codes, minlength=len(original.values) + 1)[: len(original.values)] > original.counts()
    if more.any() and released.method is None:
        raise _does_not_correspond(name, f"{several(int(more.sum()), 'value')} of the target in more rows than the original has")
    return codes


def _column(attribute: Any, column: pa.ChunkedArray, missing: Any) -> Column:
    """A published column with its labels as texts."""
    array = plain_array(column.combine_chunks())
    labels = [None if text is None or text in missing else text for text in map(_text, array.to_pylist())]
    named = sorted({label for label in labels if label is not None})
    place = {label: number for number, label in enumerate(named)} | {None: len(named)}
    codes = np.fromiter((place[label] for label in labels), np.int32, len(labels))
    return Column(attribute.name, attribute.kind, tuple(named), codes)


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def _source(given: Any, table: Table) -> Source:
    inner = given.published if isinstance(given, Release) else given
    return table.source.beside(inner)


def _name(given: Any, source: Source) -> str:
    return "a release in memory" if isinstance(given, Release) and given.path is None else source.name


def _without_target(released: Released, target: str) -> DataError:
    """The error for a release without the target, which an operation may have separated from the other columns."""
    if released.method is not None and target in released.method["columns"]:
        return DataError(
            f"{released.method['name']} has separated {target!r} from the other columns; learn another target",
            where=released.name,
        )
    return _does_not_correspond(released.name, f"it has no column {target!r}, which is the target")


def _does_not_correspond(name: str, why: str) -> DataError:
    return DataError(f"not a release of this table: {why}", where=name)
