"""The API is described as it is: its routes, what it takes, how it refuses; fuzzing finds no bug."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable

from sfumato.web.service.people import Account
from tests.web.service.conftest import ADDRESS, program

schemathesis: Any = pytest.importorskip("schemathesis")
METHODS = {"get", "post", "put", "patch", "delete"}


def spec(client: TestClient) -> dict[str, Any]:
    return dict(client.get("/api/openapi.json").json())


def test_only_the_api_is_described(app: FastAPI, stranger: TestClient) -> None:
    described = {(method.upper(), path) for path, methods in spec(stranger)["paths"].items() for method in methods}
    assert all(path.startswith("/api/v1/") for _, path in described)
    expected = {
        ("GET", "/api/v1/account"),
        ("POST", "/api/v1/account/password"),
        ("GET", "/api/v1/accounts"),
        ("DELETE", "/api/v1/accounts/{number}"),
        ("GET", "/api/v1/invitations"),
        ("POST", "/api/v1/invitations"),
        ("DELETE", "/api/v1/invitations/{number}"),
        ("GET", "/api/v1/tokens"),
        ("POST", "/api/v1/tokens"),
        ("DELETE", "/api/v1/tokens/{number}"),
        ("GET", "/api/v1/activity"),
    }
    assert expected <= described


def test_every_operation_says_who_may_and_how_it_refuses(stranger: TestClient) -> None:
    described = spec(stranger)
    schemes = described["components"]["securitySchemes"]
    assert {(each["type"], each["scheme"]) for each in schemes.values()} == {("http", "bearer")}
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            assert method in METHODS
            assert operation["security"] == [{name: []} for name in schemes], path
            assert operation["summary"]
            for status in ("401", "403", "422"):
                schema = operation["responses"][status]["content"]["application/json"]["schema"]
                assert schema == {"$ref": "#/components/schemas/Problem"}


def test_nobody_gets_anything_without_a_token(app: FastAPI, stranger: TestClient, owner: Account) -> None:
    bare = TestClient(app, base_url=ADDRESS)
    for path, methods in spec(stranger)["paths"].items():
        for method in methods:
            answer = bare.request(method, path.replace("{number}", "a" * 32), json={} if method in ("post", "put") else None)
            assert answer.status_code == 401, (method, path)
            assert set(answer.json()["error"]) == {"code", "message", "where"}


def test_what_is_not_there_is_refused_in_the_same_shape(as_owner: TestClient) -> None:
    for method, path, status in (
        ("GET", "/api/v1/nothing", 404),
        ("GET", "/api/", 404),
        ("PUT", "/api/v1/account", 405),
        ("DELETE", "/api/v1/accounts/" + "a" * 32, 404),
        ("DELETE", "/api/v1/accounts/../../etc", 404),
        ("DELETE", "/api/v1/tokens/' OR '1'='1", 422),
    ):
        answer = as_owner.request(method, path)
        assert answer.status_code == status, path
        assert set(answer.json()["error"]) == {"code", "message", "where"}


PEOPLE = {"accounts", "tokens", "activity"}


@pytest.mark.slow
def test_no_request_that_fits_or_breaks_the_description_finds_a_bug(app: FastAPI, as_owner: TestClient) -> None:
    """Fuzzing by schemathesis: no 500, every status is described, every refusal has the one shape."""
    script = program(app, as_owner)
    headers = {"Authorization": script.headers["Authorization"], "Host": ADDRESS.removeprefix("http://")}
    schema = schemathesis.openapi.from_dict(spec(as_owner))
    operations = [found.ok() for found in schema.get_all_operations() if PEOPLE & set(found.ok().tags)]
    assert len(operations) == 11
    for operation in operations:
        for mode in schemathesis.GenerationMode:
            _fuzz(operation, mode, script, headers)


def _fuzz(operation: Any, mode: Any, script: TestClient, headers: dict[str, str]) -> None:
    described = {int(status) for status in operation.definition.raw["responses"]} | {405}
    seen = []

    @settings(max_examples=20, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(operation.as_strategy(mode))
    def tries(case: Any) -> None:
        asked = case.as_transport_kwargs(base_url=ADDRESS, headers=headers)
        asked.pop("cookies", None)
        if isinstance(asked.get("data"), bytes | str):
            asked["content"] = asked.pop("data")
        answer = script.request(**asked)
        seen.append(answer.status_code)
        assert answer.status_code in described, (operation.label, answer.text)
        if answer.status_code >= 400:
            assert set(answer.json()["error"]) == {"code", "message", "where"}

    try:
        tries()
    except Unsatisfiable:  # there is no way to break what takes nothing
        assert mode is schemathesis.GenerationMode.NEGATIVE
        return
    assert seen
