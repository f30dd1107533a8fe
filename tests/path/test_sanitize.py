"""`sfumato sanitize` from end to end: every operation is published, verified and read back, and what cannot be kept is refused."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Callable
from itertools import cycle
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from tests.conftest import Ended
from tests.forging import forge

Run = Callable[..., Ended]
SCHEMA = """
[table]
missing = ["", "?"]
[attributes.name]
role = "identifier"
[attributes.age]
role = "quasi"
type = "integer"
hierarchy = { builder = "intervals", lower = 0, upper = 99, widths = [10, 50] }
[attributes.town]
role = "quasi"
hierarchy = { tree = { north = ["Aa", "Bb"], south = ["Cc", "Dd"] } }
[attributes.pay]
role = "quasi"
type = "decimal"
[attributes.ill]
role = "sensitive"
values = ["flu", "hiv", "cold", "none"]
[attributes.note]
role = "plain"
"""
LEVELS = "age=2,town=1,pay=1"
METHODS = {
    "cell-suppression:4": True,
    "subtree:4": True,
    "microaggregate:4": True,
    "top-code:age=70,pay=90": True,
    "bottom-code:age=20": True,
    "anatomy:2": False,
    f"permute:{LEVELS}": False,
    "rank-swap:10%": False,
    "record-swap:20%": False,
    "noise:gaussian,0.1": False,
    "noise:laplace,0.1": False,
    "noise:correlated,0.1": False,
    "pram:0.8": False,
    "pram:invariant,0.8": False,
    "dp:2,age=2,town=1,pay=1": False,
}
DRAWN = ("anatomy", "permute", "rank-swap", "record-swap", "noise", "pram")


def rows(count: int = 400) -> list[dict[str, str]]:
    draws = np.random.default_rng(11)
    ills = draws.choice(["flu", "hiv", "cold", "none"], count, p=[0.4, 0.2, 0.2, 0.2])
    return [
        {
            "name": f"person {row}",
            "age": str(draws.integers(16, 90)) if row % 29 else "?",
            "town": str(draws.choice(["Aa", "Bb", "Cc", "Dd"])) if row % 37 else "",
            "pay": f"{draws.integers(10, 100)}.5",
            "ill": str(ills[row]),
            "note": "x",
        }
        for row in range(count)
    ]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with (tmp_path / "people.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, ["name", "age", "town", "pay", "ill", "note"], delimiter=";")
        writer.writeheader()
        writer.writerows(rows())
    (tmp_path / "people.toml").write_text(SCHEMA, encoding="utf-8")
    return tmp_path


@pytest.fixture
def sanitize(sfumato: Run, folder: Path) -> Callable[..., Ended]:
    base = ("sanitize", folder / "people.csv", "-s", folder / "people.toml", "--ledger", folder / "ledger")
    return lambda *words: sfumato(*base, *words)


@pytest.mark.parametrize(("method", "suffix"), list(zip(METHODS, cycle(["parquet", "csv"]), strict=False)))
def test_every_operation_is_certified_and_verifies(sanitize: Run, sfumato: Run, folder: Path, method: str, suffix: str) -> None:
    out = folder / f"out.{suffix}"
    record = sanitize("--method", method, "-o", out, "--json").json
    certificate = json.loads((folder / f"out.{suffix}.certificate.json").read_text())
    assert certificate["recoding"] == "sanitized"
    assert certificate["method"] == record["method"]
    assert certificate["withheld"].get("name") == "identifier"
    assert (certificate["seed"], record["seed"] is not None) == (0, method.partition(":")[0] in DRAWN)
    assert {"max", "min", "class_mean", "people_mean"} <= set(record["losses"]["distribution"])
    # Noise may publish a value that nobody has: of it these two are without bound, which JSON writes as null.
    bounded = [loss for name, loss in record["losses"].items() if name not in ("kl", "chi2")]
    assert np.isfinite([value for loss in bounded for value in loss.values()]).all()
    assert sfumato("verify", out).status == 0
    if METHODS[method]:
        checked = sfumato("check", out, "-s", folder / "people.toml", "-m", "k-anonymity:1", "--json").json
        assert checked["classes"] == certificate["classes"]


@pytest.mark.parametrize("method", [method for method in METHODS if method.partition(":")[0] in DRAWN])
def test_the_same_seed_gives_the_same_file_and_stays_with_the_owner(sanitize: Run, folder: Path, method: str) -> None:
    first = sanitize("--method", method, "-o", folder / "one.csv", "--json").json
    sanitize("--method", method, "-o", folder / "two.csv", "--seed", first["seed"])
    sanitize("--method", method, "-o", folder / "other.csv", "--seed", "1")
    one, two, other = ((folder / f"{name}.csv").read_bytes() for name in ("one", "two", "other"))
    assert one == two
    assert one != other or method.startswith("anatomy")
    assert first["seed"] not in (folder / "one.csv.certificate.json").read_text()
    entry = json.loads((folder / "ledger" / "00000001.json").read_text())
    assert entry["owner"]["method"] == {"seed": first["seed"]}
    prior = {each["value"]: each["people"] for each in entry["owner"]["prior"]["ill"]}
    assert prior == Counter(row["ill"] for row in rows())  # the original's, whatever became of it


@pytest.mark.parametrize("method", ["cell-suppression:4", "subtree:4", "microaggregate:4"])
def test_k_is_kept_and_judged_on_the_written_file(sanitize: Run, sfumato: Run, folder: Path, method: str) -> None:
    record = sanitize("--method", method, "-m", "k-anonymity:4", "-o", folder / "o.parquet", "--json").json
    assert record["models"][0]["satisfied"] is True
    assert record["smallest_class"] >= 4
    again = sfumato("check", folder / "o.parquet", "-s", folder / "people.toml", "-m", "k-anonymity:4", "--json").json
    assert again["models"][0]["value"] == record["models"][0]["value"]


def test_a_model_that_the_file_violates_publishes_nothing(sanitize: Run, folder: Path) -> None:
    ended = sanitize("--method", "top-code:age=70", "-m", "k-anonymity:5", "-o", folder / "o.parquet")
    assert ended.status == 1
    assert "k-anonymity:5" in ended.err
    assert not list(folder.glob("o.*"))


@pytest.mark.parametrize(
    ("method", "model"),
    [
        ("noise:gaussian,0.1", "k-anonymity:2"),
        ("pram:0.8", "distinct-diversity:2"),
        ("rank-swap:5%", "k-anonymity:2"),
        ("record-swap:5%", "t-closeness:0.5"),
        ("dp:1", "k-anonymity:2"),
        ("anatomy:2", "k-anonymity:2"),
        (f"permute:{LEVELS}", "alpha-k-anonymity:0.5,2"),
    ],
)
def test_a_model_that_cannot_be_kept_is_named(sanitize: Run, folder: Path, method: str, model: str) -> None:
    ended = sanitize("--method", method, "-m", model, "-o", folder / "o.parquet")
    assert ended.status == 2
    assert f"{method.partition(':')[0]} cannot keep {model}" in ended.err
    assert ended.err.count("\n") == 1


def test_groups_are_judged_by_models_of_sensitive_values(sanitize: Run, folder: Path) -> None:
    record = sanitize("--method", "anatomy:2", "-m", "probabilistic-diversity:2", "-o", folder / "o.parquet", "--json").json
    assert record["models"][0]["value"] == 0.5
    ended = sanitize("--method", "anatomy:2", "-m", "distinct-diversity:4", "-o", folder / "p.parquet")
    assert (ended.status, "is not kept by the groups" in ended.err) == (1, True)
    assert not list(folder.glob("p.*"))


def test_anatomy_publishes_two_tables_that_fit(sanitize: Run, sfumato: Run, folder: Path) -> None:
    sanitize("--method", "anatomy:2", "-o", folder / "o.csv")
    one, other = (list(csv.DictReader((folder / name).read_text().splitlines())) for name in ("o.csv", "o.groups.csv"))
    assert set(one[0]) == {"age", "town", "pay", "note", "group"}
    assert set(other[0]) == {"group", "ill", "people"}
    people = Counter(row["group"] for row in one)
    assert people == Counter({g: sum(int(row["people"]) for row in other if row["group"] == g) for g in people})
    assert Counter(row["ill"] for row in rows()) == Counter(row["ill"] for row in other for _ in range(int(row["people"])))
    text = (folder / "o.groups.csv").read_text()
    (folder / "o.groups.csv").write_text(text.replace("flu", "hiv", 1))
    ended = sfumato("verify", folder / "o.csv")
    assert (ended.status, "its digest differs" in ended.err) == (1, True)
    (folder / "o.groups.csv").unlink()
    assert sfumato("verify", folder / "o.csv").status != 0


def test_a_release_of_one_table_leaves_no_second_table_of_another(sanitize: Run, sfumato: Run, folder: Path) -> None:
    anatomy = ("--method", "anatomy:2", "-o", folder / "o.csv", "--force")
    sanitize(*anatomy)
    assert sanitize(*anatomy).status == 0  # its own second table is replaced
    before = {path.name: path.read_bytes() for path in folder.glob("o.*")}
    ended = sanitize("--method", "top-code:age=60", "-o", folder / "o.csv", "--force")
    assert (ended.status, "o.groups.csv: the second table of the release" in ended.err) == (2, True)
    assert before == {path.name: path.read_bytes() for path in folder.glob("o.*")}
    (folder / "o.groups.csv").unlink()
    assert sanitize("--method", "top-code:age=60", "-o", folder / "o.csv", "--force").status == 0
    assert sfumato("verify", folder / "o.csv").status == 0


@pytest.mark.parametrize("more_people", [True, False])
def test_a_forged_method_does_not_verify(sanitize: Run, sfumato: Run, folder: Path, more_people: bool) -> None:
    sanitize("--method", "microaggregate:4", "-o", folder / "o.csv")
    path = folder / "o.csv.certificate.json"
    method = json.loads(path.read_text())["method"]
    forge(path, {"method": method | {"k": 300}} if more_people else {"recoding": "local"})
    ended = sfumato("verify", folder / "o.csv")
    assert (ended.status, "its method" in ended.err) == (1, True)


@pytest.mark.parametrize(
    "changed", [{"name": "magic"}, {"judged": "nothing"}, {"parameters": "9"}, {"name": "dp", "epsilon": 0.1}, {"l": 3}]
)
def test_a_method_that_contradicts_itself_does_not_verify(
    sanitize: Run, sfumato: Run, folder: Path, changed: dict[str, object]
) -> None:
    sanitize("--method", "cell-suppression:4", "-o", folder / "o.csv")
    path = folder / "o.csv.certificate.json"
    forge(path, {"method": json.loads(path.read_text())["method"] | changed})
    ended = sfumato("verify", folder / "o.csv")
    assert (ended.status, "its method" in ended.err) == (1, True)


def test_what_is_published_is_typed_as_before_or_labeled(sanitize: Run, folder: Path) -> None:
    sanitize("--method", "noise:laplace,0.2", "-o", folder / "n.parquet")
    sanitize("--method", "cell-suppression:40", "-o", folder / "c.parquet")
    noised, starred = (pq.read_table(folder / name) for name in ("n.parquet", "c.parquet"))
    assert (noised["age"].type, noised["pay"].type) == (pa.int64(), pa.float64())
    assert "*" in starred["pay"].to_pylist()
    kinds = json.loads((folder / "c.parquet.certificate.json").read_text())["types"]
    assert kinds["pay"] == "text"


def test_python_and_the_shell_publish_the_same(sanitize: Run, folder: Path) -> None:
    record = sanitize("--method", "pram:0.7", "--seed", "5", "--columns", "ill,town", "-o", folder / "a.parquet", "--json").json
    made = sf.sanitize(
        folder / "people.csv",
        folder / "people.toml",
        method="pram:0.7",
        seed=5,
        columns=["ill", "town"],
        output=folder / "b.parquet",
        ledger=folder / "ledger",
    )
    assert (folder / "a.parquet").read_bytes() == (folder / "b.parquet").read_bytes()
    assert made.as_dict()["losses"] == record["losses"]
    assert "Sanitized" not in repr(made.table())


def test_people_with_several_rows_are_counted_as_people(folder: Path) -> None:
    schema = sf.Schema.parse(SCHEMA.replace('role = "identifier"', 'role = "owner"'))
    made = sf.sanitize(folder / "people.csv", schema, method="noise:gaussian,0.1", seed=1)
    assert (made.release.certificate.basis, made.release.certificate.people) == ("owner", 400)
    for method in ("anatomy:2", f"permute:{LEVELS}"):
        with pytest.raises(sf.SfumatoError, match="takes every row for a person"):
            sf.sanitize(folder / "people.csv", schema, method=method)


@pytest.mark.parametrize("method", ["cell-suppression:3", "subtree:3", "microaggregate:3"])
def test_a_person_with_many_rows_is_no_crowd(folder: Path, method: str) -> None:
    # Everybody has four rows with the same QIDs, so classes of four rows are there already; three people share hardly any.
    schema = sf.Schema.parse(SCHEMA.replace('role = "identifier"', 'role = "owner"'))
    rows = pd.concat([pd.read_csv(folder / "people.csv", sep=";")] * 4)
    made = sf.sanitize(rows, schema, method=method, models=["k-anonymity:3"])
    certificate = made.release.certificate
    assert (certificate.basis, certificate.people, certificate.rows) == ("owner", 400, 1600)
    assert certificate.smallest_class >= 3
    alone = sf.sanitize(rows.drop_duplicates(), schema, method=method)
    assert alone.release.certificate.rows == 400
    assert made.release.certificate.classes == alone.release.certificate.classes or method == "cell-suppression:3"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--method", "noise:gaussian,0.1", "--columns", "town"), "'town' holds text"),
        (("--method", "dp:0"), "epsilon must be more than 0"),
        (("--method", "dp:1"), "attribute 'pay': level 0 has no declared values"),
        (("--method", "microaggregate:401"), "asks for 401 people, and the table has 400"),
        (("--method", "anatomy:3"), "too frequent"),
        (("--method", "permute:age=1"), "--method: no level for 'town'"),
        (("--method", "cell-suppression:5", "--seed", "3"), "draws nothing at random"),
        (("--method", "microaggregate:3", "--memory", "10kB"), "MB|memory"),
        (("--method", "nose:1"), "did you mean 'noise'"),
        (("--method", "top-code:age=70", "--columns", "age"), "names its columns"),
    ],
)
def test_bad_input_gets_one_line_and_leaves_nothing(sanitize: Run, folder: Path, words: tuple[str, ...], message: str) -> None:
    ended = sanitize(*words, "-o", folder / "o.csv")
    assert ended.status in (1, 2)
    assert any(part in ended.err for part in message.split("|"))
    assert ended.err.count("\n") == 1
    assert not list(folder.glob("o.*"))
    assert not list(folder.glob(".sfumato*"))


@pytest.mark.parametrize("method", ["noise:laplace,0.2", "anatomy:2"])
def test_a_file_whose_classes_are_nobodys_is_not_judged_by_them(sanitize: Run, sfumato: Run, folder: Path, method: str) -> None:
    sanitize("--method", method, "-o", folder / "o.parquet")
    record = sfumato("check", folder / "o.parquet", "-s", folder / "people.toml", "-m", "k-anonymity:1", "--json").json
    assert record["status"] == "not_applicable"
    assert "say nothing about people" in record["models"][0]["reason"]
    original = ("-s", folder / "people.toml", "--original", folder / "people.csv")
    for command in (("measure", folder / "o.parquet"), ("report", folder / "o.parquet", "-o", folder / "r.html")):
        ended = sfumato(*command, *original)
        assert (ended.status, "say nothing about people" in ended.err) == (2, True)


@pytest.mark.parametrize("method", ["noise:gaussian,0.1", "anatomy:2", f"permute:{LEVELS}", "pram:0.8"])
@pytest.mark.parametrize(
    "words",
    [
        ("measure", "o.csv"),
        ("measure", "o.csv", "--original", "people.csv"),
        ("report", "o.csv", "-o", "page.html"),
        ("report", "o.csv", "--original", "people.csv", "-o", "page.html"),
        ("compare", "o.csv", "o.csv"),
        ("compare", "p.csv", "o.csv", "--original", "people.csv"),
    ],
)
def test_losses_of_classes_that_are_nobodys_are_refused(
    sanitize: Run, sfumato: Run, folder: Path, monkeypatch: pytest.MonkeyPatch, method: str, words: tuple[str, ...]
) -> None:
    monkeypatch.chdir(folder)
    sanitize("--method", method, "-o", folder / "o.csv")
    sfumato("publish", "people.csv", "-s", "people.toml", "--node", LEVELS, "-o", "p.csv", "--ledger", "ledger")
    ended = sfumato(*words, "-s", "people.toml")
    assert (ended.status, ended.out) == (2, "")
    assert ended.err.startswith(f"sfumato: o.csv: {method.partition(':')[0]} has changed values")
    assert "the losses are those that 'sfumato sanitize' printed; 'sfumato attack'" in ended.err
    assert ended.err.count("\n") == 1
    assert not (folder / "page.html").exists()


def test_a_file_whose_classes_are_peoples_is_still_measured(sanitize: Run, sfumato: Run, folder: Path) -> None:
    sanitize("--method", "microaggregate:4", "-o", folder / "o.csv")
    words = (folder / "o.csv", "-s", folder / "people.toml")
    assert sfumato("measure", *words, "--original", folder / "people.csv").status == 0
    assert sfumato("report", *words, "-o", folder / "page.html").status == 0


def test_an_attribute_with_too_many_values_is_named(sanitize: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sfumato.operations.posterior.NUMBERS", 15)  # four values by four are more
    record = sanitize("--method", "pram:0.8", "-o", folder / "o.parquet", "--json").json
    assert (record["unmeasured"], record["losses"]) == (["ill"], {})
    assert "ill has too many different values" in sanitize("--method", "pram:0.8", "-o", folder / "p.parquet").out


def test_methods_are_listed(sfumato: Run) -> None:
    methods = sfumato("methods", "--json").json["methods"]
    assert [each["name"] for each in methods][:2] == ["cell-suppression", "subtree"]
    assert "microaggregate:5" in sfumato("methods").out


def test_the_sample_is_sanitized_in_words(sanitize: Run, folder: Path) -> None:
    out = sanitize("--method", "cell-suppression:4", "-m", "k-anonymity:4", "-o", folder / "o.csv").out
    assert "cells suppressed" in out
    assert "k-anonymity:4: " in out
    assert "judged on the written file" in out
