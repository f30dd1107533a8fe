"""Whoever watches the service needs no account, and is told when the store does not answer."""

from __future__ import annotations

from pathlib import Path

from fastapi.testclient import TestClient

from sfumato.web.service.app import service_app
from sfumato.web.service.service import Service
from sfumato.web.service.store import Database
from tests.web.service.conftest import ADDRESS


def test_a_service_whose_store_answers_is_well(service: Service) -> None:
    answer = TestClient(service_app(service), base_url=ADDRESS).get("/health")
    assert (answer.status_code, answer.text) == (200, "ok\n")


def test_a_service_without_its_store_is_not(tmp_path: Path) -> None:
    nowhere = Database("postgresql://nobody:secret@127.0.0.1:1/nothing?connect_timeout=1")
    answer = TestClient(service_app(Service(nowhere, tmp_path, ADDRESS)), base_url=ADDRESS).get("/health")
    assert answer.status_code == 503
    assert "secret" not in answer.text
