"""`sfumato searchlog publish` and `verify`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli import options, show
from sfumato.cli.passphrase import PassphraseFile, private_key
from sfumato.cli.searchlog.given import Log, Owners, Release
from sfumato.cli.signers import Key, Keys, Role, show_kept, show_signature, show_signers
from sfumato.errors import several

if TYPE_CHECKING:
    from sfumato.searchlog.publishing.results import Published


@options.takes(options.running, options.entering)
def publish(
    request: options.Request,
    log: Log,
    output: Annotated[Path, typer.Option("--output", "-o", help="The release, Parquet or CSV.", show_default=False)],
    threshold: Annotated[
        int, typer.Option("--threshold", help="People who must have searched a query, or clicked on a URL.")
    ] = 10,
    per_person: Annotated[
        int | None,
        typer.Option(
            "--per-person",
            help="The most rows of a person in a period; with --private, different queries.",
            show_default="no limit",
        ),
    ] = None,
    sessions: Annotated[
        str | None,
        typer.Option(
            "--sessions",
            help="A search so long after the last gets a new id; off: one id per person and period.",
            show_default="30m",
        ),
    ] = None,
    bundle: Annotated[int | None, typer.Option("--bundle", help="The most rows under one id.", show_default="no limit")] = None,
    times: Annotated[
        str | None, typer.Option("--times", help="The unit of times: minute, hour, day, week or month.", show_default="hour")
    ] = None,
    urls: Annotated[
        str | None, typer.Option("--urls", help="threshold: URLs of enough people; drop: none.", show_default="threshold")
    ] = None,
    begin: Annotated[
        str | None, typer.Option("--begin", help="When the first period begins, as in 2026-03-01.", show_default="the whole log")
    ] = None,
    period: Annotated[
        str | None, typer.Option("--period", help="How long a period is, as in 7d.", show_default="the whole log")
    ] = None,
    periods: Annotated[int | None, typer.Option("--periods", help="How many periods.", show_default="1")] = None,
    private: Annotated[
        str | None,
        typer.Option(
            "--private", metavar="EPSILON,DELTA", help="Publish noisy counts instead of rows, as in 1,1e-6.", show_default=False
        ),
    ] = None,
    owners: Annotated[
        Path | None,
        typer.Option("--owners", help="A Parquet file for you alone: whose each new id is.", show_default=False),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option("--seed", help="The same seed gives the same ids; it stays with you.", show_default="drawn anew", min=0),
    ] = None,
    force: options.Force = False,
    json: options.Json = False,
) -> None:
    """Publish the queries that many people have searched, under new ids that say little about one person; or only noisy counts of them.

    The certificate is written beside the release. What it promises was counted in the written file.

    Example: `sfumato searchlog publish searches --bundle 5 --owners owners.parquet -o release.parquet`
    """
    from sfumato.searchlog import publish as make

    request.pop("loops")
    bounds: options.Request = {
        "threshold": threshold,
        "per_person": per_person,
        "sessions": sessions,
        "bundle": bundle,
        "times": times,
        "urls": urls,
    }
    when: options.Request = {"begin": begin, "period": period, "periods": periods}
    more: options.Request = {"private": private, "owners": owners, "seed": seed, "force": force}
    with show.watching() as watch:
        made = make(log, output, **bounds, **when, **more, watch=watch, **request)
    if json:
        show.emit(made.as_dict())
    elif made.privacy is None:
        _show(made)
    else:
        _show_private(made)


_WHY = {
    "outside_periods": "outside the periods",
    "beyond_per_person": "beyond what counts of a person",
    "rare_queries": "of queries with too few people",
}


def _show(made: Published) -> None:
    found = made.counted
    show.line(f"wrote {made.file}: {several(found['rows'], 'row')} of {made.rows:,} under {several(found['ids'], 'id')}")
    for name, why in _WHY.items():
        if made.dropped[name]:
            show.line(f"left out, {why}: {several(made.dropped[name], 'row')}")
    if made.dropped["clicks_on_rare_urls"]:
        show.line(f"clicks left out, on URLs that are not published: {made.dropped['clicks_on_rare_urls']:,}")
    least = f"a query has {several(found['least_people_of_a_query'], 'person', 'people')} at least"
    show.line(f"counted in the written file: {least}, an id {several(found['most_rows_of_an_id'], 'row')} at most")
    if made.owners_file is not None:
        show.amber(f"wrote {made.owners_file}: whose each id is, for you alone")
    _show_kept(made)


def _show_kept(made: Published) -> None:
    show.line(f"wrote {made.certificate_file}")
    show_kept(made.certificate, made.ledger)


def _show_private(made: Published) -> None:
    privacy = made.privacy
    assert privacy is not None  # noqa: S101  the caller has looked
    show.line(f"wrote {made.file}: {several(made.counted['rows'], 'noisy count')} of people per query")
    periods = "one period" if privacy.periods == 1 else f"each of {privacy.periods} periods together"
    show.line(
        f"epsilon {privacy.epsilon:g}, delta {privacy.delta_spent:.3g} (at most {privacy.delta:g}), for a person's "
        f"{several(privacy.per_person, 'query', 'queries')} in {periods}"
    )
    show.line(
        f"at least {privacy.threshold} people before the noise of scale {privacy.scale:g}, at least {privacy.least:,} after it"
    )
    if spent := made.spent:
        total = f"epsilon {spent.epsilon:g}, delta {spent.delta:.3g}, in {several(spent.releases, 'release')}"
        show.line(f"spent on this log so far: {total}")
    _show_kept(made)


@options.takes(options.running)
def verify(
    request: options.Request,
    release: Release,
    certificate: options.CertificateFile = None,
    owners: Owners = None,
    key: Keys = None,
    json: options.Json = False,
) -> None:
    """Count again what a published log promises. Exit 1 if it does not fit its certificate, or does not keep its promise.

    Without --owners, ids are counted: people cannot be, as nobody else knows whose the ids are. Without --key, it shows who claims to have
    signed.

    Example: `sfumato searchlog verify release.parquet`
    """
    from sfumato.searchlog import verify as check

    request.pop("loops")
    found = check(release, certificate, owners=owners, key=key or (), **request)
    if json:
        show.emit(found.as_dict())
        return
    counted = f"{several(found.counted['rows'], 'row')}, counted by {'people' if found.people else 'ids, as whose they are is not known'}"
    if found.certificate.private:
        counted = f"{several(found.counted['rows'], 'noisy count')}; the noise itself leaves no trace to check"
    show.line(f"{found.file} fits its certificate: {counted}")
    show_signers(found.signatures)


@options.takes(options.running)
def sign(
    request: options.Request,
    release: Release,
    key: Key,
    role: Role = "reviewer",
    passphrase_file: PassphraseFile = None,
    certificate: options.CertificateFile = None,
    owners: Owners = None,
    json: options.Json = False,
) -> None:
    """Countersign a published log: verify it, then add your signature to its certificate. Other signatures stay.

    Example: `sfumato searchlog sign release.parquet --key reviewer.key`
    """
    from sfumato.searchlog import sign as sign_log

    request.pop("loops")
    made = sign_log(release, private_key(key, passphrase_file), certificate, role=role, owners=owners, **request)
    show_signature(release, made, json)
