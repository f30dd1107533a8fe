"""Tables of an owner: what there is, what is being done with each, and a form to send another one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response

from sfumato.web.bench.jobs import Job
from sfumato.web.rendering import show
from sfumato.web.service import tables
from sfumato.web.service.access import owner_in
from sfumato.web.service.benches import job_of
from sfumato.web.service.jobs.tasks import WORDS
from sfumato.web.service.pages.common import go_to
from sfumato.web.service.people import Account
from sfumato.web.service.rooms import rooms_of
from sfumato.web.service.store import datasets, jobs
from sfumato.web.service.store.datasets import Dataset
from sfumato.web.service.uploading import FORMATS

router = APIRouter()
Owner = Annotated[Account, Depends(owner_in)]
_THOUSAND = 1000


@dataclass(frozen=True, slots=True)
class Shown:
    """A table in the list."""

    table: Dataset
    size: str
    job: Job | None
    words: str
    offered: bool
    removable: bool


@router.get("/tables")
def all_tables(request: Request, owner: Owner) -> Response:
    """Everything that this owner has sent."""
    rooms = rooms_of(request)
    with rooms.service.database.reading() as connection:
        shown = [
            _shown(each, jobs.last(connection, each.id), offered=datasets.is_offered(connection, each.id))
            for each in datasets.of_owner(connection, owner.id)
        ]
    limit = size_words(rooms.service.upload)
    return show(request, "service/tables.html", tables=shown, formats=",".join(FORMATS), limit=limit)


@router.post("/tables")
async def send(request: Request, owner: Owner) -> Response:
    """Keep a table that was sent by the form, and go to its pages."""
    made = await tables.take_in(request, owner)
    return go_to(f"/tables/{made.id}/waiting")


@router.post("/tables/{identity}/again")
def again(request: Request, owner: Owner, identity: str) -> Response:
    """Do what has failed once more."""
    tables.again(request, owner, identity)
    return go_to("/tables")


@router.post("/tables/{identity}/remove")
def remove(request: Request, owner: Owner, identity: str) -> Response:
    """Remove a table that was never offered."""
    tables.remove(request, owner, identity)
    return go_to("/tables")


def _shown(table: Dataset, last: jobs.StoredJob | None, *, offered: bool) -> Shown:
    job = None if last is None else job_of(last)
    words = "" if job is None else WORDS[job.task]
    return Shown(table, size_words(table.bytes), job, words, offered, removable=not offered and (job is None or job.done))


def size_words(size: float) -> str:
    """A size as people say it.

    >>> size_words(17), size_words(2_400_000)
    ('17 bytes', '2.4 MB')
    """
    for unit in ("bytes", "kB", "MB", "GB"):
        if size < _THOUSAND or unit == "GB":
            break
        size /= _THOUSAND
    return f"{size:.3g} {unit}"
