"""`python -m tests.torture.bad FOLDER SHARE OF [MOST]`: run a share of the cases, MOST of each kind, and print what came out as JSON."""

from __future__ import annotations

import functools
import gc
import importlib
import json
import os
import pkgutil
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

import typer.main

import sfumato
from sfumato.cli.commands import application
from tests.torture.bad import documents, sources, tables, words, world
from tests.torture.bad.mutations import stratified
from tests.torture.bad.running import Case, run_all

MAKERS: tuple[Callable[[Path], Iterator[Case]], ...] = (
    documents.certificates, documents.ledgers, documents.spaces, documents.negotiations, tables.schemas, tables.hierarchies,
    tables.beliefs, tables.recipes,
    tables.keys, tables.data, sources.sources, sources.dialects, sources.addresses, words.options, words.specs, words.files,
)  # fmt: skip
MOST = {
    "certificate forged": 500,
    "ledger forged": 150,
    "option": 400,
    "argument": 160,
    "model": 160,
}  # the others are run as they are


def cases(good: Path, most: int | None) -> list[Case]:
    """The cases, at most so many of each kind, evenly spread over it."""
    kinds: dict[str, list[Case]] = defaultdict(list)
    for make in MAKERS:
        for case in make(good):
            kinds[case.kind].append(case)
    return [case for kind, each in kinds.items() for case in stratified(each, min(most or 10**9, MOST.get(kind, 10**9)))]


def main() -> None:
    folder, share, of, *most = sys.argv[1:]
    good = Path(folder) / "world"
    os.environ |= {"SFUMATO_LEDGER": "ledger", "COLUMNS": "120", "TMPDIR": folder}
    child = os.fork()  # here no command runs, see `running`
    if child == 0:
        world.make(good)
        os._exit(0)
    os.waitpid(child, 0)
    _prepare()
    chosen = cases(good, int(most[0]) if most else None)[int(share) :: int(of)]
    gc.freeze()  # a collection in a child would copy the pages of its parent
    tried, wrong = run_all(good, chosen, Path(folder))
    gc.unfreeze()
    json.dump({"tried": tried, "wrong": wrong}, sys.stdout)


def _prepare() -> None:
    """Do once what every case would do: import everything, and put the commands together."""
    for module in pkgutil.walk_packages(sfumato.__path__, "sfumato."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    typer.main.get_command = functools.cache(typer.main.get_command)
    typer.main.get_command(application())


if __name__ == "__main__":
    main()
