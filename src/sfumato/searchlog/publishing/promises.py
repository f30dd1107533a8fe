"""Whether what was counted in a file keeps what its certificate promises."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

Counted = Mapping[str, int]


def broken(promise: Mapping[str, Any], counted: Counted, people: Counted | None) -> Iterator[str]:
    """What a published log does not keep. `people` is what the owner counts; without it, ids stand for people: a query of k people has k
    ids at least, and may have them without."""
    threshold, known = int(promise["threshold"]), counted if people is None else people
    who, unit = ("ids", "id") if people is None else ("people", "person")
    for what, name in (("query", "a query"), ("url", "a URL")):
        least = known[f"least_{who}_of_a_{what}"]
        if 0 < least < threshold:
            yield f"{name} has {least} {who if least > 1 else unit}, and the promise is {threshold} people"
    if promise["bundle"] is not None and counted["most_rows_of_an_id"] > promise["bundle"]:
        yield f"an id has {counted['most_rows_of_an_id']:,} rows, and the promise is {promise['bundle']:,}"
    yield from _people(promise, counted, people)
    for count, what in (
        ("finer_times", f"times are finer than the unit, {promise['times']}"),
        ("ranks_alone", "ranks are without their URL"),
        ("ids_in_several_periods", "ids are in several periods"),
    ):
        if counted[count]:
            yield f"{counted[count]:,} {what}"
    if promise["urls"] == "drop" and counted["clicks"]:
        yield f"{counted['clicks']:,} rows have a URL, and the promise is none"


def _people(promise: Mapping[str, Any], counted: Counted, people: Counted | None) -> Iterator[str]:
    if people is None:
        return
    if people["owned_rows"] != counted["rows"]:
        yield f"{abs(counted['rows'] - people['owned_rows']):,} rows have no owner, or several"
    most = promise["per_person"]
    if most is not None and people["most_rows_of_a_person"] > most:
        yield f"a person has {people['most_rows_of_a_person']:,} rows in a period, and the promise is {most:,}"


def broken_private(promise: Mapping[str, Any], counted: Counted) -> Iterator[str]:
    """What a private release does not keep, as far as its file shows it."""
    if counted["rows"] and counted["least_count"] < promise["least"]:
        yield f"a count is {counted['least_count']:,}, and none below {promise['least']:,} may be published"
    if counted["repeated"]:
        yield f"{counted['repeated']:,} counts are of a query that has one already in the same period"
    if counted["last_period"] > promise["period_count"]:
        yield "a count is of a period that was not declared"
