"""Results as small tables: in a terminal, in a notebook, and as Arrow or pandas for further work."""

from __future__ import annotations

import html
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from sfumato.errors import UsageError, visible

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


def library(name: str, where: str) -> Any:
    """A library that the package does without, for `where`; says in one line that it is not installed."""
    try:
        return import_module(name)
    except ImportError:
        raise UsageError(
            f"needs {name}, which is not installed: pip install {name}; to_arrow() works without it", where=where
        ) from None


@dataclass(frozen=True, slots=True)
class Rows:
    """Column heads and rows; every row has one cell per head."""

    heads: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]

    def only(self, heads: Sequence[str]) -> Rows:
        """The table with these columns only."""
        places = [self.heads.index(head) for head in heads]
        return Rows(tuple(heads), tuple(tuple(row[place] for place in places) for row in self.rows))

    def to_arrow(self) -> pa.Table:
        """As an Arrow table."""
        import pyarrow as pa

        columns = zip(*self.rows, strict=True) if self.rows else [[] for _ in self.heads]
        return pa.table([pa.array(_one_type(column)) for column in columns], names=[head or "direction" for head in self.heads])

    def to_pandas(self) -> pd.DataFrame:
        """As a pandas frame."""
        library("pandas", "to_pandas")
        return self.to_arrow().to_pandas()


def _one_type(column: Sequence[Any]) -> list[Any]:
    """Whole numbers as floats where the column also has floats: an Arrow column has one type."""
    mixed = any(isinstance(cell, float) for cell in column)
    return [float(cell) if mixed and isinstance(cell, int) else cell for cell in column]


def cell_text(cell: Any) -> str:
    """The text of a cell for people: counts with commas, other numbers with four digits."""
    if cell is None:
        return "–"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, int):
        return f"{cell:,}"
    if cell == float("inf"):
        return "infinite"
    return f"{cell:.4g}" if isinstance(cell, float) else visible(str(cell))


def percentage(share: float) -> str:
    """A share in percent with the digits that it needs, however small.

    >>> [percentage(each) for each in (0, 1, 0.5, 0.01234, 0.000033, 1e-9)]
    ['0%', '100%', '50%', '1.23%', '0.0033%', '<0.0001%']
    """
    if 0 < share < 1e-6:
        return "<0.0001%"
    digits = f"{float(f'{100 * share:.2g}'):f}" if 0 < share < 1e-2 else f"{100 * share:.2f}"
    return digits.rstrip("0").rstrip(".") + "%"


def as_text(table: Rows) -> str:
    """A table as plain text."""
    cells = [tuple(map(visible, table.heads)), *(tuple(cell_text(cell) for cell in row) for row in table.rows)]
    widths = [max(len(row[place]) for row in cells) for place in range(len(table.heads))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells]
    return "\n".join(lines)


def as_html(table: Rows, caption: str | None = None) -> str:
    """A table as HTML for a notebook, with a caption above it."""
    head = "".join(f"<th>{html.escape(name)}</th>" for name in table.heads)
    body = "".join("<tr>" + "".join(f"<td>{html.escape(cell_text(cell))}</td>" for cell in row) + "</tr>" for row in table.rows)
    above = "" if caption is None else f"<div>{html.escape(visible(caption))}</div>"
    return f"{above}<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


class Printed(ABC):
    """A result that is a table: it prints in a terminal and in a notebook, and converts to Arrow and pandas."""

    __slots__ = ()

    @abstractmethod
    def table(self) -> Rows:
        """The result as a table."""

    def to_arrow(self) -> pa.Table:
        """The table for Arrow."""
        return self.table().to_arrow()

    def to_pandas(self) -> pd.DataFrame:
        """The table for pandas."""
        return self.table().to_pandas()

    def __str__(self) -> str:
        return as_text(self.table())

    def _repr_html_(self) -> str:
        return as_html(self.table())
