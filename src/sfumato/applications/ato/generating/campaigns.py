"""Campaigns that guess passwords: who is tried, when, from where, as what; and accounts whose password somebody has from elsewhere.

A campaign tries one password with all its people, then the next one. An attempt is a function of its number.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.applications.ato.generating import agents
from sfumato.applications.ato.generating.chance import Chance
from sfumato.applications.ato.generating.clock import DAY, SECOND
from sfumato.applications.ato.generating.parameters import Parameters
from sfumato.applications.ato.generating.pieces import GHOSTS, LOCKED, NOBODY, NONE, WRONG, Piece
from sfumato.applications.ato.generating.pieces import SECOND as FACTOR
from sfumato.applications.ato.generating.world import World

Whole = npt.NDArray[np.int64]
PHISHED = "phished"
ROTATIONS = ("sticky", "turn", "random")
_MOST_PLACES = 1 << 20

CAMPAIGNS = pa.schema(
    [
        pa.field("Campaign", pa.int32(), nullable=False),
        pa.field("Kind", pa.string()),
        pa.field("Begin", pa.timestamp("us")),
        pa.field("End", pa.timestamp("us")),
        pa.field("Attempts", pa.int64()),
        pa.field("Users", pa.int64()),
        pa.field("Passwords", pa.int64()),
        pa.field("Addresses", pa.int64()),
        pa.field("Rotation", pa.string()),
        pa.field("UserAgent", pa.string()),
        pa.field("Disguised", pa.float64()),
    ]
)


@dataclass(frozen=True, slots=True)
class Campaign:
    """One campaign. The people it tries are `users` of the `span` that begin at `first`, in a scattered order."""

    number: int  # NONE: no campaign, but one account whose password is known
    stream: str
    kind: str
    begin: int
    length: int
    attempts: int
    first: int
    span: int
    users: int
    step: int
    addresses: Whole
    rotation: str
    agent: str
    disguised: float

    @property
    def passwords(self) -> int:
        return math.ceil(self.attempts / self.users)

    def as_row(self, epoch: datetime, texts: pa.Array) -> dict[str, object]:
        """A row of the truth. Two servers may have been rented at one address, so addresses are counted by their texts."""
        addresses = len(texts.take(pa.array(self.addresses)).unique())
        begin, end = (epoch + timedelta(microseconds=moment) for moment in (self.begin, self.begin + self.length))
        values = (self.number, self.kind, begin, end, self.attempts, self.users, self.passwords, addresses, self.rotation)
        return dict(zip(CAMPAIGNS.names, (*values, self.agent, self.disguised), strict=True))


class Attempts:
    """The attempts of one campaign."""

    def __init__(self, campaign: Campaign, world: World, parameters: Parameters, seed: int) -> None:
        self.campaign, self._world, self._parameters = campaign, world, parameters
        self._chance, self._weak = Chance(seed, campaign.stream), Chance(seed, "weak")

    def between(self, start: int, end: int) -> Piece:
        """The attempts at `start` or later and before `end`, in the order of time."""
        campaign = self.campaign
        moments = (start, end + SECOND)  # times are whole seconds, after which an attempt was
        bounds = [(moment - campaign.begin) * campaign.attempts / campaign.length for moment in moments]
        first, last = (
            min(max(math.floor(bound) + more, 0), campaign.attempts) for bound, more in zip(bounds, (-2, 3), strict=True)
        )
        numbers = np.arange(first, last)
        times = self._times(numbers)
        return self._piece(numbers[(times >= start) & (times < end)])

    def _times(self, numbers: Whole) -> Whole:
        share = (numbers + self._chance.share("time", numbers)) / self.campaign.attempts
        return self.campaign.begin + (share * self.campaign.length).astype(np.int64) // SECOND * SECOND

    def _piece(self, numbers: Whole) -> Piece:
        world, campaign, chance = self._world, self.campaign, self._chance
        round_, place = numbers // campaign.users, numbers % campaign.users
        user = campaign.first + place * campaign.step % campaign.span
        org = world.people.org[user]
        error = self._errors(numbers, user, round_, place)
        ghost = len(world.people.org) + len(world.services.org) + org * GHOSTS + chance.below(GHOSTS, "ghost", place)
        return Piece(
            self._times(numbers),
            chance.bits("low", numbers),
            chance.bits("high", numbers),
            error,
            np.where(error == NOBODY, ghost, user),
            org,
            self.addresses(numbers),
            self._agents(numbers),
            np.full(len(numbers), campaign.number),
        )

    def _errors(self, numbers: Whole, user: Whole, round_: Whole, place: Whole) -> Whole:
        """A weak password is found in some round; from then on the account is used, unless a second factor is asked for."""
        given, chance = self._parameters, self._chance
        asked = self._world.second_factor[self._world.people.org[user]]
        if self.campaign.kind == PHISHED:
            return np.where(asked & (numbers % 2 == 0), FACTOR, NONE)
        error = np.where(chance.share("locked", numbers) < given.attacks_locked, LOCKED, WRONG)
        found = (self._weak.share("people", user) < given.guessable) & (
            round_ >= chance.below(self.campaign.passwords, "round", place)
        )
        error = np.where(found, np.where(asked, FACTOR, NONE), error)
        return np.where(chance.share("ghosts", place) < given.ghosts, NOBODY, error)

    def addresses(self, numbers: Whole) -> Whole:
        """The addresses that attempts come from."""
        return self.campaign.addresses[self._rotated(numbers)]

    def _rotated(self, numbers: Whole) -> Whole:
        count = len(self.campaign.addresses)
        if self.campaign.rotation == "sticky":
            return numbers * count // self.campaign.attempts
        return numbers % count if self.campaign.rotation == "turn" else self._chance.below(count, "address", numbers)

    def _agents(self, numbers: Whole) -> Whole:
        """Disguised attempts have the agent of a browser, another one for each address."""
        browser = agents.popular(self._chance.share("browser", self._rotated(numbers)))
        disguised = self._chance.share("disguised", numbers) < self.campaign.disguised
        own = np.where(disguised, browser, agents.number_of(self.campaign.agent))
        return np.where(self._chance.share("no agent", numbers) < self._parameters.no_agent, NONE, own)


def campaigns_of(world: World, parameters: Parameters, begin: int, seed: int, rows: int) -> list[Campaign]:
    """The campaigns of a log, whose attempts are a fixed share of its rows, and the phished accounts."""
    chance = np.random.Generator(np.random.Philox(seed + (1 << 64)))
    stolen = [_phished(chance, world, parameters, begin, number) for number in range(max(2, round(rows * parameters.phished)))]
    count = max(parameters.least_campaigns, round(rows * parameters.campaigns))
    kinds, shares = zip(*parameters.kinds, strict=True)
    chosen = [kinds[each] for each in chance.choice(len(kinds), count, p=shares)]
    chosen[: len(kinds)] = kinds  # each of them occurs
    sizes = _divided(chance, round(rows * parameters.fraud) - sum(each.attempts for each in stolen), count)
    made = [
        _campaign(chance, world, parameters, begin, number, kind, int(size))
        for number, (kind, size) in enumerate(zip(chosen, sizes, strict=True))
    ]
    return [*made, *stolen]


def _divided(chance: np.random.Generator, attempts: int, count: int) -> Whole:
    """The attempts of each campaign: some are ten times as large as others."""
    weights = chance.lognormal(0, 0.8, count)
    ends = np.floor(np.cumsum(weights) / weights.sum() * max(attempts, count) + 1e-9).astype(np.int64)
    ends[-1] = max(attempts, count)
    return np.asarray(np.maximum(np.diff(ends, prepend=0), 1))


def _campaign(
    chance: np.random.Generator, world: World, parameters: Parameters, begin: int, number: int, kind: str, attempts: int
) -> Campaign:
    days = parameters.days
    passwords, length = {
        "loud": (chance.integers(2, 7), chance.uniform(0.1, 2)),
        "slow": (chance.integers(1, 3), chance.uniform(days / 3, days * 0.9)),
        "homes": (chance.integers(1, 4), chance.uniform(days / 10, days / 2)),
        "carriers": (chance.integers(1, 4), chance.uniform(1, max(1, days / 4))),
    }[kind]
    length = int(min(length, days * 0.95) * DAY)
    people = len(world.people.org)
    users = int(min(max(1, attempts // int(passwords)), people))
    span = int(min(people, max(users, users * chance.uniform(1, 4))))
    agents_, shares = zip(*parameters.agents, strict=True)
    agent = str(agents_[chance.choice(len(agents_), p=shares)])
    return Campaign(
        number,
        f"campaign {number}",
        kind,
        begin + _seconds(chance.uniform(0, days * DAY - length)),
        length,
        attempts,
        int(chance.integers(0, people - span + 1)),
        span,
        users,
        _coprime(chance, span),
        _places(chance, world, kind, attempts),
        {"loud": ROTATIONS[int(chance.integers(0, 2))], "slow": "turn"}.get(kind, "random"),
        agent,
        1.0 if agent == "disguised" else parameters.partly,
    )


def _phished(chance: np.random.Generator, world: World, parameters: Parameters, begin: int, number: int) -> Campaign:
    attempts, people = int(chance.integers(4, 13)), len(world.people.org)
    length = int(min(chance.uniform(0.2, 4), parameters.days * 0.95) * DAY)
    place = _homes(chance, world, 1) if chance.random() < 0.5 else _servers(chance, world, 1, spread=True)
    start, user = begin + _seconds(chance.uniform(0, parameters.days * DAY - length)), int(chance.integers(0, people))
    return Campaign(NONE, f"phished {number}", PHISHED, start, length, attempts, user, 1, 1, 1, place, "sticky", "disguised", 1.0)


def _places(chance: np.random.Generator, world: World, kind: str, attempts: int) -> Whole:
    """The addresses of a campaign: few that try often, or many that try seldom."""
    tries = {"loud": chance.uniform(40, 200), "slow": chance.uniform(1.5, 8), "homes": chance.uniform(1, 5), "carriers": 60.0}[
        kind
    ]
    count = int(min(max(2, attempts / tries), _MOST_PLACES))
    if kind == "homes":
        return _homes(chance, world, count)
    if kind == "carriers":
        country = chance.integers(0, len(world.carriers[0]), min(count, 20))
        return world.carriers[0][country] + (chance.random(len(country)) * world.carriers[1][country]).astype(np.int64)
    return _servers(chance, world, count, spread=kind == "slow")


def _homes(chance: np.random.Generator, world: World, count: int) -> Whole:
    """Homes whose devices somebody has taken over: their people go on to sign in from there."""
    return world.people.homes[chance.integers(0, len(world.people.homes), count)] + chance.integers(0, 2, count)


def _servers(chance: np.random.Generator, world: World, count: int, *, spread: bool) -> Whole:
    """Rented servers, in a few blocks or in many."""
    first, blocks = world.rented
    few = chance.integers(0, blocks, blocks if spread else min(blocks, 1 + count // 60))
    block = few[chance.integers(0, len(few), count)]
    return world.addresses.add(first + block, chance.integers(100, 255, count), world.rented_country[block])


def _seconds(moment: float) -> int:
    return int(moment) // SECOND * SECOND


def _coprime(chance: np.random.Generator, span: int) -> int:
    """A step that meets everybody in a span."""
    step = int(chance.integers(1, span + 1))
    while math.gcd(step, span) != 1:
        step += 1
    return step
