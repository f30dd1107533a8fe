"""`sfumato ato import`, `generate` and `features` from end to end."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.applications.ato.generating.making import generate
from tests.conftest import Ended

Run = Callable[..., Ended]


def test_a_log_is_generated_and_counted_and_told_in_json(sfumato: Run, tmp_path: Path) -> None:
    made = sfumato("ato", "generate", "--rows", "2_000", "--seed", 3, "-o", tmp_path / "log", "--json").json
    assert (made["events"], made["fraudulent"], made["schema_version"]) == (2000, 60, 1)
    assert all((tmp_path / "log" / name).is_file() for name in made["files"])
    record = sfumato("ato", "features", tmp_path / "log", "-o", tmp_path / "features", "--json").json
    assert set(record["levels"]) == {"ip", "subnet", "country"}
    assert record["doubled"] == 0
    assert sfumato("ato", "features", tmp_path / "log", "-o", tmp_path / "features").status == 2, "they exist"


def test_nothing_of_a_person_is_in_any_message(sfumato: Run, tmp_path: Path) -> None:
    secret = "ann.secret@a.example"
    good = {
        "Id": "1",
        "CreationTime": "2026-03-02T08:00:00",
        "Operation": "UserLoggedIn",
        "UserId": secret,
        "ClientIP": "203.0.113.77",
    }
    bad = {**good, "Id": "2", "ClientIP": "203.0.113.777", "ExtendedProperties": [{"Name": "UserAgent", "Value": "AgentSecret"}]}
    (tmp_path / "log.jsonl").write_text(f"{json.dumps(good)}\n{json.dumps(bad)}\n{json.dumps(bad)[:70]}\n", encoding="utf-8")
    ended = [
        sfumato("ato", "import", tmp_path / "log.jsonl", "--format", "o365", "-o", tmp_path / "events.parquet", *more)
        for more in ((), ("--force", "--json"), ())
    ]
    assert [each.status for each in ended] == [0, 0, 2]
    (tmp_path / "bad.jsonl").write_text(json.dumps(bad), encoding="utf-8")
    ended.append(sfumato("ato", "import", tmp_path / "bad.jsonl", "--format", "o365", "-o", tmp_path / "other.parquet"))
    for each in ended:
        assert not [word for word in (secret, "203.0.113", "AgentSecret") if word in each.out + each.err]
    assert "no address, or a malformed one: 1" in ended[-1].err
    assert len((tmp_path / "events.aside.jsonl").read_text(encoding="utf-8").splitlines()) == 2


@pytest.mark.slow
def test_the_way_to_alerts_fits_a_narrow_terminal_and_names_nobody(
    sfumato: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    log, features, reputation, models = (tmp_path / name for name in ("log", "features", "reputation.parquet", "models"))
    sfumato("ato", "generate", "--rows", 20_000, "--seed", 7, "-o", log)
    sfumato("ato", "features", log, "-o", features)
    known = ("--bad", log / "known-bad.txt", "--good", log / "known-good.txt")
    ended = [sfumato("ato", "reputation", features, *known, "-o", reputation, "--truth", log / "truth", "--logs", log)]
    given = (log, "--features", features, "--reputation", reputation, "--grid", "none", "--truth", log / "truth")
    ended += [
        sfumato("ato", "train", *given, "-o", models),
        sfumato("ato", "train", *given, "--online", "-o", tmp_path / "before"),
    ]
    for folder, more in ((models, ()), (tmp_path / "before", ("--online",)), (models, ("--online",))):
        scored = ("--model", folder / "model-ip.parquet", "--truth", log / "truth", "--force", *more)
        ended.append(sfumato("ato", "detect", log, *scored, "-o", tmp_path / "found"))
    assert [each.status for each in ended] == [0] * len(ended)
    for each in ended:
        lines = each.out.splitlines()
        assert [line for line in lines if line.startswith("│") and len(line) > 80] == []
        assert not [word for word in ("@org", "240.", "2001:db8", "CBAInPROD", "Mozilla") if word in each.out + each.err]
    assert all(word in ended[1].out for word in ("│ Precision ", "│ Accuracy "))
    assert ["may take whatever is new for suspicious" in each.out + each.err for each in ended[3:]] == [False, False, True]


def test_a_generator_that_is_stopped_leaves_nothing(tmp_path: Path) -> None:
    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        generate(tmp_path / "log", rows=2000, chunk=500, progress=stop)
    assert list(tmp_path.iterdir()) == []


def test_plain_sql_keeps_and_forgets_rows_and_calls_columns_by_their_names() -> None:
    table = pa.table({"a b": [1, 2, 3], "c": ["x", "y", "x"]})
    with sf.Queries(table, "t", threads=1) as queries:
        assert list(queries.columns) == ["a b", "c"]
        queries.keep("grouped", 'SELECT c, CAST(sum("a b") AS BIGINT) AS n FROM t GROUP BY c')
        found = pa.Table.from_batches(queries.batches("SELECT * FROM grouped ORDER BY c")).to_pylist()
        queries.drop("grouped")
        with pytest.raises(sf.SfumatoError):
            list(queries.batches("SELECT * FROM grouped"))
    assert found == [{"c": "x", "n": 4}, {"c": "y", "n": 2}]
