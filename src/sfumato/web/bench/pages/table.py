"""Table: every column with its distribution and its role."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Form, HTTPException, Request, Response

from sfumato.vocabulary.kinds import Role
from sfumato.web.bench.bench import schema_has
from sfumato.web.bench.pages.common import bench_of, go_to
from sfumato.web.bench.pictures import drawn
from sfumato.web.rendering import show

router = APIRouter()
ROLES = {
    Role.QUASI: "quasi-identifier: others may know it; it is generalized",
    Role.SENSITIVE: "sensitive: what nobody should learn about a person; published as it is",
    Role.IDENTIFIER: "withheld: names a person, or is not needed",
    Role.PLAIN: "plain: published as it is",
    Role.OWNER: "owner: the key of a person who has several rows; withheld",
}


@router.get("/table")
def table(request: Request) -> Response:
    bench = bench_of(request)
    looked, schema = bench.looked, bench.project.schema
    if looked is None:
        return show(request, "bench/table.html", step="table", columns=[])
    job, columns = bench.work.current, []
    stale = bench.here and not bench.fresh and not (job and job.running)
    for number, attribute in enumerate(schema.attributes):
        found = looked.columns.get(attribute.name)
        picture = drawn(number, attribute, found.values) if found and found.values else None
        columns.append({"number": number, "attribute": attribute, "drawn": picture, "found": found})
    known: dict[str, Any] = {"rows": looked.rows, "read_as": looked.read_as, "owner": schema.owner, "stale": stale}
    return show(request, "bench/table.html", step="table", columns=columns, roles=ROLES, **known)


@router.post("/table/role")
def role(request: Request, name: Annotated[str, Form()], role: Annotated[str, Form()]) -> Response:
    bench = bench_of(request)
    if not schema_has(bench.project.schema, name) or role not in {each.value for each in ROLES}:
        raise HTTPException(HTTPStatus.NOT_FOUND)
    bench.give_role(name, role)
    place = [each.name for each in bench.project.schema.attributes].index(name)
    return go_to(request, f"table#column-{place}")
