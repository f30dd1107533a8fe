"""A new password by a link, for whoever has forgotten theirs."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request, Response

from sfumato.errors import UsageError
from sfumato.web.rendering import show
from sfumato.web.service import resetting
from sfumato.web.service.pages.common import go_to, with_session
from sfumato.web.service.service import service_of
from sfumato.web.service.texts import NewPassword

router = APIRouter(prefix="/new-password")


@router.get("/{secret}")
def form(request: Request, secret: str) -> Response:
    """Ask for the new password."""
    return show(request, "service/new_password.html", mail=resetting.wanted(service_of(request), secret).mail)


@router.post("/{secret}")
def use(request: Request, secret: str, password: Annotated[NewPassword, Form()], again: Annotated[str, Form()]) -> Response:
    """Give the account its new password, and sign it in here alone."""
    if password != again:
        raise UsageError("not the same as the first time", where="again")
    return with_session(request, go_to("/account?changed=1"), resetting.use(request, secret, password))
