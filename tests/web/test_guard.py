"""Nobody but the person who started the workbench gets in: not through another name, another origin, a guess, or a link."""

from __future__ import annotations

from fastapi.testclient import TestClient

from sfumato.web.bench.project import Project
from tests.web.conftest import PORT, SECRET, TOKEN

PAGES = (
    "/",
    "/table",
    "/hierarchies",
    "/risk",
    "/publish",
    "/job",
    "/style.css",
    "/static/pages.js",
    "/releases/001/release.csv",
)


def test_without_the_token_nothing_is_shown(stranger: TestClient) -> None:
    for page in PAGES:
        for token in ("", "wrong", TOKEN[:-1], TOKEN + "x", "the-tokén"):
            for given in ({"params": {"token": token}}, {"headers": {"Cookie": f"sfumato-{PORT}={token}".encode()}}, {}):
                answer = stranger.get(page, **given)
                assert (answer.status_code, answer.text.count("\n")) == (401, 1)
                assert "Patient" not in answer.text


def test_the_token_leaves_the_address_at_once(stranger: TestClient) -> None:
    answer = stranger.get("/risk", params={"a": "b c", "token": TOKEN})
    assert (answer.status_code, answer.headers["location"]) == (303, "/risk?a=b+c")
    cookie = answer.headers["set-cookie"]
    assert all(word in cookie for word in ("HttpOnly", "SameSite=strict", f"sfumato-{PORT}="))
    assert stranger.get("/risk").status_code == 200


def test_another_name_for_this_computer_is_refused(browser: TestClient) -> None:
    """DNS rebinding: a page of somebody else whose name suddenly leads here."""
    strange = ("evil.example", f"evil.example:{PORT}", "127.0.0.1", f"127.0.0.1:{PORT + 1}", f"127.0.0.1.evil.example:{PORT}", "")
    for host in strange:
        answer = browser.get("/table", headers={"Host": host})
        assert answer.status_code == 403
        assert "Patient" not in answer.text


def test_a_change_from_a_foreign_page_is_refused(browser: TestClient, project: Project) -> None:
    before = project.stamp
    del browser.headers["Origin"]
    for origin in (None, "null", "http://evil.example", f"http://127.0.0.1:{PORT + 1}", f"https://127.0.0.1:{PORT}"):
        headers = {} if origin is None else {"Origin": origin}
        for page in ("/table/role", "/hierarchies/undo", "/hierarchies/sort", "/publish"):
            answer = browser.post(page, data={"name": "PLZ", "role": "plain", "models": "k-anonymity:2"}, headers=headers)
            assert answer.status_code == 403
    assert project.stamp == before


def test_every_answer_has_a_strict_policy(browser: TestClient) -> None:
    for page in ("/table", "/hierarchies", "/risk", "/publish", "/nothing"):
        headers = browser.get(page).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert (headers["x-content-type-options"], headers["cache-control"]) == ("nosniff", "no-store")


def test_no_name_leads_out_of_a_release(browser: TestClient, project: Project) -> None:
    (project.folder / "releases" / "001").mkdir(parents=True)
    for name in ("../schema.toml", "..%2fschema.toml", "%2e%2e%2fschema.toml", "%2fetc%2fpasswd", "release.csv%00"):
        for folder in ("001", "%2e%2e", "1e0", "001%2f.."):
            answer = browser.get(f"/releases/{folder}/{name}")
            assert answer.status_code == 404
            assert "[attributes" not in answer.text


def test_pages_of_errors_show_no_data(browser: TestClient) -> None:
    for answer in (
        browser.get("/nothing"),
        browser.post("/table/role", data={"name": SECRET, "role": "quasi"}),
        browser.post("/table/role", data={"name": "PLZ", "role": "king"}),
        browser.post("/table/role", data={}),
        browser.post("/publish", data={"models": "no-model:5"}),
        browser.post("/publish", data={"models": ""}),
        browser.post("/publish", data={"models": "k-anonymity:5", "suppress": "many"}),
    ):
        assert answer.status_code in (400, 404, 422)
        assert "Grippe" not in answer.text
