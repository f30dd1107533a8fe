"""Bad command lines: every option of every command with values that it does not take, names that no file has, and files that are none."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from tests.torture.bad.running import Case

TABLE = ("people.csv", "-s", "people.toml")
GOOD: dict[str, tuple[str, ...]] = {
    "demo": ("demo", "-o", "demo"),
    "data": ("data", "adult", "-o", "census"),
    "profile": ("profile", "people.csv", "-o", "new.toml"),
    "init": ("init", "people.csv", "--yes", "-o", "begun"),
    "hierarchies": ("hierarchies", *TABLE),
    "anonymize": ("anonymize", *TABLE, "-m", "k-anonymity:3", "-o", "new.csv"),
    "explore": ("explore", *TABLE, "--quasi", "age", "-o", "new.parquet"),
    "space": ("space", "space.parquet"),
    "subsets": ("subsets", *TABLE, "-m", "k-anonymity:2", "--suppress", "0.1"),
    "tradeoff": ("tradeoff", *TABLE, "--quasi", "age,job"),
    "publish": ("publish", *TABLE, "--node", "[1,1,1]", "-o", "new.csv"),
    "verify": ("verify", "out.csv"),
    "sign": ("sign", "out.csv", "--key", "review.key"),
    "check": ("check", "out.csv", "-s", "people.toml", "-m", "k-anonymity:2"),
    "measure": ("measure", *TABLE, "--node", "[1,1,1]"),
    "report": ("report", "out.csv", "-s", "people.toml", "-o", "report.html"),
    "compare": ("compare", "out.csv", "other.csv", "-s", "people.toml", "--original", "people.csv"),
    "negotiate open": (
        "negotiate",
        "open",
        *TABLE,
        "--quasi",
        "age",
        "--epsilon",
        "1",
        "--key",
        "office.key",
        "-o",
        "fresh.json",
    ),
    "negotiate request": (
        "negotiate",
        "request",
        "sheet.json",
        "--pattern",
        "age > job",
        "--key",
        "review.key",
        "-o",
        "mine.json",
    ),
    "negotiate answer": ("negotiate", "answer", "asked.json", "--key", "office.key"),
    "negotiate accept": ("negotiate", "accept", "record.json", "--key", "review.key"),
    "negotiate reject": ("negotiate", "reject", "record.json", "--key", "review.key"),
    "negotiate relax": ("negotiate", "relax", "record.json", "--key", "review.key", "--pattern", "job > age"),
    "negotiate terminate": ("negotiate", "terminate", "record.json", "--key", "review.key"),
    "negotiate deliver": ("negotiate", "deliver", "agreed.json", "--key", "office.key", "-o", "delivered"),
    "negotiate show": ("negotiate", "show", "record.json"),
    "negotiate verify": ("negotiate", "verify", "record.json"),
    "negotiate simulate": ("negotiate", "simulate", *TABLE, "--quasi", "age", "--epsilon", "1", "--users", "3"),
    "compare-metrics": ("compare-metrics",),
    "dimensions": ("dimensions", *TABLE),
    "keys new": ("keys", "new", "other"),
    "keys show": ("keys", "show", "office.pub"),
    "ledger show": ("ledger", "show", "ledger"),
    "ledger verify": ("ledger", "verify", "ledger"),
}
BAD = (
    "", "-", "--", " ", "a\x00b", "caf\udce9", "two\nlines", "x" * 300, "x" * 100_000, "nan", "inf", "1e999", "9" * 400,
    "-1",
    "\u0661\u0662", "1_000", "[", "[" * 50_000, "{}", "[null]", '["\\ud800"]', "age=", "=1", "*", "\x1b[2J", ".", "/",
    "/dev/full/x", "no/such",
    "%s%n{0}", "0x10", "1e-400", "\u202e", "~", "people.csv",
)  # fmt: skip
MODELS = (
    "k-anonymity", "k-anonymity:", "k-anonymity:nan", "k-anonymity:1e999", "k-anonymity:-1", "k-anonymity:0",
    "k-anonymity:\u0665", "k-anonymity:5,5",
    "k-anonymity:" + "9" * 400, "k-anonymity:" + "9" * 5000, "k-anonymity:1.5", "t-closeness:nan", "t-closeness:1e999",
    "t-closeness:-0.1",
    "t-closeness:0.2,x", "l-diversity:2", ":", ":5", "k-anonymity:5 for", "k-anonymity:5 for age", "k-anonymity:5 for =",
    "k-anonymity:5 for age=[0, 1e999999999)", "k-anonymity:5 for ill=flu", "k-anonymity:5 for age=*",
    "k-anonymity:5 for for for", "recursive-diversity:1e308,9",
    "k-anonymity:2 for " * 500 + "age=*", "personalized-privacy:0.5,no", "personalized-privacy:0.5,note", "k-map:2",
    "delta-presence:0.1,0.2",
    "confidence-bounding:0.5,x,y", "xy-privacy:2,age,zip", "beta-likeness:1e-400", "ke-anonymity:2,nan",
    "em-anonymity:1e999,1", "ct-isolation:-1,-1",
    "population-uniqueness:0.1", "average-risk:nan", "entropy-diversity:0", "distinct-diversity:" + "9" * 30,
    "privacy-loss:nan,nan", "alpha-k-anonymity:2,0",
)  # fmt: skip
NODES = (
    "", "[]", "[1]", "[1,1,1,1]", "[1.5,1,1]", "[true,1,1]", "[null,1,1]", '["1",1,1]', "[NaN,1,1]", "[1e999,1,1]",
    f"[{'9' * 5000},1,1]", "[-1,1,1]",
    "[" * 100_000, '{"age":' * 50_000, "age=1", "age=1,age=1,zip=1,job=1", "age=\u0661,zip=1,job=1",
    "age=1e1,zip=1,job=1", "age=1;zip=1", '{"age": [1], "zip": 1, "job": 1}',
    '{"age": 1, "zip": 1, "job": {"x": 1}}', "age=1,zip=1,job=1\x00", "=1,=1,=1", '"x"', "{}", '{"a\\ud800": 1}',
    "[1,1,1] x", "age=" + "9" * 5000 + ",zip=1,job=1",
)  # fmt: skip


def options(_: Path) -> Iterator[Case]:
    """Every option of every command with every bad value; every argument replaced by one."""
    for name, good in GOOD.items():
        for option in _options(name):
            for bad in BAD:
                yield Case("option", f"{name} {option} {ascii(bad)[:24]}", (*good, option, bad), may_pass=True)
        start = len(name.split())
        for place in range(start, len(good)):
            if place == start or good[place - 1].startswith("-"):
                for bad in BAD:
                    words = (*good[:place], bad, *good[place + 1 :])
                    yield Case("argument", f"{name} {place} {ascii(bad)[:24]}", words, may_pass=True)


def specs(_: Path) -> Iterator[Case]:
    """Models and nodes that are none, for every command that takes them."""
    for name in ("anonymize", "check", "measure", "explore", "report", "tradeoff", "subsets", "space", "dimensions", "compare"):
        for bad in MODELS:
            yield Case("model", f"{name} {bad[:30]}", (*GOOD[name], "-m", bad), may_pass=True)
    for name in ("publish", "measure", "space"):
        for bad in NODES:
            yield Case("node", f"{name} {bad[:30]}", (*GOOD[name], "--node", bad), may_pass=True)
    for words in (
        ("--protect",),
        ("--protect", "age"),
        ("--protect", "x=y", "k"),
        ("--protect=age=1", "k-anonymity:2"),
        ("--protect", "=", ":"),
    ):
        yield Case("model", " ".join(words), (*GOOD["check"], *words), may_pass=True)


def files(world: Path) -> Iterator[Case]:
    """Pipes, devices, folders, loops and dangling links in the place of every file."""
    readers = {
        "people.toml": (GOOD["publish"], GOOD["check"], GOOD["anonymize"], GOOD["explore"]),
        "job.csv": (GOOD["publish"], GOOD["hierarchies"]),
        "out.csv.certificate.json": (GOOD["verify"], GOOD["check"], GOOD["sign"], GOOD["report"]),
        "space.parquet": (GOOD["space"],),
        "recipe.toml": (("anonymize", "--recipe", "recipe.toml"),),
        "prior.toml": ((*GOOD["measure"], "--prior", "prior.toml"),),
        "larger.csv": ((*GOOD["measure"], "--population", "larger.csv", "-m", "k-map:2"),),
        "office.pub": (("verify", "out.csv", "--key", "office.pub"), ("keys", "show", "office.pub")),
        "review.key": (GOOD["sign"],),
        "words": (("sign", "out.csv", "--key", "safe.key", "--passphrase-file", "words"),),
        "ledger/00000001.json": (GOOD["ledger verify"], GOOD["ledger show"]),
        "ledger/00000002.json": ((*GOOD["publish"], "--ledger", "ledger"), GOOD["ledger show"]),
        "ledger/x.json": (GOOD["ledger verify"], GOOD["ledger show"]),
        "ledger/20310203T040506+0000-0123456789ab.json": (GOOD["ledger verify"], GOOD["ledger show"]),
        "sheet.json": (GOOD["negotiate request"],),
        "record.json": (GOOD["negotiate show"], GOOD["negotiate accept"]),
        "agreed.json": (GOOD["negotiate deliver"],),
        "sheet.desk/desk.json": (GOOD["negotiate answer"],),
        "sheet.desk/answers.json": (GOOD["negotiate answer"],),
        "people.csv": (GOOD["publish"], GOOD["profile"], GOOD["init"]),
        "out.csv": (GOOD["verify"], GOOD["check"], GOOD["sign"], GOOD["compare"]),
        "other.csv": (GOOD["compare"],),
    }
    kinds = (
        "fifo",
        "huge",
        "/dev/zero",
        "/dev/null",
        "/dev/tty",
        "/dev/stdin",
        "folder",
        "loop",
        "nowhere",
        "/proc/self/mem",
        "/proc/self/maps",
    )
    for file, commands in readers.items():
        for what in kinds:
            target = Path(file).name if what == "loop" else what
            for command in () if what == "huge" and file in ("people.csv", "larger.csv", "out.csv") else commands:
                yield Case(
                    "file",
                    f"{file} is {what}",
                    command,
                    special={file: target},
                    may_pass="ledger/" in file or what == "/dev/null",
                )


def _options(name: str) -> list[str]:
    """The options of a command that take a value."""
    command = _app()
    for word in name.split():
        command = command.commands[word]
    return [
        each.opts[0]
        for each in command.params
        if each.param_type_name == "option" and not each.is_flag and each.opts[0] != "--protect"
    ]


@cache
def _app() -> Any:
    from typer.main import get_command

    from sfumato.cli.commands import application

    return get_command(application())
