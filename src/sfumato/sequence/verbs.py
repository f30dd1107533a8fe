"""Sequences of releases: what those in a ledger tell together, the next release of a table that changes, and tables to try it on."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from sfumato.commit.call import one_call
from sfumato.commit.writing import written_together
from sfumato.errors import DataError, SchemaError, UsageError, argument, several
from sfumato.operations.randomness import BITS
from sfumato.options import divided
from sfumato.question.question import share_of
from sfumato.release import Output
from sfumato.release.judging import Asked as Together
from sfumato.release.judging import wanted_of
from sfumato.release.ledger import default_ledger
from sfumato.release.output import OUTPUT_OPTIONS, OutputOptions
from sfumato.release.publishing import Watch
from sfumato.sequence.audit import Audited, AuditedRelease, Progress, alike_after, broken_in, invariances, steps_of
from sfumato.sequence.churn import editions
from sfumato.sequence.coalitions import PROMISED
from sfumato.sequence.files import read_map
from sfumato.sequence.history import History, Past, history_of, open_tables
from sfumato.sequence.members import joint_of
from sfumato.sequence.pairs import harmed_by_all, pairs_of
from sfumato.sequence.publishing import Asked, Next
from sfumato.sequence.publishing import next_release as publish_next
from sfumato.table import Table
from sfumato.table.source import SOURCE_OPTIONS, SchemaLike, Source, SourceOptions, opened, schema_of
from sfumato.vocabulary.kinds import Role
from sfumato.vocabulary.schema import Attribute, Schema

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Audited", "Next", "audit", "churn", "next_release"]
PERSON = "person"


class NextOptions(SourceOptions, OutputOptions, total=False):
    """What `next_release` takes besides."""


@one_call()
def audit(
    ledger: str | PathLike[str] | None = None,
    schema: SchemaLike | None = None,
    *,
    tables: Any = (),
    only: Sequence[int] | None = None,
    together: Sequence[str] | str = PROMISED,
    progress: Progress | None = None,
    **options: Unpack[SourceOptions],
) -> Audited:
    """What somebody learns who has all releases of a ledger that were made under one schema: after the first, after two, and so on.

    Parameters
    ----------
    ledger : path, optional
        The folder; yours by default.
    schema : Schema, path or dict
        The schema that the releases were made under. With an owner column, people are followed from table to table.
    tables : path, frame, Source, Table, or a list of them
        The tables that the releases were made of. Those that are not given are opened where the ledger says that they were.
    only : list of int, optional
        The entries of the ledger to audit; all by default.
    together : str or list of str
        The models that the releases must keep together; `promised`: those that any of them promises. `m-invariance:3` is one, too.
    progress : callable, optional
        Called with what is done and what there is to do: the coalitions that are judged, if not all at once, then the releases.
    **options
        The fields of `Source`: how the tables are read.

    Returns
    -------
    Audited
        What is known after each release, and which releases break which model together.
    """
    if schema is None:
        raise UsageError("name the schema that the releases were made under", where=argument("schema"))
    declared = schema_of(schema)
    history = history_of(Path(ledger) if ledger is not None else default_ledger(), declared, only)
    _require_releases(history)
    with ExitStack() as stack:
        given = tables if isinstance(tables, list | tuple) else [tables]
        opening = [stack.enter_context(opened(each, declared, dict(options))) for each in given]
        found = open_tables(history, Source(None, declared, **options), declared, opening, stack)
        joint = joint_of(history.releases, found, declared)
    asked = [together] if isinstance(together, str) else list(together)
    broken, judged, unjudged = broken_in(joint, asked, progress=progress)
    steps = steps_of(joint, progress)
    tables_in_order = history.tables()
    return Audited(
        ledger=history.ledger,
        releases=tuple(_release(past, tables_in_order.index(past.table) + 1) for past in history.releases),
        steps=steps,
        judged=tuple(judged),
        broken=tuple(broken),
        unjudged=tuple(unjudged),
        invariance=invariances(joint),
        others=history.others,
        changed=joint.changed,
        alike=alike_after(joint, steps),
        pairs=pairs_of(joint, asked, broken),
        harmed_by_all=harmed_by_all(joint, asked, broken),
        left_out=history.left_out,
        schema=str(schema) if isinstance(schema, str | PathLike) else None,
        followed=declared.owner is not None,
    )


def _require_releases(history: History) -> None:
    if not history.releases and not history.others:
        raise DataError("this ledger has no release yet; name another one", where=str(history.ledger))
    if not history.releases:
        found = several(history.others, "release")
        raise DataError(
            f"no release in this ledger was made under this schema (it has {found} of others); "
            "name the schema that they were made under, or another ledger",
            where=str(history.ledger),
        )


def _release(past: Past, table: int) -> AuditedRelease:
    certificate, source = past.certificate, past.owner.get("input")
    method: Mapping[str, Any] = certificate.method or {}
    return AuditedRelease(
        number=str(past.number),
        file=certificate.file,
        time=certificate.time,
        people=certificate.people,
        classes=certificate.classes,
        suppressed=int(certificate.suppressed["people"]),
        models=past.models,
        table=table,
        source=None if source is None else str(source),
        counterfeits=sum(method.get("counterfeits", {}).values()) if "m" in method else None,
        mapping=past.mapping,
    )


@one_call()
def next_release(
    data: Any,
    schema: SchemaLike | None = None,
    *,
    m: int,
    after: str | PathLike[str] | None = None,
    quasi: Sequence[str] | str | None = None,
    counterfeits: float | str = "5%",
    together: Together = None,
    watch: Watch = lambda step, engine: None,
    **options: Unpack[NextOptions],
) -> Next:
    """Publish a table as the next m-invariant release of a sequence: whoever was published before keeps the set of sensitive values
    that others may believe.

    Parameters
    ----------
    data : path, pandas or polars frame, Arrow table, Source, Table
        The table as it is now, with an owner column and one row per person.
    schema : Schema, path or dict, optional
        What each column is; not needed if the source or the table has one.
    m : int
        The least number of different sensitive values in a group.
    after : path, optional
        The map of the release before; none for the first release.
    quasi : str or list of str, optional
        The QIDs to publish; all by default.
    counterfeits : str or float
        The largest share of counterfeits among the people, as in `5%`.
    together : str or list of str
        Models that this release must keep together with the earlier ones in the ledger that were made under the same schema, and
        `promised` for what each of them promises, as in `publish`. Nothing is published if releases break one together, or cannot be
        judged. Without it, where `ledger` names one, they are judged by what each promises: everybody keeps the signature of every
        m-invariant release there. What cannot be judged is a `TogetherWarning`. `none`: nothing is judged.
    watch : callable, optional
        Called with the name of each step and the engine that works on it.
    **options
        The fields of `Source` and `Output`. `mapping` is needed: the map says who is in which group, and is what the following release
        begins with. `seed` is that of the groups: drawn at random unless it is given, and never published.

    Returns
    -------
    Next
        The release, and how many stayed, came, and were made up.
    """
    source, where = divided(options, SOURCE_OPTIONS, OUTPUT_OPTIONS)
    seed = where.pop("seed", None)
    output, together = Output(**where), wanted_of(together)
    if output.path is None or output.mapping is None:
        raise UsageError(
            "name a file for the release, and one for the map that the next release begins with", where=argument("mapping")
        )
    earlier = None if after is None else read_map(str(after), "the release before")
    with opened(data, schema, source) as table:
        chosen = table.schema.choose_quasi([quasi] if isinstance(quasi, str) else quasi)
        drawn = secrets.randbits(BITS) if seed is None else seed
        asked = Asked(m, chosen, earlier, _share(counterfeits, "counterfeits"), drawn, together)
        return publish_next(table, asked, output, watch)


def _share(share: float | str, name: str) -> float:
    try:
        return float(share_of(share))
    except UsageError:
        raise UsageError("a share between 0 and 1, as in 10% or 0.1", where=argument(name)) from None


@one_call()
def churn(
    data: Any,
    schema: SchemaLike | None = None,
    *,
    folder: str | PathLike[str],
    years: int = 5,
    share: float | str = "10%",
    people: int | None = None,
    seed: int = 0,
    force: bool = False,
    **options: Unpack[SourceOptions],
) -> list[Path]:
    """Make a table that changes out of one that does not: from year to year some people leave, and as many others come.

    Parameters
    ----------
    data : path, pandas or polars frame, Arrow table, Source, Table
        The table; a row is a person.
    schema : Schema, path or dict, optional
        What each column is; not needed if the source or the table has one.
    folder : path
        Where the tables go: `year-1.csv`, `year-2.csv` and so on, and `schema.toml`, in which `person` is the owner column.
    years : int
        How many tables.
    share : str or float
        Who leaves each year, as in `10%`.
    people : int, optional
        The people in each table; as many as there are rows for, by default.
    seed : int
        Of who leaves and who comes.
    force : bool
        Replace what exists.
    **options
        The fields of `Source`.

    Returns
    -------
    list of Path
        The files.
    """
    import pyarrow as pa
    from pyarrow import csv

    if years < 1 or (people is not None and people < 1):
        raise UsageError("a whole number of at least 1", where=argument("years" if years < 1 else "people"))
    with opened(data, schema, dict(options)) as table:
        declared = _with_person(table)
        rows = pa.Table.from_batches(list(table.rows()))
        chosen = list(editions(len(rows), years, _share(share, "share"), people, seed))
        names = (*(f"year-{year}.csv" for year in range(1, years + 1)), "schema.toml")
        with written_together(Path(folder), names, force=force) as hidden:
            for place, edition in zip(hidden, chosen, strict=False):
                csv.write_csv(_edition(rows, edition), place)
            hidden[-1].write_text(declared.to_toml(), encoding="utf-8")
    return [Path(folder) / name for name in names]


def _with_person(table: Table) -> Schema:
    if table.schema.owner is not None or PERSON in table.columns:
        raise SchemaError(f"has an owner column or a column {PERSON!r} already; churn numbers the rows of a table without one")
    declared = table.declared
    return replace(declared, attributes=(Attribute(PERSON, Role.OWNER), *declared.attributes))


def _edition(rows: pa.Table, places: Any) -> pa.Table:
    import pyarrow as pa

    numbers = pa.array([f"p{place + 1:07d}" for place in places.tolist()])
    return rows.take(pa.array(places)).add_column(0, PERSON, numbers)
