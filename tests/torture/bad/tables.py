"""Bad texts and tables: schemas, hierarchies, beliefs, recipes, keys, data."""

from __future__ import annotations

import gzip
import io
import random
import tomllib
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

from tests.torture.bad.mutations import mutants, spoiled
from tests.torture.bad.running import Case
from tests.torture.bad.world import SCHEMA

TABLE = ("people.csv", "-s", "people.toml")
SCHEMA_READERS = (
    ("publish", *TABLE, "--node", "[1,1,1]", "-o", "new.csv"),
    ("hierarchies", *TABLE),
    ("anonymize", *TABLE, "-m", "k-anonymity:3", "-o", "new.parquet"),
    ("measure", *TABLE, "--node", "[1,1,1]"),
    ("check", "out.csv", "-s", "people.toml", "-m", "k-anonymity:2"),
    ("explore", *TABLE, "--quasi", "age,job", "-o", "new.parquet"),
    ("report", "out.csv", "-s", "people.toml", "-o", "report.html"),
    ("subsets", *TABLE, "-m", "k-anonymity:2"),
    ("tradeoff", *TABLE, "--epsilon", "0.5"),
    ("dimensions", *TABLE),
)
DEEP = 100_000
NUMBERS = (
    "1e999999999", "-1e999999999", "1e-999999999", "inf", "nan", "-0.0", "0x7fffffffffffffffffff", "9" * 4000, "9" * 6000, "1e400",
    "1979-05-27", "07:32:00", "1979-05-27T07:32:00Z", "true", '"10"', "[]", "{}", "1_0", "0o7", "01", "+1", "-1", "0", "1e-30", "",
)  # fmt: skip


def toml(value: Any) -> str:
    """A value as TOML, for what a parser has read."""
    import datetime
    import json

    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(str(key))} = {toml(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    if value is None:
        return '"null"'
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    return json.dumps(value) if isinstance(value, str) else repr(value)


def toml_document(value: Any) -> bytes:
    """A document whose entries are inline tables."""
    import json

    if not isinstance(value, dict):
        return toml(value).encode()
    return "\n".join(f"{json.dumps(str(key))} = {toml(each)}" for key, each in value.items()).encode()


def toml_texts(text: str) -> Iterator[tuple[str, bytes, bool]]:
    """TOML that nobody writes, and whether it may be read."""
    yield "a mark of the order of bytes", b"\xef\xbb\xbf" + text.encode(), True
    yield "carriage returns", text.replace("\n", "\r\n").encode(), True
    yield "bare carriage returns", text.replace("\n", "\r").encode(), False
    yield "latin-1", (text + "# ü\n").encode("latin-1"), False
    yield "UTF-16", text.encode("utf-16"), False
    yield "a zero byte", (text + "\x00").encode(), False
    yield "deep lists", f"x = {'[' * DEEP}{']' * DEEP}\n{text}".encode(), False
    yield "deep tables", f"x = {'{a=' * DEEP}1{'}' * DEEP}\n{text}".encode(), False
    yield "lists 200 deep", f"x = {'[' * 200}{']' * 200}\n{text}".encode(), False
    yield "a dotted key of 20,000 parts", f"{'.'.join(['a'] * 20_000)} = 1\n{text}".encode(), False
    yield "a deep header", f"{text}\n[{'.'.join(['a'] * 20_000)}]\n".encode(), False
    yield "dotted keys that clash", f"a.b = 1\na = 2\n{text}".encode(), False
    yield "a table twice", (text + text).encode(), False
    yield "a million numbers", f"x = [{'1,' * 1_000_000}]\n{text}".encode(), False
    yield "half a character", f'x = "\\ud800"\n{text}'.encode(), False
    yield "a key that is empty", f'"" = 1\n{text}'.encode(), False
    yield "a key of control characters", f'"\\u0000\\u001b[2J" = 1\n{text}'.encode(), False


def schemas(world: Path) -> Iterator[Case]:
    """Schemas spoiled by structure, by number, by text and by bytes."""
    commands = cycle(SCHEMA_READERS)
    good = tomllib.loads(SCHEMA)
    for name, bad in mutants(good, seed=11, per_place=5):
        yield Case("schema", name, next(commands), {"people.toml": toml_document(bad)}, may_pass=True)
    for number in NUMBERS:
        for old in ("lower = 0", "upper = 100", "widths = [10,", "keep = [3,", 'missing = [""', 'suppressed = "drop"'):
            key, _, value = old.partition("= ")
            new = SCHEMA.replace(old, f"{key}= {'[' * value.startswith('[')}{number}{',' * value.endswith(',')}")
            yield Case("schema numbers", f"{key}{number[:16]}", next(commands), {"people.toml": new.encode()}, may_pass=True)
    for name, content, same in toml_texts(SCHEMA):
        yield Case("schema texts", name, next(commands), {"people.toml": content}, may_pass=same)
    for name, content in spoiled(SCHEMA.encode(), seed=12, count=80):
        yield Case("schema bytes", name, next(commands), {"people.toml": content}, may_pass=True)
    for name, hierarchy in _builders():
        spoilt = SCHEMA.replace('{ file = "job.csv" }', hierarchy)
        yield Case("schema hierarchies", name, next(commands), {"people.toml": spoilt.encode()}, may_pass=True)
    for name in ("", "a\x00b", "\x1b[2J", "x" * 300, "name with\nline", "*", "\u202e", "'; drop table x; --", '"', "level:age"):
        spoilt = SCHEMA.replace("[attributes.note]", f"[attributes.{toml(name)}]")
        yield Case("schema names", ascii(name)[:20], next(commands), {"people.toml": spoilt.encode()}, may_pass=True)


def _builders() -> Iterator[tuple[str, str]]:
    jobs = ("clerk", "boss", "baker", "smith")
    deep = 20_000
    yield "a tree 20,000 levels deep", "{ tree = " + "{a=" * deep + str(list(jobs)) + "}" * deep + " }"
    yield "a tree 90 levels deep", "{ tree = " + "{a=" * 90 + str(list(jobs)) + "}" * 90 + " }"
    yield (
        "paths of 20,000 levels",
        "{ builder = 'paths', paths = " + str([[job, *map(str, range(deep)), "*"] for job in jobs]) + " }",
    )
    yield (
        "20,000 sizes",
        "{ builder = 'groups', values = " + str(list(jobs)) + ", sizes = " + str([2**n for n in range(1, 2000)]) + " }",
    )
    yield "20,000 prefixes", "{ builder = 'prefix', keep = " + str(list(range(deep, 0, -1))) + " }"
    yield "20,000 widths", "{ builder = 'intervals', widths = " + str([2**n for n in range(3000)]) + " }"
    yield "many addresses", "{ builder = 'addresses', v4 = " + str([24] * deep) + ", v6 = " + str([64] * deep) + " }"
    yield "a size beyond all values", "{ builder = 'groups', values = " + str(list(jobs)) + ", sizes = [4611686018427387904] }"
    yield "a width of a thousand digits", "{ builder = 'intervals', widths = [" + "9" * 1000 + "] }"
    yield "a file elsewhere", '{ file = "/etc/hostname" }'
    for name in (
        "/dev/zero",
        "/dev/stdin",
        ".",
        "",
        "a\\u0000b",
        "x" * 300,
        "\\u001b[2J",
        "/proc/self/mem",
        "people.csv",
        "no.csv",
    ):
        yield f"the file {name[:16]}", f'{{ file = "{name}" }}'
    for units in ('["day", "day"]', '["year", "month"]', "[]", '["century"]', '"day"', "[1]"):
        yield f"the units {units}", f"{{ builder = 'dates', units = {units} }}"


def hierarchies(world: Path) -> Iterator[Case]:
    """Hierarchy files: ragged, deep, with a label twice, cyclic, huge, and other bytes."""
    commands = cycle(SCHEMA_READERS[:6])
    jobs, deep = ("clerk", "boss", "baker", "smith"), 20_000
    texts = {
        "empty": "",
        "blank": "\n\n\n",
        "ragged": "clerk;office;*\nboss;*\nbaker;craft;*\nsmith;craft;*\n",
        "20,000 levels": "\n".join(f"{job};" + ";".join(str(n) for n in range(deep)) for job in jobs),
        "20,000 levels of one label": "\n".join(f"{job};" + ";".join("a" for n in range(deep)) for job in jobs),
        "20,000 levels of other labels": "\n".join(f"{job};" + ";".join(f"{job}{n}" for n in range(deep)) for job in jobs),
        "a leaf twice": "clerk;a\nclerk;a\nboss;a\nbaker;b\nsmith;b\n",
        "a leaf of two parents": "clerk;a\nclerk;b\nboss;a\nbaker;b\nsmith;b\n",
        "a label of two parents": "clerk;a;x\nboss;a;y\nbaker;b;x\nsmith;b;y\n",
        "a cycle": "clerk;boss;clerk\nboss;clerk;boss\nbaker;smith;baker\nsmith;baker;smith\n",
        "stars": "*;*;*\n",
        "a star below": "clerk;*;a\nboss;*;b\nbaker;c;b\nsmith;c;b\n",
        "300,000 leaves": "".join(f"job{n};group{n % 7};*\n" for n in range(300_000)),
        "a field of 200,000 characters": f"clerk;{'x' * 200_000};*\n",
        "an open quote": 'clerk;"office;*\nboss;office;*\n',
        "zero bytes": "clerk;off\x00ice;*\nboss;office;*\nbaker;craft;*\nsmith;craft;*\n",
        "control characters": "clerk;\x1b[2J;*\nboss;\x1b[2J;*\nbaker;craft;*\nsmith;craft;*\n",
        "commas": "clerk,office,*\nboss,office,*\nbaker,craft,*\nsmith,craft,*\n",
        "both": "clerk,office;*\nboss,office;*\nbaker,craft;*\nsmith,craft;*\n",
        "formulas": "=clerk;'=1+1;*\nboss;office;*\n",
        "empty labels": "clerk;;*\nboss;;*\nbaker;;*\nsmith;;*\n",
        "a mark of the order of bytes": "\ufeffclerk;office;*\nboss;office;*\nbaker;craft;*\nsmith;craft;*\n",
    }
    for name, text in texts.items():
        for _ in range(3):
            yield Case("hierarchy", name, next(commands), {"job.csv": text.encode()}, may_pass=True)
    whole = (world / "job.csv").read_bytes()
    for name, content in spoiled(whole, seed=13, count=60):
        yield Case("hierarchy", name, next(commands), {"job.csv": content}, may_pass=True)
    yield Case("hierarchy", "UTF-16", next(commands), {"job.csv": whole.decode().encode("utf-16")})


def beliefs(world: Path) -> Iterator[Case]:
    """Stated beliefs."""
    command = ("measure", *TABLE, "--node", "[1,1,1]", "--prior", "prior.toml")
    text = (world / "prior.toml").read_text()
    for name, bad in mutants(tomllib.loads(text), seed=14, per_place=12):
        yield Case("prior", name, command, {"prior.toml": toml_document(bad)}, may_pass=True)
    for name, content, _ in toml_texts(text):
        yield Case("prior", name, command, {"prior.toml": content}, may_pass=True)
    for number in NUMBERS:
        yield Case("prior", number[:16], command, {"prior.toml": text.replace("0.5", number).encode()}, may_pass=True)
    for name, content in spoiled(text.encode(), seed=15, count=40):
        yield Case("prior", name, command, {"prior.toml": content}, may_pass=True)


def recipes(world: Path) -> Iterator[Case]:
    """Recipes: whatever is changed, nothing but a release comes out."""
    command = ("anonymize", "--recipe", "recipe.toml")
    text = (world / "recipe.toml").read_text()
    good = tomllib.loads(text)
    good["output"]["output"] = "again.csv"
    for name, bad in mutants(good, seed=16, per_place=3):
        yield Case("recipe", name, command, {"recipe.toml": toml_document(bad)}, may_pass=True)
    for name, content, _ in toml_texts(text):
        yield Case("recipe", name, command, {"recipe.toml": content}, may_pass=False)
    for name, content in spoiled(text.encode(), seed=17, count=50):
        yield Case("recipe", name, command, {"recipe.toml": content}, may_pass=True)


def keys(world: Path) -> Iterator[Case]:
    """Keys and passphrases."""
    readers = {
        "office.pub": (("verify", "out.csv", "--key", "office.pub"), ("keys", "show", "office.pub")),
        "review.key": (("sign", "out.csv", "--key", "review.key"),),
        "safe.key": (("sign", "out.csv", "--key", "safe.key", "--passphrase-file", "words"),),
        "words": (("sign", "out.csv", "--key", "safe.key", "--passphrase-file", "words"),),
    }
    for file, commands in readers.items():
        command = cycle(commands)
        for name, content in spoiled((world / file).read_bytes(), seed=18, count=45):
            yield Case("key", f"{file} {name}", next(command), {file: content}, may_pass=True)
        for other in ("people.csv", "office.key", "review.pub", "out.csv.certificate.json", "space.parquet"):
            if other != file:
                yield Case("key", f"{file} is {other}", next(command), {file: (world / other).read_bytes()}, may_pass=True)


def data(world: Path) -> Iterator[Case]:
    """Data files: other bytes, encodings, shapes; the same packed, and as Parquet; and as the population and the original."""
    import pyarrow.csv as pc
    import pyarrow.parquet as pq

    text = (world / "people.csv").read_text()
    out = io.BytesIO()
    pq.write_table(pc.read_csv(world / "people.csv"), out)
    draw = random.Random(19)
    contents = {"bad.csv": text.encode(), "bad.csv.gz": gzip.compress(text.encode()), "bad.parquet": out.getvalue()}
    for file, whole in contents.items():
        commands = cycle(
            [
                ("publish", file, "-s", "people.toml", "--node", "[1,1,1]", "-o", "new.csv"),
                ("profile", file, "-o", "new.toml"),
                ("measure", "out.csv", "-s", "people.toml", "--original", file),
                ("measure", *TABLE, "--node", "[1,1,1]", "--population", file, "-m", "k-map:2"),
                ("hierarchies", file, "-s", "people.toml"),
                ("check", file, "-s", "people.toml", "-m", "k-anonymity:2"),
                ("explore", file, "-s", "people.toml", "--quasi", "age", "-o", "new.parquet"),
            ]
        )
        for name, content in spoiled(whole, seed=draw.randrange(99), count=70):
            yield Case(f"data {file[4:]}", name, next(commands), {file: content}, may_pass=True)
        if file == "bad.csv":
            for name, content in _csv(text):
                yield Case("data csv", name, next(commands), {file: content}, may_pass=True)


def _csv(text: str) -> Iterator[tuple[str, bytes]]:
    yield "UTF-16", text.encode("utf-16")
    yield "latin-1", text.replace("clerk", "clérk").encode("latin-1")
    yield "a zero byte", text.replace("clerk", "cl\x00erk", 1).encode()
    yield "a huge field", text.replace("clerk", "x" * 5_000_000, 1).encode()
    yield "a huge header", ("h" * 3_000_000 + text).encode()
    yield "2,000 columns", (",".join(f"c{n}" for n in range(2_000)) + "\n" + ",".join(["1"] * 2_000) + "\n").encode()
    yield "an open quote", text.replace("clerk", '"clerk', 1).encode()
    yield "quotes within", text.replace("clerk", 'cl"er"k', 1).encode()
    yield "a number beyond", text.replace("20,", "99999999999999999999999,", 1).encode()
    yield "not a number", text.replace("20,", "nan,", 1).encode()
    yield "digits of another script", text.replace("20,", "\u0662\u0660,", 1).encode()
    yield "header twice", text.replace("age,zip", "age,age", 1).encode()
    yield "an empty name", text.replace("age,zip", ",zip", 1).encode()
    yield "control characters in a name", text.replace("age", "a\x1b[2Jge", 1).encode()
    yield "half of a pair", text.encode().replace(b"clerk", b"\xed\xa0\x80", 1)
    yield "bare carriage returns", text.replace("\n", "\r").encode()
