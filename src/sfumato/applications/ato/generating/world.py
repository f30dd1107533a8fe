"""Who signs in, and from where: organizations, people, services, and their addresses. Made once for a log, in memory: some hundred
bytes per person."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sfumato.applications.ato.generating.addresses import Addresses
from sfumato.applications.ato.generating.agents import PHONES, popular
from sfumato.applications.ato.generating.parameters import COUNTRIES, EVERYWHERE, HOSTING, Parameters

Whole = npt.NDArray[np.int64]
Shares = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
_OFFICES, _HOMES, _CARRIERS, _HOTELS, _RENTED = 4, 60, 32, 8, 40  # organizations or addresses in a block
_SPREAD = 1.1  # of the sizes of organizations: of their logarithms


@dataclass(frozen=True, slots=True)
class People:
    """By person, in the order of their organizations, and these in the order of their countries."""

    org: Whole
    country: Whole
    remote: Shares
    mistyped: Shares
    agent: Whole
    phone: Whole
    legacy: Flags
    tunnel: Flags
    homes: Whole  # the first of two addresses


@dataclass(frozen=True, slots=True)
class Services:
    """By service; `ends` is the share of the log after which its password is wrong, 2 if never."""

    org: Whole
    address: Whole
    ends: Shares


@dataclass(frozen=True, slots=True)
class World:
    """Everything that events refer to by number. Ranges of addresses by country are (first, count)."""

    sizes: Whole
    org_country: Whole
    second_factor: Flags
    reset_day: Whole  # -1: none
    offices: tuple[Whole, Whole]
    people: People
    services: Services
    first_of_country: Whole
    count_of_country: Whole
    carriers: tuple[Whole, Whole]
    hotels: tuple[Whole, Whole]
    tunnels: tuple[int, int]
    rented: tuple[int, int]  # blocks
    rented_country: Whole
    addresses: Addresses


def world_of(parameters: Parameters, seed: int, rows: int) -> World:
    """The world of a log of so many rows."""
    chance = np.random.Generator(np.random.Philox(seed))
    count = max(60, round(rows * (1 - parameters.fraud - parameters.service_logins) / parameters.logins))
    sizes = _sizes(chance, count, parameters)
    org_country = np.sort(chance.choice(len(COUNTRIES), len(sizes), p=[share for share, _ in COUNTRIES.values()]))
    book = Addresses()
    org = np.repeat(np.arange(len(sizes)), sizes)
    offices = _offices(chance, book, sizes, org_country, parameters)
    people = _people(chance, book, org, org_country[org], parameters)
    first = np.searchsorted(people.country, np.arange(len(COUNTRIES)))
    counts = np.bincount(people.country, minlength=len(COUNTRIES))
    carriers = _shared(book, counts // 150 + 2, _CARRIERS)
    hotels = _shared(book, counts // 400 + 2, _HOTELS)
    rented, rented_country = _rented(chance, book, count)
    tunnels = _in_rented(chance, book, rented, rented_country, max(4, count // 300))
    services = _services(chance, book, (rented, rented_country), offices, people, parameters)
    has_reset = chance.random(len(sizes)) < parameters.reset_day
    reset_day = np.where(has_reset, chance.integers(0, parameters.days, len(sizes)), -1)
    second_factor = chance.random(len(sizes)) < parameters.second_factor
    return World(
        sizes, org_country, second_factor, reset_day, offices, people, services, first, counts, carriers, hotels,
        (int(tunnels[0]), len(tunnels)), rented, rented_country, book,
    )  # fmt: skip


def _sizes(chance: np.random.Generator, people: int, parameters: Parameters) -> Whole:
    """The sizes of organizations: a few are large, most are small."""
    drawn = np.ceil(chance.lognormal(np.log(parameters.people) - _SPREAD**2 / 2, _SPREAD, people)).astype(np.int64)
    ends = np.cumsum(drawn)
    last = int(np.searchsorted(ends, people))
    sizes = drawn[: last + 1].copy()
    sizes[last] -= ends[last] - people
    return sizes


def _offices(
    chance: np.random.Generator, book: Addresses, sizes: Whole, country: Whole, parameters: Parameters
) -> tuple[Whole, Whole]:
    """The first address of each organization, and how many it has: one, or more if it is large."""
    counts = 1 + (sizes > 100) + 2 * (sizes > 400)
    org = np.repeat(np.arange(len(sizes)), counts)
    number = np.arange(len(org)) - np.repeat(np.cumsum(counts) - counts, counts)
    order = chance.permutation(len(sizes))
    new = (chance.random(len(sizes)) < parameters.new_offices)[org]
    block = book.new_blocks(len(sizes) // _OFFICES + 1) + order[org] // _OFFICES
    prefix = book.new_prefixes(len(sizes)) + org
    place = 1 + order[org] % _OFFICES * 16 + number
    added = book.add(np.where(new, prefix, block), place, country[org], new)
    return added[np.cumsum(counts) - counts], counts


def _people(chance: np.random.Generator, book: Addresses, org: Whole, country: Whole, parameters: Parameters) -> People:
    count = len(org)
    return People(
        org=org,
        country=country,
        remote=chance.beta(2, 3, count),
        mistyped=np.minimum(parameters.mistyped * chance.lognormal(-0.245, 0.7, count), 0.5),  # the mean of the factor is 1
        agent=popular(chance.random(count)),
        phone=chance.integers(0, PHONES, count),
        legacy=chance.random(count) < parameters.legacy,
        tunnel=chance.random(count) < parameters.tunnels,
        homes=_homes(chance, book, country, parameters),
    )


def _homes(chance: np.random.Generator, book: Addresses, country: Whole, parameters: Parameters) -> Whole:
    """Two addresses for each home, which it has in turn; neighbors are people of the same country, from any organization."""
    count = len(country)
    mixed = np.lexsort((chance.random(count), country))
    rank = np.empty(count, np.int64)
    rank[mixed] = np.arange(count)
    new = np.repeat(chance.random(count) < parameters.new_addresses, 2)
    twice, turn = np.repeat(rank, 2), np.tile([0, 1], count)
    block = book.new_blocks(count // _HOMES + 1) + twice // _HOMES
    place = 1 + twice % _HOMES + turn * 100
    prefix = book.new_prefixes(count) + twice
    return book.add(np.where(new, prefix, block), place, np.repeat(country, 2), new)[::2]


def _shared(book: Addresses, counts: Whole, in_block: int) -> tuple[Whole, Whole]:
    """Shared addresses of each country: the first, and how many."""
    firsts = []
    for country, count in enumerate(counts):
        numbers = np.arange(count)
        block = book.new_blocks(int(count) // in_block + 1) + numbers // in_block
        firsts.append(book.add(block, 1 + numbers % in_block, np.full(count, country))[0])
    return np.array(firsts), counts


def _rented(chance: np.random.Generator, book: Addresses, people: int) -> tuple[tuple[int, int], Whole]:
    """The blocks of servers for rent, and their countries."""
    count = max(6, people // 800)
    names = chance.choice(list(HOSTING), count, p=list(HOSTING.values()))
    return (book.new_blocks(count), count), np.array([EVERYWHERE.index(name) for name in names])


def _in_rented(chance: np.random.Generator, book: Addresses, rented: tuple[int, int], country: Whole, count: int) -> Whole:
    """Addresses of servers that serve: in the lower part of a block; attackers rent the upper one."""
    block = chance.integers(0, rented[1], count)
    return book.add(rented[0] + block, chance.integers(1, 100, count), country[block])


def _services(
    chance: np.random.Generator,
    book: Addresses,
    rented: tuple[tuple[int, int], Whole],
    offices: tuple[Whole, Whole],
    people: People,
    parameters: Parameters,
) -> Services:
    count = max(2, round(len(people.org) * parameters.services))
    org = people.org[chance.integers(0, len(people.org), count)]
    servers = _in_rented(chance, book, *rented, count)
    address = np.where(chance.random(count) < 0.6, servers, offices[0][org])
    expires = chance.permutation(count) < max(1, round(count * parameters.service_expired))
    return Services(org, address, np.where(expires, chance.random(count), 2.0))
