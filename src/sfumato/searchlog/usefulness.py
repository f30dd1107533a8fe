"""What a release is still good for: how much of the log it covers, which queries are on top, where people click."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from sfumato.errors import DataError, UsageError, argument, several
from sfumato.results import Rows
from sfumato.searchlog.attacking.attack import is_private
from sfumato.searchlog.log import Watch, one_row, opened_log, table_of
from sfumato.searchlog.publishing.reading import read_counts, read_release
from sfumato.table.queries import Queries

TOPS = (10, 100, 1000)
_PEOPLE = "SELECT Query, UserId FROM log GROUP BY Query, UserId"


@dataclass(frozen=True, slots=True)
class Coverage:
    """So much of something is still there."""

    what: str
    whole: int
    covered: int

    @property
    def share(self) -> float:
        return self.covered / self.whole if self.whole else 0.0


@dataclass(frozen=True, slots=True)
class Overlap:
    """How many of the `size` top queries of the log, by people, are among as many of the release, by ids: its readers know no people, so
    a program under many ids may lead there. Counts with noise are of people."""

    size: int
    shared: int

    @property
    def share(self) -> float:
        return self.shared / self.size if self.size else 0.0


@dataclass(frozen=True, slots=True)
class Usefulness:
    """What a release keeps. `people` are covered if the release has a query of theirs, even one of another period. `ranks` are the shares
    of clicks at each rank, before and after; `ranks_distance` and `urls_distance` are half the sum of the differences of shares, over ranks
    and over URLs; None for a release without clicks."""

    coverage: tuple[Coverage, ...]
    overlaps: tuple[Overlap, ...]
    ranks: tuple[tuple[int, float, float], ...]
    ranks_distance: float | None
    urls_distance: float | None

    def table(self) -> Rows:
        """What is covered."""
        return Rows(
            ("of the log", "all", "in the release", "share"),
            tuple((each.what, each.whole, each.covered, each.share) for each in self.coverage),
        )

    def tops(self) -> Rows:
        """The overlaps of top queries."""
        return Rows(("top queries", "shared", "share"), tuple((each.size, each.shared, each.share) for each in self.overlaps))

    def as_dict(self) -> dict[str, Any]:
        covered = [{"what": e.what, "all": e.whole, "covered": e.covered, "share": e.share} for e in self.coverage]
        tops = [{"top": e.size, "shared": e.shared, "share": e.share} for e in self.overlaps]
        ranks = [dict(zip(("rank", "before", "after"), each, strict=True)) for each in self.ranks]
        clicks = {"ranks": ranks, "ranks_distance": self.ranks_distance, "urls_distance": self.urls_distance}
        return {"coverage": covered, "tops": tops, "clicks": clicks}


def utility(
    log: Any,
    release: str | PathLike[str],
    *,
    tops: Sequence[int] = TOPS,
    watch: Watch | None = None,
    **options: Any,
) -> Usefulness:
    """Compare a release with the log that it is from.

    Parameters
    ----------
    log : path, frame or Arrow table
        The log; also a folder that `generate` has written.
    release : path
        What was published of it, rows or counts.
    tops : list of int
        How many top queries are compared.
    watch : function, optional
        Called with each step and the engine.
    **options
        Those of a `Source`: `engine`, `memory`, `threads`, `temp`, `master`, `conf`.
    """
    if not tops or min(tops) < 1:
        raise UsageError("write whole numbers from 1, as in 10,100", where=argument("tops"))
    step, path = watch or (lambda name, engine: None), Path(release)
    counts = is_private(path)
    with opened_log(log, options) as queries:
        step("reading the release", queries.engine)
        queries.add("released", read_counts(path) if counts else read_release(path))
        ranking = "CAST(sum(People) AS BIGINT)" if counts else "count(DISTINCT Id)"
        queries.keep("published", f"SELECT Query, {ranking} AS Weight FROM released GROUP BY Query")
        step("comparing", queries.engine)
        queries.keep("different", _PEOPLE)
        _require_of_this_log(queries, path)
        covered = _coverage(queries, counts)
        overlaps = tuple(_overlap(queries, size) for size in sorted(set(tops)))
        if counts:
            return Usefulness(covered, overlaps, (), None, None)
        ranks = _shares(queries, "Rank")
        shown = tuple((int(rank), one, other) for rank, one, other in ranks if rank <= 10)
        return Usefulness(covered, overlaps, shown, _distance(ranks), _distance(_shares(queries, "URL")))


def _require_of_this_log(queries: Queries, release: Path) -> None:
    """Refuse a release of another log, of which every figure would say something else."""
    known = "SELECT Query FROM different GROUP BY Query"
    row = one_row(
        queries,
        f"SELECT count(*) AS n, count(known.Query) AS found FROM published LEFT JOIN ({known}) AS known ON published.Query = known.Query",
    )
    if row["found"] < row["n"]:
        missing = several(row["n"] - row["found"], "query", "queries")
        raise DataError(f"has {missing} that the log does not have; is it a release of this log?", where=str(release))


def _coverage(queries: Queries, counts: bool) -> tuple[Coverage, ...]:
    """Rows of the log that are in the release, or, where it has counts, whose query is."""
    whole = one_row(queries, "SELECT count(*) AS n, count(URL) AS clicks FROM log")
    rows = "log JOIN published ON log.Query = published.Query"
    inside = one_row(queries, f"SELECT count(*) AS n FROM {rows}" if counts else "SELECT count(*) AS n FROM released")["n"]
    clicks = 0 if counts else one_row(queries, "SELECT count(URL) AS n FROM released")["n"]
    people = one_row(queries, "SELECT count(DISTINCT UserId) AS n, count(DISTINCT Query) AS q FROM different")
    kept = one_row(
        queries,
        "SELECT count(DISTINCT UserId) AS n, count(DISTINCT different.Query) AS q FROM different JOIN published "
        "ON different.Query = published.Query",
    )
    return (
        Coverage("rows", whole["n"], inside),
        Coverage("clicks", whole["clicks"], clicks),
        Coverage("queries", people["q"], kept["q"]),
        Coverage("people", people["n"], kept["n"]),
    )


def _overlap(queries: Queries, size: int) -> Overlap:
    """Equals are in the order of their texts on both sides."""
    before = f"SELECT Query FROM different GROUP BY Query ORDER BY count(*) DESC, Query LIMIT {size}"
    after = f"SELECT Query FROM published ORDER BY Weight DESC, Query LIMIT {size}"
    shared = f"SELECT count(*) AS n FROM ({before}) AS one JOIN ({after}) AS other ON one.Query = other.Query"
    most = one_row(queries, f"SELECT count(*) AS n FROM ({before}) AS one")["n"]
    return Overlap(int(most), int(one_row(queries, shared)["n"]))


def _shares(queries: Queries, column: str) -> list[tuple[Any, float, float]]:
    """The share of clicks at each rank or URL, before and after."""
    sides = []
    for table in ("log", "released"):
        found = table_of(
            queries, f"SELECT {column} AS Place, count(*) AS n FROM {table} WHERE {column} IS NOT NULL GROUP BY {column}"
        )
        counts: Mapping[Any, int] = (
            dict(zip(*(found.column(name).to_pylist() for name in ("Place", "n")), strict=True)) if len(found) else {}
        )
        total = sum(counts.values())
        sides.append({place: count / total for place, count in counts.items()})
    return [(place, sides[0].get(place, 0.0), sides[1].get(place, 0.0)) for place in sorted(sides[0].keys() | sides[1].keys())]


def _distance(shares: Sequence[tuple[Any, float, float]]) -> float | None:
    """Half the sum of the differences: 0 for the same shares, 1 for none in common; None without clicks in the release."""
    if not any(after for _, _, after in shares):
        return None
    return sum(abs(one - other) for _, one, other in shares) / 2
