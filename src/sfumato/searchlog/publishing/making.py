"""`searchlog publish`: bound, count people, keep what is common, bundle, coarsen, write, read again, certify. All files take their places
together."""

from __future__ import annotations

import secrets
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from os import PathLike
from pathlib import Path
from typing import Any

import pyarrow as pa

from sfumato.commit.call import one_call
from sfumato.commit.places import unwritable
from sfumato.commit.transaction import Transaction
from sfumato.errors import DataSayNo, NotVerified, PrivacyWarning, UsageError, argument
from sfumato.options import divided
from sfumato.release.budget import spent_on
from sfumato.release.certificate import certificate_path
from sfumato.release.entering import ENTERING_OPTIONS, Entering
from sfumato.searchlog.files import require_suffix, write_rows
from sfumato.searchlog.log import Watch, one_row, opened_log
from sfumato.searchlog.publishing import sql
from sfumato.searchlog.publishing.arrangement import misplaced, misplaced_counts
from sfumato.searchlog.publishing.certificate import PRIVATE, THRESHOLDS, LogCertificate, certified
from sfumato.searchlog.publishing.limits import Limits, duration, periods_of
from sfumato.searchlog.publishing.noising import noisy_counts, people_of_queries, require_noise
from sfumato.searchlog.publishing.private import Privacy, private_of
from sfumato.searchlog.publishing.promises import broken, broken_private
from sfumato.searchlog.publishing.reading import (
    COUNTS,
    OWNERS,
    RELEASED,
    counted,
    counted_counts,
    counted_people,
    opened_release,
    read_counts,
    read_release,
)
from sfumato.searchlog.publishing.results import Published
from sfumato.table.queries import Queries
from sfumato.table.source import SOURCE_OPTIONS

WHOLE = "off"  # sessions: everything of a person in a period under one id
_USUAL: Mapping[str, Any] = {"sessions": "30m", "times": "hour", "urls": "threshold"}
_NO_ROWS = {
    "owners": "no ids that somebody could own",
    "bundle": "counts and no rows to divide",
    "sessions": "counts and no rows to divide",
    "times": "counts of whole periods and no times",
    "urls": "counts of queries and no URLs",
    "seed": "no ids to give again, and its noise is always drawn anew",
}


@dataclass(frozen=True, slots=True)
class _Work:
    """What is to be published, and where: hidden names until the end. The `secret` decides who gets which id."""

    limits: Limits
    privacy: Privacy | None
    secret: str
    file: Path
    hidden: Path
    hidden_owners: Path | None
    options: dict[str, Any]
    entering: Entering
    step: Watch


def publish(
    log: Any,
    output: str | PathLike[str],
    *,
    threshold: int = 10,
    per_person: int | None = None,
    sessions: str | int | None = None,
    bundle: int | None = None,
    times: str | None = None,
    urls: str | None = None,
    begin: str | datetime | None = None,
    period: str | int | None = None,
    periods: int | None = None,
    private: str | None = None,
    owners: str | PathLike[str] | None = None,
    seed: int | None = None,
    force: bool = False,
    watch: Watch | None = None,
    **options: Any,
) -> Published:
    """Publish what many people search, and enter the release in the owner's ledger.

    Parameters
    ----------
    log : path, frame or Arrow table
        The log; also a folder that `generate` has written.
    output : path
        The release, `.parquet` or `.csv`; the certificate is written beside it.
    threshold : int
        How many people must have searched a query, and clicked on a URL, in a period.
    per_person : int, optional
        The most rows of a person in a period; further ones are left out before people are counted. For a private release, the most
        different queries.
    sessions : str or int, optional
        A search so long after the one before it gets a new id, as in `30m`, which is the default; `off`: one id per person and period.
    bundle : int, optional
        The most rows under one id; longer sessions are divided.
    times : str, optional
        The unit of times: `minute`, `hour` (the default), `day`, `week` or `month`.
    urls : str, optional
        `threshold`: URLs that so many people clicked on, the default. `drop`: none.
    begin, period, periods : optional
        The periods, declared: from when, how long each, how many. Rows outside are left out; the whole log is one period otherwise.
    private : str, optional
        `EPSILON,DELTA`: publish noisy counts of people per query, which are differentially private, and no rows. What is about rows
        (`sessions`, `bundle`, `times`, `urls`, `owners`, `seed`) is refused then.
    owners : path, optional
        A Parquet file for the owner alone: whose each new id is.
    seed : int, optional
        Makes the same new ids again. Without one they are drawn anew, as noise always is.
    force : bool
        Replace what is there.
    watch : function, optional
        Called with each step and the engine.
    **options
        Those of a `Source`: `engine`, `memory`, `threads`, `temp`, `master`, `conf`; those of `Entering`: the `ledger`, and a key to
        `sign` with.
    """
    reading, kept = divided(options, SOURCE_OPTIONS, ENTERING_OPTIONS)
    about_rows: dict[str, Any] = {
        "owners": owners,
        "bundle": bundle,
        "sessions": sessions,
        "times": times,
        "urls": urls,
        "seed": seed,
    }
    given: dict[str, Any] = {name: _USUAL.get(name) if value is None else value for name, value in about_rows.items()}
    gap = None if given["sessions"] == WHOLE else duration(given["sessions"], "sessions")
    limits = Limits(threshold, per_person, gap, bundle, given["times"], given["urls"], periods_of(begin, period, periods))
    privacy = None if private is None else private_of(private, per_person, limits.periods.count, threshold)
    if privacy is not None:
        _require_no_rows(about_rows)
        require_noise()
    file, map_file = Path(output), None if owners is None else Path(owners)
    require_suffix(file, ".parquet", ".csv")
    entering, targets = Entering(**kept), [file, certificate_path(file), *([map_file] if map_file else [])]
    entering.require_usable()
    entering.require_apart_from_it(targets)
    secret = secrets.token_hex(16) if seed is None else f"seed {seed}"
    step = watch or (lambda name, engine: None)
    try:
        with one_call(), opened_log(log, reading) as queries, Transaction(force=force) as transaction:
            hidden, hidden_certificate = transaction.stage(file), transaction.stage(certificate_path(file))
            hidden_owners = None if map_file is None else transaction.stage(map_file, private=True)
            work = _Work(limits, privacy, secret, file, hidden, hidden_owners, reading, entering, step)
            size = one_row(queries, "SELECT count(*) AS n, count(DISTINCT UserId) AS people FROM log")
            made = _threshold(queries, work) if privacy is None else _private(queries, work, privacy, size["people"])
            digest = queries.engine.digest()
            owner = _for_the_owner(digest, work, made, map_file, seed)
            with entering.entered(made.certificate, file, owner, targets) as (certificate, entry, enter):
                hidden_certificate.write_text(certificate.text(), encoding="utf-8")
                transaction.commit(enter)
    except OSError as error:
        raise unwritable(file, error) from None
    spent = None if privacy is None else spent_on(entering.folder, digest)
    places, rows, people = (file, certificate_path(file), map_file), int(size["n"]), int(size["people"])
    return Published(*places, certificate, entry.path, rows, people, made.dropped, made.of_people, privacy, spent)


def _require_no_rows(about_rows: Mapping[str, Any]) -> None:
    """Refuse what a private release would pass over."""
    for name, why in _NO_ROWS.items():
        if about_rows[name] is not None:
            raise UsageError(f"a private release has {why}; leave it out", where=argument(name))


def _for_the_owner(digest: str, work: _Work, made: _Made, owners: Path | None, seed: int | None) -> dict[str, Any]:
    """What only the owner may know: the digest of a log confirms guesses about it, and a seed gives people the same ids again."""
    stated = {"seed": seed, "owners": None if owners is None else str(owners.resolve())}
    kept = {"input_sha256": digest, "output": str(work.file.resolve()), "dropped": made.dropped, "of_people": made.of_people}
    return kept | {name: value for name, value in stated.items() if value is not None}


@dataclass(frozen=True, slots=True)
class _Made:
    """What came of it: the certificate, and for the owner alone why rows were left out and what was counted of people."""

    certificate: LogCertificate
    dropped: dict[str, int]
    of_people: dict[str, int]


def _bounded(queries: Queries, work: _Work) -> str:
    """Keep the rows that count; their table."""
    source, most = sql.inside(work.limits.periods), work.limits.per_person
    if most is None:
        queries.keep("bounded", source)
        return "bounded"
    work.step("bounding what a person contributes", queries.engine)
    queries.keep("heavy", sql.heavy(source, most))
    queries.keep("bounded", sql.bounded(source, most, work.secret))
    return "bounded"


def _threshold(queries: Queries, work: _Work) -> _Made:
    limits, rows = work.limits, _bounded(queries, work)
    inside = one_row(queries, f"SELECT count(*) AS n FROM ({sql.inside(limits.periods)}) AS within")["n"]
    kept = one_row(queries, f"SELECT count(*) AS n FROM {rows}")["n"]
    whole = one_row(queries, "SELECT count(*) AS n FROM log")["n"]
    work.step("counting people per query", queries.engine)
    queries.keep("common_queries", sql.common(rows, "Query", limits.threshold))
    queries.keep("surviving", sql.surviving(rows))
    queries.drop(rows)
    if limits.urls == "threshold":
        queries.keep("common_urls", sql.common("surviving", "URL", limits.threshold))
    clicks = one_row(queries, "SELECT count(URL) AS n FROM surviving")["n"]
    work.step("dividing into sessions", queries.engine)
    queries.keep("coded", sql.coded(limits))
    queries.drop("surviving")
    queries.keep("placed", sql.in_sessions(limits))
    queries.drop("coded")
    queries.keep("bundles", sql.bundles(work.secret))
    work.step("writing", queries.engine)
    written = write_rows(work.hidden, RELEASED, _named(queries.batches(sql.released(limits)), RELEASED))
    if not inside:
        raise DataSayNo("no row of the log is in the periods that are declared", where=argument("begin"))
    if not written:
        raise DataSayNo(
            f"no query has {limits.threshold:,} people in a period; a longer period, a larger log or a lower threshold would work",
            where=argument("threshold"),
        )
    owners = queries.batches("SELECT Id, UserId FROM bundles ORDER BY Id")
    found, of_people = _read_again(work, owners)
    dropped = {
        "outside_periods": whole - inside,
        "beyond_per_person": inside - kept,
        "rare_queries": kept - written,
        "clicks_on_rare_urls": clicks - found["clicks"],
    }
    certificate = certified(THRESHOLDS, work.hidden, work.file.name, limits.as_dict(), found, work.entering.time())
    return _Made(certificate, dropped, of_people)


def _named(batches: Iterator[pa.RecordBatch], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Times without a zone, which an engine may have added: they are what they were."""
    for batch in batches:
        yield pa.record_batch([batch.column(name).cast(schema.field(name).type) for name in schema.names], schema=schema)


def _read_again(work: _Work, owners: Iterator[pa.RecordBatch]) -> tuple[dict[str, int], dict[str, int]]:
    """Count in the written file what is promised, people by the owners of its ids; refuse a file that does not keep it."""
    work.step("reading what was written", None)
    place = work.hidden_owners or work.hidden.with_name("owners.parquet")
    write_rows(place, OWNERS, owners)
    try:
        table = read_release(work.hidden)
        with opened_release(table, work.options, place) as released:
            found = counted(released, work.limits.times, work.limits.periods)
            people = counted_people(released)
    finally:
        if work.hidden_owners is None:
            place.unlink(missing_ok=True)
    wrong = [*broken(work.limits.as_dict(), found, people), *misplaced(table)]
    if wrong:
        raise NotVerified(f"the written file does not keep its promise: {wrong[0]}", where=str(work.file))
    return found, people


def _private(queries: Queries, work: _Work, privacy: Privacy, people: int) -> _Made:
    if privacy.delta >= 1 / people:  # a refusal would tell how many people there are
        text = "to publish everything about one of them, chosen by chance, would be as private"
        warnings.warn(PrivacyWarning(f"delta is not below one in the {people:,} people of the log: {text}"), stacklevel=2)
    work.step("counting people per query", queries.engine)
    counts = people_of_queries(queries, work.limits, work.secret)
    work.step("adding noise", None)
    table = noisy_counts(counts, privacy)
    if not table.num_rows:
        raise DataSayNo(
            f"no query is beyond the noise: {privacy.least:,} people are needed; take a larger epsilon, fewer queries of a person, "
            "or fewer periods",
            where=argument("private"),
        )
    write_rows(work.hidden, COUNTS, table.to_batches())
    released = read_counts(work.hidden)
    found = counted_counts(released)
    promise = {
        "epsilon": privacy.epsilon,
        "delta": privacy.delta,
        "delta_spent": privacy.delta_spent,
        "noise": "discrete Laplace",
        "scale": privacy.scale,
        "threshold": privacy.threshold,
        "least": privacy.least,
        "per_person": privacy.per_person,
        "period_count": privacy.periods,
        "periods": work.limits.periods.as_dict(),
    }
    wrong = [*broken_private(promise, found), *misplaced_counts(released)]
    if wrong:
        raise NotVerified(f"the written file does not keep its promise: {wrong[0]}", where=str(work.file))
    return _Made(certified(PRIVATE, work.hidden, work.file.name, promise, found, work.entering.time()), {}, {})
