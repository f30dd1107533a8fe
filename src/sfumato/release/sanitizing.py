"""From an operation and a table to a release: the rows are copied to a private folder in the order that all engines share, the operation
makes others of them, and these are published as every table is: shuffled, read back, certified, entered in the ledger."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from sfumato.engines.base import Target
from sfumato.engines.register import DEFAULT_ENGINE
from sfumato.errors import DataSayNo, UsageError, argument
from sfumato.models import PrivacyModel, Verdict
from sfumato.operations import Judged, Made, Operation, Task
from sfumato.operations.copied import Copy
from sfumato.policy import Policy
from sfumato.progress import Progress
from sfumato.question import Question, problem_of
from sfumato.release.grouped import GROUP, beside_release, groups_text
from sfumato.release.making import Making
from sfumato.release.output import Output
from sfumato.release.publishing import Watch, carry_out
from sfumato.release.reading import Published
from sfumato.release.release import Release
from sfumato.release.shapes import Method
from sfumato.release.together import Alone
from sfumato.search.problem import Problem
from sfumato.table import Table
from sfumato.table.source import Source
from sfumato.temporary import TemporaryFolder
from sfumato.vocabulary.kinds import Kind, Role
from sfumato.vocabulary.node import Node
from sfumato.vocabulary.recoding import Sanitized
from sfumato.vocabulary.schema import Attribute, Schema

_MB = 1_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Sanitizing:
    """What is to be done: the operation, the published QIDs, the columns it changes, its seed, what must hold, where the release goes."""

    operation: Operation
    quasi: tuple[str, ...]
    columns: tuple[str, ...]
    seed: int
    question: Question
    output: Output

    def method(self, made: Made) -> Method:
        """What the certificate says about the operation."""
        record = {"name": self.operation.name, "parameters": self.operation.parameters, "columns": list(self.columns)}
        return cast("Method", {**record, "judged": self.operation.judged.value, **made.facts})


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """The release, what the operation says about it, and the groups that sensitive values were judged by, if it makes groups."""

    release: Release
    made: Made
    groups: Problem | None = None


def sanitized(
    table: Table, asked: Sanitizing, watch: Watch = lambda step, engine: None, progress: Progress = lambda done, total: None
) -> Outcome:
    """Publish what an operation makes of a table."""
    asked.output.require(table)
    _require_keepable(table.schema, asked)
    with _folder(table.source) as folder:
        watch("copying", table.engine)
        copy = _copied(table, asked.quasi, folder)
        need = asked.operation.memory(copy.rows, len(asked.columns))
        _require_memory(table.source, asked.operation, need)
        watch(f"{asked.operation.name}{f' (needs about {need / _MB:,.0f} MB)' if need > _MB else ''}", None)
        made = asked.operation.apply(copy, Task(table.schema, asked.quasi, asked.columns, asked.seed, progress))
        changed_rows = folder / "sanitized.parquet"
        _write(made, changed_rows, table.schema.owner, folder / "keys.parquet")
        with table.source.beside(changed_rows, _schema(table.schema, asked.quasi, made)).open() as changed:
            return _published(table, changed, asked, made, watch)


def _published(table: Table, changed: Table, asked: Sanitizing, made: Made, watch: Watch) -> Outcome:
    """The changed table, judged and put in place."""
    groups = None if made.groups is None else _groups(table, made.groups, asked.question)
    verdicts = () if groups is None else _verdicts(groups)
    problem = None
    if asked.question.models and groups is None:
        problem = problem_of(changed, replace(asked.question, quasi=asked.quasi), searching=False)[0]
    output, method, second = asked.output, asked.method(made), None
    if made.groups is not None and made.facts.get("l"):
        second = groups_text(made.groups)
        output, method = beside_release(output, method, second)
    secret = {"seed": str(asked.seed)} if asked.operation.drawn else None
    counts = changed.count(asked.quasi)
    hierarchies = dict(zip(asked.quasi, counts.hierarchies, strict=True))
    node = Node.bottom(asked.quasi)
    policy = Policy(Sanitized(node, hierarchies, labeled=made.labels), node, asked.question)
    release = carry_out(changed, policy, problem, output, watch, Making(table, method, secret, verdicts), judge=Alone.CHANGED)
    return Outcome(replace(release, groups=second), made, groups)


def _groups(table: Table, groups: Any, question: Question) -> Problem:
    """The groups of an operation as classes, with what the models judge them by."""
    sensitive = [table.schema[name] for name in groups.column_names if name != GROUP]
    schema = Schema((Attribute(GROUP, Role.QUASI, Kind.INTEGER, Published()), *sensitive), missing=())
    source = replace(table.source.beside(groups, schema), engine=DEFAULT_ENGINE, master=None, conf=())
    with source.open() as opened:
        return problem_of(opened, replace(question, quasi=None), searching=False)[0]


def _verdicts(groups: Problem) -> tuple[Verdict, ...]:
    """What the models say of groups; refuses groups that do not satisfy them all."""
    verdicts = tuple(groups.judge(groups.counts, 0))
    for verdict in verdicts:
        if verdict.satisfied is not True:
            value = verdict.reason if verdict.value is None else f"it is {verdict.value:.6g}"
            raise DataSayNo(
                f"{verdict.model} is not kept by the groups ({value}); nothing was published", where=argument("models")
            )
    return verdicts


def _require_keepable(schema: Schema, asked: Sanitizing) -> None:
    """Refuse, before the work, a model that the operation cannot keep whatever the data are, and people with several rows where it counts
    rows."""
    operation = asked.operation
    if operation.by_row and schema.owner:
        raise UsageError(
            f"{operation.name} takes every row for a person, and the table has an owner column: with several groups of one person more "
            "could be told than is promised; all methods but anatomy and permute take such a table, and so does 'sfumato anonymize'",
            where=argument("method"),
        )
    if asked.question.suppress:
        raise UsageError("an operation suppresses nobody; leave it out", where=argument("suppress"))
    changed = sorted(set(asked.columns) & set(schema.sensitive))
    for model in asked.question.models:
        if reason := _unkeepable(operation, model, changed):
            raise UsageError(f"{operation.name} cannot keep {model}: {reason}", where=argument("models"))


def _unkeepable(operation: Operation, model: PrivacyModel, changed: list[str]) -> str | None:
    """Why an operation cannot keep a model, if so."""
    if operation.judged is Judged.NOTHING:
        return "published values may be anybody's, so classes of the file say nothing about people"
    if operation.judged is Judged.GROUPS and (not model.needs_sensitive or model.smallest_class or model.columns):
        return "the QIDs are published as they are, so everybody can be found; it hides sensitive values only"
    if operation.judged is Judged.CLASSES and model.needs_sensitive and changed:
        return f"it changes the sensitive attribute {changed[0]!r}, and the file no longer shows who has which value"
    return None


def _require_memory(source: Source, operation: Operation, need: int) -> None:
    from sfumato.engines.memory import bytes_of

    if source.memory is not None and need > bytes_of(source.memory):
        raise UsageError(
            f"{operation.name} holds all rows at once and needs about {need / _MB:,.0f} MB; allow more, or take another method",
            where=argument("memory"),
        )


@contextmanager
def _folder(source: Source) -> Iterator[Path]:
    try:
        folder = TemporaryFolder(source.temp)
    except OSError as error:
        raise UsageError(f"cannot be written to: {error.strerror}", where=str(source.temp or argument("temp"))) from None
    with folder as path:
        yield path


def _copied(table: Table, quasi: tuple[str, ...], folder: Path) -> Copy:
    """The rows with values of their types, identifiers and owners left out, in an order that does not depend on the engine; with the
    number of each row's owner in a file of its own, if there are owners."""
    recoding = Policy.at_node(table, Node.bottom(quasi)).recoding
    beside = [a.name for a in table.schema.attributes if a.role in (Role.SENSITIVE, Role.PLAIN)]
    keys = folder / "keys.parquet" if table.schema.owner else None
    held = table.engine.recode(table.schema, recoding, Target(folder / "copy.parquet", 0, beside, keys))
    kinds = {name: table.schema[name].kind or Kind.TEXT for name in (*quasi, *table.schema.sensitive)}
    return Copy(folder / "copy.parquet", held.rows, kinds, keys)


def _write(made: Made, path: Path, owner: str | None, keys: Path) -> None:
    """Write what an operation makes, each row with the number of its owner."""
    import pyarrow as pa
    from pyarrow import parquet

    kept = owner is not None and owner not in made.dropped
    numbers = parquet.read_table(keys, columns=["o"])["o"].combine_chunks() if kept else None
    writer, start = None, 0
    try:
        for batch in made.batches:
            rows = pa.Table.from_batches([batch])
            if numbers is not None:
                rows = rows.append_column(owner, numbers.slice(start, batch.num_rows))
            writer = writer or parquet.ParquetWriter(path, rows.schema, compression="zstd")
            writer.write_table(rows)
            start += batch.num_rows
    finally:
        if writer is not None:
            writer.close()


def _schema(schema: Schema, quasi: tuple[str, ...], made: Made) -> Schema:
    """What the columns of the changed rows are: QIDs as they stand, the others as declared."""
    attributes = [
        Attribute(name, Role.QUASI, Kind.TEXT if name in made.labels else schema[name].kind, Published()) for name in quasi
    ]
    attributes += [a for a in schema.attributes if a.role in (Role.SENSITIVE, Role.PLAIN)]
    attributes += [Attribute(schema.owner, Role.OWNER, Kind.INTEGER)] if schema.owner else []
    return Schema((*(each for each in attributes if each.name not in made.dropped), *made.added), missing=())
