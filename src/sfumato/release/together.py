"""Whether a release was judged together with the earlier ones of its ledger: with which, by what, and with which not and why.

Everything that enters a ledger says this where it is published (`carry_out`): it hands over a judge, or one of the reasons in `Alone`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from sfumato.errors import argument, several

MOST_SHOWN = 8  # releases by their numbers
MOST_REASONS = 3


class Alone(Enum):
    """Why a release enters a ledger without being judged together with earlier ones. This is the complete list."""

    ASKED = (
        "the owner asked for it (`none`); so do the deliveries of a negotiation, which were judged together when they were offered, "
        "the projects of the workbench, whose releases are drafts, and the demonstration, which is made again and again"
    )
    UNNAMED = "no ledger was named: the one of the user's data folder has releases of many tables, for people who never meet"
    CHANGED = "an operation has changed its values, which leaves no classes of people that could be put together"


@dataclass(frozen=True, slots=True)
class NotJudged:
    """What could not be judged, and why: a release by its number in the ledger; None where it is not about a single one."""

    release: int | None
    why: str

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        return {"release": self.release, "why": self.why}


@dataclass(frozen=True, slots=True)
class JudgedTogether:
    """The earlier releases that a release was judged together with, and the models that all of them keep; what could not be judged.
    `head` is the digest of the last entry of the ledger at that time: the release is entered after it."""

    head: str
    releases: tuple[int, ...] = ()
    models: tuple[str, ...] = ()
    not_judged: tuple[NotJudged, ...] = ()

    @property
    def line(self) -> str | None:
        """What it keeps, in words; None if nothing was judged."""
        if not self.releases or not self.models:
            return None
        return f"kept together with {releases_in_words(self.releases)}: {', '.join(self.models)}"

    @property
    def warning(self) -> str | None:
        """What could not be judged, in words; None if there is nothing."""
        if not self.not_judged:
            return None
        reasons = list(dict.fromkeys(each.why for each in self.not_judged))
        more = len(reasons) - MOST_REASONS
        listed = [*reasons[:MOST_REASONS], *([f"and {several(more, 'further reason')}"] if more > 0 else [])]
        return f"not judged together with every earlier release of this ledger: {'; '.join(listed)}"

    def as_dict(self) -> dict[str, Any] | None:
        """For machines, and for the owner's copy; None if there was nothing to compare with."""
        if not self.models and not self.not_judged:
            return None
        return {
            "releases": list(self.releases),
            "models": list(self.models),
            "not_judged": [each.as_dict() for each in self.not_judged],
        }


Judge = Callable[[], JudgedTogether]


def releases_in_words(numbers: Sequence[int]) -> str:
    """
    >>> releases_in_words([3]), releases_in_words([1, 2, 5]), releases_in_words(range(1, 21))
    ('release 3', 'releases 1, 2 and 5', 'releases 1, 2, 3, 4, 5, 6, 7, 8 and 12 more')
    """
    if len(numbers) == 1:
        return f"release {numbers[0]}"
    if len(numbers) > MOST_SHOWN:
        shown, last = list(map(str, numbers[:MOST_SHOWN])), f"{len(numbers) - MOST_SHOWN:,} more"
    else:
        *shown, last = map(str, numbers)
    return f"releases {', '.join(shown)} and {last}"


def way_out() -> str:
    """What to do about a release that is refused."""
    return f"{argument('together', 'none')} publishes it all the same"
