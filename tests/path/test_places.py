"""Where a release may go, and that what is published is what was counted."""

from __future__ import annotations

import datetime
import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.errors import BadInput, DataError, NotVerified, OutputError
from tests.conftest import Ended
from tests.forging import forge

Run = Callable[..., Ended]
SCHEMA = '[attributes.q]\nrole = "quasi"\n[attributes.s]\nrole = "sensitive"\n'
FRAME = pd.DataFrame({"q": ["a", "a", "b"], "s": ["x", "y", "x"]})


def schema(more: str = "") -> sf.Schema:
    return sf.Schema.parse(SCHEMA + more)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    FRAME.to_csv(tmp_path / "table.csv", index=False)
    (tmp_path / "schema.toml").write_text(SCHEMA)
    return tmp_path / "table.csv"


@pytest.mark.parametrize("option", ["-o", "--map"])
def test_the_table_itself_is_never_written_over(sfumato: Run, table: Path, option: str) -> None:
    where = {"-o": table.with_name("out.csv"), "--map": table.with_name("map.csv"), "-s": table.with_name("schema.toml")}
    where |= {option: table}
    before = table.read_bytes()
    ended = sfumato("publish", table, "--node", "[0]", "--force", *(word for pair in where.items() for word in pair))
    assert (ended.status, table.read_bytes()) == (2, before)
    assert "this is an input of the same command" in ended.err


def test_a_folder_is_no_output(table: Path, tmp_path: Path) -> None:
    (tmp_path / "out.parquet").mkdir()
    with pytest.raises(OutputError, match="is a folder"):
        sf.publish(table, schema(), node=[0], output=tmp_path / "out.parquet", force=True)


@pytest.mark.parametrize("name", ["out.csv", "out.csv.certificate.json"])
def test_the_map_needs_a_name_of_its_own(table: Path, tmp_path: Path, name: str) -> None:
    with pytest.raises(OutputError, match="two outputs have this name"):
        sf.publish(table, schema(), node=[0], output=tmp_path / "out.csv", mapping=tmp_path / name)


def test_a_ledger_without_a_name_is_refused(table: Path, tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="the ledger needs the name of a folder"):
        sf.publish(table, schema(), node=[0], output=tmp_path / "out.csv", ledger="")


def test_a_ledger_without_a_name_is_not_the_current_folder(
    sfumato: Run, table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where a shell's variable is not set."""
    monkeypatch.chdir(tmp_path)
    run = sfumato("publish", table, "-s", "schema.toml", "--node", "[0]", "-o", "out.csv", "--ledger", "")
    assert (run.status, run.err) == (2, "sfumato: --ledger: the ledger needs the name of a folder\n")
    assert not list(tmp_path.glob("0*.json"))


def test_releases_that_differ_in_their_ending_have_a_certificate_each(table: Path, tmp_path: Path) -> None:
    names = ("out.csv", "out.parquet", "out.csv.gz")
    for name in names:
        sf.publish(table, schema(), node=[0], output=tmp_path / name)
    assert [sf.verify(tmp_path / name).certificate.file for name in names] == list(names)


def test_a_certificate_that_an_earlier_version_named_is_found(table: Path, tmp_path: Path) -> None:
    sf.publish(table, schema(), node=[0], output=tmp_path / "out.csv")
    (tmp_path / "out.csv.certificate.json").rename(tmp_path / "out.certificate.json")
    assert sf.verify(tmp_path / "out.csv").classes == 2
    sf.publish(table, schema(), node=[1], output=tmp_path / "out.csv", force=True)
    assert sf.verify(tmp_path / "out.csv").classes == 1  # the new one comes first


def test_of_two_publishers_without_force_one_is_told(table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from sfumato.release import publishing

    read_back = publishing.read_back

    def slow(*given: Any) -> object:
        (tmp_path / "out.csv").write_text("the other was first")
        return read_back(*given)

    monkeypatch.setattr(publishing, "read_back", slow)
    with pytest.raises(OutputError, match="exists already"):
        sf.publish(table, schema(), node=[0], output=tmp_path / "out.csv", ledger=tmp_path / "ledger")
    assert (tmp_path / "out.csv").read_text() == "the other was first"
    assert list((tmp_path / "ledger").iterdir()) == []


def test_equal_releases_in_one_second_have_two_entries_in_the_ledger(table: Path, tmp_path: Path) -> None:
    now = datetime.datetime(2030, 1, 1, tzinfo=datetime.UTC)
    for name in ("one.csv", "two.csv"):
        sf.publish(table, schema(), node=[0], output=tmp_path / name, ledger=tmp_path / "ledger", now=now)
    assert len(list((tmp_path / "ledger").iterdir())) == 2


def test_the_map_may_lie_on_another_disk(table: Path, tmp_path: Path) -> None:
    other = Path("/dev/shm")
    target = other / f"sfumato-test-{os.getpid()}.csv"
    if not os.access(other, os.W_OK):
        target = tmp_path / "map.csv"
    try:
        sf.publish(table, schema(), node=[1], output=tmp_path / "out.csv", mapping=target)
        assert target.read_text().splitlines()[0] == "attribute,value,label"
    finally:
        target.unlink(missing_ok=True)


@pytest.mark.parametrize("name", ["out.parquet", "out.csv"])
@pytest.mark.parametrize(
    ("values", "classes"),
    [
        (pa.array([Decimal("12345678901234567890.1"), Decimal("12345678901234567890.2")], pa.decimal128(38, 1)), 1),
        (pa.array([Decimal("1.10"), Decimal("2.50")], pa.decimal128(9, 2)), 2),
        (pa.array([0.0, -0.0]), 1),
        (pa.array([0.1, 0.2], pa.float32()), 2),
        (pa.array([0, 1], pa.timestamp("us", tz="Europe/Rome")), 2),
        (pa.array([0, 1_000], pa.timestamp("ns", tz="UTC")), 2),
        (pa.array([-(2**63), 2**63 - 1]), 2),
        (pa.array(["a", "b"], pa.large_string()), 2),
        (pa.array([True, False]), 2),
    ],
    ids=["decimals beyond doubles", "decimals", "zeros", "float32", "tz", "tz ns", "int64", "large text", "boolean"],
)
def test_what_is_published_at_level_0_is_what_was_counted(tmp_path: Path, name: str, values: pa.Array, classes: int) -> None:
    for role in ("q", "s"):
        other = "s" if role == "q" else "q"
        source = pa.table({role: values, other: ["x", "y"]})
        release = sf.publish(source, schema(), node=[0], output=tmp_path / name, force=True)
        written = release.to_arrow()
        assert len(set(written[role].to_pylist())) == classes
        assert sf.verify(tmp_path / name).classes == (classes if role == "q" else 2)


def test_zeros_of_both_signs_lie_in_one_band(tmp_path: Path) -> None:
    text = SCHEMA.replace('role = "quasi"', 'role = "quasi"\nhierarchy = { builder = "intervals", widths = [5] }')
    source = pd.DataFrame({"q": [0.0, -0.0, 7.0], "s": list("xyz")})
    release = sf.publish(source, sf.Schema.parse(text), node=[1])
    assert release.classes.rows.tolist() == [2, 1]


def test_owners_are_read_by_their_declared_type(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("who,q,s\n01,a,x\n1,a,y\n 1,a,x\n")
    typed = schema('[attributes.who]\nrole = "owner"\ntype = "integer"\n')
    assert sf.publish(tmp_path / "rows.csv", typed, node=[0]).certificate.people == 1
    (tmp_path / "rows.csv").write_text("who,q,s\n1.5,a,x\n1,a,y\n")
    with pytest.raises(DataError, match="column 'who': 1 distinct value does not fit type 'integer'"):
        sf.publish(tmp_path / "rows.csv", typed, node=[0])


def test_an_empty_text_is_a_value_where_nothing_means_missing(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text('q,s\n"",x\n,y\n')
    text = "[table]\nmissing = []\n" + SCHEMA
    sf.publish(tmp_path / "rows.csv", sf.Schema.parse(text), node=[0], output=tmp_path / "out.csv")
    assert sf.verify(tmp_path / "out.csv").classes == 2


@pytest.mark.parametrize(
    "lie",
    [
        {"people": 99},
        {"smallest_class": 99},
        {"node": {"q": 7}},
        {"prior": {"of": "withheld"}},
        {"sensitive": ["zzz"]},
        {"owners": {"people_per_class": [1], "people_per_value": {"s": [[1]]}}},
        {"basis": "owner"},
    ],
    ids=str,
)
def test_a_certificate_that_contradicts_its_file_does_not_verify(table: Path, tmp_path: Path, lie: dict[str, object]) -> None:
    sf.publish(table, schema(), node=[0], output=tmp_path / "out.csv")
    path = tmp_path / "out.csv.certificate.json"
    forge(path, lie)
    with pytest.raises(NotVerified, match="the certificate contradicts the file"):
        sf.verify(tmp_path / "out.csv")


def test_a_row_with_an_empty_field_too_many_is_ragged(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("q,s\na,x\nb,y,\nc,z\n")
    with pytest.raises(DataError, match="the row has 3 columns where the header has 2") as caught:
        sf.Table.open(tmp_path / "rows.csv", schema())
    assert caught.value.where is not None
    assert caught.value.where.endswith("line 3")
    (tmp_path / "rows.csv").write_text("q,s\na,\n,\n")
    with sf.Table.open(tmp_path / "rows.csv", schema()) as opened:
        assert opened.count().total_rows == 2


def test_a_table_without_a_header_does_not_show_its_first_record(sfumato: Run, tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("Rumpelstilzchen,flu\nAnn,gout\n")
    (tmp_path / "schema.toml").write_text(SCHEMA)
    ended = sfumato("publish", tmp_path / "rows.csv", "-s", tmp_path / "schema.toml", "--node", "[0]", "-o", tmp_path / "o.csv")
    assert ended.status == 2
    assert "is there a header line?" in ended.err
    assert "Rumpelstilzchen" not in ended.err


def test_odd_names_can_be_chosen(sfumato: Run, tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text('"e=f","a,b"\nx,y\n')
    (tmp_path / "schema.toml").write_text('[attributes."e=f"]\nrole="quasi"\n[attributes."a,b"]\nrole="quasi"\n')
    where = [tmp_path / "rows.csv", "-s", tmp_path / "schema.toml", "--json"]
    one = sfumato("publish", *where, "--quasi", "e=f", "--node", "e=f=1", "-o", tmp_path / "one.csv")
    assert one.json["node"] == {"e=f": 1}
    both = sfumato("publish", *where, "--quasi", '["e=f", "a,b"]', "--node", "[0,1]", "-o", tmp_path / "both.csv")
    assert both.json["node"] == {"e=f": 0, "a,b": 1}
    assert sfumato("publish", *where, "--quasi", "[1", "--node", "[0]", "-o", tmp_path / "x.csv").status == 2


@pytest.mark.parametrize(
    "source",
    [
        pd.DataFrame({"q": [10**30], "s": ["x"]}),
        pd.Series([1, 2], name="q"),
        pa.table({"q": pa.array([10**7], pa.date32()), "s": ["x"]}),
    ],
    ids=["a huge number", "a series", "a date beyond year 9999"],
)
def test_what_cannot_be_read_ends_in_a_deliberate_error(source: object) -> None:
    with pytest.raises(BadInput):
        sf.publish(source, schema(), node=[0])


def test_a_pipe_and_an_empty_name_are_no_sources(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(DataError, match="not a file that can be read twice"):
        sf.Table.open(tmp_path / "pipe.csv", schema())
    with pytest.raises(DataError, match="no such file"):
        sf.Table.open("", schema())


def test_folders_named_like_files_and_hidden_folders_are_no_parts(tmp_path: Path) -> None:
    for name in ("a.parquet/part.parquet", ".tmp/part.parquet", "_old/part.parquet"):
        (tmp_path / name).parent.mkdir()
        pq.write_table(pa.table({"q": ["a"], "s": ["x"]}), tmp_path / name)
    with sf.Table.open(tmp_path, schema()) as opened:
        assert opened.count().total_rows == 1


def test_a_star_may_be_a_sensitive_value() -> None:
    release = sf.publish(pd.DataFrame({"q": ["a", "b"], "s": ["*", "x"]}), schema(), node=[1])
    assert sorted(release.to_arrow()["s"].to_pylist()) == ["*", "x"]


def test_plain_columns_come_back_in_their_types() -> None:
    frame = FRAME.assign(n=pd.array([2**53 + 1, None, 3], "Int64"), c=pd.Categorical(["u", "v", "u"]), w=np.arange(3))
    more = "".join(f'[attributes.{name}]\nrole = "plain"\n' for name in "ncw")
    published = sf.publish(frame, schema(more), node=[1]).to_pandas()
    assert {name: str(published[name].dtype) for name in "ncw"} == {"n": "Int64", "c": "category", "w": "int64"}
    assert sorted(published["n"].dropna().tolist()) == [3, 2**53 + 1]


@pytest.mark.parametrize("json_wanted", [False, True])
def test_a_terminal_that_knows_ascii_only_is_no_bug(tmp_path: Path, json_wanted: bool) -> None:
    (tmp_path / "rows.csv").write_text("qé,s\na,x\n", encoding="utf-8")
    (tmp_path / "schema.toml").write_text('[attributes."qé"]\nrole="quasi"\n[attributes.s]\nrole="sensitive"\n', encoding="utf-8")
    code = "from sfumato.cli.main import main; main()"
    arguments = [
        "publish",
        "rows.csv",
        "-s",
        "schema.toml",
        "--node",
        "[1]",
        "-o",
        "out.csv",
        *(["--json"] if json_wanted else []),
    ]
    env = {**os.environ, "PYTHONIOENCODING": "ascii"}
    ended = subprocess.run([sys.executable, "-c", code, *arguments], cwd=tmp_path, env=env, capture_output=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, b"")
    if json_wanted:
        assert json.load(io.BytesIO(ended.stdout))["columns"] == ["qé", "s"]


@pytest.mark.parametrize("words", [["models", "--json"], ["models"], ["verify", "nothing.parquet", "--json"]], ids=" ".join)
def test_an_output_that_nobody_can_write_to_is_told_in_one_line(words: list[str]) -> None:
    code = "from sfumato.cli.main import main; main()"
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run([sys.executable, "-c", code, *words], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert ended.returncode == 2
    assert ended.stderr == "sfumato: standard output cannot be written: No space left on device\n"


def test_a_file_where_a_folder_is_wanted_is_told_alike_by_all(tmp_path: Path, sfumato: Run) -> None:
    (tmp_path / "file").write_text("")
    assert sfumato("data", "adult", "-o", tmp_path / "census").status == 0
    census = ["hierarchies", tmp_path / "census" / "adult.parquet", "-s", tmp_path / "census" / "adult.toml"]
    for words in (["data", "adult"], ["demo"], census):
        ended = sfumato(*words, "-o", tmp_path / "file" / "below")
        assert (ended.status, ended.err) == (2, f"sfumato: {tmp_path / 'file'}: is a file; name a folder\n")


@pytest.mark.parametrize("more", ["out.csv.certificate.json", "out.csv", "map.csv"])
def test_a_recipe_needs_a_name_of_its_own(table: Path, tmp_path: Path, more: str) -> None:
    where = {"output": tmp_path / "out.csv", "mapping": tmp_path / "map.csv", "recipe": tmp_path / more}
    with pytest.raises(OutputError, match="two outputs have this name"):
        sf.anonymize(table, schema(), models=["k-anonymity:1"], force=True, ledger=tmp_path / "ledger", **where)
    assert not (tmp_path / "out.csv").exists()


def test_a_report_needs_a_name_of_its_own(sfumato: Run, table: Path) -> None:
    where = ["-o", table.with_name("out.csv"), "--recipe", table.with_name("r.html"), "--report", table.with_name("r.html")]
    ended = sfumato("anonymize", table, "-s", table.with_name("schema.toml"), "-m", "k-anonymity:1", "--force", *where)
    assert (ended.status, table.with_name("out.csv").exists()) == (2, False)
    assert "two outputs have this name" in ended.err


@pytest.mark.parametrize("number", [1, 2, 7])
def test_no_output_takes_the_place_of_a_ledger_entry(table: Path, tmp_path: Path, number: int) -> None:
    ledger = tmp_path / "ledger"
    sf.publish(table, schema(), node=[0], output=tmp_path / "a.csv", ledger=ledger)
    with pytest.raises(OutputError, match="the place of an entry of the ledger"):
        sf.publish(
            table, schema(), node=[0], output=tmp_path / "b.csv", ledger=ledger, mapping=ledger / f"{number:08d}.json", force=True
        )
    assert sf.ledger.verify(ledger).entries == 1


def test_a_failing_release_takes_no_other_entry_away(table: Path, tmp_path: Path) -> None:
    ledger = tmp_path / "ledger"
    for name in ("a.csv", "b.csv", "c.csv"):
        sf.publish(table, schema(), node=[0], output=tmp_path / name, ledger=ledger)
    shutil.copy(ledger / "00000001.json", ledger / "00000004.json")
    with pytest.raises(NotVerified, match="under the name of another"):
        sf.publish(table, schema(), node=[0], output=tmp_path / "d.csv", ledger=ledger)
    (ledger / "00000004.json").unlink()
    assert sf.ledger.verify(ledger).entries == 3


def test_standard_output_that_is_full_does_not_hide_what_stands(table: Path) -> None:
    command = [sys.executable, "-c", "from sfumato.cli.entry import main; main()"]
    where = ["publish", table, "-s", table.with_name("schema.toml"), "--node", "[0]", "-o", table.with_name("out.csv")]
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run([*command, *map(str, where)], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert ended.returncode == 2
    assert "No space left on device; what was written before stands: " in ended.stderr
    assert "out.csv.certificate.json" in ended.stderr
