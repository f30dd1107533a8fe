"""The API is described as it is: its routes, what it takes, how it refuses."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.testclient import TestClient

from sfumato.web.service.people import Account
from tests.web.service.conftest import ADDRESS

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
        ("POST", "/api/v1/accounts/{number}/reset"),
        ("DELETE", "/api/v1/accounts/{number}/reset"),
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
