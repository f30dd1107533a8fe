"""Change the values of a table by an operation, and publish what comes out."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Unpack

from sfumato.assessment.assess import Assessed
from sfumato.commit.call import one_call
from sfumato.errors import UsageError, argument
from sfumato.losses import Summary
from sfumato.models import Context
from sfumato.models.base import TOLERANCE
from sfumato.operations import Operation, operation_of
from sfumato.operations.posterior import Believed, believed, measurable
from sfumato.operations.randomness import BITS
from sfumato.options import divided
from sfumato.progress import Progress
from sfumato.question.priors import Priors
from sfumato.question.question import JUDGING_OPTIONS, JudgingOptions, Question, names_of
from sfumato.release import Output, Release
from sfumato.release.budget import Spent, spent_on
from sfumato.release.output import OUTPUT_OPTIONS, OutputOptions
from sfumato.release.publishing import Watch
from sfumato.release.sanitizing import Outcome, Sanitizing, sanitized
from sfumato.results import Printed, Rows
from sfumato.table import Table
from sfumato.table.source import SOURCE_OPTIONS, SchemaLike, SourceOptions, opened


class SanitizeOptions(SourceOptions, JudgingOptions, OutputOptions, total=False):
    """What `sanitize` takes besides."""


@dataclass(frozen=True, slots=True, eq=False)
class Sanitized(Printed):
    """What an operation made of a table: the release, the losses of each sensitive attribute, and of how many people these are.

    `seed` repeats the operation; whoever has it can undo what was drawn at random, so it stays with the owner. `groups` is the second
    table of an operation that makes two. `spent` is the budget of the table in the ledger, this release included. `unmeasured` are
    sensitive attributes that were changed and have too many values for losses.
    """

    release: Release
    method: Operation
    losses: Mapping[str, Believed]
    seed: int | None = None
    groups: Any = None
    spent: Spent | None = None
    unmeasured: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """For machines: the losses under the names that `measure` gives them."""
        certificate = self.release.certificate
        each = [{"attribute": name, **_record(belief)} for name, belief in self.losses.items()]
        names = ("classes", "people", "rows", "basis")
        return {
            "method": dict(certificate.method or {}),
            **{name: getattr(certificate, name) for name in names},
            "losses": each[0]["losses"] if each else {},
            "sensitive": each,
            "unmeasured": list(self.unmeasured),
            "models": [verdict.as_dict() for verdict in self.release.verdicts],
            "budget": None if self.spent is None else asdict(self.spent),
            "tolerance": TOLERANCE,
        }

    def table(self) -> Rows:
        """One row per loss."""
        rows: list[tuple[Any, ...]] = []
        for name, belief in self.losses.items():
            for loss, each in belief.losses.items():
                rows.append((loss, name, each.max, each.min, each.class_mean, each.people_mean))
        return Rows(("loss", "sensitive", "max", "min", "class mean", "people mean"), tuple(rows))


def _record(belief: Believed) -> dict[str, Any]:
    return {
        "losses": {name: asdict(summary) for name, summary in belief.losses.items()},
        "from_people": belief.people,
        "standard_errors": belief.errors,
    }


@one_call()
def sanitize(
    data: Any,
    schema: SchemaLike | None = None,
    *,
    method: str | Operation,
    columns: Sequence[str] | str | None = None,
    watch: Watch = lambda step, engine: None,
    progress: Progress | None = None,
    **options: Unpack[SanitizeOptions],
) -> Sanitized:
    """Change the values of a table by an operation, and publish what comes out with its certificate.

    Parameters
    ----------
    data : path, pandas or polars frame, Arrow table, Source, Table
        The table.
    schema : Schema, path or dict, optional
        What each column is; not needed if the source or the table has one.
    method : str or Operation
        The operation and its parameters, as in `noise:gaussian,0.1`.
    columns : str or list of str, optional
        The columns to change; each operation has its own choice.
    watch : callable, optional
        Called with the name of each step and the engine that works on it.
    progress : callable, optional
        Called with how much of a long step is done, and of how much.
    **options
        The fields of `Source` and `Output`, and those of `Question` for models that the file must satisfy. `seed` is that of the
        operation: drawn at random unless it is given, and never published.

    Returns
    -------
    Sanitized
        The release, and the losses.
    """
    source, asked, where = divided(options, SOURCE_OPTIONS, JUDGING_OPTIONS, OUTPUT_OPTIONS)
    operation, question = operation_of(method), Question(**asked)
    if where.get("mapping") is not None:
        raise UsageError("which row became which is not kept; leave it out", where=argument("mapping"))
    seed = _seed(operation, where.pop("seed", None))
    with opened(data, schema, source) as table:
        quasi = table.schema.choose_quasi(question.quasi)
        chosen = operation.chosen(table.schema, quasi, names_of(columns, "columns"))
        what = Sanitizing(operation, quasi, chosen, seed, replace(question, quasi=None), Output(**where))
        outcome = sanitized(table, what, watch, progress or (lambda done, total: None))
        watch("measuring", None)
        return _result(table, what, outcome)


def _seed(operation: Operation, seed: int | None) -> int:
    """The seed of an operation: an unguessable one unless it is given."""
    if operation.drawn:
        return secrets.randbits(BITS) if seed is None else seed
    if seed is not None:
        raise UsageError(f"{operation.name} {operation.without_seed}; leave it out", where=argument("seed"))
    return 0


def _result(table: Table, what: Sanitizing, outcome: Outcome) -> Sanitized:
    release, operation = outcome.release, what.operation
    names = [name for name in what.question.judged(table.schema) if _measurable(table, what, outcome, name)]
    losses = {name: _losses(table, what, outcome, name) for name in names}
    unmeasured = tuple(name for name in what.question.judged(table.schema) if name not in names)
    spent = spent_on(what.output.folder, table.digest()) if "epsilon" in outcome.made.facts and release.path else None
    seed = what.seed if operation.drawn else None
    return Sanitized(release, operation, losses, seed, outcome.made.groups, spent, unmeasured)


def _measurable(table: Table, what: Sanitizing, outcome: Outcome, name: str) -> bool:
    made = outcome.made
    if made.histogram:
        return made.histogram.measurable(table.count(what.quasi))
    return not made.channels or measurable(outcome.release.classes, table.count(what.quasi), name, made.channels)


def _losses(table: Table, what: Sanitizing, outcome: Outcome, name: str) -> Believed:
    """The losses of one sensitive attribute: by the noise of a histogram or the channels that values went through, else of the groups or
    the classes of the file."""
    made = outcome.made
    if made.histogram:
        return made.histogram.believed(table.count(what.quasi), table.schema, name)
    if made.channels:
        original = table.count(what.quasi)
        return believed(original, outcome.release.classes, table.schema[name], made.channels, seed=what.seed)
    counts = outcome.groups.counts if outcome.groups else outcome.release.classes
    priors = Priors.of_table(table, [name])
    summaries: Mapping[str, Summary] = Assessed.of(counts, table.schema, priors, Context()).losses(name)
    return Believed(dict(summaries), counts.total_people, dict.fromkeys(summaries, 0.0))
