"""Publishing, step by step: recode into a hidden folder beside the target, read back, compare, judge, certify, put in place.

The release, its certificate and the map take their places together when the release enters the ledger (see `commit`). Whatever goes
wrong before that, an error, a full disk, Ctrl-C, leaves everything as it was.
"""

from __future__ import annotations

import csv
import os
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.commit.places import unwritable
from sfumato.commit.transaction import Transaction
from sfumato.engines.base import Contents, Engine, Target
from sfumato.errors import BadInput, NotVerified, OutputError, TogetherWarning, UsageError
from sfumato.frequency import FrequencySet
from sfumato.models import Verdict
from sfumato.policy import Policy
from sfumato.release.certificate import Certificate, certificate_path
from sfumato.release.certifying import certify, for_the_owner, published_columns
from sfumato.release.chain import Entry
from sfumato.release.disclosure import may_be_shown
from sfumato.release.kinds import KINDS, Promise
from sfumato.release.making import Making
from sfumato.release.output import Output
from sfumato.release.reading import Reading, expressed, read_back, with_certificate
from sfumato.release.release import Release, read_arrow
from sfumato.release.together import Alone, Judge, JudgedTogether
from sfumato.search.problem import Problem
from sfumato.table import Table
from sfumato.temporary import PREFIX, TemporaryFolder
from sfumato.vocabulary.formulas import escaped
from sfumato.vocabulary.kinds import Role
from sfumato.vocabulary.recoding import AnyRecoding, Recoding

Watch = Callable[[str, Engine | None], None]
MOST_TRIES = 8  # to enter a ledger that others write to, too


def carry_out(
    table: Table,
    policy: Policy,
    problem: Problem | None,
    output: Output,
    watch: Watch = lambda step, engine: None,
    made: Making | None = None,
    *,
    judge: Judge | Alone,
) -> Release:
    """Publish what a policy says. `problem` is what its models are judged with; nothing is published unless all are satisfied. `made`: how
    an operation made the rows from those of another table. `judge` judges it together with earlier releases, before anything is
    written and again if the ledger has got another one meanwhile; or it says why nothing does."""
    output.require(table)
    output.require_no_other_table()
    watch("counting", table.engine)
    promised = KINDS[policy.recoding.kind].classes(policy.counts(table), policy.recoding)
    kept = _kept(promised, policy.recoding)
    if not kept.any():
        raise OutputError("every class would be suppressed; a release needs at least one class")
    together = _judged(judge)
    suppressed = promised.keep(~kept)
    shown = may_be_shown(suppressed, problem)
    if isinstance(policy.recoding, Recoding) and policy.recoding.stars and not shown:
        policy = replace(policy, recoding=replace(policy.recoding, blank=True))
    plan = _Plan(table, policy, promised, promised.keep(kept))
    with _workshop(output, table.source.temp) as workshop:
        watch("writing", table.engine)
        beside = [a.name for a in table.schema.attributes if a.role in (Role.SENSITIVE, Role.PLAIN)]
        target = Target(workshop.file, output.seed, beside, workshop.keys)
        promised_rows = table.engine.recode(table.schema, policy.recoding, target)
        watch("reading back", None)
        data = workshop.file if output.path else read_arrow(table.source.beside(workshop.file))
        reading, held, shuffled = _read_back(plan, data, target)
        _require_rows(plan, reading, held, promised_rows, shuffled=shuffled)
        written = _as_promised(plan, reading)
        verdicts = (made.verdicts if made else ()) + _satisfied(plan, problem, written)
        certificate = certify(workshop.file, table, policy, plan.promised, written, output, verdicts, shown=shown, made=made)
        reading = with_certificate(replace(reading, path=output.path), certificate)
        original = made.original if made else table
        source, schemas = original.source, (original.declared, original.schema)
        if output.path is None:
            certificate = output.finished(certificate, None)
            reading = replace(reading, certificate=certificate)
            return Release(certificate, policy.recoding, written, source, data, reading, verdicts, schemas=schemas)
        watch("certifying", None)
        _write_map(policy.recoding, workshop)
        more = for_the_owner(table, policy, plan.promised, output, verdicts, made, mapping=workshop.mapping)
        certificate, entry, together = _put_in_place(workshop, certificate, more, output, together, judge)
        reading = replace(reading, certificate=certificate)
        release = Release(certificate, policy.recoding, written, source, output.path, reading, verdicts, schemas=schemas)
        return replace(release, ledger=entry.path, head=entry.digest, together=together)


def _judged(judge: Judge | Alone) -> JudgedTogether | None:
    """What a release keeps together with earlier ones; warns of what could not be judged."""
    if isinstance(judge, Alone):
        return None
    together = judge()
    if together.warning:
        warnings.warn(TogetherWarning(together.warning), stacklevel=2)
    return together


@dataclass(frozen=True, slots=True, eq=False)
class _Plan:
    """A table, what is to be published of it, the classes that this makes, and those of them that are kept."""

    table: Table
    policy: Policy
    promised: FrequencySet
    kept: FrequencySet

    @property
    def starred(self) -> int:
        """How many rows stay in the file as `*` in every QID."""
        return self.promised.total_rows - self.kept.total_rows if self.policy.recoding.stars else 0


def _kept(counts: FrequencySet, recoding: AnyRecoding) -> np.ndarray[Any, np.dtype[np.bool_]]:
    if not recoding.suppressed:
        return np.ones(counts.classes, bool)
    return np.fromiter((tuple(map(int, row)) not in recoding.suppressed for row in counts.codes), bool, counts.classes)


def _read_back(plan: _Plan, written: Any, target: Target) -> tuple[Reading, Contents, bool]:
    """The written file, read as anybody would read it; the keys of its rows say who is who in it."""
    assert target.keys is not None  # noqa: S101  a release is always written with keys
    promise = Promise.of(plan.policy.recoding, plan.starred)
    try:
        return read_back(plan.table.source.beside(written), plan.table.schema, promise, target.seed, target.keys)
    except UsageError:  # the engine itself has failed, not the file
        raise
    except BadInput as error:
        raise NotVerified(f"the written file cannot be read back as promised ({error.code}); nothing was published") from None


def _require_rows(plan: _Plan, reading: Reading, held: Contents, promised: Contents, *, shuffled: bool) -> None:
    """Refuse a file with other columns, other values in any of them, other rows, or rows in an order that may tell about the source."""
    if reading.columns != tuple(published_columns(plan.table, plan.policy)):
        raise NotVerified("the written file does not have the promised columns; nothing was published")
    for name, digest in promised.columns.items():
        if held.columns.get(name) != digest:
            raise NotVerified(f"the written file does not hold the promised values of {name!r}; nothing was published")
    if held != promised:
        raise NotVerified("the written file does not hold the promised rows; nothing was published")
    if not shuffled:
        raise NotVerified("the rows of the written file are not in the promised order; nothing was published")


def _as_promised(plan: _Plan, reading: Reading) -> FrequencySet:
    """The classes of the written file in the codes of the recoding; refuses others than the promised ones."""
    kept, written = plan.kept, expressed(reading.counts, plan.kept)
    if written is None or written.total_people != kept.total_people or not _same(written, kept, ("codes", "rows", "people")):
        raise NotVerified("the written file does not hold the promised classes; nothing was published")
    parts = ("offsets", "values", "rows", "people")
    if not all(_same(written.payloads[name], kept.payloads[name], parts) for name in kept.payloads):
        raise NotVerified("the written file does not hold the promised classes; nothing was published")
    return written


def _same(one: Any, other: Any, parts: Sequence[str]) -> bool:
    return all(np.array_equal(getattr(one, part), getattr(other, part)) for part in parts)


def _satisfied(plan: _Plan, problem: Problem | None, written: FrequencySet) -> tuple[Verdict, ...]:
    """The last word of the models, about the classes as they were read back; refuses a release that does not satisfy them all."""
    if problem is None:
        return ()
    verdicts = tuple(problem.judge(written, plan.promised.total_people - written.total_people))
    for verdict in verdicts:
        if verdict.satisfied is not True:
            what = "is violated by" if verdict.satisfied is False else f"cannot be judged ({verdict.reason}) on"
            of = f" of {verdict.sensitive!r}" if verdict.sensitive else ""
            raise NotVerified(f"{verdict.model}{of} {what} the written file; nothing was published")
    return verdicts


@dataclass(frozen=True, slots=True)
class _Workshop:
    """The hidden names of what is written: the release, the keys of its rows, and for a release that gets a place the transaction, the
    certificate, the map and the texts beside it."""

    file: Path
    keys: Path
    transaction: Transaction | None = None
    certificate: Path | None = None
    mapping: Path | None = None
    texts: Mapping[str, Path] = field(default_factory=dict)


@contextmanager
def _workshop(output: Output, temp: str | os.PathLike[str] | None) -> Iterator[_Workshop]:
    """Hidden beside the target, so that putting in place is a rename, or for a release in memory in the folder for temporary data;
    removed afterwards whatever happens."""
    if output.path is None:
        with _in_words(Path(temp or tempfile.gettempdir())), TemporaryFolder(temp) as folder:
            yield _Workshop(folder / "release.parquet", folder / "keys.parquet")
        return
    with _in_words(output.path), Transaction(force=output.force) as transaction:
        # In this order they take their places: the certificate comes last.
        mapping = transaction.stage(Path(output.mapping), private=True) if output.mapping else None
        file = transaction.stage_folder(output.path) if output.is_folder else transaction.stage(output.path)
        texts = {name: transaction.stage(output.path.with_name(name)) for name in output.texts}
        certificate = transaction.stage(certificate_path(output.path))
        yield _Workshop(file, file.with_name("keys.parquet"), transaction, certificate, mapping, texts)


@contextmanager
def _in_words(path: Path) -> Iterator[None]:
    """Errors of the system, and those that name a hidden file, as errors about the place that the user named."""
    try:
        yield
    except OutputError as error:
        hidden = error.where is not None and PREFIX in error.where
        raise (OutputError(error.message, where=str(path)) if hidden else error) from None
    except OSError as error:
        raise unwritable(path, error) from None


def _write_map(recoding: AnyRecoding, workshop: _Workshop) -> None:
    """The recoding as a table, to be put in place with the release: one line per value of every published QID or, for a local recoding,
    per cell and class."""
    if workshop.mapping is None:
        return
    with workshop.mapping.open("w", encoding="utf-8", newline="") as opened:
        writer = csv.writer(opened, lineterminator="\n")
        writer.writerow(map(escaped, recoding.mapped))
        writer.writerows([cell and escaped(cell) for cell in line] for line in recoding.mapping())
    workshop.mapping.chmod(0o600)


def _put_in_place(
    workshop: _Workshop,
    certificate: Certificate,
    more: dict[str, Any],
    output: Output,
    together: JudgedTogether | None,
    judge: Judge | Alone,
) -> tuple[Certificate, Entry, JudgedTogether | None]:
    """Certify, enter the release in the ledger and put the files where they belong, all or nothing. `more` is for the owner's copy.

    A release that was judged is entered after the last one that it was judged with. If there is another one since, it is judged again,
    without the lock: others may go on, and a judge may need locks of its own.
    """
    for _ in range(MOST_TRIES):
        entered = _enter(workshop, certificate, more, output, together)
        if entered is not None:
            return *entered, together
        together = _judged(judge)
    raise OutputError(
        f"the ledger has got another release {MOST_TRIES} times while this one was judged together with the earlier ones; publish again",
        where=str(output.folder),
    )


def _enter(
    workshop: _Workshop, certificate: Certificate, more: dict[str, Any], output: Output, together: JudgedTogether | None
) -> tuple[Certificate, Entry] | None:
    """Enter the release in the ledger and put the files where they belong; None if the ledger is not as it was when it was judged."""
    assert workshop.transaction is not None and workshop.certificate is not None and output.path is not None  # noqa: S101, PT018  it has a place
    known = None if together is None else together.as_dict()
    owner = more if known is None else {**more, "together": known}
    with output.entered(certificate, output.path, owner, output.files()) as (certificate, entry, step):
        if together is not None and entry.previous != together.head:
            return None
        workshop.certificate.write_text(certificate.text(), encoding="utf-8")
        for name, staged in workshop.texts.items():
            staged.write_text(output.texts[name](certificate), encoding="utf-8")
        workshop.transaction.commit(step)
    return certificate, entry
