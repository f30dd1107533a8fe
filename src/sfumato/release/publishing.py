"""Publishing, step by step: recode into a hidden folder beside the target, read back, compare, judge, put in place, certify.

A release is complete when its certificate exists: a stale one is removed first and the new one is written last. Whatever goes wrong
before that, an error, a full disk, Ctrl-C, leaves no new file behind.
"""

from __future__ import annotations

import csv
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.engines.base import Contents, Engine, Target
from sfumato.errors import BadInput, NotVerified, OutputError
from sfumato.frequency import FrequencySet
from sfumato.models import Verdict
from sfumato.policy import Policy
from sfumato.release.certificate import Certificate, certificate_path
from sfumato.release.certifying import certify, for_the_owner, published_columns
from sfumato.release.chain import Entry
from sfumato.release.disclosure import may_be_shown
from sfumato.release.files import flush, give_rights_of_new_files, taken, unwritable
from sfumato.release.kinds import KINDS, Promise
from sfumato.release.ledger import new_entry, undo_entry
from sfumato.release.output import Output
from sfumato.release.reading import Reading, expressed, read_back, with_certificate
from sfumato.release.release import Release, read_arrow
from sfumato.search.problem import Problem
from sfumato.signing.signatures import OWNER
from sfumato.table import Table
from sfumato.temporary import TemporaryFolder
from sfumato.vocabulary.formulas import escaped
from sfumato.vocabulary.kinds import Role
from sfumato.vocabulary.recoding import AnyRecoding, Recoding

Watch = Callable[[str, Engine | None], None]


def carry_out(
    table: Table, policy: Policy, problem: Problem | None, output: Output, watch: Watch = lambda step, engine: None
) -> Release:
    """Publish what a policy says. `problem` is what its models are judged with; nothing is published unless all are satisfied."""
    output.require(table)
    watch("counting", table.engine)
    promised = KINDS[policy.recoding.kind].classes(policy.counts(table), policy.recoding)
    kept = _kept(promised, policy.recoding)
    if not kept.any():
        raise OutputError("every class would be suppressed; a release needs at least one class")
    suppressed = promised.keep(~kept)
    shown = may_be_shown(suppressed, problem)
    if isinstance(policy.recoding, Recoding) and policy.recoding.stars and not shown:
        policy = replace(policy, recoding=replace(policy.recoding, blank=True))
    plan = _Plan(table, policy, promised, promised.keep(kept))
    with _workshop(output, table.source.temp) as workshop:
        file = workshop / (output.path.name if output.path else "release.parquet")
        watch("writing", table.engine)
        beside = [a.name for a in table.schema.attributes if a.role in (Role.SENSITIVE, Role.PLAIN)]
        target = Target(file, output.seed, beside, workshop / "keys.parquet")
        promised_rows = table.engine.recode(table.schema, policy.recoding, target)
        watch("reading back", None)
        data = file if output.path else read_arrow(table.source.beside(file))
        reading, held, shuffled = _read_back(plan, data, target)
        _require_rows(plan, reading, held, promised_rows, shuffled=shuffled)
        written = _as_promised(plan, reading)
        verdicts = _satisfied(plan, problem, written)
        certificate = certify(file, table, policy, plan.promised, written, output, verdicts, shown=shown)
        reading = with_certificate(replace(reading, path=output.path), certificate)
        schemas = (table.declared, table.schema)
        if output.path is None:
            certificate = _finished(certificate, None, output)
            reading = replace(reading, certificate=certificate)
            return Release(certificate, policy.recoding, written, table.source, data, reading, verdicts, schemas=schemas)
        watch("certifying", None)
        more = for_the_owner(table, policy, plan.promised, output, verdicts)
        certificate, entry = _put_in_place(file, certificate, more, output, _mapped(policy.recoding, file, output))
        reading = replace(reading, certificate=certificate)
        release = Release(certificate, policy.recoding, written, table.source, output.path, reading, verdicts, schemas=schemas)
        return replace(release, ledger=entry.path, head=entry.digest)


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


@contextmanager
def _workshop(output: Output, temp: str | os.PathLike[str] | None) -> Iterator[Path]:
    """A hidden folder beside the target, so that putting in place is a rename, or for a release in memory in the folder for temporary
    data; removed afterwards whatever happens."""
    parent = output.path.parent if output.path else Path(temp or tempfile.gettempdir())
    try:
        folder = TemporaryFolder(parent)
    except OSError as error:
        raise OutputError(f"cannot be written to: {error.strerror}", where=str(parent)) from None
    workshop = folder.path
    try:
        yield workshop
    except OutputError as error:
        hidden = error.where is not None and str(workshop) in error.where
        raise (OutputError(error.message, where=str(output.path)) if hidden and output.path else error) from None
    except OSError as error:
        raise unwritable(output.path or parent, error) from None
    finally:
        folder.remove()


def _mapped(recoding: AnyRecoding, file: Path, output: Output) -> list[tuple[Path, Path]]:
    """The recoding as a table beside the hidden file, to be put in place with it (from, to): one line per value of every published QID or,
    for a local recoding, per cell and class."""
    if output.mapping is None:
        return []
    hidden = file.with_name("mapping.csv")
    hidden.touch(0o600)
    with hidden.open("w", encoding="utf-8", newline="") as opened:
        writer = csv.writer(opened, lineterminator="\n")
        writer.writerow(map(escaped, recoding.mapped))
        writer.writerows([cell and escaped(cell) for cell in line] for line in recoding.mapping())
    return [(hidden, Path(output.mapping))]


def _put_in_place(
    file: Path, certificate: Certificate, more: dict[str, Any], output: Output, mapped: list[tuple[Path, Path]]
) -> tuple[Certificate, Entry]:
    """Move the files where they belong, the certificate last; what was moved is taken back if a later step fails. `more` is for the
    owner's copy."""
    assert output.path is not None  # noqa: S101  a release in memory has no place
    final = certificate_path(output.path)
    certified = file.with_name(final.name)
    certificate, entry = new_entry(output.folder, lambda head: _finished(certificate, head, output), more, output.nonce)
    placed: list[Path] = []
    try:
        certified.write_text(certificate.text(), encoding="utf-8")
        for public in (certified, file):
            give_rights_of_new_files(public)
            flush(public)
        final.unlink(missing_ok=True)
        for hidden, target in (*mapped, (file, output.path), (certified, final)):
            _move(hidden, target, replacing=output.force)
            placed.append(target)
    except BaseException:
        for path in placed:
            path.unlink(missing_ok=True)
        undo_entry(entry, output.time())
        raise
    return certificate, entry


def _finished(certificate: Certificate, head: str | None, output: Output) -> Certificate:
    """The certificate with the head of the ledger before it, and signed if that was asked for."""
    pinned, key = replace(certificate, ledger=head), output.signer()
    return pinned if key is None else pinned.signed(key, OWNER, certificate.time)


def _move(hidden: Path, target: Path, *, replacing: bool) -> None:
    """Put a file in place; unless it may replace, it fails when somebody else has put one there meanwhile."""
    if hidden.stat().st_dev != target.parent.stat().st_dev:
        near = target.with_name(f".{target.name}.{os.getpid()}")
        near.touch(0o600)
        shutil.copyfile(hidden, near)
        shutil.copymode(hidden, near)
        hidden = near
    if replacing:
        hidden.replace(target)
        return
    try:
        os.link(hidden, target)
    except FileExistsError:
        raise taken(target) from None
    finally:
        hidden.unlink(missing_ok=True)
