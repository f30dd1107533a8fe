"""Tables, for programs of their owners."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Body, Path, Query, Request
from pydantic import BaseModel, Field

from sfumato.errors import SchemaError
from sfumato.inputs.toml import parsed_toml
from sfumato.negotiation.files.opening import LIMIT, WEEK, Offering
from sfumato.negotiation.owner import GRID, MOST_SEEN
from sfumato.vocabulary.schema import Schema
from sfumato.web.bench.bench import Bench
from sfumato.web.bench.project import Project
from sfumato.web.bench.tasks import TASKS
from sfumato.web.service import tables
from sfumato.web.service.api.common import Body as Sent
from sfumato.web.service.api.common import JobView, Owner, api_router
from sfumato.web.service.benches import job_of
from sfumato.web.service.refusals import Taken
from sfumato.web.service.rooms import rooms_of
from sfumato.web.service.store import datasets, jobs, listings

router = api_router("tables")
Id = Annotated[str, Path(pattern="^[0-9a-f]{32}$")]
Text = Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^\x00]+$")]
Number = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Whole = Annotated[int, Field(ge=1, le=10**9)]


class TableView(BaseModel):
    """A table of an owner."""

    id: str
    title: str
    bytes: int
    created: float


class Task(Sent):
    """A job to begin."""

    task: Annotated[str, Field(pattern=f"^({'|'.join(TASKS)})$")]


class Schemed(Sent):
    """A schema as its TOML file has it."""

    toml: Annotated[str, Field(max_length=4_000_000, pattern=r"^[^\x00]*$")]


class Offered(Sent):
    """What is offered, and how: see `sfumato negotiate open`."""

    epsilon: Number | None = None
    alpha: Number | None = None
    models: Annotated[tuple[Text, ...], Field(max_length=50)] = ()
    quasi: Annotated[list[Text], Field(min_length=1, max_length=200)] | None = None
    sensitive: Text | None = None
    utility: Text = "utility-distribution"
    price: Text | None = None
    expected: Number | None = None
    limit: Whole = LIMIT
    valid_for: Whole = WEEK
    grid: Annotated[float, Field(gt=0, le=1)] = GRID
    most_seen: Whole = MOST_SEEN
    title: Annotated[str, Field(min_length=1, max_length=120, pattern=r"^[^\x00-\x1f]+$")] | None = None

    def offering(self) -> Offering:
        """As the library has it."""
        plain = self.model_dump()
        return Offering(**{**plain, "quasi": None if self.quasi is None else tuple(self.quasi)})


@router.post(
    "/tables",
    status_code=201,
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
        }
    },
)
async def upload(
    request: Request, owner: Owner, name: Annotated[str, Query(max_length=200, description="As in patients.csv.")]
) -> TableView:
    """Send a table: CSV, Parquet or a workbook, as the body."""
    made = await tables.take_in(request, owner)
    return TableView(id=made.id, title=made.title, bytes=made.bytes, created=made.created)


@router.get("/tables")
def all_tables(request: Request, owner: Owner) -> list[TableView]:
    """Your tables, the newest first."""
    with rooms_of(request).service.database.reading() as connection:
        found = datasets.of_owner(connection, owner.id)
    return [TableView(id=each.id, title=each.title, bytes=each.bytes, created=each.created) for each in found]


@router.delete("/tables/{identity}", status_code=204)
def remove(request: Request, owner: Owner, identity: Id) -> None:
    """Remove a table that was never offered."""
    tables.remove(request, owner, identity)


@router.get("/tables/{identity}/job")
def job(request: Request, owner: Owner, identity: Id) -> JobView | None:
    """What is being done with a table, or was done last."""
    with rooms_of(request).service.database.reading() as connection:
        tables.table_of(connection, identity, owner)
        found = jobs.last(connection, identity)
    return None if found is None else JobView(**job_of(found).as_dict())


@router.post("/tables/{identity}/job", status_code=202)
def begin(request: Request, owner: Owner, identity: Id, task: Task) -> None:
    """Begin a job: look at the table again, explore it, make the release that its recipe asks for."""
    tables.start(request, owner, identity, task.task)


@router.post("/tables/{identity}/job/again", status_code=202)
def again(request: Request, owner: Owner, identity: Id) -> None:
    """Do the last job once more, if it has failed."""
    tables.again(request, owner, identity)


@router.get("/tables/{identity}/columns")
def columns(request: Request, owner: Owner, identity: Id) -> dict[str, Any]:
    """What was found in each column, and which role is suggested for it."""
    looked = bench_of(request, owner, identity).looked
    if looked is None:
        return {"rows": None, "columns": []}
    found = [
        {
            "name": each.name,
            "type": each.kind.value,
            "suggested": each.role.value,
            "reason": each.reason,
            "distinct": each.distinct,
            "missing": each.missing,
            "alone": each.alone,
        }
        for each in looked.columns.values()
    ]
    return {"rows": looked.rows, "columns": found}


@router.get("/tables/{identity}/schema")
def schema(request: Request, owner: Owner, identity: Id) -> Schemed:
    """The schema: roles, types and hierarchies."""
    return Schemed(toml=project_of(request, owner, identity).schema_file.read_text(encoding="utf-8"))


@router.put("/tables/{identity}/schema", status_code=204)
def write_schema(request: Request, owner: Owner, identity: Id, sent: Annotated[Schemed, Body()]) -> None:
    """Another schema: roles, types and hierarchies."""
    project = project_of(request, owner, identity)
    project.write_schema(written_out(sent.toml))


@router.get("/tables/{identity}/risk")
def risk(request: Request, owner: Owner, identity: Id) -> dict[str, Any]:
    """The risk of the table as it is."""
    project_of(request, owner, identity)
    return bench_of(request, owner, identity).as_it_is().as_dict()


@router.post("/tables/{identity}/offers", status_code=202)
def offer(request: Request, owner: Owner, identity: Id, offered: Offered) -> dict[str, str]:
    """Begin to explore a table and to list it in the catalogue; the id that the listing will have."""
    return {"id": tables.offer(request, owner, identity, offered.offering())}


@router.get("/offers")
def offers(request: Request, owner: Owner) -> list[dict[str, Any]]:
    """Your listings, the newest first."""
    with rooms_of(request).service.database.reading() as connection:
        found = listings.of_owner(connection, owner.id)
    return [{"id": each.id, "table": each.dataset, "title": each.sheet.title, "closed": each.closed} for each in found]


@router.post("/offers/{identity}/close", status_code=204)
def close(request: Request, owner: Owner, identity: Id) -> None:
    """Take no further requests for a listing."""
    tables.close(request, owner, identity)


@router.get("/offers/{identity}/room")
def room(request: Request, owner: Owner, identity: Id) -> dict[str, Any]:
    """The ledger of a listing: what was offered, and how much can still be offered."""
    rooms = rooms_of(request)
    with rooms.service.database.reading() as connection:
        return tables.room_of(rooms, connection, tables.listing_of(connection, identity, owner)).as_dict()


def bench_of(request: Request, owner: Owner, identity: str) -> Bench:
    """The bench of a table of this owner."""
    rooms = rooms_of(request)
    with rooms.service.database.reading() as connection:
        tables.table_of(connection, identity, owner)
    return rooms.benches.of(identity)


def project_of(request: Request, owner: Owner, identity: str) -> Project:
    """The project of a table of this owner, once it was looked at."""
    project = bench_of(request, owner, identity).project
    if not project.recipe_file.exists():
        raise Taken("the table is still being looked at; ask again when its job is done")
    return project


def written_out(toml: str) -> Schema:
    """A schema that somebody has sent. It names no files: they would be this computer's, not the sender's."""
    attributes = parsed_toml(toml, error=SchemaError).get("attributes")
    for name, entry in (attributes if isinstance(attributes, dict) else {}).items():
        hierarchy = entry.get("hierarchy") if isinstance(entry, dict) else None
        if isinstance(hierarchy, dict) and ("file" in hierarchy or hierarchy.get("builder") == "file"):
            raise SchemaError("the hierarchy must be written out here; no file is read", where=f"attribute {name!r}")
    return Schema.parse(toml)
