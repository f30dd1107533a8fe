"""`collaborate`: owners share protected counts of people by address, and learn together what an attacker looks like."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from ipaddress import ip_network
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.applications.ato.collaborating.allowing import allowed_in, read_allowed
from sfumato.applications.ato.collaborating.counting import Bools, Owners, Whole
from sfumato.applications.ato.collaborating.game import Game, require_measure
from sfumato.applications.ato.collaborating.giving import given_away
from sfumato.applications.ato.collaborating.learning import DETECTORS, Setting, rate_of
from sfumato.applications.ato.collaborating.others import attacked
from sfumato.applications.ato.collaborating.page import page
from sfumato.applications.ato.collaborating.protecting import Protection, protected
from sfumato.applications.ato.collaborating.reading import SHARED, read_log, read_owners
from sfumato.applications.ato.collaborating.results import WAYS, Collaborated, Owner, Plan
from sfumato.applications.ato.collaborating.scoring import Later, Score, tried_in
from sfumato.applications.ato.collaborating.shapley import Shapley, shapley
from sfumato.applications.ato.collaborating.shares import Share, read_share, require_alike
from sfumato.applications.ato.needs import require_learn
from sfumato.applications.ato.reputation import read_known
from sfumato.applications.ato.tables import read_truth
from sfumato.commit.writing import written_together
from sfumato.errors import DataError, UsageError, argument, unknown
from sfumato.progress import Progress
from sfumato.signing.canonical import finite

RESULT, REPORT = "collaboration.json", "report.html"
_LONGEST = 366  # days of a period


def collaborate(
    logs: Any,
    output: str | PathLike[str],
    *,
    owners: int | None = None,
    good: str | PathLike[str] | None = None,
    truth: str | PathLike[str] | None = None,
    level: str = "ip",
    period: int = 7,
    days: int = 14,
    threshold: int = 5,
    private: float | None = None,
    delta: float = 1e-5,
    visits: int = 2,
    allow: str | PathLike[str] | None = None,
    detector: str = "mistakes",
    measure: str = "f1",
    pay: float = 100.0,
    permutations: int = 200,
    seed: int | None = None,
    force: bool = False,
    watch: Callable[[str, Any], None] | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Collaborated:
    """Find out what owners of sign-in logs gain by sharing counts, what that gives away, and who is paid what.

    Parameters
    ----------
    logs : path, frame or Arrow table, or a list of them
        One log for each owner, or one log that `owners` divides.
    output : path
        The folder for the shares, `collaboration.json` and `report.html`.
    owners : int, optional
        Among how many owners the organizations of one log are divided.
    good : path, optional
        Addresses known to be good, one a line; else `known-good.txt` in the folder of each log.
    truth : path, optional
        What is really fraudulent; else `truth` in the folder of each log. Scores alone look at it.
    level : str
        `ip` or `subnet`: what is shared are counts of addresses, or of the /24 and /64 that they are in.
    period, days : int
        Counts are of so many days each, and are used until they are so many days old.
    threshold : int
        Only cells with at least so many people are shared; 1 shares all.
    private : float, optional
        Noise with this privacy loss of a person in a period.
    delta : float
        The chance, at most, that the noise fails to hide somebody who is alone in a cell, over all periods.
    visits : int
        In how many cells of a period a person counts, with noise.
    allow : path, optional
        Addresses and subnets that are never taken for bad, one a line.
    detector : str
        `mistakes`, the test of what honest mistakes explain, or `forest`, a forest that is trained on its labels.
    measure : str
        What owners are paid for: `f1` or `campaigns`.
    pay : float
        The sum that is divided.
    permutations : int
        How many orders are drawn for more than eight owners.
    seed : int, optional
        Of the orders and forests (0 without it) and the noise. Without it, the system draws the noise, and nobody can subtract it.
    force : bool
        Replace what is there.
    watch, progress : functions, optional
        Called with each step and the engine; with the coalitions evaluated and all of them.
    **options
        Those of a `Source`: `engine`, `memory`, `threads`, `temp`, `master`, `conf`.

    Returns
    -------
    Collaborated
        Precision and recall alone, together raw and together protected, losses, attacks, values and payments.
    """
    require_learn("collaborate")
    plan = Plan(level, period, days, Protection(threshold, private, delta, visits), detector, measure, pay, permutations, seed)
    _require_sound(plan)
    watch = watch or (lambda step, engine: None)
    each = list(logs) if isinstance(logs, list | tuple) else [logs]
    listed = frozenset().union(*(read_known(path) for path in _beside(each, good, "good", "known-good.txt")))
    truths = [read_truth(path) for path in _beside(each, truth, "truth", "truth")]
    allowed = () if allow is None else read_allowed(allow)
    if len(truths) == 1:
        truths *= len(each)
    found = read_owners(each, truths, owners, level=level, period=period, options=options, watch=watch)
    setting = _setting(found, plan, listed, allowed_in(found.keys, allowed))
    names = (*(f"shares/owner-{number + 1}.parquet" for number in range(found.count)), RESULT, REPORT)
    with written_together(Path(output), names, force=force) as hidden:
        watch("writing shares", None)
        shares = _shared(found, plan, hidden[: found.count], names)
        watch("comparing", None)
        result = _result(found, plan, setting, shares, progress)
        hidden[-2].write_text(json.dumps(finite(result.as_dict()), indent=2) + "\n", encoding="utf-8")
        hidden[-1].write_text(page(result), encoding="utf-8")
    return result


def share(
    log: Any,
    output: str | PathLike[str],
    *,
    owner: int = 1,
    level: str = "ip",
    period: int = 7,
    threshold: int = 5,
    private: float | None = None,
    delta: float = 1e-5,
    visits: int = 2,
    seed: int | None = None,
    force: bool = False,
    **options: Any,
) -> Share:
    """Write what one owner shares of its own log: a file to hand to others.

    Parameters
    ----------
    log : path, frame or Arrow table
        Its sign-in events.
    output : path
        The Parquet file.
    owner : int
        The number of the owner among those who share.
    level : str
        `ip` or `subnet`: by what is counted.
    period : int
        The days of a period.
    threshold : int
        The fewest people of a cell that is shared.
    private : float, optional
        Epsilon of the noise for one period; the threshold then follows from `delta`.
    delta : float
        The most probability that somebody shows who is alone in a cell.
    visits : int
        The most cells of a person in a period that count with noise.
    seed : int, optional
        Of the noise; without it the system draws it. Whoever knows the seed can subtract the noise.
    force : bool
        Replace what exists.
    **options
        How the log is read, as for `collaborate`.

    Returns
    -------
    Share
        What the file holds, read back from it.
    """
    plan = Plan(level, period, period, Protection(threshold, private, delta, visits), seed=seed)
    _require_sound(plan)
    if owner < 1:
        raise UsageError("must be at least 1", where=argument("owner"))
    found = read_log(log, level=level, period=period, options=options)
    _share_of(found, plan, 0, owner).write(output, force=force)
    return read_share(output)


def _require_sound(plan: Plan) -> None:
    if plan.level not in SHARED:
        raise UsageError(unknown("level", plan.level, SHARED, within="what is shared"), where=argument("level"))
    if not 1 <= plan.period <= _LONGEST:
        raise UsageError(f"must be 1 to {_LONGEST} days; 7 would work", where=argument("period"))
    if plan.days < plan.period:
        raise UsageError(f"must be at least the {argument('period')} of {plan.period} days", where=argument("days"))
    if plan.seed is not None and plan.seed < 0:
        raise UsageError("a seed is 0 or more", where=argument("seed"))
    if not 0 <= plan.pay < float("inf"):
        raise UsageError("must be a sum of at least 0; 100 would work", where=argument("pay"))
    if plan.detector not in DETECTORS:
        raise UsageError(unknown("detector", plan.detector, DETECTORS, within="this version"), where=argument("detector"))
    require_measure(plan.measure)


def _beside(logs: Sequence[Any], path: Any, name: str, file: str) -> list[Path]:
    """The file that was named, or those in the folders of the logs."""
    if path is not None:
        return [Path(path)]
    for log in logs:
        if isinstance(log, str | PathLike) and "*" not in str(log) and not Path(log).exists():
            raise DataError("no such file or folder; 'sfumato ato import' makes a table of events from a log", where=str(log))
    places = [Path(log) / file for log in logs if isinstance(log, str | PathLike)]
    if len(places) < len(logs) or not all(place.exists() for place in places):
        raise UsageError(f"a log is no folder of 'ato generate' with {file} in it; name the file", where=argument(name))
    return places


def _setting(found: Owners, plan: Plan, good: Collection[str], allowed: Bools) -> Setting:
    listed = good if plan.level == "ip" else {_subnet(address) for address in good}
    known = np.asarray(pc.is_in(found.keys, value_set=pa.array(sorted(listed), pa.string())).to_numpy(zero_copy_only=False), bool)
    return Setting(found.calendar, -(-plan.days // plan.period), known, allowed, plan.detector, plan.seed or 0)


def _subnet(address: str) -> str:
    return str(ip_network(f"{address}/{64 if ':' in address else 24}", strict=False))


def _share_of(found: Owners, plan: Plan, place: int, owner: int) -> Share:
    seed = None if plan.seed is None else plan.seed * 1000 + place  # owners draw noise of their own
    counts = protected(found.visits[place], found.shape, plan.protection, seed)
    return Share.of(owner, found.keys, counts, plan.protection, (found.level, found.calendar), plan.seed)


def _shared(found: Owners, plan: Plan, places: Sequence[Path], names: Sequence[str]) -> list[Share]:
    """The shares of all owners, read back from their files."""
    for place, path in enumerate(places):
        _share_of(found, plan, place, place + 1).store(path)
    shares = [read_share(path) for path in places]
    require_alike(shares, names[: len(shares)])
    return shares


def _result(found: Owners, plan: Plan, setting: Setting, shares: Sequence[Share], progress: Progress | None) -> Collaborated:
    raw, shared = found.raw(), np.stack([each.counts(found.keys) for each in shares])
    tried = tried_in(found, setting)
    later = tuple(Later.of(owner, each, found.calendar.trained, tried) for owner, each in enumerate(found.logins))
    rates = tuple(rate_of(each, setting) for each in found.logins)
    game, openly = (Game(raw, each, later, rates, setting, plan.measure) for each in (shared, raw))
    everybody = frozenset(range(found.count))
    ways = dict(zip(WAYS, ((game, frozenset()), (openly, everybody), (game, everybody)), strict=True))
    scores = {way: each.scores(group) for way, (each, group) in ways.items()}
    values = shapley(found.count, game.worth, permutations=plan.permutations, seed=plan.seed or 0, progress=progress)
    return Collaborated(
        plan=plan,
        calendar=found.calendar,
        owners=tuple(_owners(raw, shared, scores, values, plan.pay)),
        together={way: Score.together(each) for way, each in scores.items()},
        fewest={way: each.fewest(group) for way, (each, group) in ways.items()},
        shapley=values,
        attacks=attacked(raw, shared),
        least=shares[0].declaration["least"],
        private=shares[0].declaration["private"],
        allowed=int(setting.allowed.sum()),
    )


def _owners(raw: Whole, shared: Whole, scores: Mapping[str, Sequence[Score]], values: Shapley, pay: float) -> list[Owner]:
    payments = values.payments(pay)
    return [
        Owner(
            number=place + 1,
            scores={way: each[place] for way, each in scores.items()},
            raw=given_away(raw[place]),
            shared=given_away(shared[place]),
            value=values.values[place],
            interval=None if values.intervals is None else values.intervals[place],
            payment=payments[place],
        )
        for place in range(len(raw))
    ]
