"""Whether the service works: for whoever watches it, without an account."""

from __future__ import annotations

from http import HTTPStatus

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import PlainTextResponse

from sfumato.errors import UsageError
from sfumato.web.service.service import service_of

router = APIRouter()


@router.get("/health")
def health(request: Request) -> PlainTextResponse:
    """The store answers; nothing else is said."""
    try:
        service_of(request).database.require_reachable()
    except UsageError:
        raise HTTPException(HTTPStatus.SERVICE_UNAVAILABLE, "the database does not answer") from None
    return PlainTextResponse("ok\n")
