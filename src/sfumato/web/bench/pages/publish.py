"""Publish: the best release or the node that was chosen, its certificate and its report, and the same as a command line."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Form, HTTPException, Request, Response
from fastapi.responses import FileResponse

from sfumato.errors import UsageError
from sfumato.models import models_of
from sfumato.reporting.explorer.naming import level_phrases, node_words
from sfumato.vocabulary.node import Node
from sfumato.web.bench.asking import question_of
from sfumato.web.bench.bench import Bench
from sfumato.web.bench.commands import best_command, node_command
from sfumato.web.bench.made import made_in
from sfumato.web.bench.pages.common import bench_of, refused, start
from sfumato.web.bench.project import FORMATS, RELEASES, Chosen
from sfumato.web.bench.tasks import RELEASE_IT, RELEASE_NODE
from sfumato.web.headers import REPORT_POLICY
from sfumato.web.rendering import show

router = APIRouter()


@router.get("/publish")
def publish(request: Request) -> Response:
    bench = bench_of(request)
    project, question = bench.project, bench.project.recipe.question
    job = bench.work.current
    result = (job.result or {}) if job and job.task == RELEASE_IT else {}
    return show(
        request,
        "bench/publish.html",
        step="publish",
        quasi=project.schema.quasi,
        models="\n".join(map(str, question.models)),
        suppress=f"{100 * float(question.suppress):g}%",
        made=made_in(project),
        command=best_command(project, here=bench.here),
        formats=FORMATS,
        release_name=project.release_name,
        chosen=_chosen(bench),
        infeasible=result.get("infeasible"),
    )


@router.post("/publish")
def make_release(
    request: Request,
    models: Annotated[str, Form()],
    suppress: Annotated[str, Form()] = "0",
    kind: Annotated[str, Form()] = "",
) -> Response:
    bench = bench_of(request)
    asked = models_of([line.strip() for line in models.splitlines() if line.strip()])
    if not asked:
        return refused(request, "models: ask for one at least, such as k-anonymity:5")
    bench.project.ask(question_of(bench.project.recipe.question, asked, suppress.strip() or "0"), _release(kind))
    return start(request, RELEASE_IT, "publish")


@router.post("/publish/node")
def make_node(
    request: Request,
    node: Annotated[str, Form()],
    models: Annotated[list[str] | None, Form()] = None,
    suppress: Annotated[str, Form()] = "0",
    kind: Annotated[str, Form()] = "",
) -> Response:
    """Publish at the node that was chosen on the page Explore, if what was asked there holds."""
    bench = bench_of(request)
    project = bench.project
    question, schema = project.recipe.question, project.schema
    chosen = Node.of(node, schema, schema.choose_quasi(question.quasi))
    project.ask(question_of(question, models_of(models or []), suppress.strip() or "0"), _release(kind))
    project.choose(Chosen(chosen.as_dict(), _words(bench, chosen)))
    return start(request, RELEASE_NODE, "publish")


def _release(kind: str) -> str | None:
    if kind and kind not in FORMATS:
        raise UsageError(f"a release is a file of {' or '.join(FORMATS)}", where="kind")
    return FORMATS.get(kind)


def _words(bench: Bench, node: Node) -> str:
    """A node in words, as far as its labels are known."""
    explored = bench.explored()
    if explored is None or explored.space.lattice.attributes != node.attributes:
        return node.brief()
    phrases = level_phrases(explored.problem.counts, explored.space.lattice)
    return node_words(node.attributes, phrases, node.levels)


def _chosen(bench: Bench) -> dict[str, Any] | None:
    """The node that was chosen, with the command that publishes it; None if it is no node of the table any more."""
    project = bench.project
    schema, question, chosen = project.schema, project.recipe.question, project.chosen
    names = schema.choose_quasi(question.quasi) if schema.quasi else ()
    if chosen is None or tuple(chosen.node) != names or any(chosen.node[name] > schema[name].height() for name in names):
        return None
    return {
        "words": chosen.words,
        "written": chosen.written,
        "models": [str(model) for model in question.models],
        "suppress": str(question.suppress),
        "command": node_command(project, chosen.node, here=bench.here),
    }


@router.get("/releases/{number}/{name}")
def file(request: Request, number: str, name: str) -> Response:
    """A file of a release: only the names that a release has, so that no name leads elsewhere."""
    folder = bench_of(request).project.folder / RELEASES / number
    known = {path.name: path for path in folder.iterdir()} if number.isdigit() and folder.is_dir() else {}
    if name not in known:
        raise HTTPException(HTTPStatus.NOT_FOUND)
    if name.endswith(".html"):
        return FileResponse(known[name], headers={"Content-Security-Policy": REPORT_POLICY})
    return FileResponse(known[name], filename=f"{number}-{name}")
