"""The owner behind each listing, ready to answer: the explored space and everything that was offered, kept in memory."""

from __future__ import annotations

import threading
from collections import OrderedDict
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


@dataclass(frozen=True, slots=True)
class _Ready:
    """An owner, the number of the last answer that it knows, and the listings whose bounds it keeps."""

    owner: Owner
    last: int
    others: frozenset[str]


class Desks:
    """One for each service. What is kept follows the store, which is asked for new offers each time."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._lock = threading.Lock()
        self._spaces: OrderedDict[str, PolicySpace] = OrderedDict()
        self._ready: OrderedDict[str, _Ready] = OrderedDict()

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

    def owner(self, connection: Connection, listing: Listing) -> Owner:
        """The owner of a listing, after all offers so far. The caller has locked the listing's content."""
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
        return made.owner

    @staticmethod
    def _grown(known: _Ready, new: Sequence[Answered]) -> _Ready | None:
        """What is known with new offers; None if one was made under rules that are not known."""
        if not new:
            return known
        coalitions = known.owner.coalitions
        if coalitions is None or not {each.offering for each in new} <= known.others:
            return None
        for each in new:
            if each.levels is not None:
                coalitions = coalitions.with_deal(Deal(each.event, node_of(coalitions.lattice, each.levels)))
        return replace(known, owner=replace(known.owner, coalitions=coalitions), last=new[-1].number)

    def _anew(self, connection: Connection, listing: Listing, answers: Sequence[Answered]) -> _Ready:
        offers = {each.event: each.levels for each in answers if each.levels is not None}
        makers = {each.offering for each in answers if each.levels is not None} - {listing.id}
        others = [each for each in listings.alike(connection, listing.content) if each.id in makers]
        beside = [(each.rules, self.space(each)) for each in others]
        owner = owner_after(listing.rules, self.space(listing), offers, beside)
        return _Ready(owner, answers[-1].number if answers else 0, frozenset({listing.id, *makers}))
