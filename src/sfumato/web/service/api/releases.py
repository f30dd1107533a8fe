"""Exploring a table and publishing it, for programs of its owner."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Path, Query, Request, Response
from fastapi.responses import FileResponse
from pydantic import Field

from sfumato.models import models_of
from sfumato.search.space.within import Bounds
from sfumato.vocabulary.node import Node
from sfumato.web.bench.asking import question_of
from sfumato.web.bench.exploring import require_explorable
from sfumato.web.bench.project import FORMATS, RELEASES, Chosen, Project
from sfumato.web.bench.tasks import EXPLORE, RELEASE_IT, RELEASE_NODE
from sfumato.web.service import tables
from sfumato.web.service.api.common import Body as Sent
from sfumato.web.service.api.common import Owner, api_router
from sfumato.web.service.api.tables import Id, Text, bench_of, project_of
from sfumato.web.service.refusals import NoSuch, Taken

router = api_router("releases")
Bound = Annotated[float | None, Query(ge=0, allow_inf_nan=False)]
Models = Annotated[tuple[Text, ...], Field(max_length=50)]
Share = Annotated[str, Field(max_length=20)]


class Explored(Sent):
    """What is explored: every node, with the values and verdicts of some models; and how many people may be left out."""

    models: Models = ()
    suppress: Share = "0"


class Asked(Sent):
    """What a release must satisfy, and how many people may be left out. With a node, that one is published; otherwise the best."""

    models: Models = ()
    suppress: Share = "0"
    node: Annotated[dict[Text, Annotated[int, Field(ge=0, le=1000)]], Field(min_length=1, max_length=200)] | None = None
    format: Annotated[str, Field(pattern=f"^({'|'.join(FORMATS)})$")] = "csv"


@router.post("/tables/{identity}/explore", status_code=202)
def explore(request: Request, owner: Owner, identity: Id, sent: Explored) -> None:
    """Begin to explore every way to generalize a table."""
    project = project_of(request, owner, identity)
    question = question_of(project.recipe.question, models_of(sent.models), sent.suppress)
    require_explorable(project.schema, question)
    project.ask(question)
    tables.start(request, owner, identity, EXPLORE)


@router.get("/tables/{identity}/explore")
def explored(
    request: Request,
    owner: Owner,
    identity: Id,
    model: Annotated[list[Text] | None, Query(max_length=50)] = None,
    epsilon: Bound = None,
    alpha: Bound = None,
    delta: Bound = None,
    gamma: Bound = None,
) -> dict[str, Any]:
    """What was explored, under models and bounds: the front, its knee, and the nearest bounds if nothing keeps these."""
    project_of(request, owner, identity)
    bench = bench_of(request, owner, identity)
    known = bench.explored()
    if known is None:
        raise Taken("the table has to be explored first, or again: it has changed since")
    about = known.space.about.models if model is None else model
    question = question_of(bench.project.recipe.question, models_of(about), known.suppress)
    return known.weighed(question, Bounds(epsilon, alpha, gamma, delta), known.axes).as_dict()


@router.post("/tables/{identity}/releases", status_code=202)
def release(request: Request, owner: Owner, identity: Id, sent: Asked) -> None:
    """Begin to make a release: the best that satisfies the models, or the one at a node."""
    project = project_of(request, owner, identity)
    question = question_of(project.recipe.question, models_of(sent.models), sent.suppress)
    if sent.node is not None:
        node = Node.of(sent.node, project.schema, project.schema.choose_quasi(question.quasi))
        project.choose(Chosen(node.as_dict(), node.brief()))
    project.ask(question, FORMATS[sent.format])
    tables.start(request, owner, identity, RELEASE_IT if sent.node is None else RELEASE_NODE)


@router.get("/tables/{identity}/releases")
def releases(request: Request, owner: Owner, identity: Id) -> list[dict[str, Any]]:
    """The releases that were made, with their files."""
    folder = project_of(request, owner, identity).folder / RELEASES
    return [{"number": path.name, "files": sorted(_files(path))} for path in sorted(folder.glob("*"))]


@router.get("/tables/{identity}/releases/{number}/{name}", response_class=FileResponse)
def released(
    request: Request, owner: Owner, identity: Id, number: Annotated[str, Path(pattern="^[0-9]{3,9}$")], name: str
) -> Response:
    """A file of a release."""
    return _file(project_of(request, owner, identity), number, name)


def _file(project: Project, number: str, name: str) -> Response:
    folder = project.folder / RELEASES / number
    if not folder.is_dir() or name not in _files(folder):
        raise NoSuch("there is no such file")
    return FileResponse(folder / name, filename=f"{number}-{name}")


def _files(folder: Any) -> list[str]:
    return [each.name for each in folder.iterdir() if not each.name.startswith(".")]
