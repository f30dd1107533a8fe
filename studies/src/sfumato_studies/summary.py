"""Exhibits as Markdown: the message of the source, our figure, and every printed value beside ours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sfumato.results import Rows, cell_text
from sfumato_studies.exhibit import Agreement, Compared, Exhibit

_HEADS = ("value", "where", "printed", "ours", "", "why it differs")
# In tables each source is abbreviated by a letter.
LETTERS = {"leakage paper": "L", "negotiation paper": "N", "thesis": "T", "lecture": "S", "channel paper": "C"}
LEGEND = "In the tables " + ", ".join(f"{letter} is the {source}" for source, letter in LETTERS.items()) + "."


def summary(exhibits: Sequence[Exhibit], counts: str) -> str:
    """The whole page of a run."""
    return "\n".join(["# The sources, reproduced\n", f"{counts}. {LEGEND}\n", *overview(exhibits), *sections(exhibits)])


def overview(exhibits: Sequence[Exhibit]) -> Iterator[str]:
    """One line per exhibit."""
    heads = ("exhibit", "what it shows", "where", "agree", "differ")
    yield from _table(
        heads, [(f"`{each.name}`", each.title, short(each.source), *map(len, _split(each.rows))) for each in exhibits]
    )


def _split(rows: Sequence[Compared]) -> tuple[list[Compared], list[Compared]]:
    return [row for row in rows if row.agrees], [row for row in rows if not row.agrees]


def sections(exhibits: Sequence[Exhibit]) -> Iterator[str]:
    """Every exhibit under its own heading."""
    for each in exhibits:
        yield f"## {each.title}\n"
        yield f"*{each.source[0].upper()}{each.source[1:]}.* {each.contents.message}\n"
        if each.chart:
            yield f"![{each.title}]({each.name}.svg)\n"
        # A column for reasons only where something differs.
        wide = len(_HEADS) - all(row.agrees for row in each.rows)
        yield from _table(_HEADS[:wide], [_row(row)[:wide] for row in each.rows])
        if each.contents.table:
            yield from _numbers(each.contents.table)
        if each.contents.note:
            yield f"{each.contents.note}\n"
        names = ", ".join(f"`{name}`" for name in each.also)
        yield f"Made by `--only {each.name}`" + (f"; also {names}.\n" if names else ".\n")


def short(where: str) -> str:
    """A place with the letter of its source.

    >>> short("leakage paper, Ex. 4; thesis, Ex. 11")
    'L Ex. 4; T Ex. 11'
    """
    for source, letter in LETTERS.items():
        where = where.replace(f"{source}, ", f"{letter} ")
    return where


def _row(row: Compared) -> tuple[str, ...]:
    agreement = "**differs**" if row.agreement is Agreement.DIFFERS else row.agreement.value
    return row.what, short(row.where), row.printed, row.ours, agreement, row.reason


def _numbers(table: Rows) -> Iterator[str]:
    yield from _table(table.heads, [tuple(cell_text(cell) for cell in row) for row in table.rows], right=True)


def _table(heads: Sequence[str], rows: Sequence[Sequence[Any]], *, right: bool = False) -> Iterator[str]:
    """A table in Markdown, and an empty line below it."""
    yield _line(heads)
    yield _line(["---:" if right else "---"] * len(heads))
    yield from map(_line, rows)
    yield ""


def _line(cells: Sequence[Any]) -> str:
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"
