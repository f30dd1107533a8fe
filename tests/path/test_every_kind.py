"""What releases of graphs and search logs have in common with those of tables: the ledger, signatures, a command that verifies them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.release.budget import added_up
from tests.forging import forge
from tests.unit.searchlog.logs import searched, write

Run = Callable[..., Any]
SCHEMA = '[attributes.age]\nrole = "quasi"\ntype = "integer"\n[attributes.ill]\nrole = "sensitive"\n'


@pytest.fixture
def place(sfumato: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A graph, a search log, a table, two keys, and folders for what is published and what is the owner's."""
    monkeypatch.chdir(tmp_path)
    for folder in ("public", "mine"):
        (tmp_path / folder).mkdir()
    sfumato("graph", "generate", "40", "90", "-o", "friends.csv")
    sfumato("searchlog", "generate", "--rows", "2000", "--seed", "7", "-o", "searches")
    (tmp_path / "people.csv").write_text("age,ill\n" + "30,flu\n30,gout\n40,flu\n40,cold\n")
    (tmp_path / "people.toml").write_text(SCHEMA)
    for name in ("office", "other"):
        sfumato("keys", "new", name, "--name", "Statistics office")
    return tmp_path


GRAPH = ("graph", "publish", "friends.csv", "-o", "public/g.csv", "--map", "mine/g.csv", "--ledger", "ledger")
LOG = ("searchlog", "publish", "searches", "--threshold", "3", "-o", "public/l.parquet", "--owners", "mine/l.parquet")
LOG += ("--ledger", "ledger")
KINDS = {"graph": (GRAPH, "public/g.csv"), "searchlog": (LOG, "public/l.parquet")}


@pytest.mark.parametrize("kind", KINDS)
def test_a_release_may_be_in_another_folder_than_what_is_the_owners(kind: str, sfumato: Run, place: Path) -> None:
    """Both take their places together with the entry of the ledger; before there was one, different folders were a bug."""
    command, release = KINDS[kind]
    ended = sfumato(*command)
    assert (ended.status, ended.err) == (0, "")
    assert "your copy: ledger/00000001.json" in ended.out
    assert sfumato(kind, "verify", release).status == 0
    entry = json.loads((place / "ledger/00000001.json").read_text())
    beside = json.loads((place / f"{release}.certificate.json").read_text())
    assert (entry["kind"], entry["certificate"]) == (kind, beside)
    assert entry["owner"]["output"] == str(place / release)
    assert "input_sha256" not in beside


@pytest.mark.parametrize("kind", KINDS)
def test_what_cannot_be_entered_is_not_published(kind: str, sfumato: Run, place: Path) -> None:
    command, _ = KINDS[kind]
    (place / "ledger").write_text("a file")
    ended = sfumato(*command)
    assert (ended.status, ended.err.count("\n")) == (2, 1)
    assert ended.err.startswith("sfumato: ledger: ")
    assert [each.name for folder in ("public", "mine") for each in (place / folder).iterdir()] == []
    (place / "ledger").unlink()
    sfumato(*command)
    entry = place / "ledger/00000001.json"
    entry.write_text(entry.read_text().replace("+00:00", "+01:00"))
    ended = sfumato(*command, "--force")
    assert (ended.status, "was changed" in ended.err) == (1, True)


@pytest.mark.parametrize("kind", KINDS)
def test_a_signature_is_required_by_its_key_and_not_by_its_name(kind: str, sfumato: Run, place: Path) -> None:
    command, release = KINDS[kind]
    assert sfumato(*command, "--sign", "other.key").status == 0
    assert "anybody can sign in any name" in sfumato(kind, "verify", release).out
    ended = sfumato(kind, "verify", release, "--key", "office.pub")
    assert (ended.status, "not signed by Statistics office" in ended.err) == (1, True)
    assert sfumato(kind, "sign", release, "--key", "office.key").status == 0
    ended = sfumato(kind, "verify", release, "--key", "office.pub", "--key", "other.pub", "--json")
    assert [(each["role"], each["compared"]) for each in ended.json["signatures"]] == [("owner", True), ("reviewer", True)]
    assert "has signed the certificate already" in sfumato(kind, "sign", release, "--key", "office.key").err


@pytest.mark.parametrize("kind", KINDS)
def test_a_signature_does_not_hold_for_a_certificate_that_was_forged(kind: str, sfumato: Run, place: Path) -> None:
    command, release = KINDS[kind]
    sfumato(*command, "--sign", "office.key")
    forge(place / f"{release}.certificate.json", {"time": "2020-01-01T00:00:00+00:00"})
    for words in ((kind, "verify", release), (kind, "sign", release, "--key", "other.key")):
        ended = sfumato(*words)
        assert (ended.status, "the signature by Statistics office does not hold" in ended.err) == (1, True)


@pytest.mark.parametrize("kind", KINDS)
def test_nobody_signs_what_does_not_verify(kind: str, sfumato: Run, place: Path) -> None:
    command, release = KINDS[kind]
    sfumato(*command)
    certificate = (place / f"{release}.certificate.json").read_bytes()
    content = (place / release).read_bytes()
    (place / release).write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    assert sfumato(kind, "sign", release, "--key", "office.key").status == 1
    assert (place / f"{release}.certificate.json").read_bytes() == certificate


def test_each_kind_of_certificate_names_the_command_that_checks_it(sfumato: Run, place: Path) -> None:
    sfumato("publish", "people.csv", "-s", "people.toml", "--node", "age=0", "-o", "public/t.csv", "--ledger", "ledger")
    checks = {"public/t.csv": ("verify",), "public/g.csv": ("graph", "verify"), "public/l.parquet": ("searchlog", "verify")}
    for command, _ in KINDS.values():
        sfumato(*command)
    for release, right in checks.items():
        for words in checks.values():
            ended = sfumato(*words, release)
            assert ended.status == (0 if words == right else 2)
            assert words == right or f"'sfumato {' '.join(right)}' checks it" in ended.err


def test_a_ledger_lists_and_proves_releases_of_every_kind_and_a_sequence_is_of_tables(sfumato: Run, place: Path) -> None:
    publish = (
        "publish",
        "people.csv",
        "-s",
        "people.toml",
        "--node",
        "age=0",
        "-m",
        "distinct-diversity:2",
        "--ledger",
        "ledger",
    )
    for words in (GRAPH, LOG, (*publish, "-o", "public/t.csv"), (*publish, "-o", "public/u.csv")):
        ended = sfumato(*words)
        assert (ended.status, ended.err) == (0, "")
    assert "kept together with release 3" in ended.out
    shown = sfumato("ledger", "show", "ledger", "--json").json["releases"]
    assert [(each["of"], each["people"]) for each in shown] == [("graph", 40), ("search log", None), ("table", 4), ("table", 4)]
    assert "complete: 4 entries" in sfumato("ledger", "verify", "ledger").out
    audited = sfumato("sequence", "audit", "ledger", "-s", "people.toml", "--json")
    assert audited.status == 0
    assert audited.json["other_releases"] == 2
    refused = sfumato("sequence", "audit", "ledger", "-s", "people.toml", "--only", "1")
    assert "the ledger has no release 1 of a table" in refused.err
    (place / "ledger/00000001.json").unlink()
    assert "entry 1 is missing" in sfumato("ledger", "verify", "ledger").err


def test_private_releases_of_one_log_add_up_in_the_ledger(sfumato: Run, place: Path) -> None:
    for name, people in (("taxes", 200), ("others", 201)):
        write(place / f"{name}.parquet", [searched(f"u{number}", "tax", number) for number in range(people)])
    spent = []
    for number, (log, private) in enumerate((("taxes", "8,1e-3"), ("others", "8,1e-3"), ("taxes", "6,1e-3"))):
        words = ("searchlog", "publish", f"{log}.parquet", "--private", private, "--per-person", "1")
        ended = sfumato(*words, "-o", f"public/{number}.csv", "--ledger", "ledger", "--json")
        assert ended.status == 0, ended.err
        spent.append(ended.json)
    assert [each["budget"]["epsilon"] for each in spent] == [8, 8, 14]
    assert [each["budget"]["releases"] for each in spent] == [1, 1, 2]
    deltas = [Fraction(spent[place]["certificate"]["promise"]["delta_spent"]) for place in (0, 2)]
    assert spent[2]["budget"]["delta"] == float(sum(deltas))
    # The same log in another file, with other metadata, is another one to the ledger: that is a limit, and is said.
    pq.write_table(pq.read_table("taxes.parquet"), "copy.parquet", compression="gzip")
    words = ("searchlog", "publish", "copy.parquet", "--private", "8,1e-3", "--per-person", "1")
    assert sfumato(*words, "-o", "public/copy.csv", "--ledger", "ledger", "--json").json["budget"]["epsilon"] == 8


PRIVATE = {
    "searchlog": ("searchlog", "publish", "taxes.parquet", "--private", "8,1e-3", "--per-person", "1"),
    "table": ("sanitize", "people.csv", "-s", "private.toml", "--method", "dp:20,age=1"),
}


def _cheaper(entry: Path) -> None:
    """The epsilon of an entry is no longer the one that was spent."""
    text = entry.read_text()
    entry.write_text(re.sub(r'"epsilon": [0-9.]+', '"epsilon": 0.001', text))
    assert entry.read_text() != text


@pytest.mark.parametrize("change", [_cheaper, Path.unlink])
@pytest.mark.parametrize("kind", PRIVATE)
def test_nothing_private_is_published_into_a_ledger_whose_budget_cannot_be_proved(
    kind: str, change: Callable[[Path], object], sfumato: Run, place: Path
) -> None:
    """The end of the chain is whole; what was spent before is not known, so no more is spent."""
    write(place / "taxes.parquet", [searched(f"u{number}", "tax", number) for number in range(200)])
    (place / "private.toml").write_text(
        '[attributes.age]\nrole = "quasi"\ntype = "integer"\nhierarchy = { builder = "intervals", lower = 0, upper = 100, widths = [50] }\n'
        '[attributes.ill]\nrole = "sensitive"\nvalues = ["flu", "gout", "cold"]\n'
    )
    for name in ("first", "second"):
        ended = sfumato(*PRIVATE[kind], "-o", f"public/{name}.csv", "--ledger", "ledger")
        assert ended.status == 0, ended.err
    before = sorted(each.name for each in (place / "public").iterdir())
    change(place / "ledger/00000001.json")
    ended = sfumato(*PRIVATE[kind], "-o", "public/third.csv", "--ledger", "ledger")
    assert (ended.status, ended.err.count("\n")) == (1, 1)
    assert "was changed" in ended.err or "entry 1 is missing" in ended.err
    assert "what was written" not in ended.err
    assert sorted(each.name for each in (place / "public").iterdir()) == before
    assert not (place / "ledger/00000003.json").exists()


def test_a_threshold_release_of_a_log_has_spent_no_budget() -> None:
    entries = [{"kind": "searchlog", "certificate": {"promise": {"threshold": 3}}}]
    entries += [{"kind": "searchlog", "certificate": {"promise": {"epsilon": 2, "delta": 0.5, "delta_spent": 0.25}}}]
    assert (added_up(entries).epsilon, added_up(entries).delta, added_up(entries).releases) == (2, 0.25, 1)


def test_the_same_graph_has_the_same_digest_and_another_has_another() -> None:
    edges = [(0, 1), (1, 2)]
    one = sf.graph.Graph.of(3, edges, ["a", "b", "c"])
    assert one.digest() == sf.graph.Graph.of(3, [(2, 1), (1, 0)], ["a", "b", "c"]).digest()
    others = [
        sf.graph.Graph.of(4, edges, ["a", "b", "c", "d"]),
        sf.graph.Graph.of(3, edges, ["a", "b", "d"]),
        sf.graph.Graph.of(3, edges, ["ab", "", "c"]),
        sf.graph.Graph.of(3, [(0, 1), (0, 2)], ["a", "b", "c"]),
        sf.graph.Graph.of(3, edges),
    ]
    assert len({one.digest(), *(each.digest() for each in others)}) == 6
