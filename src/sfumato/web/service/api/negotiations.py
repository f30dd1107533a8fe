"""Negotiations, for programs of both parties."""

from __future__ import annotations

from dataclasses import asdict
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import Path, Query, Request, Response
from fastapi.responses import FileResponse, PlainTextResponse
from msgspec import json
from pydantic import BaseModel, Field

from sfumato.negotiation.files.story import rules_in_words
from sfumato.negotiation.files.turns import Relaxed
from sfumato.negotiation.pattern import UtilityPattern
from sfumato.negotiation.protocol import State
from sfumato.web.service import deciding
from sfumato.web.service.api.common import Body as Sent
from sfumato.web.service.api.common import JobView, Owner, SignedIn, User, api_router
from sfumato.web.service.benches import job_of
from sfumato.web.service.negotiating import Said
from sfumato.web.service.rooms import rooms_of
from sfumato.web.service.showing import View
from sfumato.web.service.store import listings, negotiations

router = api_router("negotiations")
Id = Annotated[str, Path(pattern="^[0-9a-f]{32}$")]
Number = Annotated[str, Field(pattern="^[0-9a-f]{32}$")]
Name = Annotated[str, Field(min_length=1, max_length=1000, pattern=r"^[^\x00]+$")]
Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0, le=1)]


class Pattern(Sent):
    """The attributes of interest in layers, the most important first, and how far each layer may be generalized (0 to 1)."""

    layers: Annotated[list[Annotated[list[Name], Field(min_length=1, max_length=200)]], Field(min_length=1, max_length=200)]
    shares: Annotated[tuple[Share, ...], Field(max_length=200)] = ()

    def utility(self) -> UtilityPattern:
        """As the library has it."""
        return UtilityPattern(tuple(tuple(layer) for layer in self.layers), tuple(self.shares))


class Request_(Sent):  # noqa: N801  Request is the web's
    """A request for a release. `id` and `event` are numbers that you draw: sent again, they change nothing."""

    offering: Number
    pattern: Pattern
    budget: Amount | None = None
    id: Number | None = None
    event: Number | None = None


class Move(Sent):
    """A move: `accept` and `reject` name the offer by its id, `accept` also by the digest of its terms; `relax` asks for something else, a
    little less by default; `terminate` ends it."""

    move: Annotated[str, Field(pattern="^(accept|reject|relax|terminate)$")]
    offer: Number | None = None
    digest: Annotated[str, Field(pattern="^[0-9a-f]{64}$")] | None = None
    pattern: Pattern | None = None
    budget: Amount | None = None
    reason: Annotated[str, Field(min_length=1, max_length=500, pattern=r"^[^\x00-\x1f]+$")] | None = None
    event: Number | None = None


class Listed(BaseModel):
    """A table that can be asked for."""

    id: str
    title: str
    owner: str
    rate: str
    attributes: list[str]
    rules: list[str]


@router.get("/catalogue")
def catalogue(request: Request, account: SignedIn) -> list[Listed]:
    """Everything that can be asked for."""
    with rooms_of(request).service.database.reading() as connection:
        found = listings.open_ones(connection)
    return [
        Listed(
            id=each.id,
            title=each.sheet.title,
            owner=each.sheet.owner.name,
            rate=each.sheet.rate,
            attributes=list(each.sheet.heights),
            rules=rules_in_words(each.sheet),
        )
        for each in found
    ]


@router.get("/catalogue/{identity}")
def sheet(request: Request, account: SignedIn, identity: Id) -> dict[str, Any]:
    """The owner's sheet: attributes, levels, labels and rules, signed."""
    with rooms_of(request).service.database.reading() as connection:
        return deciding.listed(connection, identity).sheet.as_dict()


@router.get("/negotiations")
def mine(
    request: Request, account: SignedIn, page: Annotated[int, Query(ge=0, le=10**6)] = 0, state: State | None = None
) -> dict[str, Any]:
    """Your negotiations, those that changed last first, 50 a page; those in one state, if it is given."""
    with rooms_of(request).service.database.reading() as connection:
        found, total = negotiations.lines(connection, account.id, page, None if state is None else state.value)
    return {
        "total": total,
        "page": page,
        "negotiations": [asdict(each) for each in found],
    }


@router.post("/negotiations", status_code=HTTPStatus.CREATED, response_model=dict[str, Any])
def ask(request: Request, user: User, sent: Request_) -> Response:
    """Ask for a release. The answer has the owner's: an offer, or that there is none."""
    made = deciding.ask(request, user, sent.offering, sent.pattern.utility(), sent.budget, sent.event, sent.id)
    return _shown(made, HTTPStatus.CREATED)


@router.get("/negotiations/{identity}", response_model=dict[str, Any])
def one(request: Request, account: SignedIn, identity: Id) -> Response:
    """A negotiation: what was said, and what you can do now."""
    return _shown(deciding.view(request, account, identity))


@router.post("/negotiations/{identity}/moves", response_model=dict[str, Any])
def move(request: Request, account: SignedIn, identity: Id, sent: Move) -> Response:
    """Make a move. The answer has the owner's next offer, if it is the owner's turn."""
    pattern = None if sent.pattern is None else sent.pattern.utility()
    said = Said(sent.move, sent.offer, sent.digest, Relaxed(pattern, sent.budget), sent.reason, sent.event)
    return _shown(deciding.say(request, account, identity, said))


def _shown(view: View, status: HTTPStatus = HTTPStatus.OK) -> Response:
    """What every answer is: written as it is, since nothing of our own needs to be checked again."""
    return Response(json.encode(view), status, media_type="application/json")


@router.get("/negotiations/{identity}/record")
def record(request: Request, account: SignedIn, identity: Id) -> dict[str, Any]:
    """The record: the sheet and everything that was said, signed. `sfumato negotiate verify` checks it."""
    return deciding.record(request, account, identity)


@router.get("/negotiations/{identity}/files/{name}", response_class=FileResponse)
def file(request: Request, account: SignedIn, identity: Id, name: str) -> Response:
    """A file that was delivered: the release, its certificate, or the closed record."""
    return deciding.file(request, account, identity, name)


# Of its answers only the key is a text: what is wrong is said in JSON as everywhere.
@router.get(
    "/negotiations/{identity}/key",
    response_class=Response,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
)
def key(request: Request, account: SignedIn, identity: Id) -> Response:
    """The owner's public key, for `sfumato verify --key`."""
    return PlainTextResponse(deciding.key(request, account, identity))


@router.get("/negotiations/{identity}/job")
def delivery(request: Request, account: SignedIn, identity: Id) -> JobView | None:
    """The job that delivers what was agreed."""
    found = deciding.delivery(request, account, identity)
    return None if found is None else JobView(**job_of(found).as_dict())


@router.post("/negotiations/{identity}/job/again", status_code=202)
def deliver_again(request: Request, owner: Owner, identity: Id) -> None:
    """Deliver once more, if that has failed."""
    deciding.deliver_again(request, owner, identity)


@router.get("/negotiations/{identity}/refusal")
def refusal(request: Request, owner: Owner, identity: Id) -> dict[str, Any] | None:
    """For its owner: why there is no offer, and the negotiations whose offers are in the way."""
    found = deciding.refusal(request, owner, identity)
    return None if found is None else found.as_dict()
