"""Hierarchies in ARX's CSV format: one line per leaf, from the leaf to the root, separated by `;` or `,`."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from sfumato.errors import SchemaError
from sfumato.vocabulary.hierarchy import Hierarchy


def read_paths(path: Path) -> tuple[tuple[str, ...], ...]:
    """The paths that a file lists."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise SchemaError(f"no hierarchy file {path}") from None
    except UnicodeDecodeError:
        raise SchemaError(f"hierarchy file {path} is not UTF-8") from None
    except OSError as error:
        raise SchemaError(f"hierarchy file {path} cannot be read: {error.strerror}") from None
    try:
        return parse_paths(text)
    except SchemaError as error:
        raise SchemaError(f"hierarchy file {path}: {error.message}") from None


def parse_paths(text: str) -> tuple[tuple[str, ...], ...]:
    """The paths in a text: `;` where the first line has one, else `,`."""
    first = text.partition("\n")[0]
    rows = [row for row in csv.reader(io.StringIO(text), delimiter=";" if ";" in first else ",") if row]
    if not rows:
        raise SchemaError("no leaf in it")
    for line, row in enumerate(rows, start=1):
        if len(row) != len(rows[0]):
            raise SchemaError(f"line {line} has {len(row)} levels, the first line {len(rows[0])}")
    return tuple(map(tuple, rows))


def to_text(hierarchy: Hierarchy, *, delimiter: str = ";") -> str:
    """A hierarchy in ARX's format, the missing value left out: it is no label."""
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    levels = range(hierarchy.floor, hierarchy.height + 1)
    codes = [hierarchy.ancestors(hierarchy.floor, level) for level in levels]
    for leaf in range(len(hierarchy.labels[0])):
        writer.writerow([hierarchy.at(level)[code[leaf]] for level, code in zip(levels, codes, strict=True)])
    return out.getvalue()
