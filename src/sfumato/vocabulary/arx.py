"""Hierarchies in ARX's CSV format: one line per leaf, from the leaf to the root, separated by `;` or `,`."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from sfumato.errors import SchemaError, raise_alone, several
from sfumato.inputs.files import MB, text
from sfumato.vocabulary.formulas import escaped, unescaped
from sfumato.vocabulary.hierarchy import Hierarchy, require_height

LARGEST = 64 * MB


def read_paths(path: Path) -> tuple[tuple[str, ...], ...]:
    """The paths that a file lists."""
    try:
        return parse_paths(text(path, LARGEST, error=SchemaError).removeprefix("\ufeff"))
    except SchemaError as error:
        raise_alone(SchemaError(f"hierarchy file {path}: {error.message}"))


def parse_paths(listed: str) -> tuple[tuple[str, ...], ...]:
    """The paths in a text, separated by `;` if the first record has one, else by `,`."""
    try:
        rows = _records(listed, ";")
        if rows and len(rows[0][1]) == 1:
            rows = _records(listed, ",")
    except csv.Error as error:
        raise_alone(SchemaError(f"not CSV: {error}"))
    if not rows:
        raise SchemaError("it lists no leaf")
    levels = len(rows[0][1])
    require_height(levels)
    for line, row in rows:
        if len(row) != levels:
            raise SchemaError(f"line {line} has {several(len(row), 'level')}, the first line {levels}")
    return tuple(tuple(map(unescaped, row)) for _, row in rows)


def _records(text: str, delimiter: str) -> list[tuple[int, list[str]]]:
    """The records that are not blank, each with the number of its last line."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    return [(reader.line_num, row) for row in reader if row]


def to_text(hierarchy: Hierarchy, *, delimiter: str = ";") -> str:
    """A hierarchy in ARX's format, without the missing value: it is not a label."""
    out = io.StringIO()
    # A bare carriage return ends a line for most readers, but csv does not quote it by itself.
    returns = any("\r" in label for labels in hierarchy.labels for label in labels)
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL if returns else csv.QUOTE_MINIMAL)
    levels = range(hierarchy.floor, hierarchy.height + 1)
    codes = [hierarchy.ancestors(hierarchy.floor, level) for level in levels]
    for leaf in range(len(hierarchy.labels[0])):
        writer.writerow([escaped(hierarchy.at(level)[code[leaf]]) for level, code in zip(levels, codes, strict=True)])
    return out.getvalue()
