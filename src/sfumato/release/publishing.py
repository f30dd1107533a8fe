"""Publishing, step by step: count, recode into a hidden folder beside the target, read back, compare, put in place, certify.

A release is complete when its certificate exists: a stale one is removed first and the new one is written last. Whatever goes wrong
before that, an error, a full disk, Ctrl-C, leaves no new file behind.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from sfumato._version import __version__
from sfumato.beliefs import Prior
from sfumato.engines.base import Engine, Target
from sfumato.errors import BadInput, OutputError, SchemaError, UsageError, several
from sfumato.frequency import FrequencySet
from sfumato.models import Verdict
from sfumato.release.certificate import LOCAL, Certificate, certificate_path, sha256, told_owners, told_prior
from sfumato.release.judged import Judge, judged, recounted
from sfumato.release.ledger import default_ledger, new_entry
from sfumato.release.local import classes_of
from sfumato.release.mapping import write_mapping
from sfumato.release.rederive import as_no, published_schema, rederive, require_same
from sfumato.release.release import Release, read_arrow
from sfumato.release.targets import require_free
from sfumato.table import Table
from sfumato.vocabulary.builders import Keyed
from sfumato.vocabulary.kinds import Role
from sfumato.vocabulary.node import Levels, Node
from sfumato.vocabulary.recoding import AnyRecoding, LocalRecoding, Recoding
from sfumato.vocabulary.schema import Schema

SUFFIXES = (".parquet", ".csv", ".csv.gz")
Watch = Callable[[str, Engine | None], None]


@dataclass(frozen=True, slots=True)
class Places:
    """Where a release and the owner's copy of its certificate go."""

    output: Path
    ledger: Path
    mapping: Path | None = None
    force: bool = False

    def files(self) -> list[Path]:
        """Everything that is written but for the ledger."""
        return [self.output, certificate_path(self.output), *([self.mapping] if self.mapping else [])]


def publish(
    source: Any,
    schema: Schema | str | os.PathLike[str] | None = None,
    *,
    node: Levels | None = None,
    quasi: Sequence[str] | None = None,
    output: str | os.PathLike[str] | None = None,
    suppress: Sequence[int] = (),
    seed: int = 0,
    ledger: str | os.PathLike[str] | None = None,
    force: bool = False,
    mapping: str | os.PathLike[str] | None = None,
    now: datetime | None = None,
    memory_limit: str | None = None,
    watch: Watch = lambda step, engine: None,
    recoding: LocalRecoding | None = None,
    judge: Judge | None = None,
    search: Mapping[str, Any] | None = None,
) -> Release:
    """Publish a table at a node: its QIDs generalized, identifiers, owner and the other QIDs withheld, rows shuffled.

    `source` is a `Table`, or anything `Table.open` takes together with `schema`. `quasi` names the QIDs to publish (all by default),
    `suppress` the numbers of classes to leave out. Without `output` the release is kept in memory and enters no ledger.
    `mapping` names a CSV file for the recoding, value by value; it lists values of the table, so it is the owner's.
    `recoding` is a local recoding, in the place of a node. `judge` is asked about the classes as read back from the file and the
    number of suppressed people; unless every verdict is satisfied nothing is published. `search` tells, in the certificate, how the
    recoding was found.
    """
    table = _opened(source, schema, memory_limit)
    plan = _planned(table, node, recoding, quasi, suppress)
    _require_declared(table)
    places = _places(output, ledger, mapping, force, table.engine.files)
    watch("counting", table.engine)
    counts, recoded = _counted(table, plan, suppress, detailed=mapping is not None)
    moment = (now or datetime.now(UTC)).astimezone(UTC)
    with _workshop(places) as workshop:
        return _publish(table, counts, recoded, _Job(places, workshop, seed, moment, memory_limit, watch, judge, search))


def _planned(
    table: Table, node: Levels | None, recoding: LocalRecoding | None, quasi: Sequence[str] | None, suppress: Sequence[int]
) -> Node | LocalRecoding:
    """What to publish: a node of the QIDs, or a local recoding, which knows its own."""
    if (node is None) == (recoding is None):
        raise UsageError("give a node or a local recoding: one of them", where="publish")
    if recoding is None:
        return Node.of(node or (), table.schema, table.schema.choose_quasi(quasi))
    if tuple(table.schema.choose_quasi(quasi or recoding.attributes)) != recoding.attributes:
        raise UsageError(f"the recoding publishes {', '.join(recoding.attributes)}; leave the QIDs out", where="quasi")
    if suppress:
        raise UsageError("a local recoding suppresses nobody; leave the classes to suppress out", where="suppress")
    return recoding


def _counted(
    table: Table, plan: Node | LocalRecoding, suppress: Sequence[int], *, detailed: bool
) -> tuple[FrequencySet, AnyRecoding]:
    """The classes to publish, suppressed ones included, and the recoding that makes them."""
    if isinstance(plan, LocalRecoding):
        return classes_of(table.count(plan.attributes), plan), plan
    counts = table.count(plan.attributes, floor=_floor(table.schema, plan, detailed=detailed)).roll_up(plan)
    return counts, _recoding(table.schema, counts, suppress)


@dataclass(frozen=True, slots=True)
class _Job:
    """What one publication is told besides the table."""

    places: Places | None
    workshop: Path
    seed: int
    moment: datetime
    memory_limit: str | None
    watch: Watch
    judge: Judge | None = None
    search: Mapping[str, Any] | None = None


def _publish(table: Table, counts: FrequencySet, recoding: AnyRecoding, job: _Job) -> Release:
    file = job.workshop / (job.places.output.name if job.places else "release.parquet")
    beside = [a.name for a in table.schema.attributes if a.role in (Role.SENSITIVE, Role.PLAIN)]
    job.watch("writing", table.engine)
    table.engine.recode(table.schema, recoding, Target(file, job.seed, beside))
    job.watch("reading back", None)
    kept = counts.keep(_kept(counts, recoding))
    written = _as_promised(file, table.schema, counts, kept, recoding, job.memory_limit)
    verdicts = judged(job.judge, recounted(kept, written), counts.total_people - kept.total_people)
    certificate = _certificate(file, table, counts, kept, recoding, job, verdicts)
    if job.places is None:
        return Release(certificate, recoding, kept, table, read_arrow(file))
    job.watch("certifying", None)
    described = _described(recoding, file, job.places.mapping)
    entry = _put_in_place(file, certificate, table, job.places, described)
    return Release(certificate, recoding, kept, table, job.places.output, entry)


def _described(recoding: AnyRecoding, file: Path, mapping: Path | None) -> list[tuple[Path, Path]]:
    """The recoding written beside the hidden file, to be put in place with it: (from, to)."""
    if mapping is None:
        return []
    hidden = file.with_name("mapping.csv")
    write_mapping(recoding, hidden)
    return [(hidden, mapping)]


def _opened(source: Any, schema: Any, memory_limit: str | None) -> Table:
    if isinstance(source, Table):
        return source
    if schema is None:
        raise SchemaError("a source needs a schema; 'sfumato profile' suggests one")
    return Table.open(source, schema, memory_limit=memory_limit)


def _require_declared(table: Table) -> None:
    """Refuse a table with columns that nobody has given a role."""
    if undeclared := table.undeclared():
        raise SchemaError(
            f"{several(len(undeclared), 'column')} of the data not declared: {', '.join(undeclared)}; "
            f"give each a role ('identifier' keeps it from being published)",
            where="the schema",
        )


def check_places(table: Table, output: Any, ledger: Any = None, mapping: Any = None, force: bool = False) -> None:
    """Refuse, before a long search, what `publish` would refuse after it: columns without a role and places that cannot be used."""
    _require_declared(table)
    _places(output, ledger, mapping, force, table.engine.files)


def _places(output: Any, ledger: Any, mapping: Any, force: bool, sources: Sequence[Path]) -> Places | None:
    """Where a release goes; refuses a place where it cannot, before any work is done."""
    if output is None:
        return None
    path = Path(output)
    if not path.name.endswith(SUFFIXES):
        raise OutputError(f"cannot tell the format; the name must end in {', '.join(SUFFIXES)}", where=str(path))
    if ledger is not None and not str(ledger):
        raise OutputError("the ledger needs the name of a folder", where="ledger")
    places = Places(path, Path(ledger) if ledger else default_ledger(), Path(mapping) if mapping else None, force)
    for target in places.files():
        require_free(target, force)
    _require_apart(places, sources)
    return places


def _require_apart(places: Places, sources: Sequence[Path]) -> None:
    """Refuse to write over the source, over the release itself, or over the certificate of another release."""
    targets = [target.resolve() for target in places.files()]
    if len(set(targets)) < len(targets):
        raise OutputError("the release, its certificate and the map need different names", where=str(places.output))
    taken = {source.resolve() for source in sources}
    for target in targets:
        if target in taken:
            raise OutputError("this is the table itself; choose another name", where=str(target))
    certificate = certificate_path(places.output)
    if certificate.exists() and not places.output.exists():
        raise OutputError("the certificate of another release; choose another name", where=str(certificate))


def _floor(schema: Schema, node: Node, *, detailed: bool) -> dict[str, int]:
    """Count no finer than needed where the engine computes labels by itself, or where nothing of the attribute shows."""

    def level(name: str, at: int) -> int:
        computed = isinstance(schema[name].builder, Keyed) or at == schema[name].height()
        return at if computed and not detailed else 0

    return {name: level(name, at) for name, at in node.as_dict().items()}


def _recoding(schema: Schema, counts: FrequencySet, suppress: Sequence[int]) -> Recoding:
    for number in suppress:
        if not 1 <= number <= counts.classes:
            raise BadInput(f"no class {number}; the node has 1 to {counts.classes}", where="suppress")
    codes = frozenset(tuple(map(int, counts.codes[number - 1])) for number in suppress)
    hierarchies = dict(zip(counts.node.attributes, counts.hierarchies, strict=True))
    return Recoding(counts.node, hierarchies, codes, schema.suppressed)


def _kept(counts: FrequencySet, recoding: AnyRecoding) -> np.ndarray[Any, np.dtype[np.bool_]]:
    if not recoding.suppressed:
        return np.ones(counts.classes, bool)
    return np.fromiter((tuple(map(int, row)) not in recoding.suppressed for row in counts.codes), bool, counts.classes)


def _as_promised(
    file: Path, schema: Schema, counts: FrequencySet, kept: FrequencySet, recoding: AnyRecoding, memory_limit: str | None
) -> FrequencySet:
    """The classes of the written file, which are the promised ones."""
    hierarchies = {name: payload.hierarchy for name, payload in counts.payloads.items()}
    starred = counts.total_rows - kept.total_rows
    if not kept.classes:
        raise OutputError("every class would be suppressed; a release needs at least one class")
    try:
        written = rederive(file, published_schema(schema, recoding, hierarchies), memory_limit)
    except BadInput as error:
        raise as_no(error) from None
    return require_same(written, kept, recoding, starred)


def _certificate(
    file: Path,
    table: Table,
    counts: FrequencySet,
    kept: FrequencySet,
    recoding: AnyRecoding,
    job: _Job,
    verdicts: Sequence[Verdict] | None,
) -> Certificate:
    schema, quasi = table.schema, recoding.attributes
    published = [a.name for a in schema.attributes if a.role in (Role.SENSITIVE, Role.PLAIN) or a.name in quasi]
    return Certificate(
        file=file.name,
        sha256=sha256(file),
        bytes=file.stat().st_size,
        schema_sha256=table.declared.digest(),
        node=recoding.node.as_dict() if isinstance(recoding, Recoding) else {},
        heights={name: schema[name].height() for name in quasi},
        sensitive=list(schema.sensitive),
        columns=[name for name in table.columns if name in published],
        withheld={a.name: a.role.value for a in schema.attributes if a.name not in published},
        basis=kept.basis,
        people=kept.total_people,
        rows=kept.total_rows,
        classes=kept.classes,
        smallest_class=int(kept.people.min()),
        suppressed=_told_suppressed(counts, kept, recoding),
        prior={name: told_prior(Prior.of(counts, name), Prior.of(kept, name)) for name in counts.payloads},
        engine={"name": table.engine.name, "version": table.engine.version},
        version=__version__,
        seed=job.seed,
        time=job.moment.isoformat(timespec="seconds"),
        owners=told_owners(kept),
        recoding=None if isinstance(recoding, Recoding) else LOCAL,
        models=None if verdicts is None else [verdict.as_dict() for verdict in verdicts],
        search=job.search,
    )


def _told_suppressed(counts: FrequencySet, kept: FrequencySet, recoding: AnyRecoding) -> dict[str, Any]:
    return {
        "people": counts.total_people - kept.total_people,
        "rows": counts.total_rows - kept.total_rows,
        "classes": counts.classes - kept.classes,
        "as": recoding.style.value,
    }


@contextmanager
def _workshop(places: Places | None) -> Iterator[Path]:
    """A hidden folder beside the target, so that putting in place is a rename; gone afterwards whatever happens."""
    parent = places.output.parent if places else Path(tempfile.gettempdir())
    try:
        workshop = Path(tempfile.mkdtemp(prefix=".sfumato-", dir=parent))
    except OSError as error:
        raise OutputError(f"cannot be written to: {error.strerror}", where=str(parent)) from None
    try:
        yield workshop
    except OutputError as error:
        hidden = error.where is not None and str(workshop) in error.where
        raise OutputError(error.message, where=str(places.output) if hidden and places else error.where) from None
    except OSError as error:
        raise OutputError(f"cannot be written: {error.strerror}", where=str(places.output if places else parent)) from None
    finally:
        shutil.rmtree(workshop, ignore_errors=True)


def _put_in_place(file: Path, certificate: Certificate, table: Table, places: Places, described: list[tuple[Path, Path]]) -> Path:
    """Move the files where they belong, the certificate last; what was moved is taken back if a later step fails."""
    final = certificate_path(places.output)
    certified = _written(file.with_name(final.name), certificate.text())
    more = {"input_sha256": table.engine.digest(), "output": str(places.output.resolve())}
    placed = [_ledger_entry(places.ledger, certificate, more)]
    try:
        _flushed(file)
        final.unlink(missing_ok=True)
        for hidden, target in (*described, (file, places.output), (certified, final)):
            _move(hidden, target, replace=places.force)
            placed.append(target)
    except BaseException:
        for path in placed:
            path.unlink(missing_ok=True)
        raise
    return placed[0]


def _move(hidden: Path, target: Path, *, replace: bool) -> None:
    """Put a file in place; unless it may replace, it fails when somebody else has put one there meanwhile."""
    if hidden.stat().st_dev != target.parent.stat().st_dev:
        near = target.with_name(f".{target.name}.{os.getpid()}")
        shutil.copyfile(hidden, near)
        hidden = near
    if replace:
        hidden.replace(target)
        return
    try:
        os.link(hidden, target)
    except FileExistsError:
        raise OutputError("exists already; --force replaces it", where=str(target)) from None
    finally:
        hidden.unlink(missing_ok=True)


def _ledger_entry(ledger: Path, certificate: Certificate, more: dict[str, str]) -> Path:
    try:
        ledger.mkdir(parents=True, exist_ok=True, mode=0o700)
        return new_entry(ledger, certificate, certificate.text(**more))
    except OSError as error:
        raise OutputError(
            f"the ledger cannot be written: {error.strerror}; --ledger names another folder", where=str(ledger)
        ) from None


def _written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    _flushed(path)
    return path


def _flushed(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())
