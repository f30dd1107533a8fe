"""The daily life: people and services who sign in, each from where they usually are, with the mistakes that people make."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sfumato.applications.ato.generating import agents
from sfumato.applications.ato.generating.chance import Chance
from sfumato.applications.ato.generating.clock import Clock
from sfumato.applications.ato.generating.parameters import COUNTRIES, Parameters
from sfumato.applications.ato.generating.pieces import (
    ENDED,
    EXPIRED,
    GHOSTS,
    LOCKED,
    NOBODY,
    NONE,
    SECOND,
    STAY,
    WRONG,
    Piece,
)
from sfumato.applications.ato.generating.world import World

Whole = npt.NDArray[np.int64]
BUSY = 1.6  # people of a country are chosen by a share to this power: some sign in far more often
_LEASE = 20  # days that a home keeps its address
_WEEKS = 1 << 10
_AT_HOME_ON_WEEKENDS = 0.9


class Life:
    """The events of people and services: `count` of them, in the order of time."""

    def __init__(self, world: World, clock: Clock, parameters: Parameters, seed: int, count: int) -> None:
        self.world, self.clock, self.parameters, self.count = world, clock, parameters, count
        self._chance = Chance(seed, "life")

    def times(self, numbers: Whole) -> Whole:
        """When events happen; they are in the order of their numbers."""
        return self.clock.times((numbers + self._chance.share("time", numbers)) / self.count)

    def piece(self, numbers: Whole) -> Piece:
        """Some events by their numbers."""
        times = self.times(numbers)
        is_service = self.clock.is_service(times, self._chance.share("service", numbers))
        person = self._people(numbers, times)
        service = self._services(numbers, times)
        columns = [np.where(is_service, theirs, own) for own, theirs in zip(person, service, strict=True)]
        error, user, org, address, agent = columns
        agent = np.where(self._chance.share("no agent", numbers) < self.parameters.no_agent, NONE, agent)
        low, high = self._chance.bits("low", numbers), self._chance.bits("high", numbers)
        return Piece(times, low, high, error, user, org, address, agent, np.full(len(numbers), NONE))

    def _people(self, numbers: Whole, times: Whole) -> tuple[Whole, ...]:
        world, chance = self.world, self._chance
        country = self.clock.country(times, chance.share("country", numbers))
        rank = chance.share("person", numbers) ** BUSY * world.count_of_country[country]
        user = world.first_of_country[country] + rank.astype(np.int64)
        user = np.minimum(user, len(world.people.org) - 1)  # of a country where nobody is
        org, mobile = world.people.org[user], chance.share("mobile", numbers) < self.parameters.mobile
        error = self._errors(numbers, times, user, mobile)
        ghost = len(world.people.org) + len(world.services.org) + org * GHOSTS + chance.below(GHOSTS, "ghost", numbers)
        agent = np.where(mobile, agents.PHONES_FROM + world.people.phone[user], world.people.agent[user])
        old = world.people.legacy[user] & (chance.share("legacy", numbers) < 0.5)
        agent = np.where(old, agents.number_of(agents.LEGACY), agent)
        return error, np.where(error == NOBODY, ghost, user), org, self._places(numbers, times, user, mobile), agent

    def _places(self, numbers: Whole, times: Whole, user: Whole, mobile: npt.NDArray[np.bool_]) -> Whole:
        """The addresses that people sign in from."""
        world, chance, people = self.world, self._chance, self.world.people
        day, country, org = self.clock.day(times), people.country[user], people.org[user]
        remote = np.where(day % 7 >= 5, _AT_HOME_ON_WEEKENDS, people.remote[user])
        lease = (day + chance.below(_LEASE, "phase", user)) // _LEASE
        home = people.homes[user] + lease % 2
        office = world.offices[0][org] + chance.below(world.offices[1][org], "office", numbers)
        place = np.where(chance.share("home", numbers) < remote, home, office)
        tunnel = world.tunnels[0] + chance.below(world.tunnels[1], "tunnel", user)
        place = np.where(people.tunnel[user] & (chance.share("in tunnel", numbers) < 0.5), tunnel, place)
        carrier = world.carriers[0][country] + chance.below(world.carriers[1][country], "carrier", user * _WEEKS + day)
        place = np.where(mobile, carrier, place)
        week = user * _WEEKS + day // 7
        away = chance.below(len(COUNTRIES), "away", week)
        hotel = world.hotels[0][away] + chance.below(world.hotels[1][away], "hotel", week)
        return np.where(chance.share("travel", week) < self.parameters.travel, hotel, place)

    def _errors(self, numbers: Whole, times: Whole, user: Whole, mobile: npt.NDArray[np.bool_]) -> Whole:
        """How the sign-ins of people end."""
        world, chance, given = self.world, self._chance, self.parameters
        org, day = world.people.org[user], self.clock.day(times)
        wrong = world.people.mistyped[user]
        wrong = np.where(chance.share("stale", user * _WEEKS + day // 7) < given.stale, given.mistyped_when_stale, wrong)
        wrong = np.where(world.reset_day[org] == day, given.mistyped_on_reset, wrong)
        asked = np.where(world.second_factor[org], given.asked, 0.0)
        drawn, ends, error = chance.share("outcome", numbers), np.zeros(len(numbers)), np.full(len(numbers), NONE)
        chances: list[tuple[int, npt.ArrayLike]] = [
            (WRONG, wrong),
            (LOCKED, given.locked),
            (NOBODY, given.no_such_user),
            (EXPIRED, given.expired),
            (SECOND, asked),
            (STAY, given.interrupted / 2),
            (ENDED, given.interrupted / 2),
        ]
        for number, share in chances:
            begins, ends = ends, ends + np.asarray(share)
            error = np.where((drawn >= begins) & (drawn < ends), number, error)
        return error

    def _services(self, numbers: Whole, times: Whole) -> tuple[Whole, ...]:
        """Services sign in around the clock; one whose password has expired goes on with the old one."""
        services, chance = self.world.services, self._chance
        which = chance.below(len(services.org), "which service", numbers)
        done = (times - self.clock.begin) / self.clock.length
        error = np.where(done >= services.ends[which], WRONG, NONE)
        agent = agents.SERVICES_FROM + which % agents.SERVICES
        return error, len(self.world.people.org) + which, services.org[which], services.address[which], agent
