"""Activity: what was done, by whom and when."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request, Response

from sfumato.web.rendering import show
from sfumato.web.service.access import owner_in
from sfumato.web.service.people import Account
from sfumato.web.service.service import service_of
from sfumato.web.service.store import accounts, audit

router = APIRouter()
PER_PAGE = 50
# What is recorded in words; whoever records something else adds them here.
WORDS = {
    "set-up": "set the service up",
    "sign-in": "signed in",
    "sign-in-failed": "failed to sign in",
    "sign-out": "signed out",
    "password": "changed the password",
    "reset-link": "made a link for a new password",
    "reset-link-printed": "printed a link for a new password, on the computer of the service",
    "withdraw-reset-link": "withdrew a link for a new password",
    "reset-password": "chose a new password by a link",
    "token": "made a token",
    "revoke-token": "revoked a token",
    "invite": "invited somebody",
    "withdraw": "withdrew an invitation",
    "join": "joined",
    "close-account": "closed an account",
    "upload": "uploaded a table",
    "remove-table": "removed a table",
    "begin-again": "started to look at a table again",
    "look": "looked at a table again",
    "look-again": "started to look at a table again",
    "explore": "explored a table",
    "explore-again": "started to explore a table again",
    "release": "made a release",
    "release-again": "started to make a release again",
    "release-node": "made a release at a chosen node",
    "release-node-again": "started to make a release again",
    "offer": "offered a table",
    "offer-again": "started to offer a table again",
    "close-offer": "closed an offer",
    "deliver-again": "started to deliver again",
    "request": "asked for a release",
    "accept": "accepted an offer",
    "reject": "rejected an offer",
    "relax": "asked for something else",
    "terminate": "ended a negotiation",
    "deliver again": "started a delivery again",
}


@router.get("/activity")
def activity(
    request: Request,
    owner: Annotated[Account, Depends(owner_in)],
    before: Annotated[int | None, Query(ge=1, le=2**63 - 1)] = None,
) -> Response:
    """What was done last, page by page."""
    with service_of(request).database.reading() as connection:
        found = audit.newest(connection, owner.id, PER_PAGE + 1, before)
        names = {each.id: each.name for each in accounts.everybody(connection)}
    older = found[PER_PAGE - 1].id if len(found) > PER_PAGE else None
    return show(request, "service/activity.html", done=found[:PER_PAGE], older=older, before=before, words=WORDS, names=names)
