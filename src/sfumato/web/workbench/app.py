"""The workbench as a web application: one person, one project, this computer."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus

from fastapi import Depends, FastAPI, Request, Response

from sfumato.web.bench.bench import Bench
from sfumato.web.bench.pages import around, steps
from sfumato.web.bench.pages.common import start
from sfumato.web.bench.project import Project
from sfumato.web.bench.tasks import LOOK
from sfumato.web.rendering import add_assets, show
from sfumato.web.workbench.guard import Guard
from sfumato.web.workbench.threads import ThreadWork
from sfumato.web.workbench.wrongs import add_handlers

_ALWAYS = ("/job", "/again")  # there while the table is still being looked at


class _NotBegun(Exception):
    """The table was not looked at yet, so there is nothing to show of it."""


def workbench(project: Project, guard: Guard, failed: Callable[[str], None] = lambda line: None) -> FastAPI:
    """The application for a project. It looks at the table, unless that was done before; `failed` is told what goes wrong with that."""
    app = FastAPI(title="sfumato workbench", openapi_url=None, docs_url=None, redoc_url=None)
    bench = Bench(project, ThreadWork(project, failed))
    if not bench.fresh:
        bench.work.start(LOOK)
    app.state.bench = bench

    def frame(request: Request) -> None:
        request.state.bench = bench
        job = bench.work.current
        again = "/again" if job is not None and job.task == LOOK else ""
        request.state.frame = {**around(bench, ""), "where": project.folder, "account": None, "again": again}

    def let_in(request: Request) -> None:
        frame(request)
        if not project.begun and request.url.path not in _ALWAYS:
            raise _NotBegun

    app.include_router(steps(), dependencies=[Depends(let_in)])
    app.add_api_route("/again", _again, methods=["POST"], dependencies=[Depends(let_in)])
    app.exception_handler(_NotBegun)(_waiting)
    add_assets(app)
    add_handlers(app, frame)
    app.middleware("http")(guard)  # the last one is asked first
    return app


def _again(request: Request) -> Response:
    """Look at the table once more."""
    return start(request, LOOK, "table")


async def _waiting(request: Request, error: Exception) -> Response:
    """Any page until there is a project; it loads itself again when that is so."""
    return show(request, "bench/waiting.html", HTTPStatus.ACCEPTED, step="table")
