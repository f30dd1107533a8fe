"""The parameters of the generator. The reasons, and in which order they were settled, are in docs/decisions/0035."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

FEWEST = 1000  # rows; fewer have no room for campaigns

# Where people work: share of the organizations, and hours from UTC.
COUNTRIES = {
    "US": (0.46, -6),
    "GB": (0.11, 0),
    "DE": (0.09, 1),
    "CA": (0.06, -5),
    "AU": (0.05, 10),
    "FR": (0.05, 1),
    "NL": (0.04, 1),
    "IN": (0.04, 5),
    "BR": (0.03, -3),
    "ES": (0.03, 1),
    "JP": (0.02, 9),
    "ZA": (0.02, 2),
}
# Where servers are rented.
HOSTING = {"US": 0.28, "NL": 0.2, "DE": 0.14, "RU": 0.1, "CN": 0.1, "SG": 0.06, "UA": 0.06, "VN": 0.06}
EVERYWHERE = tuple(dict.fromkeys([*COUNTRIES, *HOSTING]))


@dataclass(frozen=True, slots=True)
class Parameters:
    """What a log is like. Shares are of events unless it says of what."""

    begin: datetime = datetime(2026, 3, 2)  # a Monday
    days: int = 30
    logins: float = 50.0  # of a person, in the mean over the log
    people: float = 60.0  # in an organization, in the mean

    # Places
    mobile: float = 0.15  # through the shared addresses of carriers
    travel: float = 0.02  # of the weeks of a person
    tunnels: float = 0.015  # of people, who take a shared tunnel in a rented subnet half of the time
    new_addresses: float = 0.2  # of homes that have IPv6
    new_offices: float = 0.1  # of organizations whose offices have IPv6
    no_country: float = 0.005  # of addresses
    no_agent: float = 0.015

    # Mistakes and interruptions of people
    mistyped: float = 0.03
    reset_day: float = 0.3  # of organizations have a day on which everybody changes the password
    mistyped_on_reset: float = 0.3
    stale: float = 0.01  # of the weeks of a person, in which some device has an old password
    mistyped_when_stale: float = 0.5
    locked: float = 0.002
    no_such_user: float = 0.002
    expired: float = 0.004
    second_factor: float = 0.5  # of organizations ask for one
    asked: float = 0.12  # of the sign-ins where it is asked for are interrupted by it
    interrupted: float = 0.015  # by a session that ended, or the question whether to stay signed in

    # Services
    service_logins: float = 0.04
    services: float = 0.005  # per person
    service_expired: float = 0.15  # of services, whose password expires at some moment and is never changed
    legacy: float = 0.004  # of people, who read mail with a program that is taken for suspicious

    # Attacks
    fraud: float = 0.03
    campaigns: float = 1e-5  # per event
    least_campaigns: int = 8
    phished: float = 5e-6  # accounts per event, whose password somebody has from elsewhere
    kinds: tuple[tuple[str, float], ...] = (("loud", 0.35), ("slow", 0.3), ("homes", 0.2), ("carriers", 0.15))
    guessable: float = 0.004  # of people have a password that a campaign finds
    ghosts: float = 0.12  # of the people whom a campaign tries do not exist
    attacks_locked: float = 0.02
    agents: tuple[tuple[str, float], ...] = (("CBAInPROD", 0.4), ("python-requests/2.31.0", 0.15), ("disguised", 0.45))
    partly: float = 0.3  # of the attempts of a campaign with a suspicious agent are disguised


DEFAULT = Parameters()
