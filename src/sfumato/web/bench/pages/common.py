"""What the pages of all steps need."""

from __future__ import annotations

from http import HTTPStatus

from fastapi import Request, Response
from fastapi.responses import RedirectResponse

from sfumato.web.bench.bench import Bench
from sfumato.web.rendering import show


def bench_of(request: Request) -> Bench:
    """The bench that a request is about."""
    bench: Bench = request.state.bench
    return bench


def root_of(request: Request) -> str:
    """The address of the pages of this table, without a slash at its end."""
    root: str = request.state.frame["root"]
    return root


def go_to(request: Request, place: str) -> Response:
    """Another page of this table."""
    return RedirectResponse(f"{root_of(request)}/{place}", HTTPStatus.SEE_OTHER)


def refused(request: Request, why: str, status: HTTPStatus = HTTPStatus.BAD_REQUEST) -> Response:
    """A page that says what is wrong; nothing was changed."""
    return show(request, "wrong.html", status, wrong=why)


def start(request: Request, task: str, page: str) -> Response:
    """Begin a job, and go to the page that shows it."""
    if not bench_of(request).work.start(task):
        return refused(request, "something else is being done; wait until it is ready", HTTPStatus.CONFLICT)
    return go_to(request, page)
