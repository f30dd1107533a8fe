"""What all parts of the API share: who asks, and what an answer looks like when something is wrong."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Security
from fastapi.security import HTTPBearer
from pydantic import BaseModel, ConfigDict

from sfumato.web.service.access import owner_in, signed_in, user_in
from sfumato.web.service.people import Account

SignedIn = Annotated[Account, Depends(signed_in)]
Owner = Annotated[Account, Depends(owner_in)]
User = Annotated[Account, Depends(user_in)]

_bearer = HTTPBearer(auto_error=False, scheme_name="token", description="A token that was made on the page of an account.")


class Body(BaseModel):
    """What a program sends: nothing but what is declared."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class JobView(BaseModel):
    """A job that is being done, or the last one."""

    task: str
    step: str
    share: float | None
    done: bool
    error: str | None


class Fault(BaseModel):
    """What is wrong: `code` for machines, `message` for people, `where` it is."""

    code: str
    message: str
    where: str | None


class Problem(BaseModel):
    """An answer that says what is wrong."""

    error: Fault


_PROBLEMS: dict[int | str, dict[str, Any]] = {
    400: {"model": Problem, "description": "What was asked cannot be done."},
    401: {"model": Problem, "description": "Nobody is signed in."},
    403: {"model": Problem, "description": "Not for this account."},
    404: {"model": Problem, "description": "Nothing of that name, or not for this account."},
    409: {"model": Problem, "description": "Not any more: somebody was faster, or it was done already."},
    413: {"model": Problem, "description": "Too large."},
    422: {"model": Problem, "description": "Not what the schema says."},
    429: {"model": Problem, "description": "Too much at once."},
}


def api_router(tag: str) -> APIRouter:
    """The routes of a part of the API."""
    return APIRouter(prefix="/api/v1", tags=[tag], dependencies=[Security(_bearer)], responses=_PROBLEMS)
