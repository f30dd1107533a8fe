"""The workbench of a table within the service: the same steps, for its owner only, and one more in which it is offered."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response

from sfumato.web.bench.pages import STEPS, around, steps
from sfumato.web.rendering import show
from sfumato.web.service import tables
from sfumato.web.service.access import owner_in
from sfumato.web.service.framing import frame
from sfumato.web.service.jobs.tasks import WORDS
from sfumato.web.service.pages import offer
from sfumato.web.service.pages.common import go_to
from sfumato.web.service.people import Account
from sfumato.web.service.refusals import GoTo
from sfumato.web.service.rooms import rooms_of

Owner = Annotated[Account, Depends(owner_in)]
_ROOT = "/tables/{identity}"
_ALWAYS = ("waiting", "job")  # there while the table is still being looked at


def at_table(request: Request, identity: str, owner: Owner) -> None:
    """Say which bench a request is about. Until the table was looked at, all its pages are the one that waits."""
    rooms, root = rooms_of(request), _ROOT.format(identity=identity)
    with rooms.service.database.reading() as connection:
        found = tables.table_of(connection, identity, owner)
    bench = request.state.bench = rooms.benches.of(identity)
    ready = bench.project.recipe_file.is_file() and bench.looked is not None
    if not ready and request.scope["path"] not in [f"{root}/{each}" for each in _ALWAYS]:
        raise GoTo(f"{root}/waiting")
    job = bench.work.current
    shown = around(bench, root) if ready else {"root": root, "job": job}
    words = "" if job is None else WORDS[job.task]
    more = {"title": found.title, "job_words": words, "again": f"{root}/again"}
    frame(request, owner, **{**shown, **more, "steps": (*STEPS, ("offer", "Offer")) if ready else ()})


def _waiting(request: Request) -> Response:
    """The table is being looked at, or that has failed."""
    bench = request.state.bench
    if bench.project.recipe_file.is_file() and bench.looked is not None:
        return go_to(f"{request.state.frame['root']}/table")
    return show(request, "service/waiting.html")


router = APIRouter(prefix=_ROOT, dependencies=[Depends(at_table)])
router.add_api_route("/waiting", _waiting)
router.include_router(offer.router)
router.include_router(steps())
