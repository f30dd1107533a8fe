"""Programs that send anything: whatever comes, the API answers as its OpenAPI says, and never with a bug."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import pytest
import schemathesis
from fastapi import FastAPI
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import FailureGroup
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from sfumato.negotiation.files import Offering
from sfumato.negotiation.pattern import UtilityPattern
from sfumato.web.service.app import service_app
from sfumato.web.service.negotiating import Said
from sfumato.web.service.people import Account, Role
from sfumato.web.service.rooms import Rooms
from sfumato.web.service.service import Service
from tests.web.service.conftest import ADDRESS, browser, make_account, program
from tests.web.service.offering import offered_in, table_in, work_off

EXAMPLES = 8  # of each operation
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
REVOKES = ("/tokens/", "/accounts/")  # with ids that are there, these would end whoever asks


@dataclass(frozen=True)
class World:
    """A service in which something has happened, and the ids of what is there."""

    app: FastAPI
    tokens: dict[Role, str]
    ids: tuple[str, ...]

    def schema(self) -> Any:
        """The API as it describes itself; requests go to the application without its workers."""
        made = schemathesis.openapi.from_dict(self.app.openapi())
        made.app = _only_requests(self.app)
        return made


def _only_requests(app: FastAPI) -> Callable[..., Awaitable[None]]:
    async def answering(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            raise RuntimeError("nobody starts or ends here")
        await app(scope, receive, send)

    return answering


def world_of(service: Service) -> World:
    """A table, an offer, and three negotiations: one with an offer, one agreed, one delivered."""
    app = service_app(service)
    owner = make_account(service, Role.OWNER, "Olga Owner", "olga@example.org")
    user = make_account(service, Role.USER, "Ulf User", "ulf@example.org")
    rooms: Rooms = app.state.rooms
    table = table_in(service, owner)
    listing = offered_in(service, owner, table, Offering(epsilon=0.9))
    delivered = _accepted(rooms, user, listing, "sex")
    work_off(service)
    agreed = _accepted(rooms, user, listing, "sex > town")
    standing = rooms.negotiating.ask(user, listing, UtilityPattern.parse("town > sex")).id
    tokens = {each.role: _token(app, each) for each in (owner, user)}
    return World(app, tokens, (table, listing, delivered, agreed, standing))


def _accepted(rooms: Rooms, user: Account, listing: str, pattern: str) -> str:
    found = rooms.negotiating.ask(user, listing, UtilityPattern.parse(pattern))
    offer = found.record.negotiation.standing
    assert offer is not None
    return rooms.negotiating.say(user, found.id, Said("accept", offer.id, offer.terms.digest)).id


def _token(app: FastAPI, account: Account) -> str:
    return str(program(app, browser(app, account)).headers["authorization"])


def fuzzed(world: World, examples: int) -> tuple[int, list[str]]:
    """Requests to every operation, of the kind that it declares and of others, by an owner and by a user: how many, and what is wrong with
    the answers."""
    sent, wrong = 0, []
    for found in world.schema().get_all_operations():
        operation = found.ok()

        @settings(
            max_examples=examples,
            derandomize=True,
            database=None,
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(
            case=st.one_of(*map(operation.as_strategy, (GenerationMode.POSITIVE, GenerationMode.NEGATIVE))),
            known=st.sampled_from(world.ids),
            there=st.booleans(),
            role=st.sampled_from(Role),
        )
        def send(case: Any, known: str, there: bool, role: Role) -> None:
            nonlocal sent
            sent += 1
            if there and case.path_parameters and not any(each in case.path for each in REVOKES):
                case.path_parameters["identity"] = known
            answer = case.call(base_url=ADDRESS, headers={"Authorization": world.tokens[role]})
            try:
                case.validate_response(answer, checks=CHECKS)
            except FailureGroup as error:
                wrong.append(str(error))

        send()
    return sent, wrong


@pytest.mark.slow
def test_whatever_is_sent_is_answered_as_declared(service: Service) -> None:
    sent, wrong = fuzzed(world_of(service), EXAMPLES)
    assert sent > 200
    assert not wrong, "\n\n".join(wrong)


@pytest.mark.parametrize("shown", [None, b"Bearer ", b"Bearer sfumato_forged", b"Basic b2xnYTpvbGdh", b"bearer \x85\xff"])
def test_whoever_shows_no_valid_token_is_told_to_sign_in(app: FastAPI, shown: bytes | None) -> None:
    client = TestClient(app, base_url=ADDRESS)
    headers = [] if shown is None else [(b"Authorization", shown)]
    for path, operations in app.openapi()["paths"].items():
        for method in operations:
            answer = client.request(method, path.replace("{", "").replace("}", ""), headers=headers)
            assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer"), (method, path)
            assert answer.json()["error"]["code"] == "unauthorized"
