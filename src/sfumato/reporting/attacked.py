"""What was tried on a release, for the report: what `sfumato attack --json` prints, or the value that it comes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NotRequired, TypedDict

from sfumato.inputs.shape import Count, Number
from sfumato.reporting.printed import printed


class _Attempt(TypedDict):
    attack: str
    threat: str
    sensitive: str | None
    outcome: str
    reason: NotRequired[str]
    tries: NotRequired[Count]
    rate: NotRequired[Number]
    low: NotRequired[Number]
    high: NotRequired[Number]
    baseline: NotRequired[Number]
    unit: NotRequired[str]
    classes: NotRequired[list[Count]]
    rows: NotRequired[Count]
    remark: NotRequired[str | None]


class _Observed(TypedDict):
    tried: Count
    through: list[str]
    not_shown: NotRequired[list[str]]


class _Claim(TypedDict):
    model: str
    observed: dict[str, _Observed]


class _Attacked(TypedDict):
    file: str | None
    attacker: str | None
    held: list[str]
    classes: Count
    rows: Count
    seed: Count
    remark: NotRequired[str | None]
    attempts: list[_Attempt]
    claims: list[_Claim]


@dataclass(frozen=True, slots=True)
class Tried:
    """One attack: rate, interval and baseline, on how many classes and rows it succeeds; without a rate, why it was not tried."""

    attack: str
    threat: str
    about: str | None
    outcome: str
    rate: float | None = None
    low: float | None = None
    high: float | None = None
    baseline: float | None = None
    classes: int = 0
    rows: int = 0
    remark: str | None = None


@dataclass(frozen=True, slots=True)
class Promised:
    """A satisfied model, and of each kind of attack that it claims to stop how many were tried, which get through, and of which nothing is
    shown."""

    model: str
    tried: dict[str, int]
    through: dict[str, tuple[str, ...]]
    not_shown: dict[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Attacks:
    """What was tried on a release by somebody who knows some columns."""

    attacker: str | None
    held: tuple[str, ...]
    classes: int
    rows: int
    seed: int
    tried: tuple[Tried, ...]
    promised: tuple[Promised, ...]
    remark: str | None = None


def attacks_of(given: Any) -> Attacks:
    """From the file that `sfumato attack --json` printed, a dict like it, or a result of `sfumato.attack`."""
    found: _Attacked = printed(given, _Attacked, "attacked", "sfumato attack")
    size = found["classes"], found["rows"], found["seed"]
    held, tried = tuple(found["held"]), tuple(map(_tried, found["attempts"]))
    return Attacks(found["attacker"], held, *size, tried, tuple(map(_promised, found["claims"])), found.get("remark"))


def _tried(each: _Attempt) -> Tried:
    head = each["attack"], each["threat"], each["sensitive"], each["outcome"]
    if "rate" not in each:
        return Tried(*head, remark=each.get("reason"))
    numbers = each["rate"], each.get("low"), each.get("high"), each.get("baseline")
    return Tried(*head, *numbers, len(each.get("classes", ())), each.get("rows", 0), each.get("remark"))


def _promised(each: _Claim) -> Promised:
    observed = each["observed"]
    tried = {threat: found["tried"] for threat, found in observed.items()}
    through = {threat: tuple(found["through"]) for threat, found in observed.items()}
    return Promised(each["model"], tried, through, {t: tuple(found.get("not_shown", ())) for t, found in observed.items()})
