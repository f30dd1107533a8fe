"""The state diagrams of the negotiation, drawn from the tables of the protocol: `docs/figures/negotiation-*.svg`.

python scripts/docs_protocol.py
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from sfumato.negotiation.events import Party, Terminate
from sfumato.negotiation.protocol import ENDED, TABLES, Rate, State, Table

FIGURES = Path(__file__).parents[1] / "docs" / "figures"
_PLACES = {
    State.NEW: (80, 70),
    State.REQUESTED: (310, 70),
    State.OFFERED: (650, 70),
    State.AGREED: (900, 70),
    State.DELIVERED: (1110, 70),
    State.REFUSED: (310, 240),
    State.REJECTED: (650, 240),
    State.EXPIRED: (900, 240),
}
_WIDE, _HIGH, _BESIDE = 116, 36, 16
_STYLE = (
    "text{font:13px sans-serif;fill:#1d2327}.label{font-size:12px;fill:#0b5a7a}rect{fill:#fff;stroke:#1d2327;stroke-width:1.2}"
    ".end{fill:#e8ecec}line{stroke:#5a6468;stroke-width:1.2}.note{font-size:12px;fill:#4b5559}"
    "@media (prefers-color-scheme:dark){text{fill:#e6eaea}.label{fill:#7cc5e0}rect{fill:#14181a;stroke:#e6eaea}.end{fill:#2a3134}"
    "line{stroke:#a5b0b3}.note{fill:#b6bfc1}}"
)


def diagram(rate: Rate) -> str:
    """One protocol as SVG. A move that both sides have in every open state is said in words."""
    parts = [*_arrows(TABLES[rate]), *(_box(state) for state in _PLACES)]
    note = f"Either side may {Terminate.kind} in every open state. At most Z answers of the owner."
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1190 310" role="img" aria-label="States of the {rate.value} rate protocol">'
        f'<style>{_STYLE}</style><defs><marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" '
        f'orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="#5a6468"/></marker></defs>{"".join(parts)}'
        f'<text class="note" x="22" y="298">{note}</text></svg>\n'
    )


def moves(table: Table) -> dict[tuple[State, State], list[str]]:
    """From one state to another: `owner: offer`, `either: expire`; without terminating."""
    found: dict[tuple[State, State, str], set[Party]] = defaultdict(set)
    for (party, state, kind), following in table.items():
        if kind != Terminate.kind:
            found[state, following, kind].add(party)
    edges: dict[tuple[State, State], list[str]] = defaultdict(list)
    for (state, following, kind), parties in found.items():
        who = "either" if len(parties) == len(Party) else next(iter(parties)).value
        edges[state, following].append(f"{who}: {kind}")
    return edges


def _arrows(table: Table) -> list[str]:
    edges, parts = moves(table), []
    for (state, following), labels in edges.items():
        both = (following, state) in edges
        parts.append(_arrow(_PLACES[state], _PLACES[following], labels, both))
    return parts


def _arrow(start: tuple[int, int], end: tuple[int, int], labels: list[str], both: bool) -> str:
    (x1, y1), (x2, y2) = start, end
    place: tuple[float, float, str]
    if y1 == y2:  # along a row
        sign = 1 if x2 > x1 else -1
        x1, x2 = x1 + sign * _WIDE // 2, x2 - sign * _WIDE // 2
        place = ((x1 + x2) / 2, y1 - 8, "middle")
    elif x1 == x2:  # down or up a column, beside the arrow of the other direction
        sign = 1 if y2 > y1 else -1
        beside = sign * _BESIDE if both else 0
        x1, x2, y1, y2 = x1 + beside, x2 + beside, y1 + sign * _HIGH // 2, y2 - sign * _HIGH // 2
        place = (x1 + (8 if beside >= 0 else -8), (y1 + y2) / 2 + 4, "start" if beside >= 0 else "end")
    else:
        sign = 1 if y2 > y1 else -1
        y1, y2 = y1 + sign * _HIGH // 2, y2 - sign * _HIGH // 2
        x2 = x2 + (30 if x1 > x2 else -30)
        along = 0.7 if x2 > x1 else 0.45  # of the way, where no other label is
        place = (x1 + along * (x2 - x1) + 12, y1 + along * (y2 - y1) - (0 if x2 > x1 else 6), "start")
    x, y, anchor = place
    lines = "".join(
        f'<text class="label" x="{x:g}" y="{y + 15 * row:g}" text-anchor="{anchor}">{label}</text>'
        for row, label in enumerate(labels)
    )
    return f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" marker-end="url(#head)"/>{lines}'


def _box(state: State) -> str:
    x, y = _PLACES[state]
    end = ' class="end"' if state in ENDED else ""
    return (
        f'<rect{end} x="{x - _WIDE // 2}" y="{y - _HIGH // 2}" width="{_WIDE}" height="{_HIGH}" rx="8"/>'
        f'<text x="{x}" y="{y + 5}" text-anchor="middle">{state.value}</text>'
    )


def main() -> None:
    for rate in Rate:
        (FIGURES / f"negotiation-{rate.value}.svg").write_text(diagram(rate), encoding="utf-8")


if __name__ == "__main__":
    main()
