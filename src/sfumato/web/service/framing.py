"""What stands round the content of a page."""

from __future__ import annotations

from typing import Any

from fastapi import Request

from sfumato.web.service.people import Account, Role

_PLACES = {
    Role.OWNER: (
        ("/tables", "Tables"),
        ("/negotiations", "Negotiations"),
        ("/ledger", "Ledger"),
        ("/people", "People"),
        ("/activity", "Activity"),
    ),
    Role.USER: (("/catalogue", "Catalogue"), ("/negotiations", "Negotiations")),
}
_HOME = {Role.OWNER: "/tables", Role.USER: "/catalogue"}


def frame(request: Request, account: Account | None, **more: Any) -> None:
    """Say what stands round the page that answers a request: the navigation of the account's role, and what the page adds."""
    around = {
        "title": "sfumato",
        "where": "",
        "root": "",
        "steps": (),
        "job": None,
        "account": account,
        "path": request.scope["path"],
    }
    places = () if account is None else (*_PLACES[account.role], ("/account", "Account"))
    request.state.frame = {**around, "places": places, **more}


def home(account: Account) -> str:
    """The first page of an account."""
    return _HOME[account.role]
