"""Who may talk to the workbench: the person who started it, from this computer.

A page of somebody else may try to reach it through the person's browser (a foreign origin, or a name that leads to this computer). So the
host must be this computer's, the origin of a change must be the workbench itself, and every request needs the token of this run.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from http import HTTPStatus
from secrets import compare_digest
from urllib.parse import parse_qsl, urlencode

from fastapi import Request, Response
from fastapi.responses import PlainTextResponse, RedirectResponse

from sfumato.web.headers import SAFE, secured

_NAMES = ("127.0.0.1", "localhost")
Next = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class Guard:
    """Looks at every request before anything else does."""

    token: str
    port: int

    @property
    def cookie(self) -> str:
        """Browsers share cookies between the ports of a host; so its name has the port."""
        return f"sfumato-{self.port}"

    @property
    def hosts(self) -> tuple[str, ...]:
        return tuple(f"{name}:{self.port}" for name in _NAMES)

    async def __call__(self, request: Request, following: Next) -> Response:
        answer = self._refusal(request) or self._signed_in(request) or await following(request)
        return secured(answer)

    def _refusal(self, request: Request) -> Response | None:
        if request.headers.get("host", "") not in self.hosts:
            return _refused("the workbench answers to 127.0.0.1 and localhost only")
        origin = request.headers.get("origin")
        if request.method not in SAFE and origin not in [f"http://{host}" for host in self.hosts]:
            return _refused("a change comes from a page of the workbench itself")
        known = request.cookies.get(self.cookie, "")
        if not compare_digest(known.encode(), self.token.encode()) and not self._given(request):
            return _refused(
                "open the address that 'sfumato open' has printed: it has the token of this run", HTTPStatus.UNAUTHORIZED
            )
        return None

    def _given(self, request: Request) -> bool:
        return request.method in SAFE and compare_digest(request.query_params.get("token", "").encode(), self.token.encode())

    def _signed_in(self, request: Request) -> Response | None:
        """The token moves from the address into a cookie, so that it is in no history and in no link."""
        if not self._given(request):
            return None
        rest = urlencode([(key, value) for key, value in parse_qsl(request.url.query) if key != "token"])
        answer = RedirectResponse(request.url.path + (f"?{rest}" if rest else ""), HTTPStatus.SEE_OTHER)
        answer.set_cookie(self.cookie, self.token, httponly=True, samesite="strict", path="/")
        return answer


def _refused(why: str, status: HTTPStatus = HTTPStatus.FORBIDDEN) -> Response:
    return PlainTextResponse(f"sfumato: {why}\n", status)
