"""A source: where a table comes from and how it is read. Every table of the package is opened here.

Whoever opens a table closes it. A verb that is given a path, a frame or a source opens and closes the table itself; one that is
given an open `Table` leaves it open.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, fields, replace
from os import PathLike
from pathlib import Path
from typing import Any, TypedDict

from sfumato.commit.call import note_inputs, note_numbers, one_call
from sfumato.commit.journal import settle
from sfumato.engines.base import Engine, Settings, open_engine
from sfumato.engines.register import CLUSTERED, DEFAULT_ENGINE, ENGINES, OWN
from sfumato.errors import SchemaError, UsageError, argument
from sfumato.inputs.address import is_address, split_password
from sfumato.search.problem import Loops
from sfumato.table.table import Table
from sfumato.vocabulary.dialect import Dialect, Written
from sfumato.vocabulary.schema import Schema

SchemaLike = Schema | str | PathLike[str] | Mapping[str, Any]


class SourceOptions(TypedDict, total=False):
    """The fields of `Source` that verbs take as keyword arguments."""

    engine: str
    encoding: str | None
    delimiter: str | None
    header: bool | None
    decimal: str | None
    thousands: str | None
    dates: str | None
    sheet: str | None
    table: str | None
    query: str | None
    memory: str | None
    threads: int | None
    temp: str | PathLike[str] | None
    master: str | None
    conf: Mapping[str, str] | Sequence[str]
    loops: Loops


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """A table that is not open yet.

    Parameters
    ----------
    data : path, pandas, polars or Spark frame, Arrow table
        CSV (any delimiter, gzip), Parquet (file, glob, folder), a sheet of a workbook, a file of SPSS, Stata or SAS, a table or query of
        a database, or a table in memory. The password in the address of a server is taken out of it, and never shown.
    schema : Schema, path or dict, optional
        What each column is.
    engine : str
        What counts and recodes its rows. A Spark frame has its own.
    encoding, delimiter, header : optional
        Those of a CSV file. What is None here and below is found in the data, or as the schema says.
    decimal, thousands : str, optional
        The signs in numbers.
    dates : str, optional
        How dates are written, as in `dd.mm.yyyy`.
    sheet : str, optional
        The sheet of a workbook.
    table, query : str, optional
        Of a database.
    memory : str, optional
        The engine's limit (`2GB`); beyond it the engine uses the disk.
    threads : int, optional
        How many the engine may use; all if None.
    temp : path, optional
        The folder for what the engine puts on disk, the system's if None: only you can enter it, and it is removed afterwards.
    master : str, optional
        The address of Spark, as in `spark://host:7077`; all cores of this machine if None.
    conf : dict, or list of str
        Settings of Spark, as in `spark.executor.memory=4g`.
    loops : Loops
        For a process that ends with its answer, where loading the compiled loops of a search may not pay.
    """

    data: Any
    schema: SchemaLike | None = None
    engine: str = DEFAULT_ENGINE
    encoding: str | None = None
    delimiter: str | None = None
    header: bool | None = None
    decimal: str | None = None
    thousands: str | None = None
    dates: str | None = None
    sheet: str | None = None
    table: str | None = None
    query: str | None = None
    memory: str | None = None
    threads: int | None = None
    temp: str | PathLike[str] | None = None
    master: str | None = None
    conf: Mapping[str, str] | Sequence[str] = ()
    loops: Loops = Loops.COMPILED
    _likely: str | None = field(default=None, repr=False)  # the delimiter of a table read beside this one
    _beside: bool = field(default=False, repr=False)
    _password: str | None = field(default=None, repr=False)  # of a server; `data` is its address without it

    def __post_init__(self) -> None:
        if is_address(self.data):
            address, password = split_password(self.data)
            object.__setattr__(self, "data", address)
            object.__setattr__(self, "_password", password if password is not None else self._password)
        library = type(self.data).__module__.split(".")[0]
        object.__setattr__(self, "engine", OWN.get(library, self.engine))

    def open(self) -> Table:
        """The table. Close it, or use it in a `with` statement."""
        with one_call() as call:
            schema = self.declared()
            engine = self.open_engine(schema, as_declared=True)
            try:
                return Table(engine, schema, self, frozenset(call.inputs))
            except BaseException:
                engine.close()
                raise

    def open_engine(
        self, schema: Schema | None = None, *, as_declared: bool = False, written: Mapping[str, Written] | None = None
    ) -> Engine:
        """The engine alone: for a table that has no schema yet, or one that is not read as its schema says, such as a release."""
        dialect, likely = self.dialect, self._likely
        if as_declared and schema is not None:
            dialect, written, likely = self._as_declared(schema)
        settings = Settings(
            self.memory, self.threads, self.temp, dialect, likely, written or {}, self._password, self.master, self._settings()
        )
        if isinstance(self.data, str | PathLike) and not is_address(self.data):
            path = Path(self.data)
            settle(path, path if path.is_dir() else None)
        engine = open_engine(self.engine, self.data, schema, settings)
        self._require_used(engine)
        note_inputs(engine.files)
        return engine

    def _settings(self) -> dict[str, str]:
        """The settings of an engine on a cluster; refuses them for any other."""
        for name in ("master", "conf"):
            if getattr(self, name) and self.engine in ENGINES and self.engine not in CLUSTERED:
                engine = argument("engine", " or ".join(CLUSTERED))
                raise UsageError(f"only {engine} has this; leave it out, or take that engine", where=argument(name))
        if isinstance(self.conf, Mapping):
            return {str(name): str(value) for name, value in self.conf.items()}
        pairs = [pair.partition("=") for pair in self.conf]
        if any(not name or not equals for name, equals, _ in pairs):
            raise UsageError("write a setting and its value, as in spark.executor.memory=4g", where=argument("conf"))
        return {name.strip(): value for name, _, value in pairs}

    def _require_used(self, engine: Engine) -> None:
        """Refuse an option for another kind of source than this is."""
        for name, kind in (("sheet", "a workbook"), ("table", "a database"), ("query", "a database")):
            if getattr(self, name) is not None and getattr(engine.dialect, name) is None:
                engine.close()
                raise UsageError(f"{self.name} is not {kind}; leave it out", where=argument(name))

    @property
    def dialect(self) -> Dialect:
        """How it is read, as far as that was asked for."""
        return Dialect(**{each.name: getattr(self, each.name) for each in fields(Dialect)})

    def _as_declared(self, schema: Schema) -> tuple[Dialect, Mapping[str, Written], str | None]:
        """How it is read: as asked for, else as the schema says. The delimiter of another table of the same schema is only likely."""
        dialect, likely = self.dialect.over(schema.source), self._likely
        if self._beside and self.delimiter is None:
            dialect, likely = replace(dialect, delimiter=None), likely or schema.source.delimiter
        return dialect, schema.written(self.dialect), likely

    def declared(self) -> Schema:
        """The schema; refuses a source without one."""
        if self.schema is None:
            raise SchemaError(
                "a table needs a schema: its file, a Schema, or the names of its columns as in quasi=['age'], sensitive='diagnosis'; "
                "'sfumato profile' and sf.profile suggest one",
                where=argument("schema"),
            )
        return schema_of(self.schema)

    def beside(self, data: Any, schema: SchemaLike | None = None) -> Source:
        """Another table, read in the same way: same engine, same limits. Its delimiter is found; this one's is tried, too."""
        if isinstance(data, Source):
            return replace(data, schema=data.schema if schema is None else schema)
        found: dict[str, Any] = dict.fromkeys(each.name for each in fields(Dialect))
        return replace(
            self, data=data, schema=schema, _likely=self.delimiter or self._likely, _beside=True, _password=None, **found
        )

    def asked(self, data: Any, schema: SchemaLike | None = None) -> Source:
        """Another table, read as is asked for here, its delimiter and encoding included; a source is read as it says itself."""
        return self.beside(data, schema) if isinstance(data, Source) else replace(self, data=data, schema=schema, _password=None)

    @property
    def name(self) -> str:
        """What to call it: the name of its file, or its address."""
        if is_address(self.data):
            return str(self.data)
        return Path(self.data).name if isinstance(self.data, str | PathLike) else "a table in memory"


def schema_of(schema: SchemaLike) -> Schema:
    """A schema, as a value or from its file."""
    if isinstance(schema, Schema):
        return schema
    if isinstance(schema, str | PathLike):
        return Schema.read(schema)
    if isinstance(schema, Mapping):
        return Schema.parse(schema)
    raise SchemaError(
        f"a schema is a Schema, the path of a TOML file or a dict like one, not a {type(schema).__name__}; "
        f"Schema.parse reads TOML text",
        where=argument("schema"),
    )


def source_of(data: Any, schema: SchemaLike | None = None, options: Mapping[str, Any] | None = None) -> Source:
    """What is given as a table, as a source: a source, or anything it can hold."""
    if isinstance(data, Table):
        return data.source
    if isinstance(data, Source):
        given = {**({} if schema is None else {"schema": schema}), **(options or {})}
        return replace(data, **given) if given else data
    return Source(data, schema, **(options or {}))


def opened(
    data: Any, schema: SchemaLike | None = None, options: Mapping[str, Any] | None = None
) -> AbstractContextManager[Table]:
    """What is given as a table, open: an open table as it is, anything else until the end of the `with` statement."""
    if not isinstance(data, Table):
        return source_of(data, schema, options).open()
    for name in options or ():
        raise UsageError(f"the table is open already; give {argument(name)} where it is opened", where=argument(name))
    note_numbers(data.inputs)
    return nullcontext(data)


SOURCE_OPTIONS: Sequence[str] = tuple(
    each.name for each in fields(Source) if each.name not in ("data", "schema") and not each.name.startswith("_")
)
