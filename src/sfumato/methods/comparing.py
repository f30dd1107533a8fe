"""`compare_methods`: the strength of every method is searched for, then everything is measured at that strength."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

from sfumato.errors import DataError, DataSayNo, NodeError, SfumatoError, UsageError, argument, unknown
from sfumato.learn.given import is_node
from sfumato.learn.original import WITHHELD
from sfumato.methods.results import MethodsCompared, Outcome
from sfumato.methods.strengths import FAMILIES, GENERALIZE, Family, family_of, mildest, strongest
from sfumato.methods.trying import Bench, Tried
from sfumato.operations import operation_of
from sfumato.operations.register import OPERATIONS
from sfumato.question.question import Question, names_of
from sfumato.statistics import TOLERANCE
from sfumato.table import Table
from sfumato.table.source import SchemaLike, SourceOptions, opened

PRIVACY, UTILITY = "privacy", "utility"
Watch = Callable[[str, Any], None]


@dataclass(frozen=True, slots=True)
class Equal:
    """What the methods are made equal in, and its largest value."""

    what: str
    bound: float

    def __post_init__(self) -> None:
        if not self.bound > 0:
            raise UsageError("a loss above 0, as in 0.2", where=argument(f"{self.what}_loss"))


def compare_methods(
    data: Any,
    methods: Sequence[str],
    schema: SchemaLike | None = None,
    *,
    privacy_loss: float | None = None,
    utility_loss: float | None = None,
    target: str | None = None,
    estimator: str = "random-forest",
    sensitive: Sequence[str] | str | None = None,
    queries: int = 200,
    seed: int = 0,
    watch: Watch = lambda step, engine: None,
    **options: Unpack[SourceOptions],
) -> MethodsCompared:
    """Compare methods on one table at equal privacy loss or at equal utility loss: losses, attacks, learning and counting.

    Parameters
    ----------
    data : path, pandas or polars frame, Arrow table, Source, Table
        The table.
    methods : list of str
        `generalize`, a node (`[2,1]`), a method with its parameters (`noise:gaussian,0.1`), or one without its strength
        (`noise:gaussian`), which is then searched for.
    schema : Schema, path or dict, optional
        What each column is; not needed if the source or the table has one.
    privacy_loss : float, optional
        Every method as mild as this mean distribution loss over people allows.
    utility_loss : float, optional
        Every method as strong as this utility loss allows: that of a model if there is a target, else the mean relative error of count
        queries.
    target : str, optional
        The column that a model is to predict. Needs the extra `learn`.
    estimator : str
        The model.
    sensitive : str or list of str, optional
        The sensitive attributes that are judged.
    queries : int
        How many random count queries are asked.
    seed : int
        Of everything random; the same for every method.
    watch : callable, optional
        Called with each step.
    **options
        Those of a `Source`.

    Returns
    -------
    MethodsCompared
        What every method gives away and costs at its strength.
    """
    equal = _equal(privacy_loss, utility_loss)
    _require_methods(methods, equal)
    with opened(data, schema, options) as table:
        _require_target(table, target)
        judged = tuple(Question(sensitive=names_of(sensitive, "sensitive")).judged(table.schema))
        if not judged:
            raise UsageError("methods are compared by what they disclose of a sensitive attribute; declare one", where="compare")
        bench = Bench(table, judged, target, estimator, queries, seed)
        outcomes = tuple(_outcome(bench, method, equal, watch) for method in methods)
    what, bound = (None, None) if equal is None else (equal.what, equal.bound)
    return MethodsCompared(outcomes, what, bound, bench.utility, target, seed)


def _equal(privacy: float | None, utility: float | None) -> Equal | None:
    if privacy is not None and utility is not None:
        raise UsageError(f"equal in one of them; leave {argument('utility_loss')} out", where=argument("privacy_loss"))
    if privacy is not None:
        return Equal(PRIVACY, privacy)
    return None if utility is None else Equal(UTILITY, utility)


def _require_methods(methods: Sequence[str], equal: Equal | None) -> None:
    """Refuse what cannot be read before the work, and a method without a strength if nothing says how strong it is to be."""
    if isinstance(methods, str) or not methods:
        raise UsageError("a list of methods, as in generalize, noise:gaussian", where=argument("methods"))
    for method in methods:
        if _is_node(method):
            continue
        if _is_open(method):
            if equal is None:
                both = f"{argument('privacy_loss')} or {argument('utility_loss')}"
                raise UsageError(f"{method} has no strength; give its parameters, or {both}", where=argument("methods"))
            continue
        operation_of(method) if ":" in method else family_of(method)


def _require_target(table: Table, target: str | None) -> None:
    """Refuse a target that no release can have: it is no fault of a method."""
    published = [each.name for each in table.schema.attributes if each.role not in WITHHELD]
    if target is not None and target not in published:
        raise UsageError(unknown("attribute", target, published, within="what is published"), where=argument("target"))


def _is_node(method: str) -> bool:
    """Levels, as in `[2,1]` or `age=2,sex=1`, and not a method whose parameters have levels."""
    return is_node(method) and method.partition(":")[0] not in OPERATIONS


def _is_open(method: str) -> bool:
    return method == GENERALIZE or method in FAMILIES


def _outcome(bench: Bench, method: str, equal: Equal | None, watch: Watch) -> Outcome:
    """A method at the strength that is asked for. What the data or the method do not allow is an answer."""
    watch(method, None)
    try:
        tried = _tried(bench, method, equal)
    except SfumatoError as error:
        return Outcome(method, reason=error.message)
    watch(f"{tried.released}: measuring", None)
    try:
        return bench.outcome(method, tried)
    except (DataSayNo, DataError, NodeError) as error:  # no fault of the question
        return Outcome(method, reason=f"{tried.released}: {error.message}")


def _tried(bench: Bench, method: str, equal: Equal | None) -> Tried:
    if equal is None or not _is_open(method):
        return bench.at_node(method) if _is_node(method) else bench.sanitized(method)
    if method == GENERALIZE:
        return bench.generalized(equal.bound) if equal.what == PRIVACY else _most_private_node(bench, equal.bound)
    return _strong_enough(bench, family_of(method), equal)


def _most_private_node(bench: Bench, bound: float) -> Tried:
    """Of the nodes along the front that are within a utility loss, the one that discloses least."""
    tried = (bench.at_node(node.as_dict()) for node in bench.front())
    within = [each for each in tried if bench.lost(each) <= bound + TOLERANCE]
    if not within:
        raise DataSayNo("every node costs more than the bound allows")
    return min(within, key=lambda each: each.disclosure.mean_distribution)


def _strong_enough(bench: Bench, family: Family, equal: Equal) -> Tried:
    """The mildest strength within a privacy loss, or the strongest one within a utility loss. A strength that the data do not allow is
    stronger than any that they do."""
    found: dict[float, Tried | SfumatoError] = {}

    def at(strength: float) -> Tried | SfumatoError:
        if strength not in found:
            found[strength] = _allowed(bench, family.method(strength))
        return found[strength]

    def enough(strength: float) -> bool:
        tried = at(strength)
        return not isinstance(tried, Tried) or tried.disclosure.mean_distribution <= equal.bound + TOLERANCE

    def within(strength: float) -> bool:
        tried = at(strength)
        return isinstance(tried, Tried) and bench.lost(tried) <= equal.bound + TOLERANCE

    strength = mildest(family, enough) if equal.what == PRIVACY else strongest(family, within)
    tried = None if strength is None else at(strength)
    if not isinstance(tried, Tried):
        raise DataSayNo(_out_of_reach(family, equal, found))
    return tried


def _allowed(bench: Bench, method: str) -> Tried | SfumatoError:
    try:
        return bench.sanitized(method)
    except SfumatoError as error:
        return error


def _out_of_reach(family: Family, equal: Equal, found: dict[float, Tried | SfumatoError]) -> str:
    """Why no strength will do: the table allows none, or the last one that it allows is not enough."""
    allowed = [(strength, tried) for strength, tried in found.items() if isinstance(tried, Tried)]
    if not allowed:
        return next(each.message for each in found.values() if isinstance(each, SfumatoError))
    if equal.what == UTILITY:
        return f"even {family.method(family.ladder[0])} costs more than the bound allows"
    strength, tried = max(allowed, key=lambda each: each[0])
    least = tried.disclosure.mean_distribution
    return f"even {family.method(strength)} discloses more than the bound allows: a mean distribution loss of {least:.3g}"
