"""The owner's ledger: a chain that shows what was changed, removed, inserted or swapped, and that is its owner's alone."""

from __future__ import annotations

import datetime
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import sfumato as sf
from sfumato.errors import DataError, NotVerified, UsageError
from sfumato.release.chain import Entry, locked
from sfumato.signing.canonical import digest_of
from tests.conftest import Ended

Run = Callable[..., Ended]
SCHEMA = '[attributes.age]\nrole = "quasi"\ntype = "integer"\n[attributes.ill]\nrole = "sensitive"\n'
NOW = datetime.datetime(2031, 2, 3, 4, 5, 6, tzinfo=datetime.UTC)
START = "0" * 64


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text("age,ill\n" + "".join(f"{30 + n % 2},{'ab'[n % 2]}\n" for n in range(20)))
    Path("people.toml").write_text(SCHEMA)
    return tmp_path


def publish(name: str, **more: Any) -> sf.Release:
    return sf.publish("people.csv", "people.toml", node=[1], output=name, **{"ledger": "ledger", "now": NOW, **more})


def path(number: int) -> Path:
    return Path("ledger") / f"{number:08d}.json"


def content(number: int) -> dict[str, Any]:
    record: dict[str, Any] = json.loads(path(number).read_text())
    return record


def written(number: int, record: dict[str, Any]) -> None:
    """Write an entry as the ledger does, with a digest that fits."""
    covered = {key: value for key, value in record.items() if key != "digest"}
    text = json.dumps(covered | {"digest": digest_of(covered)}, indent=2, ensure_ascii=False) + "\n"
    path(number).write_text(text)


@pytest.fixture
def four() -> list[sf.Release]:
    return [publish(f"{name}.csv") for name in "abcd"]


def test_every_entry_names_the_one_before_and_every_certificate_pins_it(four: list[sf.Release]) -> None:
    heads = [START, *(content(number)["digest"] for number in range(1, 5))]
    for number, release in enumerate(four, 1):
        record = content(number)
        assert (record["sequence"], record["previous"], record["kind"]) == (number, heads[number - 1], "release")
        assert json.loads(Path(f"{'abcd'[number - 1]}.csv.certificate.json").read_text())["ledger"] == heads[number - 1]
        assert (release.ledger, release.head) == (path(number), heads[number])
    proved = sf.ledger.verify("ledger")
    assert (proved.entries, proved.head, proved.earlier) == (4, heads[4], 0)


def test_the_digest_of_an_entry_confirms_no_guess() -> None:
    """Two equal releases of one table have entries that differ by 128 random bits; given bits make the same digest again."""
    first, second = publish("a.csv", ledger="one"), publish("a.csv", ledger="two", force=True)
    nonces = {json.loads(release.ledger.read_text())["nonce"] for release in (first, second) if release.ledger}
    assert [len(nonce) for nonce in nonces] == [32, 32]
    assert first.head != second.head
    assert first.certificate == second.certificate
    third, fourth = (publish("a.csv", ledger=name, force=True, nonce=b"sixteen bytes ok") for name in ("three", "four"))
    assert third.head == fourth.head


def without(number: int) -> None:
    path(number).unlink()


def renumbered() -> None:
    """Take entry 2 out and close the gap, with new numbers and digests but for the links."""
    for number in (2, 3):
        written(number, content(number + 1) | {"sequence": number})
    path(4).unlink()


def swapped(one: int, other: int) -> None:
    first, second = path(one).read_text(), path(other).read_text()
    path(one).write_text(second)
    path(other).write_text(first)


def swapped_with_numbers() -> None:
    second, third = content(2), content(3)
    written(2, third | {"sequence": 2})
    written(3, second | {"sequence": 3})


def edited(number: int, old: bytes, new: bytes) -> None:
    text = path(number).read_bytes()
    assert old in text
    path(number).write_bytes(text.replace(old, new, 1))


def edited_with_digest(number: int) -> None:
    written(number, content(number) | {"owner": {"input_sha256": "0" * 64, "output": "elsewhere"}})


def inserted() -> None:
    path(4).rename(path(5))
    edited(5, b'"sequence": 4', b'"sequence": 5')
    shutil.copy(path(3), path(4))


ATTACKS: dict[str, tuple[Callable[[], object], str]] = {
    "delete the first": (lambda: without(1), "entry 1 is missing"),
    "delete one in the middle": (lambda: without(3), "entry 3 is missing"),
    "delete and renumber": (renumbered, "was changed|follows another entry"),
    "swap two": (lambda: swapped(2, 3), "this is entry 3, under the name of another"),
    "swap two with their numbers": (swapped_with_numbers, "was changed|follows another entry"),
    "edit a number": (lambda: edited(2, b'"people": 20', b'"people": 21'), "was changed"),
    "edit a blank": (lambda: edited(2, b"  ", b"   "), "was changed"),
    "edit a byte of a name": (lambda: edited(3, b"c.csv", b"x.csv"), "was changed"),
    "edit with a new digest": (lambda: edited_with_digest(2), "entry 3 follows another entry than the one before it"),
    "insert": (inserted, "under the name of another"),
    "duplicate": (lambda: shutil.copy(path(2), path(5)), "this is entry 2, under the name of another"),
    "duplicate under another name": (lambda: shutil.copy(path(2), "ledger/copy.json"), "not in the chain"),
    "rename": (lambda: path(4).rename("ledger/four.json"), "not in the chain"),
    "rename to a gap": (lambda: path(4).rename(path(6)), "this is entry 4, under the name of another"),
    "truncate a file": (lambda: path(2).write_bytes(path(2).read_bytes()[:100]), "damaged"),
    "empty a file": (lambda: path(4).write_text(""), "damaged"),
    "a key twice": (lambda: edited(4, b"{", b'{\n  "kind": "release",'), "damaged"),
    "drop a key": (lambda: written(4, {key: each for key, each in content(4).items() if key != "nonce"}), "nonce is missing"),
    "an entry of an earlier version": (
        lambda: Path("ledger/20200101T000000+0000-0123456789ab.json").write_text("{}"),
        "the chain began after 0 entries of an earlier version",
    ),
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_whatever_is_done_to_a_ledger_shows(four: list[sf.Release], sfumato: Run, attack: str) -> None:
    change, says = ATTACKS[attack]
    change()
    with pytest.raises(NotVerified, match=says):
        sf.ledger.verify("ledger")
    for command in ("verify", "show"):
        ended = sfumato("ledger", command, "ledger")
        assert (ended.status, ended.err.count("\n")) == (1, 1)


def test_what_is_removed_at_the_end_shows_by_the_head(four: list[sf.Release], sfumato: Run) -> None:
    head, pinned = four[-1].head, four[-1].certificate.ledger
    assert head is not None
    assert pinned is not None
    without(4)
    assert sf.ledger.verify("ledger").entries == 3  # a shorter chain is whole in itself
    with pytest.raises(NotVerified, match="entries at its end were removed"):
        sf.ledger.verify("ledger", head=head)
    assert sf.ledger.verify("ledger", head=pinned).after == 0
    without(3)
    with pytest.raises(NotVerified, match="entries at its end were removed"):
        sf.ledger.verify("ledger", head=pinned)
    shutil.rmtree("ledger")
    with pytest.raises(DataError, match="no ledger here"):
        sf.ledger.verify("ledger", head=pinned)
    publish("e.csv")
    ended = sfumato("ledger", "verify", "ledger", "--head", pinned, "--json")
    assert (ended.status, ended.json["error"]["code"]) == (1, "not_verified")


def test_a_chain_made_anew_does_not_have_the_heads_of_the_old_one(four: list[sf.Release]) -> None:
    """Somebody with the whole ledger can write another one that is whole; what others hold shows it."""
    before = START
    for number in range(1, 5):
        record = content(number)
        certified = record["certificate"] | {"ledger": before, "seed": 9}
        covered = {key: value for key, value in certified.items() if key not in ("digest", "signatures")}
        written(number, record | {"previous": before, "certificate": certified | {"digest": digest_of(covered)}})
        before = content(number)["digest"]
    assert sf.ledger.verify("ledger").entries == 4
    for release in four[1:]:
        with pytest.raises(NotVerified, match="the head is not in the chain"):
            sf.ledger.verify("ledger", head=release.certificate.ledger)


def test_a_ledger_for_people_and_machines(four: list[sf.Release], sfumato: Run) -> None:
    sf.keys.new("office", name="Statistics office")
    publish("e.csv", sign="office.key")
    output = sfumato("ledger", "verify", "ledger", "--head", four[1].head).out
    assert "ledger is complete: 5 entries, each in its place" in output
    assert "with 3 entries after it" in output
    assert f"head: {content(5)['digest']}" in output
    answer = sfumato("ledger", "verify", "ledger", "--json").json
    assert (answer["status"], answer["entries"], answer["after"]) == ("complete", 5, None)
    releases = sfumato("ledger", "show", "ledger", "--json").json["releases"]
    assert [(each["entry"], each["file"], each["signed"]) for each in releases][-2:] == [
        (4, "d.csv", []),
        (5, "e.csv", ["Statistics office"]),
    ]
    assert (releases[0]["people"], releases[0]["classes"], releases[0]["time"]) == (20, 1, "2031-02-03T04:05:06+00:00")
    assert "Statistics office" in sfumato("ledger", "show", "ledger").out
    assert sf.ledger.show("ledger").to_arrow().num_rows == 5
    with pytest.raises(UsageError, match="head: a digest: 64 hexadecimal digits"):
        sf.ledger.verify("ledger", head="abc")
    Path("empty").mkdir()
    assert sfumato("ledger", "verify", "empty").status == 2


def test_the_ledger_is_the_default_one_unless_named(monkeypatch: pytest.MonkeyPatch, sfumato: Run) -> None:
    monkeypatch.setenv("SFUMATO_LEDGER", "mine")
    publish("a.csv", ledger=None)
    assert sfumato("ledger", "verify", "--json").json["ledger"] == "mine"


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077], ids=oct)
def test_what_is_the_owners_alone_is_closed_to_others(umask: int) -> None:
    before = os.umask(umask)
    try:
        Path("ledger").mkdir()
        Path("ledger").chmod(0o755)  # as an earlier version left it
        publish("a.csv", mapping="map.csv")
        publish("a.csv", mapping="map.csv", force=True)
    finally:
        os.umask(before)
    modes = {each: each.stat().st_mode & 0o777 for each in (Path("ledger"), path(1), path(2), Path("map.csv"))}
    assert modes == {Path("ledger"): 0o700, path(1): 0o600, path(2): 0o600, Path("map.csv"): 0o600}
    assert Path("a.csv").stat().st_mode & 0o777 == 0o666 & ~umask


def test_the_map_on_another_disk_is_closed_too() -> None:
    target = Path("/dev/shm") / f"sfumato-ledger-{os.getpid()}.csv"
    if not os.access(target.parent, os.W_OK) or target.parent.stat().st_dev == Path().stat().st_dev:
        target = Path("map.csv")
    try:
        publish("a.csv", mapping=target)
        assert target.stat().st_mode & 0o777 == 0o600
    finally:
        target.unlink(missing_ok=True)


def test_a_folder_with_other_files_is_not_closed_to_others() -> None:
    Path("ledger").mkdir()
    Path("ledger").chmod(0o755)
    Path("ledger/notes.txt").write_text("ours")
    publish("a.csv")
    assert (Path("ledger").stat().st_mode & 0o777, path(1).stat().st_mode & 0o777) == (0o755, 0o600)


def test_the_chain_begins_after_entries_of_an_earlier_version_and_pins_them(sfumato: Run) -> None:
    Path("ledger").mkdir()
    old = [Path(f"ledger/2030010{day}T000000+0000-0123456789ab.json") for day in (1, 2)]
    for each in old:
        each.write_text('{"file": "old.csv"}')
    output = sfumato("ledger", "verify", "ledger").out
    assert "2 entries of an earlier version; the chain begins with the next release" in output
    publish("a.csv")
    publish("b.csv")
    assert content(1)["earlier"]["entries"] == 2
    assert "earlier" not in content(2)
    assert "before them: 2 entries of an earlier version, unchanged" in sfumato("ledger", "verify", "ledger").out
    text = old[0].read_text()
    for change in (lambda: old[0].write_text("{}"), old[0].unlink, lambda: old[0].rename("ledger/20300109T000000+0000-ab.json")):
        change()
        with pytest.raises(NotVerified, match="the chain began after 2 entries of an earlier version"):
            sf.ledger.verify("ledger")
        old[0].write_text(text)


def test_publishers_at_the_same_time_are_all_in_the_chain() -> None:
    code = (
        "import sys, sfumato as sf\n"
        "for n in range(3):\n"
        "    sf.publish('people.csv', 'people.toml', node=[1], output=f'{sys.argv[1]}{n}.csv', ledger='ledger')\n"
    )
    running = [subprocess.Popen([sys.executable, "-c", code, name]) for name in ("x", "y", "z")]
    assert [each.wait(timeout=120) for each in running] == [0, 0, 0]
    proved = sf.ledger.verify("ledger")
    assert proved.entries == 9
    assert {each["file"] for each in sf.ledger.show("ledger").as_dicts()} == {f"{a}{n}.csv" for a in "xyz" for n in range(3)}
    for number in range(1, 10):
        record = content(number)
        name = record["certificate"]["file"]
        assert json.loads(Path(f"{name}.certificate.json").read_text()) == record["certificate"]


def test_a_release_that_an_earlier_version_withdrew_is_shown_as_such() -> None:
    for name in ("a.csv", "b.csv"):
        publish(name)
    first = Entry.read(path(1))
    with locked(Path("ledger")) as chain:
        withdrawn = chain.entry({"time": "2031-02-03T04:05:06+00:00", "kind": "withdrawn", "withdraws": first.digest}, bytes(16))
    withdrawn.path.write_text(withdrawn.text())
    assert sf.ledger.verify("ledger").entries == 3
    by_file = {each["file"]: each["withdrawn"] for each in sf.ledger.show("ledger").as_dicts()}
    assert by_file == {"a.csv": True, "b.csv": False}
    assert "withdrawn" in str(sf.ledger.show("ledger"))
    written(3, content(3) | {"withdraws": "1" * 64})
    with pytest.raises(NotVerified, match="does not belong here"):
        sf.ledger.verify("ledger")


def test_nothing_is_added_to_a_chain_whose_end_was_changed(four: list[sf.Release]) -> None:
    edited(4, b'"people": 20', b'"people": 21')
    with pytest.raises(NotVerified, match="was changed"):
        publish("e.csv")
    assert not Path("e.csv").exists()
    with pytest.raises(NotVerified), locked(Path("ledger")):
        pass
