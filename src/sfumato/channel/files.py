"""Channels, priors, neighbors and tuples from CSV files.

A channel is a table: the names of the outputs in the first line, then a line per input, its name first. Numbers are written `0.25` or
`1/4`. A prior has two columns, inputs and their probabilities. Neighbors are two inputs per line. Tuples are a table like the channel,
of zeros and ones.
"""

from __future__ import annotations

import csv
import io
from fractions import Fraction
from pathlib import Path

from sfumato.channel.matrix import ChannelMatrix
from sfumato.commit.writing import written_whole
from sfumato.errors import DataError, UsageError
from sfumato.inputs.cells import cells_up_to
from sfumato.inputs.files import MB, text

_LARGEST = 200 * MB
_MOST_CELLS = 10_000_000
_LONGEST = 10_000  # characters of a cell
Table = tuple[list[str], list[str], list[list[float]]]


def read(path: str | Path) -> ChannelMatrix:
    """Read a channel from a CSV file.

    Parameters
    ----------
    path : str or Path
        The file: names of outputs in the first line, then a line per input, its name first.

    Returns
    -------
    ChannelMatrix
        The channel.
    """
    inputs, outputs, values = _table(Path(path))
    try:
        return ChannelMatrix.of(values, inputs, outputs)
    except UsageError as error:
        raise DataError(error.message, where=str(path)) from None


def read_table(path: str | Path) -> Table:
    """Read a table of numbers that is written like a channel, such as what each output costs for each input.

    Parameters
    ----------
    path : str or Path
        The file: names of outputs in the first line, then a line per input, its name first.

    Returns
    -------
    tuple of lists
        The names of the inputs, those of the outputs, and a row of numbers per input.
    """
    return _table(Path(path))


def write(channel: ChannelMatrix, path: str | Path, *, force: bool = False) -> None:
    """Write a channel as a CSV file that `read` reads.

    Parameters
    ----------
    channel : ChannelMatrix
        The channel.
    path : str or Path
        Where to.
    force : bool
        Whether to replace what exists.
    """
    if channel.inputs * channel.outputs > _MOST_CELLS:
        raise UsageError(
            f"a file has up to {_MOST_CELLS:,} cells; this channel has {channel.inputs * channel.outputs:,}", where="write"
        )
    outputs = [channel.output(place) for place in range(channel.outputs)]
    with written_whole(Path(path), force) as hidden, hidden.open("w", encoding="utf-8", newline="") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(["input", *outputs])
        lines.writerows([channel.input(place), *map(repr, row)] for place, row in enumerate(channel.dense().tolist()))


def read_prior(path: Path) -> dict[str, float]:
    """The probabilities of inputs by name."""
    found: dict[str, float] = {}
    for number, cells in _lines(path):
        if len(cells) != 2:
            raise DataError(
                f"line {number:,} has {len(cells)} cells; a prior has an input and its probability in each", where=str(path)
            )
        if cells[0] in found:
            raise DataError(f"line {number:,} names an input again", where=str(path))
        found[cells[0]] = _number(cells[1], number, path)
    return found


def read_neighbors(path: Path) -> list[tuple[str, str]]:
    """Pairs of inputs by name."""
    pairs = []
    for number, cells in _lines(path):
        if len(cells) != 2:
            raise DataError(f"line {number:,} has {len(cells)} cells; there are two inputs in each", where=str(path))
        pairs.append((cells[0], cells[1]))
    return pairs


def read_members(path: Path, channel: ChannelMatrix) -> list[list[float]]:
    """Which tuples are in each input, in the order of the channel's inputs."""
    inputs, _, values = _table(path)
    rows = dict(zip(inputs, values, strict=True))
    if len(rows) != len(values) or set(rows) != set(channel.input_labels or ()):
        raise DataError("has other inputs than the channel, which must each be there once", where=str(path))
    return [rows[name] for name in channel.input_labels or ()]


def _table(path: Path) -> Table:
    lines = _lines(path)
    if not lines:
        raise DataError("is empty; a channel has a line of outputs and a line per input", where=str(path))
    (_, (_, *heads)), *rest = lines
    values = []
    for number, cells in rest:
        if len(cells) != len(heads) + 1:
            message = f"line {number:,} has {len(cells):,} cells and the first line {len(heads) + 1:,}"
            raise DataError(f"{message}; each line has a name and a number per output", where=str(path))
        values.append([_number(cell, number, path) for cell in cells[1:]])
    return [cells[0] for _, cells in rest], heads, values


def _lines(path: Path) -> list[tuple[int, list[str]]]:
    """The lines that are not empty, with their numbers."""
    try:
        with cells_up_to(_LONGEST):
            rows = list(csv.reader(io.StringIO(text(path, _LARGEST).removeprefix("\ufeff"), newline=""), strict=True))
    except csv.Error as error:
        raise DataError(f"is no CSV file: {error}", where=str(path)) from None
    return [(number, [cell.strip() for cell in row]) for number, row in enumerate(rows, 1) if any(cell.strip() for cell in row)]


def _number(cell: str, line: int, path: Path) -> float:
    try:
        return float(Fraction(cell)) if "/" in cell else float(cell)
    except (ValueError, ZeroDivisionError, OverflowError):
        raise DataError(f"line {line:,} has a cell that is no number; write 0.25 or 1/4", where=str(path)) from None
