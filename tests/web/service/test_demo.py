"""The demo is a service in which somebody can negotiate at once, up to a release that verifies."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest

import sfumato as sf
from tests.web.service.offering import waited
from tests.web.service.test_serve import end, started


@contextmanager
def signed_in(said: dict[str, Any], role: str) -> Iterator[httpx.Client]:
    """A browser in which somebody of the demo has signed in."""
    sign_in = next(each for each in said["sign_ins"] if each["role"] == role)
    with httpx.Client(base_url=said["address"], headers={"Origin": said["address"]}, timeout=60) as client:
        answer = client.post("/sign-in", data={"mail": sign_in["mail"], "password": sign_in["password"]})
        assert (answer.status_code, answer.headers["location"]) == (303, "/")
        yield client


@pytest.mark.slow
def test_the_user_of_the_demo_gets_a_release_of_the_census(tmp_path: Path) -> None:
    with (
        started(tmp_path / "service", "--demo") as (process, said),
        signed_in(said, "user") as user,
        signed_in(said, "owner") as owner,
    ):
        waited(lambda: len(user.get("/api/v1/catalogue").json()) == 2, 120)
        rates = {each["rate"]: each["id"] for each in user.get("/api/v1/catalogue").json()}
        assert set(rates) == {"flat", "variable"}
        asked = {"offering": rates["flat"], "pattern": {"layers": [["sex"], ["education"]]}}
        view = user.post("/api/v1/negotiations", json=asked).json()
        place = f"/api/v1/negotiations/{view['id']}"
        move = {"move": "accept", "offer": view["offer"]["id"], "digest": view["offer"]["digest"]}
        assert user.post(f"{place}/moves", json=move).json()["state"] == "agreed"
        waited(lambda: user.get(place).json()["state"] == "delivered", 120)
        for name in ("release.csv", "release.csv.certificate.json"):
            (tmp_path / name).write_bytes(user.get(f"{place}/files/{name}").content)
        (tmp_path / "owner.pub").write_text(user.get(f"{place}/key").text)
        checked = sf.verify(tmp_path / "release.csv", key=tmp_path / "owner.pub")
        assert checked.certificate.node["education"] == view["offer"]["levels"]["education"]
        priced = {"offering": rates["variable"], "pattern": {"layers": [["sex"]]}, "budget": 100}
        answer = user.post("/api/v1/negotiations", json=priced).json()
        assert answer["state"] == "refused" or answer["offer"]["price"] <= 100
        table = owner.get("/api/v1/tables").json()[0]["id"]
        assert owner.get(f"/api/v1/tables/{table}/columns").json()["rows"] == 30_162
        assert end(process) == (0, "")
