"""What was done, for programs."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Request
from pydantic import BaseModel

from sfumato.web.service.api.common import Owner, api_router
from sfumato.web.service.service import service_of
from sfumato.web.service.store import audit

router = api_router("activity")


class DoneOut(BaseModel):
    """One thing that was done: when, by which account, from where, and what it was about."""

    id: int
    time: float
    account: str | None
    action: str
    about: str | None
    address: str | None


@router.get("/activity")
def activity(
    request: Request,
    owner: Owner,
    before: Annotated[int | None, Query(ge=1, le=2**63 - 1, description="Only what has a smaller id.")] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
) -> list[DoneOut]:
    """What was done last, newest first: with accounts, and with your tables."""
    with service_of(request).database.reading() as connection:
        found = audit.newest(connection, owner.id, limit, before)
    return [
        DoneOut(id=each.id, time=each.time, account=each.account, action=each.action, about=each.about, address=each.address)
        for each in found
    ]
