"""Coming in by a link: the first owner, or somebody who was invited."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request, Response

from sfumato.errors import UsageError
from sfumato.web.rendering import show
from sfumato.web.service import inviting
from sfumato.web.service.pages.common import go_to, with_session
from sfumato.web.service.service import service_of
from sfumato.web.service.texts import MaybeMail, Name, NewPassword

router = APIRouter()


@router.get("/set-up/{secret}")
def set_up(request: Request, secret: str) -> Response:
    """Ask who the first owner is."""
    return _form(request, secret, first=True)


@router.get("/join/{secret}")
def join(request: Request, secret: str) -> Response:
    """Ask who was invited."""
    return _form(request, secret, first=False)


@router.post("/set-up/{secret}")
def be_first(
    request: Request,
    secret: str,
    name: Annotated[Name, Form()],
    password: Annotated[NewPassword, Form()],
    again: Annotated[str, Form()],
    mail: Annotated[MaybeMail, Form()] = None,
) -> Response:
    """Make the account of the first owner."""
    return _enter(request, secret, name, mail, (password, again), first=True)


@router.post("/join/{secret}")
def be_invited(
    request: Request,
    secret: str,
    name: Annotated[Name, Form()],
    password: Annotated[NewPassword, Form()],
    again: Annotated[str, Form()],
    mail: Annotated[MaybeMail, Form()] = None,
) -> Response:
    """Make the account that somebody was invited to."""
    return _enter(request, secret, name, mail, (password, again), first=False)


def _form(request: Request, secret: str, *, first: bool) -> Response:
    invitation = inviting.invited(service_of(request), secret, first=first)
    return show(request, "service/join.html", invitation=invitation, first=first)


def _enter(request: Request, secret: str, name: str, mail: str | None, typed: tuple[str, str], *, first: bool) -> Response:
    password, again = typed
    if password != again:
        raise UsageError("not the same as the first time", where="again")
    known = inviting.invited(service_of(request), secret, first=first).mail or mail
    if known is None:
        raise UsageError("a mail address is needed to sign in with", where="mail")
    _, session = inviting.join(request, secret, name, known, password, first=first)
    return with_session(request, go_to("/"), session)
