"""Signing in and out."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated
from urllib.parse import urlsplit

from fastapi import APIRouter, Depends, Form, Request, Response

from sfumato.web.rendering import show
from sfumato.web.service import signing_in
from sfumato.web.service.access import SignInFirst, signed_in
from sfumato.web.service.framing import home
from sfumato.web.service.pages.common import go_to, with_session, without_session
from sfumato.web.service.people import Account
from sfumato.web.service.texts import Guess, Mail

router = APIRouter()


@router.get("/")
def first(account: Annotated[Account, Depends(signed_in)]) -> Response:
    """The first page of whoever is signed in."""
    return go_to(home(account))


@router.get("/sign-in")
def form(request: Request, next: str = "/") -> Response:  # noqa: A002 what the address calls it
    """Ask for mail and password, unless somebody is signed in."""
    try:
        signed_in(request)
    except SignInFirst:
        return show(request, "service/sign_in.html", next=_ours(next), mail="", failed=False)
    return go_to(_ours(next))


@router.post("/sign-in")
def enter(
    request: Request,
    mail: Annotated[Mail, Form()],
    password: Annotated[Guess, Form()],
    next: Annotated[str, Form()] = "/",  # noqa: A002
) -> Response:
    """A new session, whatever the browser had before."""
    found = signing_in.sign_in(request, mail, password)
    if found is None:
        return show(request, "service/sign_in.html", HTTPStatus.UNAUTHORIZED, next=_ours(next), mail=mail, failed=True)
    return with_session(request, go_to(_ours(next)), found[1])


@router.post("/sign-out")
def leave(request: Request) -> Response:
    """End the session."""
    signing_in.sign_out(request)
    return without_session(request, go_to("/sign-in"))


def _ours(place: str) -> str:
    """A place of this service; a link to the sign-in page may try to lead elsewhere."""
    try:
        parts = urlsplit(place)
    except ValueError:
        return "/"
    plain = place.isprintable() and place.isascii() and "\\" not in place
    return place if plain and place.startswith("/") and not place.startswith("//") and not parts.netloc else "/"
