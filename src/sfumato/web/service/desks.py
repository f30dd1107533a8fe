"""The owner behind each listing, ready to answer: the explored space and everything that was answered, kept in memory."""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import attrgetter

from sqlalchemy.engine import Connection

from sfumato.negotiation.coalition import Deal, node_of
from sfumato.negotiation.files.rules import Rules
from sfumato.negotiation.files.turns import owner_after
from sfumato.negotiation.owner import Owner
from sfumato.search.space import PolicySpace
from sfumato.web.service.places import SCHEMA, SPACE, Places
from sfumato.web.service.store import listings
from sfumato.web.service.store.listings import Answered, Listing

_MOST = 8  # listings whose space is kept
_account = attrgetter("account")


@dataclass(frozen=True, slots=True)
class Ready:
    """An owner after some answers, the last of these, the listings whose bounds it keeps, and how many answers each account got, by
    negotiation."""

    owner: Owner
    last: Answered | None
    listings: frozenset[str]
    given: Mapping[str, Mapping[str, int]]

    def answers_to(self, account: str, without: str) -> int:
        """How many answers an account got in other negotiations."""
        return sum(many for negotiation, many in self.given.get(account, {}).items() if negotiation != without)


class Desks:
    """One for each service. What is kept follows the store, which is asked for new offers each time."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._lock = threading.Lock()
        self._spaces: OrderedDict[str, PolicySpace] = OrderedDict()
        self._ready: OrderedDict[str, Ready] = OrderedDict()

    def rules(self, listing: Listing) -> Rules:
        """How the owner of a listing answers; its files are where they lie now."""
        schema = self._places.listing(listing.id) / SCHEMA
        return replace(listing.rules, data=str(self._places.original(listing.dataset)), schema=str(schema))

    def space(self, listing: Listing) -> PolicySpace:
        """The explored space of a listing."""
        with self._lock:
            if listing.id not in self._spaces:
                self._spaces[listing.id] = PolicySpace.read(self._places.listing(listing.id) / SPACE)
                while len(self._spaces) > _MOST:
                    self._spaces.popitem(last=False)
            self._spaces.move_to_end(listing.id)
            return self._spaces[listing.id]

    def ready(self, connection: Connection, listing: Listing) -> Ready:
        """The owner of a listing, after all answers so far. The caller has locked the listing's content."""
        with self._lock:
            known = self._ready.get(listing.id)
        made = self._grown(connection, listing, known) if known else None
        if made is None:
            made = self._anew(connection, listing)
        with self._lock:
            self._ready[listing.id] = made
            self._ready.move_to_end(listing.id)
            while len(self._ready) > _MOST:
                self._ready.popitem(last=False)
        return made

    @staticmethod
    def _grown(connection: Connection, listing: Listing, known: Ready) -> Ready | None:
        """What is known with the answers since; None if one was made under rules that are not known, or if the last one that is known is
        not in the store: the transaction that gave it was undone."""
        new = listings.answers(connection, listing.content, known.last.number if known.last else 0)
        if known.last is not None:
            if not new or new[0] != known.last:
                return None
            new = new[1:]
        if not new:
            return known
        coalitions = known.owner.coalitions
        if coalitions is None or not {each.offering for each in new} <= known.listings:
            return None
        for each in new:
            if each.levels is not None:
                coalitions = coalitions.with_deal(Deal(each.event, node_of(coalitions.lattice, each.levels)))
        return Ready(known.owner.among(coalitions), new[-1], known.listings, _counted(known.given, new))

    def _anew(self, connection: Connection, listing: Listing) -> Ready:
        answers = listings.answers(connection, listing.content)
        offers = {each.event: each.levels for each in answers if each.levels is not None}
        makers = {each.offering for each in answers if each.levels is not None} - {listing.id}
        others = [each for each in listings.alike(connection, listing.content) if each.id in makers]
        beside = [(each.rules, self.space(each)) for each in others]
        owner = owner_after(listing.rules, self.space(listing), offers, beside)
        last = answers[-1] if answers else None
        return Ready(owner, last, frozenset({listing.id, *makers}), _counted({}, answers))


def _counted(before: Mapping[str, Mapping[str, int]], answers: Sequence[Answered]) -> Mapping[str, Mapping[str, int]]:
    """How many answers each account got, with some more."""
    given = dict(before)
    for account, new in groupby(sorted(answers, key=_account), _account):
        given[account] = Counter(given.get(account, {})) + Counter(each.negotiation for each in new)
    return given
