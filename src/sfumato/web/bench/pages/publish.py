"""Publish: the release, its certificate and its report, and the same as a command line."""

from __future__ import annotations

import shlex
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Form, HTTPException, Request, Response
from fastapi.responses import FileResponse

from sfumato.models import models_of
from sfumato.question import Question
from sfumato.verbs.init import RELEASE
from sfumato.web.bench.pages.common import bench_of, refused, start
from sfumato.web.bench.project import RELEASES
from sfumato.web.bench.tasks import RELEASE_IT
from sfumato.web.headers import REPORT_POLICY
from sfumato.web.rendering import show

router = APIRouter()


@router.get("/publish")
def publish(request: Request) -> Response:
    bench = bench_of(request)
    project, question = bench.project, bench.project.recipe.question
    places = sorted((project.folder / RELEASES).glob("*"), reverse=True)
    made = [_made(path) for path in places if (path / RELEASE).is_file()]
    command = shlex.join(["sfumato", "anonymize", "--recipe", str(project.recipe_file), "-o", RELEASE])
    job = bench.work.current
    result = (job.result or {}) if job and job.task == RELEASE_IT else {}
    return show(
        request,
        "bench/publish.html",
        step="publish",
        models="\n".join(map(str, question.models)),
        suppress=f"{100 * float(question.suppress):g}%",
        made=made,
        command=command,
        infeasible=result.get("infeasible"),
    )


@router.post("/publish")
def make_release(request: Request, models: Annotated[str, Form()], suppress: Annotated[str, Form()] = "0") -> Response:
    bench = bench_of(request)
    asked = Question([line.strip() for line in models.splitlines() if line.strip()], suppress.strip() or "0")
    models_of(asked.models)
    if not asked.models:
        return refused(request, "models: ask for one at least, such as k-anonymity:5")
    bench.project.ask(asked)
    return start(request, RELEASE_IT, "publish")


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


def _made(folder: Path) -> dict[str, Any]:
    return {"number": folder.name, "files": sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))}
