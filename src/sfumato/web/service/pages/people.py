"""People: who has an account, and who was invited."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Depends, Form, Request, Response

from sfumato.web.rendering import show
from sfumato.web.service import inviting, resetting
from sfumato.web.service.access import owner_in
from sfumato.web.service.pages.common import go_to
from sfumato.web.service.people import Account, Role
from sfumato.web.service.service import service_of
from sfumato.web.service.store import accounts, invitations, resets
from sfumato.web.service.texts import MaybeMail

router = APIRouter()
Owner = Annotated[Account, Depends(owner_in)]


@router.get("/people")
def people(request: Request, owner: Owner) -> Response:
    """Everybody."""
    return _page(request)


@router.post("/people/invitations")
def invite(request: Request, owner: Owner, role: Annotated[Role, Form()], mail: Annotated[MaybeMail, Form()] = None) -> Response:
    """A new invitation. The page that answers is the only one that ever shows its link."""
    made = inviting.invite(request, owner, role, mail)
    return _page(request, HTTPStatus.CREATED, made=made)


@router.post("/people/invitations/{number}/withdraw")
def withdraw(request: Request, owner: Owner, number: str) -> Response:
    """Make an invitation void."""
    inviting.withdraw(request, owner, number)
    return go_to("/people#invitations")


@router.post("/people/{number}/reset")
def reset(request: Request, owner: Owner, number: str) -> Response:
    """A link for a new password of a user. The page that answers is the only one that ever shows it."""
    return _page(request, HTTPStatus.CREATED, reset=resetting.make(request, owner, number))


@router.post("/people/{number}/reset/withdraw")
def withdraw_reset(request: Request, owner: Owner, number: str) -> Response:
    """Make such a link void."""
    resetting.withdraw(request, owner, number)
    return go_to("/people")


@router.post("/people/{number}/close")
def close(request: Request, owner: Owner, number: str) -> Response:
    """End an account."""
    inviting.close(request, owner, number)
    return go_to("/people")


def _page(
    request: Request,
    status: int = HTTPStatus.OK,
    *,
    made: tuple[invitations.Invitation, str] | None = None,
    reset: tuple[Account, resets.Reset, str] | None = None,
) -> Response:
    service = service_of(request)
    with service.database.reading() as connection:
        everybody = accounts.everybody(connection)
        waiting = invitations.waiting(connection, service.now())
        links = resets.waiting(connection, service.now())
    owners = [each.id for each in everybody if each.is_owner and each.closed is None]
    names = {each.id: each.name for each in everybody}
    last = owners[0] if len(owners) == 1 else None
    return show(
        request,
        "service/people.html",
        status,
        everybody=everybody,
        waiting=waiting,
        names=names,
        last=last,
        made=made,
        reset=reset,
        links=links,
        roles=list(Role),
    )
