"""The service as a web application."""

from __future__ import annotations

from fastapi import APIRouter, FastAPI

from sfumato._version import __version__
from sfumato.web.rendering import add_assets
from sfumato.web.service.api import accounts as api_accounts
from sfumato.web.service.api import activity as api_activity
from sfumato.web.service.api import keyring as api_keyring
from sfumato.web.service.api import negotiations as api_negotiations
from sfumato.web.service.api import releases as api_releases
from sfumato.web.service.api import tables as api_tables
from sfumato.web.service.guard import Guard
from sfumato.web.service.pages import (
    account,
    activity,
    benches,
    catalogue,
    health,
    joining,
    ledger,
    live,
    negotiations,
    people,
    resetting,
    sign_in,
    tables,
)
from sfumato.web.service.rooms import Rooms
from sfumato.web.service.service import Service
from sfumato.web.service.wrongs import add_handlers

PAGES: tuple[APIRouter, ...] = (
    sign_in.router,
    joining.router,
    resetting.router,
    account.router,
    people.router,
    activity.router,
    tables.router,
    benches.router,
    ledger.router,
    catalogue.router,
    negotiations.router,
    live.router,
    health.router,
)
API: tuple[APIRouter, ...] = (  # those that programs ask most come first: routes are tried in their order
    api_negotiations.router,
    api_accounts.router,
    api_keyring.router,
    api_activity.router,
    api_tables.router,
    api_releases.router,
)


def service_app(service: Service) -> FastAPI:
    """The application of a service. Only the API is described by OpenAPI."""
    rooms = Rooms(service)
    app = FastAPI(
        title="sfumato",
        version=__version__,
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=rooms.open,
    )
    app.state.service, app.state.rooms = service, rooms
    app.add_middleware(Guard, service=service)
    add_handlers(app)
    add_assets(app)
    for router in API:
        app.include_router(router)
    for router in PAGES:
        app.include_router(router, include_in_schema=False)
    return app
