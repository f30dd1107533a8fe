"""The good files that are spoiled: a table with its schema, its releases, a space, a recipe, keys, a ledger, beliefs."""

from __future__ import annotations

import datetime
import os
import shutil
from contextlib import chdir
from pathlib import Path

import sfumato as sf
from sfumato.negotiation import UtilityPattern
from sfumato.negotiation.files import Clock, Offering, answer, decide, open_desk, request
from sfumato.signing.keys import PrivateKey

SECRET = "Rumpelstilzchen"
NOW = datetime.datetime(2031, 2, 3, 4, 5, 6, tzinfo=datetime.UTC)
ILLS = ("flu", "gout", "cold", SECRET)
SCHEMA = """[table]
missing = ["", "?"]
suppressed = "drop"

[attributes.age]
role = "quasi"
type = "integer"
hierarchy = { builder = "intervals", lower = 0, upper = 100, widths = [10, 50] }

[attributes.zip]
role = "quasi"
type = "text"
hierarchy = { builder = "prefix", keep = [3, 1] }

[attributes.job]
role = "quasi"
hierarchy = { file = "job.csv" }

[attributes.ill]
role = "sensitive"
type = "text"

[attributes.note]
role = "plain"
type = "decimal"
"""
OWNERS = """[attributes.age]
role = "quasi"
type = "integer"
[attributes.ill]
role = "sensitive"
[attributes.who]
role = "owner"
"""
FOREIGN = "geboren;Gewicht;Leiden\n" + "".join(
    f"0{1 + n % 3}.1{n % 2}.19{60 + n % 2};{60 + n % 4},5;{ILLS[n % 4]}\n" for n in range(48)
)
FOREIGN_SCHEMA = """[source]
encoding = "windows-1252"
delimiter = ";"
decimal = ","
header = true

[attributes.geboren]
role = "quasi"
type = "date"
format = "dd.mm.yyyy"
missing = ["-"]
hierarchy = { builder = "dates", units = ["month", "year"] }

[attributes.Gewicht]
role = "quasi"
type = "decimal"

[attributes.Leiden]
role = "sensitive"
"""
HIERARCHY = "clerk;office;*\nboss;office;*\nbaker;craft;*\nsmith;craft;*\n"
PRIOR = """[[ill]]
when = {}
shares = { flu = 0.5, gout = 0.2 }
"""
MODELS = ("k-anonymity:3", "t-closeness:0.9")


def rows(people: int) -> str:
    """A table of people whom no random generator is needed for; two of them are alone in every way."""
    jobs = [line.split(";")[0] for line in HIERARCHY.splitlines()]
    lines = [f"{20 + 10 * (n % 3)},10{n % 2}15,{jobs[n % 4]},{ILLS[(n * 7 + n // 5) % 4]},{n % 4}.5" for n in range(people)]
    return "age,zip,job,ill,note\n" + "\n".join([*lines, "99,99999,smith,flu,1", "3,55555,baker,gout,2"]) + "\n"


def make(folder: Path) -> Path:
    """Write all of them into a folder."""
    folder.mkdir(parents=True)
    with chdir(folder):
        _write()
        _release()
    return folder


def _write() -> None:
    texts = {"people.csv": rows(96), "people.toml": SCHEMA, "job.csv": HIERARCHY, "prior.toml": PRIOR, "larger.csv": rows(300)}
    texts["owned.csv"] = "age,ill,who\n" + "".join(f"{30 + n % 2 * 10},{ILLS[n % 4]},{n // 2}\n" for n in range(40))
    texts["owned.toml"], texts["words"] = OWNERS, "correct horse\n"
    texts["foreign.csv"], texts["foreign.toml"] = FOREIGN, FOREIGN_SCHEMA
    for name, text in texts.items():
        Path(name).write_text(text, encoding="utf-8")


def _negotiate() -> None:
    """A sheet with its desk, a request, the same with an offer, and another one that was accepted. All are dated now, so that the
    commands go on from there."""
    owner, user = PrivateKey.read("office.key"), PrivateKey.read("review.key")
    offering = Offering(epsilon=0.9, models=("k-anonymity:2",), quasi=("age", "job"), price="linear:50,20")
    open_desk("people.csv", "people.toml", owner, "sheet.json", offering, Clock(identity="a" * 32))
    pattern = UtilityPattern.parse("age,job", [1])
    request("sheet.json", pattern, user, "asked.json", clock=Clock(identity="a" * 32))
    shutil.copy("asked.json", "record.json")
    answer("record.json", owner, clock=Clock(identity="b" * 32))
    request("sheet.json", pattern, user, "agreed.json", clock=Clock(identity="c" * 32))
    answer("agreed.json", owner, clock=Clock(identity="d" * 32))
    decide("agreed.json", user, "accept", clock=Clock(identity="e" * 32))


def _release() -> None:
    for key, name in (("office", "Statistics office"), ("review", "Ann Reviewer")):
        sf.keys.new(key, name=name)
    sf.keys.new("safe", name="Safe", passphrase="correct horse")
    how = {"ledger": "ledger", "now": NOW, "nonce": bytes(16)}
    sf.anonymize(
        "people.csv", "people.toml", models=MODELS, suppress=0.1, output="out.csv", sign="office.key", recipe="recipe.toml", **how
    )
    sf.publish("people.csv", "people.toml", node=[2, 1, 1], output="other.csv", **{**how, "ledger": "aside"})
    sf.publish("owned.csv", "owned.toml", node=[0], output="own.csv", sign="office.key", **how)
    sf.explore("people.csv", "people.toml", models=MODELS, quasi=["age", "job"], output="space.parquet")
    _negotiate()
    for path in Path().rglob("*"):
        os.utime(path, (NOW.timestamp(), NOW.timestamp()))
