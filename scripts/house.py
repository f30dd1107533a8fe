"""The map of the house, made from the source: `docs/house.md` and `docs/figures/house.svg`.

    python scripts/house.py                      write both (make house does this)
    python scripts/house.py --json               print the count and write nothing
    python scripts/house.py --root OLD --json    count another checkout, as for docs/figures/house-before.json

A test holds the page and the picture to what this writes.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from house_count import ENGINE, MOST_LINES, MOST_PARAMETERS, house
from house_map import svg

ROOT = Path(__file__).parent.parent
PAGE, PICTURE = Path("docs", "house.md"), Path("docs", "figures", "house.svg")
EARLIER = PICTURE.with_name("house-before.svg")
BEFORE = ROOT / "docs" / "figures" / "house-before.json"

HEAD = """\
% Written by scripts/house.py from the source. Changes made here are lost; make house writes it anew.

# A map of the house

Who imports whom, room by room. {doc}`the-path` says what each room is for; this page counts. A change to the source changes it:
`make house` writes it anew, and a test fails until somebody has.

![The rooms from top to bottom, each with its size; a dot for every room that imports another, all of them on one side](figures/house.svg)

Read a row to see what a room needs, a column to see who needs it. All dots are right of the diagonal, because a room sees only what
stands below it; {doc}`import-linter checks that <the-path>`. The square of a room grows with its lines.

"""

WATCHED = """\
## Before

![The same map before the rooms were cut smaller](figures/house-before.svg)

## What we watch

*Before* is the count of a commit from before the rooms were cut smaller and [the studies moved
out](decisions/0006-studies-outside-the-core.md). It is kept in `docs/figures/house-before.json`. Lines are all lines of Python files,
comments and empty ones too. The parameters of commands do not count, for they are options. A file names the engine if its code does, in
an import, a name or a text.

"""


def page(now: dict[str, Any], before: dict[str, Any]) -> str:
    """The whole page."""
    return HEAD + "\n".join(_rooms(now)) + "\n\n" + WATCHED + "\n".join([*_watched(now, before), "", *_which(now)]) + "\n"


def _rooms(now: dict[str, Any]) -> Iterator[str]:
    yield "## The rooms"
    yield ""
    yield "| room | files | lines | imports |"
    yield "| --- | ---: | ---: | --- |"
    for name, room in now["rooms"].items():
        used = ", ".join(f"`{other}` {count}" for other, count in room["imports"].items())
        yield f"| `{name}` | {room['files']} | {room['lines']:,} | {used or 'nothing'} |"


def _watched(now: dict[str, Any], before: dict[str, Any]) -> Iterator[str]:
    yield "| figure | before | now |"
    yield "| --- | ---: | ---: |"
    for (name, old), (_, new) in zip(_figures(before), _figures(now), strict=True):
        yield f"| {name} | {old:,} | {new:,} |"


def _figures(counted: dict[str, Any]) -> Iterator[tuple[str, int]]:
    """What the team watches, a number each."""
    watched = counted["watched"]
    yield "lines of the core", watched["lines"]
    yield "lines of the studies, next door", watched["next_door"]
    yield "files of the core", watched["files"]
    yield "rooms", len(counted["rooms"])
    yield "lines of the largest room", max(room["lines"] for room in counted["rooms"].values())
    yield f"files over {MOST_LINES} lines", len(watched["long_files"])
    yield f"functions with more than {MOST_PARAMETERS} parameters", len(watched["wide_functions"])
    yield f"files that name the engine `{watched['engine']}`", len(watched["engine_files"])
    yield "of these outside of `engines`", len(_outside(watched))
    yield "sub-rooms of `search`", len(watched["search"]["below"])
    yield "files of `search` in none of them", watched["search"]["beside"]


def _outside(watched: dict[str, Any]) -> list[str]:
    return [name for name in watched["engine_files"] if not name.startswith("engines/")]


def _which(now: dict[str, Any]) -> Iterator[str]:
    """The names behind the numbers."""
    watched = now["watched"]
    long, wide = (
        _listed(f"`{name}` ({count})" for name, count in _largest_first(watched[key])) for key in ("long_files", "wide_functions")
    )
    yield f"- **Files over {MOST_LINES} lines:** {long}"
    yield f"- **Functions with more than {MOST_PARAMETERS} parameters:** {wide}"
    yield f"- **Files outside of `engines` that name `{watched['engine']}`:** {_listed(f'`{name}`' for name in _outside(watched))}"
    below = _listed(f"`{name}` ({files} files)" for name, files in watched["search"]["below"].items())
    yield f"- **Sub-rooms of `search`:** {below}"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"


def _largest_first(counts: dict[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))


def written(root: Path = ROOT) -> dict[Path, str]:
    """What the files hold when they are made from this checkout."""
    now, before = house(root), json.loads(BEFORE.read_text(encoding="utf-8"))
    return {PAGE: page(now, before), PICTURE: svg(now), EARLIER: svg(before)}


def main() -> None:
    """Write the map, or print a count."""
    words = argparse.ArgumentParser(description="The map of the house, made from the source.")
    words.add_argument("--root", type=Path, help="another checkout to count; nothing is written")
    words.add_argument("--engine", default=ENGINE, help="the engine whose name is looked for (%(default)s)")
    words.add_argument("--json", action="store_true", help="print the count and write nothing")
    asked = words.parse_args()
    counted = house(asked.root or ROOT, asked.engine)
    if asked.json:
        print(json.dumps(counted, indent=2))
    elif asked.root or asked.engine != ENGINE:
        print(
            "\n".join([*_rooms(counted), "", *(f"{name}: {count:,}" for name, count in _figures(counted)), "", *_which(counted)])
        )
    else:
        for path, text in written().items():
            (ROOT / path).write_text(text, encoding="utf-8")
            print(f"wrote {path.as_posix()}")


if __name__ == "__main__":
    main()
