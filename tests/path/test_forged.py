"""An enemy at a certificate: whatever is changed in it shows; who changes the file too is stopped by the signature."""

from __future__ import annotations

import datetime
import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pexpect
import pytest

import sfumato as sf
from sfumato.errors import DataError, NotVerified, OutputError, SchemaError, UsageError
from tests.conftest import Ended
from tests.forging import forge

Run = Callable[..., Ended]
SCHEMA = '[attributes.age]\nrole = "quasi"\ntype = "integer"\n[attributes.ill]\nrole = "sensitive"\n'
ROWS = "age,ill\n" + "".join(f"{30 + n % 2 * 10},{('flu', 'gout', 'cold')[n % 3]}\n" for n in range(60))
NOW = datetime.datetime(2031, 2, 3, 4, 5, 6, tzinfo=datetime.UTC)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A table and its schema, and the keys of an owner, a reviewer and somebody who calls himself the owner."""
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text(ROWS)
    Path("people.toml").write_text(SCHEMA)
    for key, name in (("office", "Statistics office"), ("review", "Ann Reviewer"), ("enemy", "Statistics office")):
        sf.keys.new(key, name=name)
    return tmp_path


def publish(name: str = "out.csv", sign: Any = "office.key", **more: Any) -> sf.Release:
    asked: dict[str, Any] = {"models": "k-anonymity:5", "ledger": "ledger", "now": NOW, **more}
    return sf.anonymize("people.csv", "people.toml", output=name, sign=sign, **asked).release  # type: ignore[union-attr]


def certificate(name: str = "out") -> dict[str, Any]:
    record: dict[str, Any] = json.loads(Path(f"{name}.csv.certificate.json").read_text())
    return record


def forgeries(value: Any) -> Iterator[Any]:
    """A value changed in every place, one at a time."""
    if isinstance(value, dict):
        for key in value:
            yield {other: each for other, each in value.items() if other != key}
            yield {(f"{key}x" if other == key else other): each for other, each in value.items()}
            yield from ({**value, key: changed} for changed in forgeries(value[key]))
        yield {**value, "more": 1}
    elif isinstance(value, list):
        yield [*value, value[0] if value else 0]
        for place in range(len(value)):
            yield value[:place] + value[place + 1 :]
            yield from ([*value[:place], changed, *value[place + 1 :]] for changed in forgeries(value[place]))
    elif isinstance(value, bool):
        yield not value
    elif isinstance(value, str):
        yield value + "x"
        yield value[1:]
    else:
        yield 1 if value is None else value + 1
        yield None if value is not None else "x"


def test_every_place_of_a_certificate_is_covered(folder: Path) -> None:
    publish()
    path, record = folder / "out.csv.certificate.json", certificate()
    assert len(record["signatures"]) == 1
    tried = 0
    for forged in forgeries(record):
        path.write_text(json.dumps(forged))
        with pytest.raises((NotVerified, DataError)):
            sf.verify("out.csv", key="office.pub")
        tried += 1
    assert tried > 100
    path.write_text(json.dumps(record))
    assert sf.verify("out.csv").signatures[0].name == "Statistics office"


@pytest.mark.parametrize(
    "lie",
    [
        *[
            {"models": []},
            {"models": None},
            {"withheld": {"name": "identifier"}},
            {"schema_sha256": "0" * 64},
            {"version": "9.9"},
        ],
        *[{"seed": 7}, {"time": "2000-01-01T00:00:00+00:00"}, {"file": "other.csv"}, {"engine": {"name": "x", "version": "1"}}],
    ],
    ids=str,
)
def test_what_the_file_does_not_show_cannot_be_changed_either(folder: Path, lie: dict[str, Any]) -> None:
    publish(sign=None)
    path = folder / "out.csv.certificate.json"
    path.write_text(json.dumps(certificate() | lie))
    with pytest.raises(NotVerified, match="the certificate was changed: its digest differs"):
        sf.verify("out.csv")


def test_a_forgery_with_a_new_digest_lacks_the_signature(folder: Path) -> None:
    publish()
    forge(folder / "out.csv.certificate.json", {"seed": 7})
    with pytest.raises(NotVerified, match="the signature by Statistics office does not hold"):
        sf.verify("out.csv")
    forge(folder / "out.csv.certificate.json", {"signatures": []})
    assert sf.verify("out.csv").signatures == ()
    with pytest.raises(NotVerified, match="not signed by Statistics office"):
        sf.verify("out.csv", key="office.pub")


def test_file_and_certificate_changed_together_lack_the_signature(folder: Path) -> None:
    publish()
    Path("people.csv").write_text(ROWS.replace("gout", "cold"))
    publish(sign="enemy.key", force=True, ledger="theirs")
    assert sf.verify("out.csv").signatures[0].name == "Statistics office"  # anybody can say so
    with pytest.raises(NotVerified, match="not signed by Statistics office"):
        sf.verify("out.csv", key="office.pub")


def test_a_signature_of_another_certificate_does_not_hold(folder: Path) -> None:
    publish()
    publish("other.csv", seed=3)
    forge(folder / "out.csv.certificate.json", {"signatures": certificate("other")["signatures"]})
    with pytest.raises(NotVerified, match="does not hold"):
        sf.verify("out.csv")


@pytest.mark.parametrize("changed", [{"name": "Ann"}, {"role": "auditor"}, {"time": "2000-01-01T00:00:00+00:00"}], ids=str)
def test_a_signature_covers_what_its_signer_says(folder: Path, changed: dict[str, str]) -> None:
    publish()
    (signature,) = certificate()["signatures"]
    forge(folder / "out.csv.certificate.json", {"signatures": [signature | changed]})
    with pytest.raises(NotVerified, match="does not hold"):
        sf.verify("out.csv")


def test_another_key_cannot_claim_a_signature(folder: Path) -> None:
    publish()
    publish("other.csv", sign="enemy.key")
    (signature,), (enemy,) = certificate()["signatures"], certificate("other")["signatures"]
    forge(folder / "out.csv.certificate.json", {"signatures": [signature | {"key": enemy["key"]}]})
    with pytest.raises(NotVerified, match="does not hold"):
        sf.verify("out.csv")


@pytest.mark.parametrize("name", ["\x1b[31mred", "two\nlines", "", "x" * 81, "right‮left"])
def test_a_name_that_would_play_with_the_terminal_is_no_name(folder: Path, name: str) -> None:
    with pytest.raises(UsageError, match="a name is one line"):
        sf.keys.new("other", name=name)
    publish()
    (signature,) = certificate()["signatures"]
    forge(folder / "out.csv.certificate.json", {"signatures": [signature | {"name": name}]})
    with pytest.raises(DataError, match="name must be a text of one line"):
        sf.verify("out.csv")


def test_signing_changes_nothing_but_the_signatures(folder: Path) -> None:
    publish()
    path = folder / "out.csv.certificate.json"
    before = path.read_text().partition('"signatures"')[0]
    assert '"threshold": 5,' in before  # a whole number stays one
    sf.sign("out.csv", "review.key", now=NOW)
    assert path.read_text().partition('"signatures"')[0] == before


def test_a_second_person_signs_what_they_have_verified(folder: Path, sfumato: Run) -> None:
    publish()
    before = certificate()
    ended = sfumato("sign", "out.csv", "--key", "review.key", "--json")
    assert (ended.status, ended.json["name"], ended.json["role"]) == (0, "Ann Reviewer", "reviewer")
    after = certificate()
    assert after["signatures"][:1] == before["signatures"]
    assert {key: value for key, value in after.items() if key != "signatures"} == {
        key: value for key, value in before.items() if key != "signatures"
    }
    found = sf.verify("out.csv", key=["office.pub", "review.pub"]).signatures
    assert [(each.name, each.role, each.compared) for each in found] == [
        ("Statistics office", "owner", True),
        ("Ann Reviewer", "reviewer", True),
    ]
    assert "this key has signed the certificate already" in sfumato("sign", "out.csv", "--key", "review.key").err
    # One signature taken away: the other still holds, and who requires both is told.
    forge(folder / "out.csv.certificate.json", {"signatures": after["signatures"][1:]})
    assert sf.verify("out.csv", key="review.pub").signatures[0].name == "Ann Reviewer"
    assert "not signed by Statistics office" in sfumato("verify", "out.csv", "--key", "review.pub", "--key", "office.pub").err


def test_nobody_signs_what_does_not_verify(folder: Path) -> None:
    publish()
    text = Path("out.csv").read_text()
    Path("out.csv").write_text(text + text.splitlines()[-1] + "\n")
    before = certificate()
    with pytest.raises(NotVerified, match="digest differs"):
        sf.sign("out.csv", "review.key")
    assert certificate() == before
    Path("out.csv").write_text(text)
    with pytest.raises(UsageError, match="a role is a word or two"):
        sf.sign("out.csv", "review.key", role="x" * 41)


def test_verify_says_plainly_who_signed(folder: Path, sfumato: Run) -> None:
    publish("plain.csv", sign=None)
    publish()
    assert "not signed" in sfumato("verify", "plain.csv").out
    assert sfumato("verify", "plain.csv", "--json").json["signatures"] == []
    fingerprint = sf.keys.show("office.pub").fingerprint
    output = sfumato("verify", "out.csv").out
    assert f"signed by Statistics office, owner, 2031-02-03T04:05:06+00:00 (fingerprint {fingerprint})" in output
    assert "no key was compared" in output
    ended = sfumato("verify", "out.csv", "--key", "office.pub")
    assert (ended.status, "warning" in ended.out) == (0, False)
    (signed,) = sfumato("verify", "out.csv", "--key", "office.pub", "--json").json["signatures"]
    assert (signed["name"], signed["compared"], signed["fingerprint"]) == ("Statistics office", True, fingerprint)
    ended = sfumato("verify", "out.csv", "--key", "review.pub")
    assert (ended.status, ended.err.count("\n"), "not signed by Ann Reviewer" in ended.err) == (1, 1, True)


def test_every_command_that_publishes_signs(folder: Path, sfumato: Run) -> None:
    where = ["people.csv", "-s", "people.toml", "--sign", "office.key", "--ledger", "ledger", "--json"]
    assert sfumato("publish", *where, "--node", "[0]", "-o", "a.csv").json["signed"] == ["Statistics office"]
    assert sfumato("anonymize", *where, "-m", "k-anonymity:5", "-o", "b.csv").json["signed"] == ["Statistics office"]
    assert sf.verify("a.csv", key="office.pub").signatures[0].compared
    assert sf.publish("people.csv", "people.toml", node=[0], sign="office.key").certificate.signatures[0].role == "owner"


def test_a_recipe_does_not_record_who_signs(folder: Path) -> None:
    publish(recipe="recipe.toml")
    assert "sign" not in Path("recipe.toml").read_text().replace("assign", "")
    sf.anonymize(recipe="recipe.toml", output="again.csv", sign="review.key")
    assert sf.verify("again.csv", key="review.pub").signatures[0].name == "Ann Reviewer"


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077], ids=oct)
def test_a_private_key_is_its_owners_alone(folder: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        made = sf.keys.new("fresh")
    finally:
        os.umask(before)
    assert made.private.stat().st_mode & 0o777 == 0o600
    assert made.name == "fresh"
    for path in (made.private, made.public):
        text = path.read_text()
        with pytest.raises(OutputError, match="exists already; a key is never replaced"):
            sf.keys.new("fresh")
        assert path.read_text() == text
    made.private.unlink()
    with pytest.raises(OutputError, match="exists already"):
        sf.keys.new("fresh")
    assert not made.private.exists()


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o602])
def test_a_private_key_that_others_can_read_is_refused(folder: Path, sfumato: Run, mode: int) -> None:
    publish()
    Path("review.key").chmod(mode)
    ended = sfumato("sign", "out.csv", "--key", "review.key")
    assert (ended.status, ended.err.count("\n")) == (2, 1)
    assert "others can read this private key; make it yours alone: chmod 600 review.key" in ended.err


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("nothing.key", "no such file"),
        (".", "a folder, not a file"),
        ("people.csv", "not a private key for Ed25519"),
        ("office.pub", "not a"),
    ],
)
def test_what_is_no_key_is_refused_in_one_line(folder: Path, sfumato: Run, name: str, says: str) -> None:
    publish()
    for path in (Path("people.csv"), Path("office.pub"), Path()):
        path.chmod(0o700)
    ended = sfumato("sign", "out.csv", "--key", name)
    assert (ended.status, ended.err.count("\n"), says in ended.err) == (2, 1, True), ended.err
    ended = sfumato("publish", "people.csv", "-s", "people.toml", "--node", "[0]", "-o", "new.csv", "--sign", name)
    assert (ended.status, says in ended.err, Path("new.csv").exists()) == (2, True, False)


def test_a_private_key_is_not_taken_for_a_public_one(folder: Path, sfumato: Run) -> None:
    ended = sfumato("keys", "show", "office.key")
    assert (ended.status, "a private key; the public one ends in .pub" in ended.err) == (2, True)
    assert sfumato("keys", "show", "office.pub").out.startswith("Statistics office SHA256:")
    assert "not a public key" in sfumato("keys", "show", "people.csv").err


def test_a_passphrase_is_needed_to_sign(folder: Path, sfumato: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("words").write_text("correct horse\nmore\n")
    Path("wrong").write_text("battery staple\n")
    Path("empty").write_text("\n")
    ended = sfumato("keys", "new", "safe", "--passphrase-file", "words", "--json")
    assert (ended.status, ended.json["name"]) == (0, "safe")
    assert "ENCRYPTED" in Path("safe.key").read_text()
    publish()
    sign = ["sign", "out.csv", "--key", "safe.key"]
    assert "the key has a passphrase; --passphrase-file or $SFUMATO_PASSPHRASE gives it" in sfumato(*sign).err
    assert "the passphrase is wrong" in sfumato(*sign, "--passphrase-file", "wrong").err
    assert "first line is empty" in sfumato(*sign, "--passphrase-file", "empty").err
    assert "cannot be read" in sfumato(*sign, "--passphrase-file", "nowhere").err
    assert len(certificate()["signatures"]) == 1
    assert sfumato(*sign, "--passphrase-file", "words").status == 0
    monkeypatch.setenv("SFUMATO_PASSPHRASE", "correct horse")
    assert publish("other.csv", sign="safe.key").certificate.signatures[0].name == "safe"
    with pytest.raises(UsageError, match="the passphrase is wrong"):
        sf.keys.read("safe.key", "battery staple")


def test_a_passphrase_is_asked_for_in_the_terminal(folder: Path) -> None:
    command = [sys.executable, ["-c", "from sfumato.cli.main import main; main()", "keys", "new", "asked", "--ask-passphrase"]]
    for again, made in (("other", False), ("secret", True)):
        child = pexpect.spawn(*command, encoding="utf-8", timeout=30)
        for prompt, typed in (("Passphrase:", "secret"), ("Again:", again)):
            child.expect(prompt)
            child.sendline(typed)
        output = child.read()
        child.close()
        assert Path("asked.key").exists() is made
        assert "secret" not in output
    publish()
    sign = "from sfumato.cli.main import main; main()", "sign", "out.csv", "--key", "asked.key"
    child = pexpect.spawn(sys.executable, ["-c", *sign], encoding="utf-8", timeout=30)
    child.expect("Passphrase of asked.key:")
    child.sendline("secret")
    assert "signed by asked, reviewer" in child.read()
    child.close()
    assert len(certificate()["signatures"]) == 2


def test_a_question_needs_a_terminal(folder: Path, sfumato: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    ended = sfumato("keys", "new", "asked", "--ask-passphrase")
    assert (ended.status, "there is no terminal to ask in; give --passphrase-file" in ended.err) == (2, True)


def test_the_public_key_must_not_be_where_the_private_one_is(folder: Path) -> None:
    with pytest.raises(OutputError, match="the public key gets this name"):
        sf.keys.new("office", "other.pub")
    with pytest.raises(OutputError, match="no such folder; make it first"):
        sf.keys.new("office", "nowhere/other.key")
    with pytest.raises(OutputError, match="a folder; name the file of the key"):
        sf.keys.new("office", ".")


def test_a_certificate_that_leads_nowhere_is_not_taken_for_none(folder: Path) -> None:
    publish()
    path = folder / "out.csv.certificate.json"
    path.rename("elsewhere.json")
    assert sf.check("out.csv", "people.toml", models="k-anonymity:2").satisfied
    path.symlink_to("nowhere.json")
    with pytest.raises(DataError, match="no certificate here"):
        sf.check("out.csv", "people.toml", models="k-anonymity:2")


@pytest.mark.parametrize("text", ['{"seed": 0, "seed": 7,', '{"people": NaN,', '{"extra": 1,'])
def test_a_certificate_with_two_readings_is_refused(folder: Path, text: str) -> None:
    publish(sign=None)
    path = folder / "out.csv.certificate.json"
    path.write_text(path.read_text().replace("{", text, 1))
    with pytest.raises((DataError, NotVerified)):
        sf.verify("out.csv")


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"extra": 1}, "'extra' has no value, or is no key of it \\(at certificate\\)"),
        ({"owners": None}, "'owners' has no value"),
        ({"schema_version": 1}, "not the certificate of a table of this version of sfumato: schema_version must be 2"),
        ({"time": "now\x1b[2J"}, "time must be a text of one short line"),
        ({"people": "x"}, "people must be a whole number \\(at certificate.people\\)"),
        ({"people": 0}, "people must be a whole number of at least 1 \\(at certificate.people\\)"),
        ({"basis": "x"}, "basis must be one of row, owner \\(at certificate.basis\\)"),
        ({"node": {"age": -1}}, "node must be a whole number of at least 0 \\(at certificate.node\\[...\\]\\)"),
        ({"sha256": "x"}, "sha256 must be 64 hexadecimal digits in small letters"),
        ({"suppressed": {"people": 0}}, "rows is missing \\(at certificate.suppressed\\)"),
    ],
    ids=str,
)
def test_a_forgery_with_a_new_digest_has_no_room_for_more(folder: Path, more: dict[str, Any], says: str) -> None:
    publish(sign=None)
    forge(folder / "out.csv.certificate.json", more)
    with pytest.raises(DataError, match=says):
        sf.verify("out.csv")


def test_a_number_that_not_every_reader_holds_is_refused_before_the_work(folder: Path) -> None:
    with pytest.raises(UsageError, match="seed: a whole number of at most 15 digits"):
        publish(seed=2**53 + 1)
    with pytest.raises(UsageError, match="nonce: 16 random bytes"):
        publish(nonce=b"short")


def test_a_forgery_with_a_new_digest_never_breaks_the_verification(folder: Path) -> None:
    """Unsigned, some lies cannot be found; but whatever stands in a certificate, the answer is a verdict."""
    rows = pd.DataFrame({"age": [30, 30, 40, 40], "s": list("xyxy"), "who": [1, 1, 2, 3]})
    schema = sf.Schema.parse('[attributes.age]\nrole="quasi"\n[attributes.s]\nrole="sensitive"\n[attributes.who]\nrole="owner"\n')
    sf.publish(rows, schema, node=[0], output="owners.csv", ledger=folder / "ledger")
    record, path, found = certificate("owners"), folder / "owners.csv.certificate.json", 0
    for key in set(record) - {"digest", "signatures"}:
        for lie in (*forgeries(record[key]), "x", 5, -1, None, [["a"]], {"a": "b"}):
            path.write_text(json.dumps(record))
            forge(path, {key: lie})
            try:
                sf.verify("owners.csv")
            except (NotVerified, DataError, SchemaError):
                found += 1
    assert found > 100
