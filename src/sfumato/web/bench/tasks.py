"""The jobs of a project. Each writes what it finds into the folder, so that it does not matter which process does it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any

from sfumato.errors import UsageError
from sfumato.question.question import QUESTION_OPTIONS
from sfumato.release.judging import NONE
from sfumato.release.output import OutputOptions
from sfumato.search.algorithms.search import SEARCH_OPTIONS
from sfumato.table import Table
from sfumato.verbs.anonymize import Anonymized, anonymize
from sfumato.verbs.init import RECIPE
from sfumato.verbs.publish import publish
from sfumato.verbs.report import report
from sfumato.web.bench.exploring import explore
from sfumato.web.bench.jobs import Watch
from sfumato.web.bench.looking import look
from sfumato.web.bench.project import Project

LOOK, EXPLORE, RELEASE_IT, RELEASE_NODE = "look", "explore", "release", "release-node"
REPORT = "report.html"


def release(project: Project, watch: Watch) -> dict[str, Any]:
    """The best release that the recipe asks for, with its report, into the next folder; or what would have to change."""
    recipe = project.recipe
    with _next_folder(project) as folder, Table.open(recipe.source) as table:
        asked = {name: getattr(recipe.question, name) for name in QUESTION_OPTIONS}
        how = {name: getattr(recipe.search, name) for name in SEARCH_OPTIONS}
        made = anonymize(
            table,
            **asked,
            **how,
            output=folder / project.release_name,
            seed=recipe.output.seed,
            recipe=folder / RECIPE,
            together=NONE,
            watch=watch.step,
            progress=watch.progress,
        )
        if isinstance(made, Anonymized):
            watch.step("writing the report")
            report(made, output=folder / REPORT)
            return {"release": folder.name}
    explained = made.explanation.nearest if made.explanation else ()
    return {"infeasible": [(str(each.model), None if each.nearest is None else str(each.rounded())) for each in explained]}


def release_node(project: Project, watch: Watch) -> dict[str, Any]:
    """The release at the node that was chosen, if what is asked holds there, with its report, into the next folder."""
    recipe, chosen = project.recipe, project.chosen
    if chosen is None:
        raise UsageError("no node was chosen; choose one on the page Explore", where="publish")
    with _next_folder(project) as folder, Table.open(recipe.source) as table:
        where: OutputOptions = {"output": folder / project.release_name, "seed": recipe.output.seed}
        made = publish(table, node=chosen.node, question=recipe.question, together=NONE, watch=watch.step, **where)
        watch.step("writing the report")
        report(made, output=folder / REPORT)
        return {"release": folder.name}


@contextmanager
def _next_folder(project: Project) -> Iterator[Path]:
    """The folder of the next release, which disappears again if nothing came of it."""
    folder = project.next_release()
    folder.mkdir(parents=True)
    try:
        yield folder
    finally:
        if not any(folder.iterdir()):
            folder.rmdir()


TASKS: Mapping[str, Callable[[Project, Watch], dict[str, Any]]] = MappingProxyType(
    {LOOK: look, EXPLORE: explore, RELEASE_IT: release, RELEASE_NODE: release_node}
)
# The page that tells how a job ended.
PAGES = {LOOK: "table", EXPLORE: "explore", RELEASE_IT: "publish", RELEASE_NODE: "publish"}
WORDS = {
    LOOK: "looking at the table",
    EXPLORE: "exploring",
    RELEASE_IT: "making the release",
    RELEASE_NODE: "making the release",
}
