"""The map of the house as SVG: rooms down the diagonal, layer by layer, and every import edge a dot with its count.

Some hundred edges drawn as arrows are a ball of wool. Here an edge goes right from the room that imports, and down to the room that is
imported; the dot is its corner. What only looks down has all its dots on one side. Works in light and dark.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from math import sqrt
from typing import Any

CELL = 32
LEFT, TOP, RIGHT, BOTTOM = 208, 190, 56, 22
SMALLEST, LARGEST = 8.0, 14.5  # radius of a dot
SIDE = 26  # of the square of the room with the most lines

STYLE = """
text { font: 14px system-ui, "Segoe UI", "Helvetica Neue", Arial, sans-serif; fill: #1d2733; }
.paper { fill: #fcfcfb; stroke: #d9dee4; }
.band { fill: #f1f4f7; }
.title { font-size: 20px; font-weight: 600; }
.name { font-weight: 600; }
.muted { fill: #586675; font-weight: 400; font-size: 12.5px; }
.edge { stroke: #b9c4cf; stroke-width: 1; fill: none; }
.arrow { fill: #8a98a6; }
.plot { fill: #fcfcfb; stroke: #8a98a6; }
.room { fill: #c9781a; }
.dot { fill: #2a6a9b; stroke: #fcfcfb; stroke-width: 1.5; }
.count { fill: #ffffff; font-size: 12px; font-weight: 600; text-anchor: middle; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6ebf0; }
  .paper { fill: #161b21; stroke: #333d48; }
  .band { fill: #1f262e; }
  .muted { fill: #a3b0bd; }
  .edge { stroke: #46525f; }
  .arrow { fill: #7f8d9b; }
  .plot { fill: #161b21; stroke: #7f8d9b; }
  .room { fill: #e39a45; }
  .dot { fill: #7ab8e3; stroke: #161b21; }
  .count { fill: #0e151c; }
}
"""


def svg(counted: dict[str, Any]) -> str:
    """The whole picture."""
    rooms = counted["rooms"]
    place = {name: number for number, name in enumerate(rooms)}
    width, height = LEFT + len(rooms) * CELL + RIGHT, TOP + len(rooms) * CELL + BOTTOM
    edges = sum(len(room["imports"]) for room in rooms.values())
    title = f"The house: {len(rooms)} rooms, {edges} edge{'s' * (edges != 1)}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {width} {height}" width="{width}" height="{height}">',
        f"<title>{title}</title>",
        f"<style>{STYLE}</style>",
        f'<rect class="paper" x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="8"/>',
        *_head(title),
        *_bands(counted["layers"], place, width),
        *_edges(rooms, place),
        *_rooms(rooms, place),
        *_dots(rooms, place),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _head(title: str) -> Iterator[str]:
    yield f'<text class="title" x="24" y="40">{title}</text>'
    lines = (
        "From the top: a room sees only what stands below it.",
        "Orange: the larger the square, the more lines.",
        "Blue: how many imports the room of the row makes of the room of the column.",
    )
    for number, line in enumerate(lines):
        yield f'<text class="muted" x="24" y="{64 + 18 * number}">{line}</text>'


def _bands(layers: list[list[str]], place: dict[str, int], width: int) -> Iterator[str]:
    """Every other layer has a shade; rooms of one layer share it."""
    for layer in layers[::2]:
        top, high = TOP + place[layer[0]] * CELL, len(layer) * CELL
        yield f'<rect class="band" x="12" y="{top}" width="{width - 24}" height="{high}" rx="4"/>'


def _middle(number: int, start: int) -> float:
    return start + number * CELL + CELL / 2


def _edges(rooms: dict[str, Any], place: dict[str, int]) -> Iterator[str]:
    """One line right from each room to its last dot, one down to each room from its first."""
    for name, room in rooms.items():
        if room["imports"]:
            y, last = _middle(place[name], TOP), max(place[used] for used in room["imports"])
            yield f'<path class="edge" d="M{_middle(place[name], LEFT):g} {y:g}H{_middle(last, LEFT):g}"/>'
        users = [place[other] for other in rooms if name in rooms[other]["imports"]]
        if users:
            x, end = _middle(place[name], LEFT), _middle(place[name], TOP) - SIDE / 2 - 2
            yield f'<path class="edge" d="M{x:g} {_middle(min(users), TOP):g}V{end:g}"/>'
            yield f'<path class="arrow" d="M{x:g} {end + 1:g}l-4 -6h8z"/>'


def _rooms(rooms: dict[str, Any], place: dict[str, int]) -> Iterator[str]:
    """A square for each room, its name and size to the left, its name once more above its column."""
    most = max(room["lines"] for room in rooms.values())
    for name, room in rooms.items():
        x, y = _middle(place[name], LEFT), _middle(place[name], TOP)
        side = max(2.0, SIDE * sqrt(room["lines"] / most))
        files = f"{room['files']} file{'s' if room['files'] > 1 else ''}"
        yield f'<rect class="plot" x="{x - SIDE / 2:g}" y="{y - SIDE / 2:g}" width="{SIDE}" height="{SIDE}" rx="3"/>'
        yield f'<rect class="room" x="{x - side / 2:.1f}" y="{y - side / 2:.1f}" width="{side:.1f}" height="{side:.1f}" rx="2"/>'
        yield (
            f'<text class="name" x="{x - SIDE / 2 - 8:g}" y="{y + 4.5:g}" text-anchor="end">'
            f'<tspan class="muted">{files} · {room["lines"]:,} lines&#160;&#160;</tspan>{escape(name)}</text>'
        )
        yield f'<text class="muted" transform="translate({x + 3:g} {TOP - 10}) rotate(-50)">{escape(name)}</text>'


def _dots(rooms: dict[str, Any], place: dict[str, int]) -> Iterator[str]:
    most = max((count for room in rooms.values() for count in room["imports"].values()), default=1)
    for name, room in rooms.items():
        for used, count in room["imports"].items():
            x, y = _middle(place[used], LEFT), _middle(place[name], TOP)
            radius = SMALLEST + (LARGEST - SMALLEST) * sqrt((count - 1) / max(most - 1, 1))
            title = f"{name} imports {used}: {count}"
            yield f'<g><title>{escape(title)}</title><circle class="dot" cx="{x:g}" cy="{y:g}" r="{radius:.1f}"/>'
            yield f'<text class="count" x="{x:g}" y="{y + 4:g}">{count}</text></g>'
