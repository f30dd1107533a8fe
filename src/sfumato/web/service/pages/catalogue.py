"""The catalogue: what can be asked for, and asking for it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Form, Request, Response

from sfumato.negotiation.files.story import rules_in_words
from sfumato.negotiation.protocol import Conflict
from sfumato.web.rendering import show
from sfumato.web.service import deciding
from sfumato.web.service.access import signed_in, user_in
from sfumato.web.service.pages.asking import budget_from, builder_of, pattern_from
from sfumato.web.service.pages.common import NUMBER, go_to
from sfumato.web.service.people import Account
from sfumato.web.service.rooms import rooms_of
from sfumato.web.service.secret import new_id
from sfumato.web.service.store import listings

router = APIRouter()
SignedIn = Annotated[Account, Depends(signed_in)]
User = Annotated[Account, Depends(user_in)]


@router.get("/catalogue")
def catalogue(request: Request, account: SignedIn) -> Response:
    """Everything that can be asked for."""
    with rooms_of(request).service.database.reading() as connection:
        found = listings.open_ones(connection)
    listed = [{"listing": each, "rules": rules_in_words(each.sheet)} for each in found]
    return show(request, "service/catalogue.html", listed=listed)


@router.get("/catalogue/{identity}")
def one(request: Request, account: SignedIn, identity: str) -> Response:
    """A table that can be asked for, with the pattern builder for users."""
    with rooms_of(request).service.database.reading() as connection:
        found = deciding.listed(connection, identity)
    return show(
        request,
        "service/listing.html",
        listing=found,
        sheet=found.sheet,
        rules=rules_in_words(found.sheet),
        builder=builder_of(found.sheet),
        number=new_id(),
    )


@router.post("/catalogue/{identity}")
def ask(
    request: Request,
    user: User,
    identity: str,
    pattern: Annotated[str, Form()] = "",
    shares: Annotated[str, Form()] = "",
    budget: Annotated[str, Form()] = "",
    number: Annotated[str | None, Form(pattern=NUMBER)] = None,
) -> Response:
    """Ask for a release. The page has drawn a number for it, so that a form that is sent twice asks once."""
    asked = (request, user, identity, pattern_from(pattern, shares), budget_from(budget))
    try:
        made = deciding.ask(*asked, identity=number)
    except Conflict:  # somebody went back to the page and asked for something else
        made = deciding.ask(*asked)
    return go_to(f"/negotiations/{made.id}")
