"""The owner behind each listing, ready to answer: the explored space and everything that was answered, kept in memory."""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace

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


class Tally:
    """How many answers each account got about a table, by negotiation: of all up to a number, each counted once, whoever brings it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last = 0
        self._many: dict[str, Counter[str]] = {}

    def count(self, answers: Sequence[Answered]) -> None:
        """Go on with answers, in their order, from one that is known or the first that is not."""
        with self._lock:
            for each in answers:
                if each.number > self._last:
                    self._many.setdefault(each.account, Counter())[each.negotiation] += 1
                    self._last = each.number

    def others(self, account: str, without: str) -> int:
        """How many answers an account got in other negotiations."""
        with self._lock:
            many = self._many.get(account, Counter())
            return many.total() - many[without]


@dataclass(frozen=True, slots=True)
class Ready:
    """An owner, the number of the last answer that it knows, the listings whose bounds it keeps, and how many answers were given."""

    owner: Owner
    last: int
    listings: frozenset[str]
    tally: Tally


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
        new = listings.answers(connection, listing.content, 0 if known is None else known.last)
        made = self._grown(known, new) if known else None
        if made is None:
            every = listings.answers(connection, listing.content) if known else new
            made = self._anew(connection, listing, every)
        with self._lock:
            self._ready[listing.id] = made
            self._ready.move_to_end(listing.id)
            while len(self._ready) > _MOST:
                self._ready.popitem(last=False)
        return made

    @staticmethod
    def _grown(known: Ready, new: Sequence[Answered]) -> Ready | None:
        """What is known with new answers; None if one was made under rules that are not known."""
        if not new:
            return known
        coalitions = known.owner.coalitions
        if coalitions is None or not {each.offering for each in new} <= known.listings:
            return None
        for each in new:
            if each.levels is not None:
                coalitions = coalitions.with_deal(Deal(each.event, node_of(coalitions.lattice, each.levels)))
        known.tally.count(new)
        return replace(known, owner=known.owner.among(coalitions), last=new[-1].number)

    def _anew(self, connection: Connection, listing: Listing, answers: Sequence[Answered]) -> Ready:
        offers = {each.event: each.levels for each in answers if each.levels is not None}
        makers = {each.offering for each in answers if each.levels is not None} - {listing.id}
        others = [each for each in listings.alike(connection, listing.content) if each.id in makers]
        beside = [(each.rules, self.space(each)) for each in others]
        owner = owner_after(listing.rules, self.space(listing), offers, beside)
        tally = Tally()
        tally.count(answers)
        return Ready(owner, answers[-1].number if answers else 0, frozenset({listing.id, *makers}), tally)
