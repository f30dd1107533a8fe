"""Who a request comes from: a browser with a session, or a program with a token. And what they did, for the record."""

from __future__ import annotations

from http import HTTPStatus

from fastapi import HTTPException, Request
from sqlalchemy.engine import Connection

from sfumato.web.headers import SAFE
from sfumato.web.service.framing import frame
from sfumato.web.service.people import Account, Role
from sfumato.web.service.secret import digest
from sfumato.web.service.service import service_of
from sfumato.web.service.store import audit, sessions, tokens

BEARER = "bearer "


class SignInFirst(Exception):
    """Nobody is signed in; `next` is where they wanted to go."""

    def __init__(self, following: str) -> None:
        super().__init__()
        self.next = following


def signed_in(request: Request) -> Account:
    """The account that a request comes from; the frame of its pages is made, too."""
    account = _known(request)
    if account is None:
        raise SignInFirst(_place(request))
    frame(request, account)
    return account


def owner_in(request: Request) -> Account:
    """The account of an owner."""
    return _with_role(request, Role.OWNER)


def user_in(request: Request) -> Account:
    """The account of a user."""
    return _with_role(request, Role.USER)


def session_of(request: Request) -> str | None:
    """The digest of the session's secret, where a browser has one."""
    secret = request.cookies.get(service_of(request).cookie)
    return digest(secret) if secret else None


def bearer_of(request: Request) -> str | None:
    """The token that a program shows."""
    shown = request.headers.get("authorization", "")
    return shown[len(BEARER) :].strip() if shown.lower().startswith(BEARER) else None


def address_of(request: Request) -> str:
    """The address on the network that a request comes from."""
    return request.client.host[:45] if request.client else ""


def note(connection: Connection, account: str | None, action: str, about: str | None, request: Request) -> None:
    """Record what was done, in the transaction that does it. `about` is the id or name of a thing, never a value of a table."""
    audit.add(connection, service_of(request).now(), account, action, about and about[:80], address_of(request))


def _with_role(request: Request, role: Role) -> Account:
    account = signed_in(request)
    if account.role is not role:
        raise HTTPException(HTTPStatus.FORBIDDEN, f"this is for {role.value}s")
    return account


def _known(request: Request) -> Account | None:
    """The account, looked up once. Whoever shows a token is judged by that alone: a change by token needs no origin."""
    if not hasattr(request.state, "account"):
        shown = bearer_of(request)
        request.state.account = _by_session(request) if shown is None else _by_token(request, shown)
    account: Account | None = request.state.account
    return account


def _by_session(request: Request) -> Account | None:
    session, service = session_of(request), service_of(request)
    if session is None:
        return None
    with service.database.looking() as connection:
        return sessions.account_of(connection, session, service.now())


def _by_token(request: Request, shown: str) -> Account | None:
    service = service_of(request)
    known, now = digest(shown), service.now()
    with service.database.looking() as connection:
        account, fresh = tokens.account_of(connection, known, now)
    if account is not None and not fresh:
        service.database.together(lambda connection: lambda: tokens.mark_used(connection, known, now))
    return account


def _place(request: Request) -> str:
    if request.method not in SAFE:
        return "/"
    return request.url.path + (f"?{request.url.query}" if request.url.query else "")
