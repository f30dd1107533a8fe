"""Whether what was counted in a file keeps what its certificate promises, and whether that is a promise at all.

A certificate may come from anybody. Settings that no release can have are a promise that is broken; so is an epsilon or delta that does not
follow from the noise and the threshold beside it. That there was noise, no file shows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from math import isclose
from typing import Any

from sfumato.errors import UsageError, several
from sfumato.searchlog.publishing.limits import MOST_PERIODS, Limits, Periods
from sfumato.searchlog.publishing.private import Privacy, delta_of

Counted = Mapping[str, int]
_LARGEST = 1_000_000_000
_OF_ROWS = {"threshold", "per_person", "bundle", "times", "urls"}
_OF_COUNTS = {"least", "period_count", "epsilon", "delta_spent"}
_MORE_OF_ROWS = {"sessions", "periods"}
_MORE_OF_COUNTS = {"threshold", "per_person", "delta", "noise", "scale", "periods"}


def no_promise(promise: Mapping[str, Any], *, private: bool) -> str | None:
    """Why something is no promise that could be verified, if it is none: it says too little, or something that nobody reads and that may
    be anything."""
    needed, more = (_OF_COUNTS, _MORE_OF_COUNTS) if private else (_OF_ROWS, _MORE_OF_ROWS)
    if not needed <= set(promise):
        return "promises too little to be verified"
    if others := set(promise) - needed - more:  # their names may be anything, too
        return (
            f"promises what is no setting of a release: {several(len(others), 'key')} besides {', '.join(sorted(needed | more))}"
        )
    return None


def broken(promise: Mapping[str, Any], counted: Counted, people: Counted | None) -> Iterator[str]:
    """What a published log does not keep. `people` is what the owner counts; without it, ids stand for people: a query of k people has k
    ids at least, and may have them without."""
    threshold, known = promise["threshold"], counted if people is None else people
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
        ("outside_their_period", "rows are in no period that was declared, or their time is not in it"),
    ):
        if counted[count]:
            yield f"{counted[count]:,} {what}"
    if promise["urls"] == "drop" and counted["clicks"]:
        yield f"{counted['clicks']:,} rows have a URL, and the promise is none"


def periods_of_promise(promise: Mapping[str, Any]) -> Periods | None:
    """The periods of settings that a release can have; None of any others."""
    whole = (promise[name] for name in ("threshold", "per_person", "bundle"))
    if not all(type(each) is int or each is None for each in (*whole, promise.get("sessions"))):
        return None
    settings: dict[str, Any] = {name: promise.get(name) for name in Limits.__slots__}
    try:
        periods = _periods(promise)
        Limits(**settings | {"periods": periods})
    except (UsageError, TypeError, ValueError, KeyError, OverflowError):
        return None
    return periods if promise.get("sessions") is None or promise["sessions"] > 0 else None


def _periods(promise: Mapping[str, Any]) -> Periods:
    """The periods of a promise; ValueError, TypeError or OverflowError for what is none."""
    found = promise.get("periods")
    if found is None:
        return Periods()
    begin, seconds, count = found["begin"], found["seconds"], found["count"]
    if type(seconds) is not int or type(count) is not int or min(seconds, count) < 1 or count > MOST_PERIODS:
        raise ValueError
    periods = Periods(datetime.fromisoformat(begin), seconds, count)
    if periods.bounds()[0].tzinfo is not None or periods.as_dict() != found:
        raise ValueError
    return periods


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
    if not _follows(promise):
        yield "its epsilon and delta do not follow from its noise and its threshold"
        return
    if counted["rows"] and counted["least_count"] < promise["least"]:
        yield f"a count is {counted['least_count']:,}, and none below {promise['least']:,} may be published"
    if counted["repeated"]:
        yield f"{counted['repeated']:,} counts are of a query that has one already in the same period"
    if counted["last_period"] > promise["period_count"]:
        yield "a count is of a period that was not declared"


def _follows(promise: Mapping[str, Any]) -> bool:
    """Whether epsilon and delta are those of the noise, of the threshold and of what a person contributes."""
    whole: list[Any] = [promise.get(name) for name in ("per_person", "period_count", "threshold", "least")]
    real: list[Any] = [promise.get(name) for name in ("epsilon", "delta", "scale", "delta_spent")]
    if not all(type(each) is int and 0 < each < _LARGEST for each in whole) or promise.get("noise") != "discrete Laplace":
        return False
    if not all(type(each) in (int, float) for each in real):
        return False
    (per_person, periods, threshold, least), (epsilon, delta, scale, spent) = whole, real
    try:
        privacy = Privacy(epsilon, delta, per_person, periods, threshold)
        really = delta_of(privacy.scale, least - threshold, privacy.changes)
        declared = _periods(promise).count
    except (UsageError, TypeError, ValueError, KeyError, OverflowError):
        return False
    return declared == periods and isclose(scale, privacy.scale) and isclose(spent, really) and really <= delta * (1 + 1e-9)
