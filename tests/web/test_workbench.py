"""From a table that nobody prepared to a release, on pages and in files that the commands read."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

import sfumato as sf
from sfumato.errors import UsageError
from sfumato.vocabulary.kinds import Role
from sfumato.web.bench.project import Project, project_of


def test_every_column_has_a_picture_a_list_its_role_and_the_reason(browser: TestClient, project: Project) -> None:
    page = browser.get("/").text
    names = [each.name for each in project.schema.attributes]
    assert [unescape(name) for name in re.findall(r'<h2 id="name-\d+">([^<]+)</h2>', page)] == names
    assert page.count("<svg") == len(names)
    checked = re.findall(r'value="(\w+)" checked', page)
    assert checked == [each.role.value for each in project.schema.attributes]
    assert "400 rows, 7 columns" in page
    assert page.count("Suggested: ") == len(names)
    men = re.search(r"<span>m</span> <span>(\d+)</span>", page)
    women = re.search(r"<span>w</span> <span>(\d+)</span>", page)
    assert men
    assert women
    assert int(men[1]) + int(women[1]) == 400


def test_a_role_that_is_chosen_is_in_the_schema_that_the_commands_read(browser: TestClient, project: Project) -> None:
    assert project.schema["PLZ"].role is Role.QUASI
    height = project.schema["PLZ"].height()
    answer = browser.post("/table/role", data={"name": "PLZ", "role": "plain"}, follow_redirects=False)
    place = [each.name for each in project.schema.attributes].index("PLZ")
    assert (answer.status_code, answer.headers["location"]) == (303, f"/table#column-{place}")
    assert project.schema["PLZ"].role is Role.PLAIN
    assert "# decided on the workbench" in project.schema_file.read_text()
    browser.post("/table/role", data={"name": "PLZ", "role": "quasi"})
    again = project.schema["PLZ"]
    assert (again.role, again.height()) == (Role.QUASI, height)  # with its levels
    browser.post("/table/role", data={"name": "Größe", "role": "quasi"})
    assert project.schema["Größe"].height() > 1  # with those that were suggested


def test_what_the_shell_changes_is_on_the_page(browser: TestClient, project: Project) -> None:
    before = re.search(r"one of ([\d,]+) groups", browser.get("/risk").text)
    project.schema_file.write_text(project.schema.with_role(["Geburtsdatum", "Größe"], "identifier").to_toml())
    after = re.search(r"one of ([\d,]+) groups", browser.get("/risk").text)
    assert before
    assert after
    assert int(after[1]) == 6 < int(before[1].replace(",", ""))  # three towns, two sexes


def test_the_risk_is_that_of_measure(browser: TestClient, project: Project) -> None:
    page = browser.get("/risk").text
    measured = sf.measure(project.source)
    assert f"{measured.risk.unique:.1%} of the people are alone" in page
    assert f"up to {measured.risk.prosecutor_max:.1%}" in page
    single = re.findall(r'<th scope="row">(Geburtsdatum|PLZ)</th><td class="number">([\d,]+)</td>', page)
    born = sf.measure(project.source, quasi="Geburtsdatum").risk.unique
    assert (single[0][0], int(single[0][1])) == ("Geburtsdatum", round(born * 400))


def test_a_release_with_its_certificate_report_and_recipe(browser: TestClient, project: Project) -> None:
    page = browser.post("/publish", data={"models": "k-anonymity:5\ndistinct-diversity:2", "suppress": "2%"})
    assert page.status_code == 200
    ended = browser.app.state.bench.work.wait(120)  # type: ignore[attr-defined]
    assert ended.error is None
    folder = project.folder / "releases" / "001"
    assert {path.name for path in folder.iterdir()} == {
        "release.csv",
        "release.csv.certificate.json",
        "recipe.toml",
        "report.html",
    }
    assert sf.verify(folder / "release.csv").certificate.smallest_class >= 5
    listed = browser.get("/publish").text
    assert "k-anonymity:5\ndistinct-diversity:2" in listed
    assert 'value="2%"' in listed
    got = browser.get("/releases/001/release.csv")
    assert got.content == (folder / "release.csv").read_bytes()
    assert "attachment" in got.headers["content-disposition"]
    assert browser.get("/releases/001/report.html").headers["content-type"].startswith("text/html")
    again = sf.anonymize(recipe=project.recipe_file, output=project.folder / "again.csv")
    assert again.release.certificate.node == sf.verify(folder / "release.csv").certificate.node


def test_what_cannot_be_had_is_told_with_what_would_work(browser: TestClient, project: Project) -> None:
    browser.post("/publish", data={"models": "k-anonymity:401"})
    browser.app.state.bench.work.wait(120)  # type: ignore[attr-defined]
    page = browser.get("/publish").text
    assert "No release satisfies this" in page
    assert "400 would work" in page
    assert list((project.folder / "releases").iterdir()) == []


def test_names_and_values_stay_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from sfumato.web.workbench.app import workbench
    from sfumato.web.workbench.guard import Guard
    from tests.web.conftest import BASE, PORT, TOKEN

    monkeypatch.setenv("SFUMATO_LEDGER", str(tmp_path / "ledger"))
    evil = "<script>alert(1)</script>"
    rows = "".join(f'"{evil}",{20 + n % 9},x{n % 3}\n' for n in range(60))
    (tmp_path / "t.csv").write_text(f'"{evil}<b>","age","ill"\n{rows}')
    app = workbench(project_of(tmp_path / "t.csv", tmp_path / "p"), Guard(TOKEN, PORT))
    assert app.state.bench.work.wait(60).error is None
    with TestClient(app, base_url=BASE) as browser:
        page = browser.get("/", params={"token": TOKEN}).text
    assert evil not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;&lt;b&gt;" in page


def test_a_project_goes_on_where_it_was(
    patients: Path, project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = project.schema_file.read_text()
    assert project_of(patients, tmp_path / "work").schema_file.read_text() == before
    assert project_of(tmp_path / "work").source.data == project.source.data
    other = tmp_path / "other.csv"
    other.write_text("a,b\n1,2\n")
    with pytest.raises(UsageError, match="about another table"):
        project_of(other, tmp_path / "work")
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    with pytest.raises(UsageError, match="no project; 'sfumato open DATA' begins one"):
        project_of(None)
