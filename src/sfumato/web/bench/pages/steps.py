"""The steps in their order, and the addresses of their pages below that of the table."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse, RedirectResponse

from sfumato.web.bench.bench import Bench
from sfumato.web.bench.pages import explore, hierarchies, publish, risk, table
from sfumato.web.bench.pages.common import bench_of, root_of
from sfumato.web.bench.tasks import PAGES, WORDS

STEPS = (
    ("table", "Table"),
    ("hierarchies", "Hierarchies"),
    ("risk", "Risk"),
    ("explore", "Explore"),
    ("publish", "Publish"),
)


def steps() -> APIRouter:
    """The routes of all steps."""
    router = APIRouter()
    router.add_api_route("/", _first)
    router.add_api_route("/job", _job)
    for page in (table, hierarchies, risk, explore, publish):
        router.include_router(page.router)
    return router


def around(bench: Bench, root: str) -> dict[str, Any]:
    """What stands round the page of a step: `root` is the address of the table's pages."""
    job = bench.work.current
    return {
        "root": root,
        "steps": STEPS,
        "job": job,
        "job_page": None if job is None else PAGES.get(job.task),
        "job_words": "" if job is None else WORDS.get(job.task, job.task),
        "title": bench.project.title,
    }


def _first(request: Request) -> Response:
    return RedirectResponse(f"{root_of(request)}/table", HTTPStatus.SEE_OTHER)


def _job(request: Request) -> Response:
    current = bench_of(request).work.current
    return JSONResponse(None if current is None else current.as_dict())
