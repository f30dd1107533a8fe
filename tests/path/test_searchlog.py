"""`sfumato searchlog` from the outside: from a log to a report, JSON, answers that are no, and bad input in one line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
LOG = "User ID,Query,Time,Rank,URL\n" + "".join(
    f"u{user},{query},2026-03-02 08:{user:02d},1,www.{query.lower()}.example\n"
    for user in range(30)
    for query in ("Weather", "News", f"secret{user}")
)


@pytest.fixture
def log(tmp_path: Path, sfumato: Run, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("log.csv").write_text(LOG, encoding="utf-8")
    ended = sfumato("searchlog", "import", "log.csv", "--format", "lecture", "-o", "log.parquet")
    assert (ended.status, ended.err) == (0, "")
    assert "90 rows of 30 people" in ended.out
    return tmp_path / "log.parquet"


def test_a_log_goes_from_import_to_report(sfumato: Run, log: Path) -> None:
    found = sfumato("searchlog", "find", log, "-o", "findings.parquet", "--json").json
    assert (found["schema_version"], found["queries"], found["rare"], found["unique_people"]) == (1, 32, 30, 30)
    made = sfumato("searchlog", "publish", log, "-o", "out.csv", "--owners", "owners.parquet", "--seed", "1", "--json").json
    assert made["certificate"]["counted"]["rows"] == 60
    assert made["owner"]["dropped"]["rare_queries"] == 30
    assert "secret" not in Path("out.csv").read_text(encoding="utf-8")
    verified = sfumato("searchlog", "verify", "out.csv", "--owners", "owners.parquet", "--json").json
    assert (verified["verified"], verified["people"], verified["counted"]["least_people_of_a_query"]) == (True, True, 30)
    attacked = sfumato("searchlog", "attack", log, "out.csv", "--owners", "owners.parquet", "--knows", "1", "--json").json
    assert [each["log"] for each in attacked["attempts"]] == ["before", "before", "after", "after", "after"]
    assert sfumato("searchlog", "utility", log, "out.csv", "--tops", "2", "--json").json["tops"] == [
        {"top": 2, "shared": 2, "share": 1.0}
    ]
    ended = sfumato("searchlog", "report", log, "out.csv", "--owners", "owners.parquet", "-o", "page.html", "--json")
    assert ended.status == 0
    assert Path("page.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    for words in (("find", log), ("publish", log, "-o", "b.parquet"), ("verify", "b.parquet"), ("utility", log, "b.parquet")):
        ended = sfumato("searchlog", *words)
        assert (ended.status, ended.err) == (0, "")
        assert "secret" not in ended.out


def test_what_nobody_can_know_is_counted_and_named_on_the_screen(sfumato: Run, log: Path) -> None:
    """A mark that somebody typed takes nothing with it; a cell of several lines, in which there may be searches, is set aside."""
    typed = "".join(f"u{user}\t{query}\t2026-03-02 08:00:00\t\t\n" for user, query in enumerate(['"new york', "b", '"', "d"]))
    Path("typed.txt").write_text("AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n" + typed, encoding="utf-16")
    ended = sfumato("searchlog", "import", "typed.txt", "--format", "aol", "-o", "typed.parquet")
    assert (ended.status, ended.out) == (0, "wrote typed.parquet: 4 rows of 4 people\n")
    Path("torn.csv").write_text(LOG + 'v,"secret, and\nanother",2026-03-02 08:00,,\n', encoding="utf-8")
    ended = sfumato("searchlog", "import", "torn.csv", "--format", "lecture", "-o", "torn.parquet")
    assert ended.status == 0
    assert "set aside in torn.aside.jsonl: lines that a quotation mark may make one cell; one in a text is written" in ended.out
    assert ended.out.endswith(": 2\n")
    assert "another" not in ended.out + ended.err


def test_dates_are_read_as_was_said(sfumato: Run, log: Path) -> None:
    Path("dates.csv").write_text("Nutzer;Suche;Zeit\na;tax;05.03.2006\nb;tax;5.3.2006 7:17\n", encoding="utf-8")
    words = ("searchlog", "import", "dates.csv", "--format", "columns", "--columns", "user=Nutzer,query=Suche,time=Zeit")
    assert "--dates dd.mm.yyyy" in sfumato(*words, "-o", "dates.parquet").err
    assert sfumato(*words, "--dates", "dd.mm.yyyy", "-o", "dates.parquet").out == "wrote dates.parquet: 2 rows of 2 people\n"


def test_generating_is_reported(sfumato: Run, tmp_path: Path) -> None:
    assert sfumato("searchlog", "generate", "--rows", "8_000", "-o", tmp_path / "log", "--json").json["rows"] == 8_000
    assert (
        "8,000 rows of 200 people" in sfumato("searchlog", "generate", "--rows", "8_000", "-o", tmp_path / "log", "--force").out
    )


def test_a_delta_that_protects_few_is_a_warning_and_no_refusal(sfumato: Run, log: Path) -> None:
    ended = sfumato("searchlog", "publish", log, "--private", "8,0.1", "--per-person", "3", "-o", "counts.csv")
    assert ended.status == 0
    assert ended.err == (
        "sfumato: warning: delta is not below one in the 30 people of the log: to publish everything about one of them, chosen by chance, "
        "would be as private\n"
    )


def test_private_publishing_is_reported(sfumato: Run, log: Path) -> None:
    ended = sfumato("searchlog", "publish", log, "--private", "8,1e-3", "--per-person", "3", "-o", "counts.csv")
    assert (ended.status, ended.err) == (0, "")
    assert "2 noisy counts" in ended.out
    assert "noise itself leaves no trace" in sfumato("searchlog", "verify", "counts.csv").out
    assert "no ids to choose among" in sfumato("searchlog", "attack", log, "counts.csv", "--targets", "5").out
    assert sfumato("searchlog", "report", log, "counts.csv", "-o", "page.html").status == 0


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (("publish", "log.parquet", "--threshold", "1", "-o", "x.csv"), 2, "--threshold: a threshold of 1 keeps"),
        (("publish", "log.parquet", "--threshold", "31", "-o", "x.csv"), 1, "--threshold: no query has 31 people"),
        (("publish", "log.parquet", "--private", "0,1e-6", "--per-person", "1", "-o", "x.csv"), 2, "epsilon must be more than 0"),
        (("publish", "log.parquet", "--private", "1,1e-6", "-o", "x.csv"), 2, "--per-person 10"),
        *(
            (("publish", "log.parquet", "--private", "1,1e-6", "--per-person", "1", name, value, "-o", "x.csv"), 2, name)
            for name, value in {"--sessions": "30m", "--times": "hour", "--urls": "drop", "--seed": "0"}.items()
        ),
        (("publish", "log.parquet", "-o", "x.txt"), 2, ".parquet or .csv"),
        (("publish", "log.csv", "-o", "x.csv"), 2, "no column 'UserId'"),
        (("publish", "nowhere.parquet", "-o", "x.csv"), 2, "no such file"),
        (("find", "log.parquet", "-o", "x.csv"), 2, "ends in .parquet"),
        (("find", "log.parquet", "--names", "nowhere.txt"), 2, "no such file"),
        (("verify", "log.csv"), 2, "no certificate"),
        (("verify", "nowhere.csv"), 2, "no such file"),
        (("attack", "log.parquet", "--people", "log.csv"), 2, "not a Parquet file"),
        (("attack", "log.parquet", "log.csv"), 2, "--owners"),
        (("utility", "log.parquet", "log.csv"), 2, "has other columns than Id"),
        (("utility", "log.parquet", "log.csv", "--tops", "ten"), 2, "whole numbers"),
        (("import", "log.csv", "--format", "aol", "-o", "x.parquet"), 2, "a log without people: no column 'AnonID'"),
        (("import", "log.csv", "--format", "aol", "-o", "x.csv"), 2, "ends in .parquet"),
        (("import", "log.csv", "--format", "lecture", "--decimal", ",", "-o", "x.parquet"), 2, "No such option: --decimal"),
        (("import", "log.csv", "--format", "lecture", "--dates", "When=dd.mm.yyyy", "-o", "x.parquet"), 2, "in column 'Time'"),
        (("import", "log.csv", "--format", "yandex", "--dates", "dd.mm.yyyy", "-o", "x.parquet"), 2, "--dates: this layout is"),
        (("generate", "--rows", "10", "-o", "x"), 2, "at least 1,000 rows"),
        (("report", "log.parquet", "log.csv", "-o", "x.pdf"), 2, "ends in .html"),
    ],
)
def test_bad_input_ends_in_one_line_and_nothing_written(
    words: tuple[str, ...], status: int, message: str, sfumato: Run, log: Path
) -> None:
    before = sorted(path.name for path in log.parent.iterdir())
    ended = sfumato("searchlog", *words)
    assert (ended.status, ended.out) == (status, "")
    assert ended.err.count("\n") == 1
    assert message in ended.err
    assert "secret" not in ended.err
    assert sorted(path.name for path in log.parent.iterdir()) == before
