"""Offer: what every release must keep, what can be asked for, and at which rate."""

from __future__ import annotations

from dataclasses import asdict
from math import isfinite
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, Request, Response
from pydantic import BaseModel

from sfumato.errors import UsageError
from sfumato.models import models_of
from sfumato.negotiation.files.opening import LIMIT, Offering
from sfumato.negotiation.files.story import rules_in_words
from sfumato.negotiation.owner import DAY, FINEST, GRID, MOST_SEEN
from sfumato.negotiation.pricing import Price
from sfumato.vocabulary.kinds import Role
from sfumato.web.bench.pages.common import bench_of
from sfumato.web.rendering import show
from sfumato.web.service import tables
from sfumato.web.service.access import owner_in
from sfumato.web.service.jobs.tasks import OFFER, offering_of
from sfumato.web.service.pages.common import go_to
from sfumato.web.service.people import Account
from sfumato.web.service.rooms import rooms_of
from sfumato.web.service.store import jobs, listings, negotiations
from sfumato.web.service.store.listings import Listing

router = APIRouter()
Owner = Annotated[Account, Depends(owner_in)]
VARIABLE = "variable"


class Sent(BaseModel):
    """The form. Everything is a text: an empty field is one that says nothing."""

    title: str = ""
    epsilon: str = ""
    alpha: str = ""
    models: str = ""
    quasi: list[str] = []
    sensitive: str = ""
    rate: str = "flat"
    price: str = ""
    expected: str = ""
    limit: str = str(LIMIT)
    days: str = "7"
    grid: str = str(GRID)
    most_seen: str = str(MOST_SEEN)

    def offering(self, all_quasi: tuple[str, ...]) -> Offering:
        """What is offered; refuses what is no number where one is needed."""
        models = tuple(line.strip() for line in self.models.splitlines() if line.strip())
        models_of(models)
        variable = self.rate == VARIABLE
        grid = _number("grid", self.grid) or GRID
        if not FINEST <= grid <= 1:
            raise UsageError(f"a number from {FINEST} to 1, such as 0.01", where="what losses are rounded up to")
        return Offering(
            epsilon=_number("ε", self.epsilon),
            alpha=_number("α", self.alpha),
            models=models,
            quasi=self._asked_for(all_quasi),
            sensitive=self.sensitive or None,
            price=_price(self.price) if variable else None,
            expected=_number("the profit you would like", self.expected) if variable else None,
            limit=_whole("answers in one negotiation", self.limit),
            valid_for=_whole("days", self.days) * DAY,
            grid=grid,
            most_seen=_whole("answers for one account", self.most_seen),
            title=_title(self.title),
        )

    def _asked_for(self, known: tuple[str, ...]) -> tuple[str, ...]:
        chosen = tuple(name for name in known if name in self.quasi)
        if not chosen:
            raise UsageError("choose one at least", where="what can be asked for")
        return chosen


@router.get("/offer")
def offer(request: Request, identity: str, owner: Owner) -> Response:
    """The form, and what is offered already."""
    bench, rooms = bench_of(request), rooms_of(request)
    schema = bench.project.schema
    with rooms.service.database.reading() as connection:
        last = jobs.last(connection, identity)
        listed = [_row(each, negotiations.of_offering(connection, each.id)) for each in listings.of_table(connection, identity)]
    offered = last if last is not None and last.task == OFFER else None
    before = None if offered is None else offering_of((offered.arguments or {})["offering"])
    sensitive = schema.names(Role.SENSITIVE)
    return show(
        request,
        "service/offer.html",
        step="offer",
        listed=listed,
        made=None if offered is None else offered.result,
        quasi=schema.quasi,
        sensitive=sensitive,
        filled=_filled(before, schema.quasi, request.state.frame["title"], bench.project.recipe.question.models),
    )


@router.post("/offer")
def make(request: Request, identity: str, owner: Owner, sent: Annotated[Sent, Form()]) -> Response:
    """Begin to explore the table with these rules; it is listed when that is done."""
    offering = sent.offering(bench_of(request).project.schema.quasi)
    tables.offer(request, owner, identity, offering)
    return go_to(f"/tables/{identity}/offer")


@router.post("/offer/{listing}/close")
def close(request: Request, identity: str, listing: str, owner: Owner) -> Response:
    """Take no further requests."""
    tables.close(request, owner, listing)
    return go_to(f"/tables/{identity}/offer#listed")


def _row(listing: Listing, states: dict[str, int]) -> dict[str, Any]:
    return {
        "listing": listing,
        "rules": rules_in_words(listing.sheet),
        "asked": sum(states.values()),
        "deals": states.get("agreed", 0) + states.get("delivered", 0),
    }


def _filled(before: Offering | None, quasi: tuple[str, ...], title: str, models: Any) -> dict[str, Any]:
    """What the form shows: what was asked for last, or what is sensible."""
    if before is None:
        first = Offering(epsilon=0.5, models=tuple(map(str, models)), title=title)
        return _filled(first, quasi, title, models)
    plain = asdict(before)
    chosen = quasi if before.quasi is None else before.quasi
    return {
        **{name: "" if value is None else value for name, value in plain.items()},
        "models": "\n".join(before.models),
        "quasi": chosen,
        "days": max(before.valid_for // DAY, 1),
        "rate": "flat" if before.price is None else VARIABLE,
        "price": before.price or "linear:100,80",
    }


def _number(where: str, text: str) -> float | None:
    if not text.strip():
        return None
    try:
        number = float(text)
    except ValueError:
        number = -1
    if not isfinite(number) or number < 0:
        raise UsageError("a number from 0 up, such as 0.5", where=where)
    return number


def _whole(where: str, text: str) -> int:
    if not text.strip().isdecimal() or not 1 <= int(text) <= 10**5:
        raise UsageError("a whole number from 1 up", where=where)
    return int(text)


def _price(text: str) -> str:
    if not text.strip():
        raise UsageError("a variable rate needs a price, such as linear:100,80", where="price")
    return str(Price.of(text.strip()))


def _title(text: str) -> str | None:
    plain = " ".join(text.split())
    if len(plain) > 120 or not plain.isprintable():
        raise UsageError("one line of at most 120 characters", where="title")
    return plain or None
