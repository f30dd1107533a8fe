"""The page: in short, what identifies people, attacks before and after, what is left to use, what is promised. It loads nothing."""

from __future__ import annotations

from collections.abc import Iterator

from sfumato._version import __version__
from sfumato.errors import several
from sfumato.reporting.markup import Cell, Html, joined, listed, paragraphs, table, tag
from sfumato.reporting.sentences import percent
from sfumato.reporting.shell import document
from sfumato.reporting.style import style
from sfumato.reporting.svg import bars, pairs
from sfumato.searchlog.attacking.results import Attempt
from sfumato.searchlog.finding.kinds import ABOUT
from sfumato.searchlog.reporting.making import LogReport


def page(report: LogReport) -> str:
    """The whole page."""
    sections = {"summary": _summary, "finding": _finding, "attacks": _attacks, "utility": _utility, "promise": _promise}
    shown = [tag("section", section(report), id=name) for name, section in sections.items()]
    found = report.found
    about = f"{several(found.rows, 'row')} of {several(found.people, 'person', 'people')}; made by sfumato {__version__}"
    body = [
        tag("a", "Skip to the report", href="#main", class_="skip"),
        tag("header", tag("h1", "A search log and its release"), tag("p", about, class_="soft")),
        tag("main", *shown, id="main", tabindex="-1"),
        tag("footer", tag("p", "No query, URL or id is on this page. It loads nothing and sends nothing.")),
    ]
    return document("Search log: report", style(), "", body)


def _pairs_of(report: LogReport) -> Iterator[tuple[Attempt, Attempt]]:
    """Each attacker before and after."""
    tried = {(each.attacker, each.side): each for each in report.attacked.attempts}
    for (attacker, side), each in tried.items():
        later = tried.get((attacker, "after"))
        if side == "before" and later is not None:
            yield each, later


def _summary(report: LogReport) -> Html:
    return joined([tag("h2", "In short"), listed(_sentences(report))])


def _sentences(report: LogReport) -> Iterator[str]:
    found, counted = report.found, report.verified.counted
    yield (
        f"Of {several(found.queries, 'different query', 'different queries')}, {found.rare:,} ({percent(found.rare / found.queries)}) "
        f"have fewer than {found.threshold} people. "
        f"{several(found.unique_people, 'person has', 'people have')} a query that nobody else has."
    )
    if report.verified.certificate.private:
        yield f"The release has {several(counted['rows'], 'noisy count')} and no row of anybody."
    else:
        yield (
            f"The release has {several(counted['rows'], 'row')} under {several(counted['ids'], 'id')}: "
            f"{percent(report.usefulness.coverage[0].share)} of the log."
        )
    for before, after in _pairs_of(report):
        if after.reason is None:
            yield (
                f"Somebody who {before.attacker} is right about {percent(before.rate)} of people in the log with new ids, and about "
                f"{percent(after.rate)} in the release; a blind guess, about {percent(before.baseline)}."
            )


def _finding(report: LogReport) -> Html:
    found = report.found
    shares = [(_band(low, high), rows_in / found.rows) for low, high, _, rows_in in found.bands]
    rows = [(band, 100 * share, percent(share)) for band, share in shares]
    drawn = bars("bands", "Rows by how many people have searched the query", "One bar per band.", rows, "% of the rows")
    bands = [(_band(low, high), queries, rows_in) for low, high, queries, rows_in in found.bands]
    kinds = [(each.kind, ABOUT[each.kind], each.queries, each.people, each.rows) for each in found.kinds]
    words = "What few people search may say who they are. A pattern is a hint only: rarity is what counts, and most names have no pattern."
    parts: list[Cell] = [
        tag("h2", "What identifies people"),
        paragraphs(words),
        tag("figure", drawn, tag("figcaption", "Rows of the log by the number of people who have searched the query")),
        table("Queries by the number of their people", ["people", "queries", "rows"], bands, name="bands-table"),
        table(
            f"Rare queries, of fewer than {found.threshold} people, that look like something",
            ["kind", "looks like", "queries", "people", "rows"],
            kinds,
            name="kinds-table",
        ),
    ]
    return joined(parts)


def _band(low: int, high: int | None) -> str:
    return str(low) if low == high else f"{low} or more" if high is None else f"{low} to {high}"


def _attacks(report: LogReport) -> Html:
    tried = report.attacked.attempts
    both = [(one.attacker, one.rate, other.rate) for one, other in _pairs_of(report) if other.reason is None]
    words = (
        "A rate is the share of people about whom an attacker is right, in expectation where several candidates fit equally well; its "
        "interval has a level of 95%. The log before is one with new ids for people and nothing else. The baseline is a guess."
    )
    parts: list[Cell] = [tag("h2", "Attacks, before and after"), paragraphs(words)]
    if both:
        drawn = pairs("rates", "Right about so many people", "Two bars per attacker.", both, ("before", "after"), "people")
        parts.append(tag("figure", drawn, tag("figcaption", "How often attackers are right")))
    heads = ["attacker", "log", "people", "right", "interval", "baseline", "the only candidate", "candidates"]
    parts.append(table("Attackers", heads, map(_attempt, tried), name="attacks-table"))
    reasons = sorted({each.reason for each in tried if each.reason})
    parts += [paragraphs(f"Not tried: {reason}.") for reason in reasons]
    leaks = [_leak(each) for each in tried if each.leak is not None]
    heads = [
        "attacker",
        "log",
        "L_PD, mean",
        "L_PD, largest",
        "L_PE, mean",
        "L_PE, largest",
        "topic named",
        "of those who have one",
    ]
    parts += [
        tag("h3", "What is inferred"),
        paragraphs(
            "What an attacker believes of a secret topic of somebody, compared with the shares of all people: L_PD is how far the belief "
            "has moved, from 0 to 1.41, and L_PE by how many bits it is surer or less sure. No known query is about the topic."
        ),
        table("Leak about the topic", heads, leaks, name="leaks-table"),
    ]
    return joined(parts)


def _attempt(each: Attempt) -> tuple[Cell, ...]:
    if each.reason is not None:
        return each.attacker, each.side, *(None,) * 6
    low, high = each.interval
    within = f"{percent(low)} to {percent(high)}"
    return each.attacker, each.side, each.targets, percent(each.rate), within, percent(each.baseline), each.alone, each.middle


def _leak(each: Attempt) -> tuple[Cell, ...]:
    assert each.leak is not None  # noqa: S101  the caller has looked
    found = each.leak
    return each.attacker, each.side, *found.distribution, *found.entropy, found.hits, found.tries


def _utility(report: LogReport) -> Html:
    found = report.usefulness
    covered = [(each.what, 100 * each.share, percent(each.share)) for each in found.coverage]
    lines = [(each.what, each.whole, each.covered, percent(each.share)) for each in found.coverage]
    tops = [(f"top {each.size}", each.shared, percent(each.share)) for each in found.overlaps]
    parts: list[Cell] = [
        tag("h2", "What is left to use"),
        tag("figure", bars("coverage", "Shares of the log in the release", "One bar each.", covered, "% of the log", most=100)),
        table("Coverage", ["of the log", "all", "in the release", "share"], lines, name="coverage-table"),
        table("Top queries, of the log by people", ["top queries", "in both", "share"], tops, name="tops-table"),
    ]
    if found.ranks:
        ranks = [(f"rank {rank}", one, other) for rank, one, other in found.ranks]
        drawn = pairs("ranks", "Shares of clicks at each rank", "Two bars per rank.", ranks, ("before", "after"), "clicks")
        parts.append(tag("figure", drawn, tag("figcaption", "Clicks by rank")))
    if found.ranks_distance is not None and found.urls_distance is not None:
        parts.append(
            paragraphs(
                f"For the shares to be those of before, {percent(found.ranks_distance)} of the clicks would have to be at other ranks, "
                f"and {percent(found.urls_distance)} on other URLs."
            )
        )
    return joined(parts)


_COUNTED = {
    "urls": "URLs",
    "ranks_alone": "ranks without their URL",
    "finer_times": "times finer than promised",
    "outside_their_period": "rows in another period than their time",
    "owned_rows": "rows whose person you know",
    "most_rows_of_an_id": "most rows under one id",
    "least_ids_of_a_query": "fewest ids of a query in a period",
    "least_ids_of_a_url": "fewest ids of a URL in a period",
    "most_rows_of_a_person": "most rows of a person in a period",
    "least_people_of_a_query": "fewest people of a query in a period",
    "least_people_of_a_url": "fewest people of a URL in a period",
}
_SETTINGS = {
    "threshold": "people of a query in a period, at least",
    "per_person": "rows of a person in a period, at most",
    "sessions": "a new id after a pause of",
    "bundle": "rows under one id, at most",
    "times": "times in whole units of",
    "urls": "URLs",
}
_URLS = {"threshold": "those that as many people clicked on", "drop": "none"}


def _promise(report: LogReport) -> Html:
    certificate = report.verified.certificate
    names = {} if certificate.private else _SETTINGS
    promised = [(names.get(name, name.replace("_", " ")), _shown(name, value)) for name, value in certificate.promise.items()]
    counted = [(_COUNTED.get(name, name.replace("_", " ")), value) for name, value in report.verified.counted.items()]
    return joined(
        [
            tag("h2", "What is promised"),
            table("The promise", ["setting", "value"], promised, name="promise-table"),
            table("Counted in the file", ["what", "count"], counted, name="counted-table"),
            tag("h3", "What it does not stop"),
            listed(certificate.not_stopped),
        ]
    )


def _shown(name: str, value: object) -> str:
    """A setting in words: some are numbers and some are not, so all of them are texts."""
    if isinstance(value, dict):
        return ", ".join(f"{key} {each}" for key, each in value.items())
    if value is None:
        return {"sessions": "one id per person and period", "periods": "one: the whole log"}.get(name, "no limit")
    if isinstance(value, float):
        return f"{value:.4g}"
    if name == "urls":
        return _URLS.get(str(value), str(value))
    return f"{value:,} seconds" if name == "sessions" else f"{value:,}" if isinstance(value, int) else str(value)
