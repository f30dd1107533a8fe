"""The workbench as a web application: one person, one project, this computer."""

from __future__ import annotations

from http import HTTPStatus

from fastapi import Depends, FastAPI, Request, Response

from sfumato.errors import SfumatoError
from sfumato.web.bench.bench import Bench
from sfumato.web.bench.pages import around, steps
from sfumato.web.bench.pages.common import refused
from sfumato.web.bench.project import Project
from sfumato.web.bench.tasks import LOOK
from sfumato.web.rendering import add_assets
from sfumato.web.workbench.guard import Guard
from sfumato.web.workbench.threads import ThreadWork


def workbench(project: Project, guard: Guard) -> FastAPI:
    """The application for a project. It begins to look at the table at once."""
    app = FastAPI(title="sfumato workbench", openapi_url=None, docs_url=None, redoc_url=None)
    bench = Bench(project, ThreadWork(project))
    bench.work.start(LOOK)
    app.state.bench = bench
    app.middleware("http")(guard)
    add_assets(app)

    def let_in(request: Request) -> None:
        request.state.bench = bench
        request.state.frame = {**around(bench, ""), "where": project.folder, "account": None}

    app.include_router(steps(), dependencies=[Depends(let_in)])
    app.exception_handler(SfumatoError)(_wrong)
    return app


async def _wrong(request: Request, error: Exception) -> Response:
    return refused(request, str(error), HTTPStatus.BAD_REQUEST)
