"""What every request passes first: it is for this service, a change comes from its own pages, and its body is not endless.

A page of somebody else can make a signed-in browser send a form, but not say that it comes from here: browsers write `Origin` and
`Sec-Fetch-Site` themselves. Programs show a token, which no browser adds by itself, so they need neither.
"""

from __future__ import annotations

import logging
import traceback
from http import HTTPStatus

from fastapi import HTTPException, Request
from starlette.datastructures import MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sfumato.web.headers import HEADERS, SAFE
from sfumato.web.service.access import bearer_of
from sfumato.web.service.framing import frame
from sfumato.web.service.service import Service
from sfumato.web.service.wrongs import is_api, wrong

_MB = 2**20
BODY = 16 * _MB
UPLOADS = ("/tables", "/api/v1/tables")  # take a table, whose limit is the service's
_LOG = logging.getLogger("sfumato.service")


class Guard:
    """Looks at every request before anything else does, and at what comes of it."""

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self._app = app
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, with strict headers and without details of what went wrong inside."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope, receive)
        frame(request, None)
        answer = _Answer(send)
        refused = self._refusal(request)
        if refused is not None:
            await wrong(request, *refused)(scope, receive, answer)
            return
        try:
            await self._app(scope, self._limited(request), answer)
        except ClientDisconnect:
            return
        except Exception as error:
            _LOG.error(_line(request, error))
            if not answer.began:
                bug = wrong(request, HTTPStatus.INTERNAL_SERVER_ERROR, f"a bug in sfumato ({type(error).__name__})", code="bug")
                await bug(scope, receive, answer)

    def _refusal(self, request: Request) -> tuple[HTTPStatus, str] | None:
        if request.headers.get("host", "").lower() not in self._service.hosts:
            return HTTPStatus.FORBIDDEN, f"the service answers to {self._service.address} only"
        # PostgreSQL has no zero in a text, and no name of ours has one.
        if "\0" in request.scope["path"] or b"%00" in request.scope["query_string"]:
            return HTTPStatus.BAD_REQUEST, "an address with a zero byte leads nowhere"
        if self._foreign(request):
            return HTTPStatus.FORBIDDEN, "a change comes from a page of the service itself, or shows a token"
        length = request.headers.get("content-length", "")
        if length.isdecimal() and int(length) > self._limit(request):
            return HTTPStatus.REQUEST_ENTITY_TOO_LARGE, _large(self._limit(request))
        return None

    def _foreign(self, request: Request) -> bool:
        if request.method in SAFE or bearer_of(request) is not None:
            return False
        if is_api(request) and self._service.cookie not in request.cookies:
            return False  # nobody is signed in, and is told so
        origin = request.headers.get("origin")
        if origin is None:
            return request.headers.get("sec-fetch-site") != "same-origin"
        return origin not in self._service.origins

    def _limit(self, request: Request) -> int:
        return self._service.upload + _MB if request.scope["path"] in UPLOADS else BODY

    def _limited(self, request: Request) -> Receive:
        """What was said about the length of a body may be untrue."""
        taken, limit = 0, self._limit(request)

        async def receive() -> Message:
            nonlocal taken
            message = await request.receive()
            taken += len(message.get("body", b""))
            if taken > limit:
                raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, _large(limit))
            return message

        return receive


class _Answer:
    """Sends an answer on, with strict headers where it has none of its own; and knows whether it has begun."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.began = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.began = True
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await self._send(message)


def _large(limit: int) -> str:
    return f"at most {limit // _MB:,} MB can be sent here"


def _line(request: Request, error: Exception) -> str:
    """One line without data: the address may have a secret, and the message of an error a value."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    route = getattr(request.scope.get("route"), "path", "")
    return f"{request.method} {route}: {type(error).__name__} at {place.filename}:{place.lineno}"
