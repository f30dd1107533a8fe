"""Answers to what went wrong: a page for people, an object for programs."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from urllib.parse import quote, urlsplit

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, RedirectResponse
from sqlalchemy.exc import DataError as Unstorable
from starlette.exceptions import HTTPException

from sfumato.errors import NotVerified, SfumatoError, visible
from sfumato.negotiation.protocol import IllegalMove
from sfumato.web.headers import SAFE
from sfumato.web.rendering import show
from sfumato.web.service.access import SignInFirst
from sfumato.web.service.places import Places
from sfumato.web.service.refusals import GoTo, NoSuch, Taken, TooMany
from sfumato.web.service.service import service_of

API = "/api/"
_STATUS: tuple[tuple[type[SfumatoError], HTTPStatus], ...] = (
    (NoSuch, HTTPStatus.NOT_FOUND),
    (TooMany, HTTPStatus.TOO_MANY_REQUESTS),
    (Taken, HTTPStatus.CONFLICT),
    (IllegalMove, HTTPStatus.CONFLICT),
    (NotVerified, HTTPStatus.CONFLICT),
)


def add_handlers(app: FastAPI) -> None:
    """Every error that is meant becomes an answer with one clear line."""
    app.add_exception_handler(SfumatoError, _deliberate)
    app.add_exception_handler(HTTPException, _refused)
    app.add_exception_handler(RequestValidationError, _malformed)
    app.add_exception_handler(Unstorable, _unstorable)
    app.add_exception_handler(SignInFirst, _sign_in)
    app.add_exception_handler(GoTo, _elsewhere)


def is_api(request: Request) -> bool:
    """Whether a program asks."""
    return str(request.scope["path"]).startswith(API)


def wrong(
    request: Request,
    status: int,
    message: str,
    *,
    code: str | None = None,
    where: str | None = None,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """The answer that says what is wrong."""
    answer = HTTPStatus(status)
    if is_api(request):
        error = {"code": code or answer.phrase.lower().replace(" ", "_"), "message": message, "where": where}
        return JSONResponse({"error": error}, status, headers)
    line = visible(f"{where}: {message}" if where else message)
    heading = "Not found" if answer is HTTPStatus.NOT_FOUND else "Not done"
    page = show(
        request, "wrong.html", status, wrong=line, heading=heading, changing=request.method not in SAFE, back=_back(request)
    )
    page.headers.update(headers or {})
    return page


def _back(request: Request) -> str:
    """The page of ours that somebody comes from."""
    came = urlsplit(request.headers.get("referer", ""))
    ours = f"{came.scheme}://{came.netloc}" in service_of(request).origins and not came.path.startswith("//")
    return came.path if ours else ""


async def _elsewhere(_: Request, error: Exception) -> Response:
    assert isinstance(error, GoTo)  # noqa: S101
    return RedirectResponse(error.place, HTTPStatus.SEE_OTHER)


async def _deliberate(request: Request, error: Exception) -> Response:
    assert isinstance(error, SfumatoError)  # noqa: S101 for the type only, as below
    status = next((status for kind, status in _STATUS if isinstance(error, kind)), HTTPStatus.BAD_REQUEST)
    headers = {"Retry-After": str(error.seconds)} if isinstance(error, TooMany) else None
    places = Places(service_of(request).folder)
    where = None if error.where is None else places.unplaced(error.where)
    return wrong(request, status, places.unplaced(error.message), code=error.code, where=where, headers=headers)


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101
    status = HTTPStatus(error.status_code)
    message = "there is nothing at this address" if error.detail == HTTPStatus.NOT_FOUND.phrase else str(error.detail)
    return wrong(request, status, message, headers=error.headers)


async def _malformed(request: Request, error: Exception) -> Response:
    """What was sent is not repeated: it may be a password, or a value."""
    assert isinstance(error, RequestValidationError)  # noqa: S101
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"][1:]) or None
    message = str(first["msg"]).removeprefix("Value error, ")
    return wrong(request, HTTPStatus.UNPROCESSABLE_ENTITY, message[:1].lower() + message[1:], code="invalid", where=where)


async def _unstorable(request: Request, _: Exception) -> Response:
    return wrong(request, HTTPStatus.BAD_REQUEST, "a text or a number that cannot be kept", code="invalid")


async def _sign_in(request: Request, error: Exception) -> Response:
    assert isinstance(error, SignInFirst)  # noqa: S101
    if is_api(request):
        headers = {"WWW-Authenticate": "Bearer"}
        return wrong(request, HTTPStatus.UNAUTHORIZED, "sign in, or show a token that is valid", headers=headers)
    place = "/sign-in" if error.next == "/" else f"/sign-in?next={quote(error.next, safe='/')}"
    return RedirectResponse(place, HTTPStatus.SEE_OTHER)
