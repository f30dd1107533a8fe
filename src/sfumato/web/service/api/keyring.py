"""Tokens, for programs."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated

from fastapi import Request
from pydantic import BaseModel, Field

from sfumato.web.service import keyring
from sfumato.web.service.api.accounts import Number
from sfumato.web.service.api.common import Body, SignedIn, api_router
from sfumato.web.service.service import service_of
from sfumato.web.service.store import tokens
from sfumato.web.service.texts import Name

router = api_router("tokens")


class TokenIn(Body):
    """What a token is for, and how many days it lasts."""

    name: Name
    days: Annotated[int, Field(ge=1, le=keyring.LONGEST)] = keyring.USUAL


class TokenOut(BaseModel):
    """A token without its secret. `used` is its last use, to the minute."""

    id: str
    name: str
    created: float
    expires: float
    used: float | None


class TokenMade(TokenOut):
    """A new token, with its secret, which is shown once."""

    token: str


@router.get("/tokens")
def mine(request: Request, account: SignedIn) -> list[TokenOut]:
    """The tokens of this account, newest first; those that are over, too."""
    with service_of(request).database.reading() as connection:
        return [_out(each) for each in tokens.all_of(connection, account.id)]


@router.post("/tokens", status_code=HTTPStatus.CREATED)
def make(request: Request, account: SignedIn, body: TokenIn) -> TokenMade:
    """Make a token."""
    new, secret = keyring.make(request, account, body.name, body.days)
    return TokenMade(**_out(new).model_dump(), token=secret)


@router.delete("/tokens/{number}", status_code=HTTPStatus.NO_CONTENT)
def revoke(request: Request, account: SignedIn, number: Number) -> None:
    """Revoke a token of this account."""
    keyring.revoke(request, account, number)


def _out(token: tokens.Token) -> TokenOut:
    return TokenOut(id=token.id, name=token.name, created=token.created, expires=token.expires, used=token.used)
