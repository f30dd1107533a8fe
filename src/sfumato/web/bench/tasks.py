"""The jobs of a project. Each writes what it finds into the folder, so that it does not matter which process does it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from sfumato.table import Table
from sfumato.verbs.anonymize import Anonymized, anonymize
from sfumato.verbs.init import RECIPE, RELEASE
from sfumato.verbs.report import report
from sfumato.web.bench.jobs import Watch
from sfumato.web.bench.looking import look
from sfumato.web.bench.project import Project

LOOK, RELEASE_IT = "look", "release"
REPORT = "report.html"


def release(project: Project, watch: Watch) -> dict[str, Any]:
    """The best release that the recipe asks for, with its report, into the next folder; or what would have to change."""
    recipe, folder = project.recipe, project.next_release()
    folder.mkdir(parents=True)
    try:
        with Table.open(recipe.source) as table:
            question = recipe.question
            made = anonymize(
                table,
                models=question.models,
                suppress=str(question.suppress),
                output=folder / RELEASE,
                recipe=folder / RECIPE,
                watch=watch.step,
                progress=watch.progress,
            )
            if isinstance(made, Anonymized):
                watch.step("writing the report")
                report(made, output=folder / REPORT)
                return {"release": folder.name}
    finally:
        if not any(folder.iterdir()):
            folder.rmdir()
    explained = made.explanation.nearest if made.explanation else ()
    return {"infeasible": [(str(each.model), None if each.nearest is None else str(each.rounded())) for each in explained]}


TASKS: Mapping[str, Callable[[Project, Watch], dict[str, Any]]] = MappingProxyType({LOOK: look, RELEASE_IT: release})
WORDS = {LOOK: "looking at the table", RELEASE_IT: "making the release"}
