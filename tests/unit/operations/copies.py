"""Private copies for operations, made in memory and written to a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import sfumato as sf
from sfumato.operations import Made, Task, operation_of
from sfumato.operations.copied import Copy
from sfumato.vocabulary.kinds import Kind
from sfumato.vocabulary.schema import Schema


def copy_of(folder: Path, table: pa.Table, schema: Schema) -> Copy:
    """A table as an operation sees it."""
    path = folder / "copy.parquet"
    pq.write_table(table, path)
    kinds = {name: schema[name].kind or Kind.TEXT for name in (*schema.quasi, *schema.sensitive)}
    return Copy(path, table.num_rows, kinds)


def made(folder: Path, method: str, table: pa.Table, schema: Schema, *, columns: Any = None, seed: int = 1) -> Made:
    """What an operation makes of a table."""
    operation, quasi = operation_of(method), schema.quasi
    chosen = operation.chosen(schema, quasi, columns)
    return operation.apply(copy_of(folder, table, schema), Task(schema, quasi, chosen, seed))


def rows_of(given: Made) -> pa.Table:
    """The rows that an operation made."""
    return pa.Table.from_batches(list(given.batches))


def schema_of(**roles: str) -> Schema:
    """A schema from roles and types, as in age='quasi integer'."""
    text = "".join(f'[attributes.{n}]\nrole = "{r.split()[0]}"\ntype = "{r.split()[1]}"\n' for n, r in roles.items())
    return sf.Schema.parse(text)
