"""What a command prints is not obeyed by a terminal: control characters in names, labels and files are shown as escapes."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from tests.conftest import Ended

Run = Callable[..., Ended]

RED, BACK, TITLE = "\x1b[31mred", "\u202eback", "\x1b]0;title\x07\x9b2J"
AGE, JOB, VALUE = f"age{RED}", f"job{BACK}", f"value{TITLE}"
SCHEMA = f"""
[attributes.{json.dumps(AGE)}]
role = "quasi"
type = "integer"
[attributes.{json.dumps(JOB)}]
role = "quasi"
[attributes.{json.dumps(VALUE)}]
role = "sensitive"
"""


def obeyed(text: str) -> set[str]:
    """The characters that a terminal would obey."""
    return {each for each in text if each != "\n" and unicodedata.category(each) in ("Cc", "Cf")}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / f"folder{RED}"
    folder.mkdir()
    jobs, values = [f"clerk{RED}", f"cook{BACK}"], [f"flu{TITLE}", "cold"]
    rows = [(age, job, value) for age in (20, 30, 40) for job in jobs for value in values for _ in range(6)]
    columns = zip(*rows, strict=True)
    pq.write_table(pa.table(dict(zip((AGE, JOB, VALUE), map(list, columns), strict=True))), folder / "data.parquet")
    (folder / "schema.toml").write_text(SCHEMA, encoding="utf-8")
    return folder / "data.parquet"


def test_no_command_prints_what_a_terminal_obeys(data: Path, sfumato: Run) -> None:
    schema, released = str(data.with_name("schema.toml")), str(data.with_name("out.csv"))
    asked = [str(data), "-s", schema]
    models = ["-m", "k-anonymity:3", "-m", "distinct-diversity:2"]
    space = str(data.with_name("space.parquet"))
    commands = [
        ["profile", str(data)],
        ["hierarchies", *asked],
        ["publish", *asked, "--node", "[0,0]", "-o", released],
        ["anonymize", *asked, *models, "-o", str(data.with_name("best.csv"))],
        ["anonymize", *asked, *models, "--algorithm", "mondrian", "-o", str(data.with_name("local.csv"))],
        ["anonymize", *asked, "-m", "k-anonymity:300", "-o", str(data.with_name("none.csv"))],
        ["explore", *asked, *models, "-o", space],
        ["space", space],
        ["subsets", *asked, *models],
        ["dimensions", *asked, *models],
        ["tradeoff", *asked],
        ["check", released, "-s", schema, *models],
        ["measure", released, "--original", str(data), "-s", schema],
        ["measure", *asked, "--node", "[0,0]", "--combinations"],
        ["verify", released],
        ["report", released, "-s", schema, "-o", str(data.with_name("report.html"))],
        ["publish", *asked, "--node", "[9,9]", "-o", released],
        ["publish", *asked, "--node", f"{RED}=1", "-o", released],
        ["publish", f"nowhere{TITLE}", "-s", schema, "--node", "[0,0]", "-o", released],
        ["publish", *asked, "--quasi", f"{TITLE}", "--node", "[0]", "-o", released],
        [f"{TITLE}"],
    ]
    shown = ""
    for command in commands:
        ended = sfumato(*command)
        assert ended.status in (0, 1, 2), ended
        assert not obeyed(ended.out + ended.err), command
        shown += ended.out + ended.err
    for each in (r"\x1b[31mred", r"\u202eback", r"\x1b]0;title\x07\x9b2J"):
        assert each in shown.replace("\n", "")


def test_json_has_the_names_as_they_are(data: Path, sfumato: Run) -> None:
    schema, released = str(data.with_name("schema.toml")), str(data.with_name("out.csv"))
    ended = sfumato("publish", str(data), "-s", schema, "--node", "[1,1]", "-o", released, "--json")
    assert not obeyed(ended.out)
    assert list(ended.json["node"]) == [AGE, JOB]


def test_results_and_errors_in_python_are_shown_in_the_same_way(data: Path) -> None:
    checked = sf.check(data, data.with_name("schema.toml"), models=["distinct-diversity:2"])
    assert not obeyed(str(checked))
    with pytest.raises(sf.SfumatoError) as caught:
        sf.publish(data.with_name(f"none{TITLE}"), data.with_name("schema.toml"), node=[0, 0])
    assert not obeyed(str(caught.value))
    assert TITLE in (caught.value.where or "")


def test_labels_are_printed_as_they_are_also_where_they_look_like_an_emoji_or_a_style(sfumato: Run, tmp_path: Path) -> None:
    labels = ["urn:x:1", ":heart:", "[red]tape"]
    pq.write_table(
        pa.table({"code": [label for label in labels for _ in range(6)], "value": ["a", "b"] * 9}), tmp_path / "data.parquet"
    )
    (tmp_path / "schema.toml").write_text('[attributes.code]\nrole = "quasi"\n[attributes.value]\nrole = "sensitive"\n')
    given = [tmp_path / "data.parquet", "-s", tmp_path / "schema.toml", "--node", "[0]"]
    printed = sfumato("publish", *given, "-o", tmp_path / "out.csv").out
    assert all(label in printed for label in labels)
