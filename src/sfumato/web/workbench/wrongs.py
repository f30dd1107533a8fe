"""What goes wrong at the workbench, as a page with one clear line. What libraries say may quote values: it is neither shown nor logged."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from http import HTTPStatus

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from sfumato.errors import SfumatoError
from sfumato.web.headers import SAFE
from sfumato.web.rendering import show


def add_handlers(app: FastAPI, frame: Callable[[Request], None]) -> None:
    """Let every error become an answer; `frame` says what stands round it."""

    def page(request: Request, line: str, status: int) -> Response:
        frame(request)
        heading = "Not found" if status == HTTPStatus.NOT_FOUND else "Not done"
        return show(request, "wrong.html", status, wrong=line, heading=heading, changing=request.method not in SAFE)

    async def deliberate(request: Request, error: Exception) -> Response:
        return page(request, str(error), HTTPStatus.BAD_REQUEST)

    async def refused(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)  # noqa: S101  for the type only
        found = error.status_code != HTTPStatus.NOT_FOUND
        return page(request, str(error.detail) if found else "there is nothing at this address", error.status_code)

    async def malformed(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)  # noqa: S101  for the type only
        missing = ", ".join(sorted({str(each["loc"][-1]) for each in error.errors()}))
        return page(request, f"the form is not complete: {missing}", HTTPStatus.UNPROCESSABLE_ENTITY)

    async def unexpected(request: Request, following: Callable[[Request], Awaitable[Response]]) -> Response:
        try:
            return await following(request)
        except Exception as error:
            if "SFUMATO_DEBUG" in os.environ:
                raise
            return page(request, unexpected_words(error), HTTPStatus.INTERNAL_SERVER_ERROR)

    app.add_exception_handler(SfumatoError, deliberate)
    app.add_exception_handler(HTTPException, refused)
    app.add_exception_handler(RequestValidationError, malformed)
    app.middleware("http")(unexpected)


def unexpected_words(error: Exception) -> str:
    """What nobody meant to go wrong, without its own words."""
    if isinstance(error, OSError) and error.strerror:
        where = f"{os.fsdecode(error.filename)}: " if isinstance(error.filename, str | bytes) else ""
        return f"{where}{error.strerror}"
    if isinstance(error, MemoryError):
        return "not enough memory; fewer quasi-identifiers or coarser levels need less"
    return f"a bug in sfumato ({type(error).__name__}); started with SFUMATO_DEBUG=1, the terminal shows where"
