"""Accounts and invitations, for programs."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated

from fastapi import Path, Request
from pydantic import BaseModel

from sfumato.web.service import inviting, resetting, signing_in
from sfumato.web.service.api.common import Body, Owner, SignedIn, api_router
from sfumato.web.service.people import Account, Role
from sfumato.web.service.service import service_of
from sfumato.web.service.store import accounts, invitations
from sfumato.web.service.texts import Guess, MaybeMail, NewPassword

router = api_router("accounts")
Number = Annotated[str, Path(pattern="^[0-9a-f]{32}$", description="The id.")]


class AccountOut(BaseModel):
    """An account. Times are seconds since 1970."""

    id: str
    name: str
    mail: str
    role: Role
    fingerprint: str
    created: float
    closed: float | None


class NewPasswordIn(Body):
    """The password so far, and the one from now on."""

    old: Guess
    new: NewPassword


class InvitationIn(Body):
    """Who is invited. Whoever has the link can give a mail address, unless one is set here."""

    role: Role
    mail: MaybeMail = None


class InvitationOut(BaseModel):
    """An invitation that waits."""

    id: str
    role: Role
    mail: str | None
    by: str | None
    created: float
    expires: float


class InvitationMade(InvitationOut):
    """A new invitation, with its link, which is shown once."""

    link: str


class ResetMade(BaseModel):
    """A link by which an account gets a new password; it is shown once."""

    account: str
    created: float
    expires: float
    link: str


@router.get("/account")
def me(account: SignedIn) -> AccountOut:
    """The account that asks."""
    return _out(account)


@router.post("/account/password", status_code=HTTPStatus.NO_CONTENT)
def password(request: Request, account: SignedIn, body: NewPasswordIn) -> None:
    """Another password; the account's sessions end."""
    signing_in.change_password(request, account, body.old, body.new)


@router.get("/accounts")
def everybody(request: Request, owner: Owner) -> list[AccountOut]:
    """All accounts; closed ones at the end."""
    with service_of(request).database.reading() as connection:
        return [_out(each) for each in accounts.everybody(connection)]


@router.delete("/accounts/{number}", status_code=HTTPStatus.NO_CONTENT)
def close(request: Request, owner: Owner, number: Number) -> None:
    """Close an account: its sessions, tokens and invitations end. The last owner stays."""
    inviting.close(request, owner, number)


@router.post("/accounts/{number}/reset", status_code=HTTPStatus.CREATED)
def reset(request: Request, owner: Owner, number: Number) -> ResetMade:
    """Make a link for a user who has forgotten the password. It works once and for a day; an earlier one is void."""
    account, new, link = resetting.make(request, owner, number)
    return ResetMade(account=account.id, created=new.created, expires=new.expires, link=link)


@router.delete("/accounts/{number}/reset", status_code=HTTPStatus.NO_CONTENT)
def withdraw_reset(request: Request, owner: Owner, number: Number) -> None:
    """Withdraw such a link that nobody has used."""
    resetting.withdraw(request, owner, number)


@router.get("/invitations")
def waiting(request: Request, owner: Owner) -> list[InvitationOut]:
    """Invitations that can still be used, newest first."""
    service = service_of(request)
    with service.database.reading() as connection:
        return [_invitation(each) for each in invitations.waiting(connection, service.now())]


@router.post("/invitations", status_code=HTTPStatus.CREATED)
def invite(request: Request, owner: Owner, body: InvitationIn) -> InvitationMade:
    """Invite somebody."""
    new, link = inviting.invite(request, owner, body.role, body.mail)
    return InvitationMade(**_invitation(new).model_dump(), link=link)


@router.delete("/invitations/{number}", status_code=HTTPStatus.NO_CONTENT)
def withdraw(request: Request, owner: Owner, number: Number) -> None:
    """Withdraw an invitation that nobody has used."""
    inviting.withdraw(request, owner, number)


def _out(account: Account) -> AccountOut:
    fingerprint = account.private_key.public.fingerprint
    return AccountOut(
        id=account.id,
        name=account.name,
        mail=account.mail,
        role=account.role,
        fingerprint=fingerprint,
        created=account.created,
        closed=account.closed,
    )


def _invitation(each: invitations.Invitation) -> InvitationOut:
    return InvitationOut(id=each.id, role=each.role, mail=each.mail, by=each.by, created=each.created, expires=each.expires)
