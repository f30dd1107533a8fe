"""What the pages about people share."""

from __future__ import annotations

from http import HTTPStatus

from fastapi import Request, Response
from fastapi.responses import RedirectResponse

from sfumato.web.service.service import service_of
from sfumato.web.service.signing_in import LASTS

NUMBER = "^[0-9a-f]{32}$"  # that a form has drawn for what it asks


def go_to(place: str) -> Response:
    """Another page, after a change."""
    return RedirectResponse(place, HTTPStatus.SEE_OTHER)


def with_session(request: Request, answer: Response, secret: str) -> Response:
    """An answer that gives a browser its session. Links from a mail lead in (lax), forms of others do not."""
    service = service_of(request)
    answer.set_cookie(service.cookie, secret, max_age=int(LASTS), path="/", secure=service.secure, httponly=True, samesite="lax")
    return answer


def without_session(request: Request, answer: Response) -> Response:
    """An answer that takes it back."""
    service = service_of(request)
    answer.delete_cookie(service.cookie, path="/", secure=service.secure, httponly=True, samesite="lax")
    return answer
