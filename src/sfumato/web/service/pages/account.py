"""One's own account: who one is, the password, the tokens of programs."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Depends, Form, Request, Response

from sfumato.errors import UsageError
from sfumato.web.rendering import show
from sfumato.web.service import keyring, signing_in
from sfumato.web.service.access import signed_in
from sfumato.web.service.pages.common import go_to
from sfumato.web.service.people import Account
from sfumato.web.service.service import service_of
from sfumato.web.service.store import tokens
from sfumato.web.service.texts import Guess, Name, NewPassword

router = APIRouter()
SignedIn = Annotated[Account, Depends(signed_in)]
DAYS = (7, 30, keyring.USUAL, keyring.LONGEST)


@router.get("/account")
def account(request: Request, account: SignedIn, changed: bool = False) -> Response:
    """Who one is."""
    return _page(request, account, changed=changed)


@router.post("/account/password")
def password(
    request: Request,
    account: SignedIn,
    old: Annotated[Guess, Form()],
    new: Annotated[NewPassword, Form()],
    again: Annotated[str, Form()],
) -> Response:
    """Another password; all other browsers are signed out."""
    if new != again:
        raise UsageError("not the same as the first time", where="again")
    signing_in.change_password(request, account, old, new)
    return go_to("/account?changed=1")


@router.post("/account/tokens")
def make(
    request: Request,
    account: SignedIn,
    name: Annotated[Name, Form()],
    days: Annotated[int, Form(ge=1, le=keyring.LONGEST)] = keyring.USUAL,
) -> Response:
    """A new token. The page that answers is the only one that ever shows it."""
    _, secret = keyring.make(request, account, name, days)
    return _page(request, account, HTTPStatus.CREATED, secret=secret)


@router.post("/account/tokens/{number}/revoke")
def revoke(request: Request, account: SignedIn, number: str) -> Response:
    """End a token."""
    keyring.revoke(request, account, number)
    return go_to("/account#tokens")


def _page(
    request: Request, account: Account, status: int = HTTPStatus.OK, *, secret: str | None = None, changed: bool = False
) -> Response:
    service = service_of(request)
    with service.database.reading() as connection:
        known = tokens.all_of(connection, account.id)
    return show(
        request,
        "service/account.html",
        status,
        fingerprint=account.private_key.public.fingerprint,
        tokens=known,
        now=service.now(),
        days=DAYS,
        usual=keyring.USUAL,
        secret=secret,
        changed=changed,
        address=service.address,
    )
