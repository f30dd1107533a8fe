"""What an open page hears: that something of its account has changed, so that it can ask what."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import StreamingResponse

from sfumato.web.service.access import signed_in
from sfumato.web.service.people import Account
from sfumato.web.service.rooms import rooms_of

router = APIRouter()


@router.get("/events")
async def events(request: Request, account: Annotated[Account, Depends(signed_in)]) -> Response:
    """Server-sent events, without any data."""
    # A proxy that gathers an answer before it sends it would keep the news.
    headers = {"X-Accel-Buffering": "no"}
    return StreamingResponse(rooms_of(request).news.stream(account.id), media_type="text/event-stream", headers=headers)
