"""The options of all commands, in groups. Each option is declared once, and every command that takes its group has it.

A group is a function from options to keyword arguments of the library. Options that are not given are left out, so the defaults of
the library apply.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from sfumato.cli.groups import Request as Request
from sfumato.cli.groups import takes as takes
from sfumato.cli.passphrase import PassphraseFile, private_key
from sfumato.engines.register import DATABASES, DEFAULT_ENGINE, ENGINES
from sfumato.errors import UsageError, argument, raise_alone

MOST_THREADS = 256  # each has a stack of its own

_DATA = (
    "A CSV file (any delimiter, gzip); a Parquet file, glob or folder; a workbook (.xlsx, .ods); a file of SPSS, Stata or SAS; a SQLite "
    f"or {' or '.join(DATABASES)} file; the address of a PostgreSQL server, as in postgresql://user@host/database."
)
Data = Annotated[
    str,
    typer.Argument(metavar="DATA", help=_DATA, show_default=False),
]
SchemaFile = Annotated[Path, typer.Option("--schema", "-s", help="The schema, a TOML file.", show_default=False)]
Json = Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")]
Force = Annotated[bool, typer.Option("--force", help="Replace what exists.")]
Quasi = Annotated[
    str | None,
    typer.Option("--quasi", help="The QIDs to publish, as in age,workclass; the others are withheld.", show_default="all"),
]
Models = Annotated[
    list[str] | None,
    typer.Option("--model", "-m", help="A model and its parameters, as in k-anonymity:5. Repeatable.", show_default=False),
]
CertificateFile = Annotated[
    Path | None, typer.Option("--certificate", help="Its certificate.", show_default="RELEASE.certificate.json beside it")
]
Picture = Annotated[Path | None, typer.Option("--output", "-o", help="Draw the figure as SVG or PNG.", show_default=False)]
Minimize = Annotated[
    str | None,
    typer.Option(
        "--minimize",
        help="The loss to minimize.",
        show_default="loss",
    ),
]


def _given(**options: Any) -> Request:
    return {name: value for name, value in options.items() if value is not None}


def running(
    engine: Annotated[
        str | None,
        typer.Option("--engine", help=f"What counts and recodes the rows: {', '.join(ENGINES)}.", show_default=DEFAULT_ENGINE),
    ] = None,
    memory: Annotated[
        str | None,
        typer.Option("--memory", help="Memory for the whole process, as in 2GB; the rest goes to disk.", show_default="80 %"),
    ] = None,
    temp: Annotated[
        Path | None,
        typer.Option("--temp", help="Folder for temporary data, which only you can enter.", show_default="TMPDIR, or /tmp"),
    ] = None,
    threads: Annotated[
        int | None, typer.Option("--threads", help="The most threads to use.", show_default="all", min=1, max=MOST_THREADS)
    ] = None,
    master: Annotated[
        str | None,
        typer.Option("--master", help="The address of Spark, as in spark://host:7077.", show_default="the cores of this machine"),
    ] = None,
    conf: Annotated[
        list[str] | None,
        typer.Option("--conf", help="A setting of Spark, as in spark.executor.memory=4g. Repeatable.", show_default=False),
    ] = None,
) -> Request:
    """What reads a table. The process ends with its answer, so compiled loops are loaded only where they pay off."""
    from sfumato.search.problem import Loops

    given = _given(engine=engine, memory=memory, temp=temp, threads=threads, master=master, conf=conf or None)
    return {**given, "loops": Loops.IF_WORTH_LOADING}


_AS_THE_SCHEMA = "as the schema says, or detected"


def texts(
    encoding: Annotated[
        str | None,
        typer.Option("--encoding", help="Encoding of a CSV file, as in windows-1252.", show_default=_AS_THE_SCHEMA),
    ] = None,
    delimiter: Annotated[
        str | None,
        typer.Option("--delimiter", help="Delimiter of a CSV file: one character, or tab.", show_default=_AS_THE_SCHEMA),
    ] = None,
    header: Annotated[
        bool | None,
        typer.Option(
            "--header/--no-header",
            help="Whether the first line names the columns; otherwise they are called column_1, column_2, ….",
            show_default="header",
        ),
    ] = None,
    decimal: Annotated[
        str | None, typer.Option("--decimal", help="Decimal sign of numbers: . or ,", show_default=_AS_THE_SCHEMA)
    ] = None,
    thousands: Annotated[
        str | None,
        typer.Option("--thousands", help="Sign between thousands: . or , or ' or a space.", show_default=_AS_THE_SCHEMA),
    ] = None,
    dates: Annotated[
        str | None,
        typer.Option(
            "--dates",
            help="How dates are written, as in dd.mm.yyyy, or by column, as in born=dd/mm/yyyy,seen=mm/dd/yyyy.",
            show_default=_AS_THE_SCHEMA,
        ),
    ] = None,
) -> Request:
    """How the texts of a table are read."""
    delimiter = "\t" if delimiter == "tab" else delimiter
    return _given(encoding=encoding, delimiter=delimiter, header=header, decimal=decimal, thousands=thousands, dates=dates)


def places(
    sheet: Annotated[
        str | None, typer.Option("--sheet", help="Sheet of a workbook (.xlsx, .ods).", show_default="the only one with data")
    ] = None,
    table: Annotated[str | None, typer.Option("--table", help="Table of a database.", show_default="the only one")] = None,
    query: Annotated[
        str | None, typer.Option("--query", help="A query of a database, in place of a table.", show_default=False)
    ] = None,
) -> Request:
    """Where the table is in its file or database."""
    return _given(sheet=sheet, table=table, query=query)


reading = (running, texts, places)


def table(data: Data, schema: SchemaFile) -> Request:
    """A table and its schema."""
    return {"data": data, "schema": schema}


def table_or_recipe(
    data: Annotated[
        str | None,
        typer.Argument(metavar="DATA", help=_DATA, show_default=False),
    ] = None,
    schema: Annotated[Path | None, typer.Option("--schema", "-s", help="The schema, a TOML file.", show_default=False)] = None,
    recipe: Annotated[
        Path | None,
        typer.Option(
            "--recipe",
            help="Write the recipe of the release. Without DATA, repeat the release of a recipe.",
            show_default=False,
        ),
    ] = None,
) -> Request:
    """A table and its schema, or a recipe that names them."""
    if data is not None and schema is None:
        raise UsageError("name the schema, a TOML file; 'sfumato profile' suggests one", where=argument("schema"))
    return _given(data=data, schema=schema, recipe=recipe)


def published(
    published: Annotated[Path, typer.Argument(metavar="RELEASE", help="A published file, whoever made it.", show_default=False)],
    schema: SchemaFile,
    original: Annotated[
        str | None,
        typer.Option("--original", help="The original table, for the prior and the cost of the recoding.", show_default=False),
    ] = None,
) -> Request:
    """A published file, the schema it was made under, and the original."""
    return {"published": published, "schema": schema, **_given(original=original)}


def judging(
    model: Models = None,
    protect: Annotated[
        list[str] | None,
        typer.Option(
            "--protect",
            metavar="GROUP MODEL",
            help="A model for a group only, as in 'age=[75, 100]' distribution-loss:0.1. Repeatable.",
            show_default=False,
        ),
    ] = None,
    sensitive: Annotated[
        str | None, typer.Option("--sensitive", help="The sensitive attributes to judge.", show_default="all")
    ] = None,
    prior: Annotated[Path | None, typer.Option("--prior", help="Stated beliefs, a TOML file.", show_default=False)] = None,
    population: Annotated[
        str | None, typer.Option("--population", help="A larger table with the same QIDs; k-map needs it.", show_default=False)
    ] = None,
    population_size: Annotated[
        int | None,
        typer.Option(
            "--population-size", help="People in the population that the table is drawn from.", show_default=False, min=1
        ),
    ] = None,
) -> Request:
    """How a release is judged."""
    return _given(
        models=[*(model or ()), *(protect or ())] or None,
        sensitive=names(sensitive),
        prior=prior,
        population=population,
        population_size=population_size,
    )


def releasing(
    suppress: Annotated[
        str | None,
        typer.Option("--suppress", help="The largest share of people to suppress, as in 5% or 0.05.", show_default="nobody"),
    ] = None,
    quasi: Quasi = None,
) -> Request:
    """What may be released."""
    return _given(suppress=suppress, quasi=names(quasi))


def starting(
    floor: Annotated[
        str | None,
        typer.Option("--floor", help="Levels below which nothing is searched, as in age=1,time=2.", show_default="level 0"),
    ] = None,
    cells: Annotated[
        str | None,
        typer.Option(
            "--cells",
            help="Count at most so many cells: if there are more, the search starts at the cheapest floor with no more.",
            show_default="5e6, unless --floor says where",
        ),
    ] = None,
) -> Request:
    """Where a search starts."""
    return _given(floor=floor, cells=cells)


def limiting(
    time_limit: Annotated[
        float | None,
        typer.Option(
            "--time-limit", help="The seconds after which what was evaluated so far is all there is.", show_default="none"
        ),
    ] = None,
) -> Request:
    """How long to search."""
    return _given(time_limit=time_limit)


def searching(
    minimize: Minimize = None,
    time_limit: Annotated[
        float | None,
        typer.Option(
            "--time-limit",
            help="The seconds after which the best release so far is published.",
            show_default="none",
        ),
    ] = None,
    algorithm: Annotated[
        str | None,
        typer.Option(
            "--algorithm", help="optimal, incognito, mondrian (local recoding) or evolutionary.", show_default="optimal"
        ),
    ] = None,
    toward: Annotated[
        str | None,
        typer.Option(
            "--toward",
            help="'recommended': find the node whose classes are nearest to the recommended distribution, not the least loss.",
            show_default=False,
        ),
    ] = None,
    budget: Annotated[
        int | None,
        typer.Option("--budget", help="evolutionary: the largest number of nodes to evaluate.", min=1, show_default="2000"),
    ] = None,
    relaxed: Annotated[bool, typer.Option("--relaxed", help="mondrian: people with equal values may be split.")] = False,
    split: Annotated[
        str | None, typer.Option("--split", help="mondrian: choose the QID to split by range or by loss.", show_default="range")
    ] = None,
) -> Request:
    """How to search."""
    how = _given(minimize=minimize, time_limit=time_limit, algorithm=algorithm, toward=toward, budget=budget, split=split)
    return how | _given(relaxed=relaxed or None)


def placing(
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Where to write; in CSV, texts that begin like a formula get an apostrophe.",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option("--seed", help="Seed of the row order and of random searches and operations.", show_default="0"),
    ] = None,
    force: Force = False,
) -> Request:
    """Where a release goes."""
    return _given(output=output, seed=seed, force=force or None)


def entering(
    ledger: Annotated[  # a text: as a path an empty name is the current folder
        str | None,
        typer.Option(
            "--ledger", metavar="<path>", help="Folder for the owner's copy of the certificate.", show_default="your data folder"
        ),
    ] = None,
    sign: Annotated[
        Path | None, typer.Option("--sign", help="Sign the certificate with this private key.", show_default=False)
    ] = None,
    passphrase_file: PassphraseFile = None,
) -> Request:
    """The ledger that a release enters, and who signs it."""
    key = None if sign is None else private_key(sign, passphrase_file)
    return _given(ledger=ledger, sign=key)


def mapping(
    mapping: Annotated[Path | None, typer.Option("--map", help="Also write the recoding of each value, as CSV.")] = None,
) -> Request:
    """Where the recoding goes."""
    return _given(mapping=mapping)


def sequencing(
    together: Annotated[
        list[str] | None,
        typer.Option(
            "--together",
            metavar="NAME:PARAMETERS",
            help="A model that it must keep together with earlier releases in the ledger; promised: what each promises; none: nothing "
            "is judged. Repeatable.",
            show_default="promised, as far as it can be judged, if --ledger names one",
        ),
    ] = None,
) -> Request:
    """What it must keep together with earlier releases."""
    return _given(together=together or None)


writing = (placing, entering, mapping)


def require_output(request: Request) -> None:
    """Refuse a release without an output file: from the shell it would be lost."""
    if "output" not in request:
        raise UsageError("name the file to write, as in -o out.parquet", where=argument("output"))


def names(text: str | None) -> list[str] | None:
    """`age, workclass` as a list. Names with commas or outer spaces need a JSON list."""
    if text is None:
        return None
    if text.lstrip().startswith("["):
        try:
            return [str(name) for name in json.loads(text)]
        except (ValueError, TypeError):
            raise_alone(UsageError(f'cannot read {text!r}; write age,workclass or ["age","workclass"]', where="names"))
    return [name.strip() for name in text.split(",")]
