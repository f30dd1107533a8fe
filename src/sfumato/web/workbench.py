"""The workbench as a web application: one person, one project, this computer."""

from __future__ import annotations

import shlex
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Any

from fastapi import FastAPI, Form, HTTPException, Request, Response
from fastapi.responses import FileResponse, HTMLResponse, JSONResponse, RedirectResponse
from fastapi.staticfiles import StaticFiles
from jinja2 import Environment, PackageLoader, StrictUndefined

from sfumato.errors import SfumatoError
from sfumato.models import models_of
from sfumato.question import Question
from sfumato.reporting.markup import Html
from sfumato.reporting.pictures import sizes_picture
from sfumato.reporting.style import style
from sfumato.verbs.anonymize import Infeasible
from sfumato.verbs.init import RELEASE
from sfumato.vocabulary.kinds import Role
from sfumato.web.bench import Bench, schema_has
from sfumato.web.guard import Guard
from sfumato.web.pictures import drawn
from sfumato.web.project import RELEASES, Project

LOOKING, RELEASING = "looking at the table", "making the release"
STEPS = (("table", "Table"), ("risk", "Risk"), ("release", "Release"))
ROLES = {
    Role.QUASI: "quasi-identifier: others may know it; it is generalized",
    Role.SENSITIVE: "sensitive: what nobody should learn about a person; published as it is",
    Role.IDENTIFIER: "withheld: names a person, or is not needed",
    Role.PLAIN: "plain: published as it is",
    Role.OWNER: "owner: the key of a person who has several rows; withheld",
}
_STATIC = Path(__file__).parent / "static"


def workbench(project: Project, guard: Guard) -> FastAPI:
    """The application for a project. It begins to look at the table at once."""
    app = FastAPI(title="sfumato workbench", openapi_url=None, docs_url=None, redoc_url=None)
    bench = Bench(project)
    bench.jobs.start(LOOKING, bench.look)
    app.state.bench = bench
    app.middleware("http")(guard)
    app.mount("/static", StaticFiles(directory=_STATIC), name="static")
    pages = _Pages(bench)
    app.get("/")(lambda: RedirectResponse("/table", HTTPStatus.SEE_OTHER))
    app.get("/style.css")(lambda: Response(style(), media_type="text/css"))
    app.get("/table", response_class=HTMLResponse)(pages.table)
    app.post("/table/role", response_class=HTMLResponse)(pages.role)
    app.get("/risk", response_class=HTMLResponse)(pages.risk)
    app.get("/release", response_class=HTMLResponse)(pages.release)
    app.post("/release", response_class=HTMLResponse)(pages.make_release)
    app.get("/releases/{number}/{name}")(pages.file)
    app.get("/job")(pages.job)
    app.exception_handler(SfumatoError)(_wrong(pages))
    return app


def _wrong(pages: _Pages) -> Callable[[Request, Exception], Awaitable[Response]]:
    async def handle(_: Request, error: Exception) -> Response:
        return pages.show("wrong.html", "", status=HTTPStatus.BAD_REQUEST, wrong=str(error))

    return handle


class _Pages:
    """One function per page: reads what it needs from the bench, and gives it to a template."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._templates = Environment(
            loader=PackageLoader("sfumato.web"), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
        )
        self._templates.filters["markup"] = _markup

    def show(self, name: str, step: str, status: HTTPStatus = HTTPStatus.OK, **values: Any) -> Response:
        """A page."""
        job, project = self._bench.jobs.current, self._bench.project
        common = {
            "steps": STEPS,
            "step": step,
            "job": job,
            "title": Path(str(project.source.data)).name,
            "folder": project.folder,
        }
        return HTMLResponse(self._templates.get_template(name).render(**common, **values), status)

    def table(self) -> Response:
        looked, schema = self._bench.looked, self._bench.project.schema
        if looked is None:
            return self.show("table.html", "table", columns=[])
        columns = []
        for number, attribute in enumerate(schema.attributes):
            prior, suggestion = looked.marginals.get(attribute.name), looked.suggestions.get(attribute.name)
            picture = None if prior is None else drawn(number, attribute, prior)
            columns.append({"number": number, "attribute": attribute, "drawn": picture, "suggestion": suggestion})
        return self.show("table.html", "table", columns=columns, roles=ROLES, rows=looked.rows, read_as=looked.read_as)

    def role(self, name: Annotated[str, Form()], role: Annotated[str, Form()]) -> Response:
        if not schema_has(self._bench.project.schema, name) or role not in {each.value for each in ROLES}:
            raise HTTPException(HTTPStatus.NOT_FOUND)
        self._bench.give_role(name, role)
        place = [each.name for each in self._bench.project.schema.attributes].index(name)
        return RedirectResponse(f"/table#column-{place}", HTTPStatus.SEE_OTHER)

    def risk(self) -> Response:
        if not self._bench.project.schema.quasi:
            return self.show("risk.html", "risk", found=None, picture=None)
        found = self._bench.as_it_is()
        return self.show("risk.html", "risk", found=found, picture=sizes_picture("sizes", found.sizes))

    def release(self) -> Response:
        question, project = self._bench.project.recipe.question, self._bench.project
        places = sorted((project.folder / RELEASES).glob("*"), reverse=True)
        made = [_made(path) for path in places if (path / RELEASE).is_file()]
        command = shlex.join(["sfumato", "anonymize", "--recipe", str(project.recipe_file), "-o", RELEASE])
        job = self._bench.jobs.current
        result = job.result if job and job.name == RELEASING else None
        return self.show(
            "release.html",
            "release",
            models="\n".join(map(str, question.models)),
            suppress=f"{100 * float(question.suppress):g}%",
            made=made,
            command=command,
            infeasible=result if isinstance(result, Infeasible) else None,
        )

    def make_release(self, models: Annotated[str, Form()], suppress: Annotated[str, Form()] = "0") -> Response:
        asked = Question([line.strip() for line in models.splitlines() if line.strip()], suppress.strip() or "0")
        models_of(asked.models)
        if not asked.models:
            return self.show(
                "wrong.html", "release", HTTPStatus.BAD_REQUEST, wrong="models: ask for one at least, such as k-anonymity:5"
            )
        self._bench.project.ask(asked)
        if not self._bench.jobs.start(RELEASING, self._bench.release):
            return self.show(
                "wrong.html", "release", HTTPStatus.CONFLICT, wrong="something else is being done; wait until it is ready"
            )
        return RedirectResponse("/release", HTTPStatus.SEE_OTHER)

    def file(self, number: str, name: str) -> Response:
        """A file of a release: only the names that a release has, so that no name leads elsewhere."""
        folder = self._bench.project.folder / RELEASES / number
        known = {path.name: path for path in folder.iterdir()} if number.isdigit() and folder.is_dir() else {}
        if name not in known:
            raise HTTPException(HTTPStatus.NOT_FOUND)
        if name.endswith(".html"):
            return FileResponse(known[name], headers={"Content-Security-Policy": _OWN_POLICY})
        return FileResponse(known[name], filename=f"{number}-{name}")

    def job(self) -> Response:
        current = self._bench.jobs.current
        return JSONResponse(None if current is None else current.as_dict())


# A report has a policy of its own in its head, which allows its script by its digest.
_OWN_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'"


def _made(folder: Path) -> dict[str, Any]:
    return {"number": folder.name, "files": sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))}


def _markup(text: Html) -> Any:
    from markupsafe import Markup

    if not isinstance(text, Html):
        raise TypeError("only what was made as markup is not escaped")
    return Markup(text)  # noqa: S704  it was made by `reporting.markup`, which escapes
