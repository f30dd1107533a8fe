"""What is done to files, and which states it may leave: the commands that write, each over nothing and over what was there before."""

from __future__ import annotations

import fnmatch
import json
import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import sfumato as sf
from tests.torture.faults import Ended, Server

SCHEMA = '[attributes.age]\nrole = "quasi"\ntype = "integer"\n[attributes.age.hierarchy]\nbuilder = "intervals"\n'
SCHEMA += 'widths = [10, 40]\n[attributes.sex]\nrole = "quasi"\n[attributes.ill]\nrole = "sensitive"\n'
PEOPLE = "age,sex,ill\n" + "".join(f"{20 + n % 40},{'mf'[n % 2]},{'abcd'[n % 4]}\n" for n in range(120))
TABLE = ("people.csv", "-s", "people.toml")
RELEASE = ("out/r.csv", "out/r.csv.certificate.json", "maps/m.csv", "ledger/*")
Snapshot = Mapping[str, str]


@dataclass(frozen=True)
class Scenario:
    """A command that writes. `before` makes what is there already; `groups` are the files that belong together, in the order in which
    they are written; `later` are the commands of somebody who comes afterwards."""

    name: str
    command: Sequence[str]
    groups: Sequence[Sequence[str]]
    later: Sequence[Sequence[str]]
    before: Sequence[Sequence[str]] = ()

    def prepare(self, server: Server, folder: Path) -> None:
        """Inputs, folders and what is there already."""
        for name in ("out", "maps", "ledger"):
            (folder / name).mkdir(parents=True)
        (folder / "people.csv").write_text(PEOPLE)
        (folder / "people.toml").write_text(SCHEMA)
        for arguments in self.before:
            ended = server.run(folder, arguments)
            assert ended.status == 0, (self.name, arguments, ended.err)

    def allowed(self, old: Snapshot, new: Snapshot) -> list[Snapshot]:
        """Every group as before or as after, none after one that is as before."""
        states = []
        for done in range(len(self.groups) + 1):
            patterns = [pattern for group in self.groups[:done] for pattern in group]
            states.append({**_matching(old, patterns, matched=False), **_matching(new, patterns, matched=True)})
        return states


def _matching(snapshot: Snapshot, patterns: Sequence[str], *, matched: bool) -> Snapshot:
    return {name: text for name, text in snapshot.items() if any(fnmatch.fnmatch(name, each) for each in patterns) == matched}


_VOLATILE = re.compile(r"\d{4}-\d\d-\d\d[T ][\d:]{5,8}(\+00:00| UTC)?|\b[0-9a-f]{64}\b|\b[0-9a-f]{32}\b|\d+\.\d+ s\b")
_KEY = re.compile(r"^[A-Za-z0-9+/=]{40,}$|[A-Za-z0-9+/]{86}==|\b[0-9a-f]{4}( [0-9a-f]{4})+", re.M)


def snapshot(folder: Path) -> Snapshot:
    """The files that people see, without times, digests, keys and random numbers."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        if path.is_file() and not any(part.startswith(".") for part in name.parts):
            content = path.read_bytes()
            text = content.hex() if path.suffix in (".parquet", ".gz") else content.decode()
            found[str(name)] = _KEY.sub("#", _VOLATILE.sub("#", text)) if path.suffix != ".csv" else text
    return found


def hidden(folder: Path) -> list[Path]:
    """What only we see."""
    return [path for path in folder.rglob(".*") if path.parent.name != ".git"]


def whole(folder: Path) -> Iterator[str]:
    """What is wrong with the releases and the ledger in a folder, as somebody who reads them would find."""
    for path in sorted(path for path in folder.rglob("*.certificate.json") if not path.parent.name.startswith(".")):
        release = path.with_name(path.name.removesuffix(".certificate.json"))
        if not release.exists():
            yield f"{path.name} without its release"
        else:
            yield from _wrong(lambda release=release, path=path: _verify(release, path))
    if list((folder / "ledger").glob("*.json")):
        yield from _wrong(lambda: sf.ledger.verify(folder / "ledger"))


def _verify(release: Path, certificate: Path) -> object:
    """As the command that the kind of release has."""
    kind = json.loads(certificate.read_text(encoding="utf-8")).get("kind")
    return {"graph": sf.graph.verify, "searchlog": sf.searchlog.verify}.get(kind, sf.verify)(release)


def _wrong(look: Callable[[], object]) -> Iterator[str]:
    try:
        look()
    except sf.SfumatoError as error:
        yield str(error)


def copied(prepared: Path, folder: Path) -> Path:
    """A fresh copy of what was prepared."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(prepared, folder, symlinks=True)
    return folder


def one_line(ended: Ended) -> bool:
    return ended.err.startswith("sfumato: ") and ended.err.count("\n") == 1 and ended.err.endswith("\n")


def _publish(node: str, *more: str) -> tuple[str, ...]:
    return ("publish", *TABLE, "--node", node, "-o", "out/r.csv", "--map", "maps/m.csv", *more)


VERIFY = (("verify", "out/r.csv"),)
NEW_KEY = ("keys", "new", "out/office", "--name", "Office")
ANONYMIZE = (
    "anonymize",
    *TABLE,
    "-m",
    "k-anonymity:5",
    "-o",
    "out/r.parquet",
    "--recipe",
    "out/r.toml",
    "--report",
    "out/r.html",
)
ANONYMIZED = (("out/r.parquet", "out/r.parquet.certificate.json", "ledger/*"), ("out/r.toml",), ("out/r.html",))
EXPLORE = ("explore", *TABLE, "-m", "k-anonymity:5", "-o", "out/space.parquet")
INIT = ("init", "people.csv", "--yes", "-o", "out/begun")
OPEN = ("negotiate", "open", *TABLE, "--epsilon", "1", "--key", "out/office.key", "-o", "out/sheet.json")
REQUEST = ("negotiate", "request", "out/sheet.json", "--pattern", "age,sex", "--shares", "1", "--key", "out/user.key")
REQUEST += ("-o", "out/record.json")
ANSWER = ("negotiate", "answer", "out/record.json", "--key", "out/office.key")
ACCEPT = ("negotiate", "accept", "out/record.json", "--key", "out/user.key")
DELIVER = ("negotiate", "deliver", "out/record.json", "--key", "out/office.key", "-o", "out/delivered")
HIERARCHIES = ("hierarchies", *TABLE, "-o", "out/h")
FRIENDS = ("graph", "generate", "60", "120", "-o", "out/friends.csv")
GRAPH = ("graph", "publish", "out/friends.csv", "-o", "out/g.csv", "--map", "maps/g.csv", "--seed", "1")
SEARCHES = ("searchlog", "generate", "--rows", "1000", "--seed", "7", "-o", "out/searches")
LOG = ("searchlog", "publish", "out/searches", "-o", "out/l.parquet", "--owners", "maps/l.parquet", "--seed", "1")

SCENARIOS = (
    Scenario("publish", _publish("[1,1]"), [RELEASE], VERIFY),
    Scenario("publish over another", _publish("[2,1]", "--force"), [RELEASE], VERIFY, [_publish("[1,1]")]),
    Scenario(
        "publish gzipped",
        ("publish", *TABLE, "--node", "[1,1]", "-o", "out/r.csv.gz", "--force"),
        [("out/r.csv.gz", "out/r.csv.gz.certificate.json", "ledger/*")],
        [("verify", "out/r.csv.gz")],
        [("publish", *TABLE, "--node", "[2,1]", "-o", "out/r.csv.gz")],
    ),
    Scenario("anonymize", ANONYMIZE, ANONYMIZED, [("verify", "out/r.parquet")]),
    Scenario(
        "anonymize over another",
        (*ANONYMIZE, "--force"),
        ANONYMIZED,
        [("verify", "out/r.parquet")],
        [(*ANONYMIZE[:5], "k-anonymity:20", *ANONYMIZE[6:])],
    ),
    Scenario(
        "sign",
        ("sign", "out/r.csv", "--key", "out/office.key"),
        [("out/r.csv.certificate.json",)],
        VERIFY,
        [_publish("[1,1]"), NEW_KEY],
    ),
    Scenario(
        "graph publish over another",
        (*GRAPH, "--method", "k-degree:3", "--force"),
        [("out/g.csv", "out/g.csv.certificate.json", "maps/g.csv", "ledger/*")],
        [("graph", "verify", "out/g.csv")],
        [FRIENDS, GRAPH],
    ),
    Scenario(
        "searchlog publish over another",
        (*LOG, "--threshold", "3", "--force"),
        [("out/l.parquet", "out/l.parquet.certificate.json", "maps/l.parquet", "ledger/*")],
        [("searchlog", "verify", "out/l.parquet")],
        [SEARCHES, (*LOG, "--threshold", "2")],
    ),
    Scenario("keys new", NEW_KEY, [("out/office.*",)], [NEW_KEY]),
    Scenario("explore", EXPLORE, [("out/space.parquet",)], [("space", "out/space.parquet")]),
    Scenario(
        "explore over another",
        (*EXPLORE, "--force"),
        [("out/space.parquet",)],
        [("space", "out/space.parquet")],
        [(*EXPLORE[:5], "k-anonymity:20", *EXPLORE[6:])],
    ),
    Scenario(
        "profile",
        ("profile", "people.csv", "-o", "out/s.toml"),
        [("out/s.toml",)],
        [("profile", "people.csv", "-o", "out/s.toml")],
    ),
    Scenario("init", INIT, [("out/begun/*",)], [INIT]),
    Scenario(
        "init over another",
        (*INIT, "--force"),
        [("out/begun/*",)],
        [INIT],
        [(*INIT, "--template", "research-use")],
    ),
    Scenario("hierarchies", HIERARCHIES, [("out/h/*",)], [HIERARCHIES]),
    Scenario(
        "hierarchies over others",
        (*HIERARCHIES, "--force"),
        [("out/h/*",)],
        [HIERARCHIES],
        [("hierarchies", *TABLE, "--quasi", "age", "-o", "out/h")],
    ),
    Scenario(
        "report over another",
        ("report", "out/r.csv", "-s", "people.toml", "-m", "distinct-diversity:2", "-o", "out/p.html", "--force"),
        [("out/p.html",)],
        VERIFY,
        [_publish("[1,1]"), ("report", "out/r.csv", "-s", "people.toml", "-o", "out/p.html")],
    ),
    Scenario("negotiate open", OPEN, [("out/sheet.*",)], [OPEN], [NEW_KEY]),
    Scenario(
        "negotiate answer",
        ANSWER,
        [("out/sheet.desk/*",), ("out/record.json",)],
        [ANSWER],
        [NEW_KEY, ("keys", "new", "out/user"), OPEN, REQUEST],
    ),
    Scenario(
        "negotiate deliver",
        DELIVER,
        [("out/delivered/*", "ledger/*"), ("out/sheet.desk/*",), ("out/record.json",)],
        [DELIVER],
        [NEW_KEY, ("keys", "new", "out/user"), OPEN, REQUEST, ANSWER, ACCEPT],
    ),
    Scenario("data", ("data", "adult", "-o", "out/census"), [("out/census/*",)], [("data", "adult", "-o", "out/census")]),
    Scenario(
        "tradeoff",
        ("tradeoff", *TABLE, "-o", "out/t.html", "--svg", "out/t.svg"),
        [("out/t.svg",), ("out/t.html",)],
        [],
    ),
)
