"""What a page does, as a command line that does the same."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sfumato.inputs.address import is_address
from sfumato.recipe import Recipe
from sfumato.reporting.again import names_of
from sfumato.table.source import SOURCE_OPTIONS
from sfumato.web.bench.project import Project

# Options of the commands whose name is not that of the field.
_READ = ("engine", "encoding", "delimiter", "decimal", "thousands", "dates", "sheet", "table", "query")


def best_command(project: Project, *, here: bool = True) -> str:
    """The command that makes the release that the recipe asks for. `here`: on this computer, so that files have their whole names."""
    return shlex.join(["sfumato", "anonymize", "--recipe", _path(project.recipe_file, here), "-o", project.release_name])


def node_command(project: Project, node: Mapping[str, int], *, here: bool = True) -> str:
    """The command that publishes at a node, judged by the models."""
    recipe = project.recipe
    words = ["sfumato", "publish", _path(recipe.source.data, here), "-s", _path(project.schema_file, here), *_reading(recipe)]
    words += ["--quasi", names_of(list(node)), "--node", f"[{','.join(map(str, node.values()))}]", *_asking(recipe, here)]
    if recipe.output.seed:
        words += ["--seed", str(recipe.output.seed)]
    return shlex.join([*words, "-o", project.release_name])


def _path(given: Any, here: bool) -> str:
    """A file by its whole name, so that the command works in every folder; an address as it is. Where the files of a service lie is
    nobody's business."""
    if is_address(given):
        return str(given)
    return str(Path(given).resolve()) if here else Path(given).name


def _reading(recipe: Recipe) -> list[str]:
    """How the table is read, where somebody said so."""
    default = type(recipe.source)(None)
    words = []
    for name in _READ:
        given = getattr(recipe.source, name) if name in SOURCE_OPTIONS else None
        if given is not None and given != getattr(default, name):
            words += [f"--{name}", str(given)]
    return words + (["--no-header"] if recipe.source.header is False else [])


def _asking(recipe: Recipe, here: bool) -> list[str]:
    question = recipe.question
    words = [word for model in question.models for word in ("-m", str(model))]
    words += ["--suppress", str(question.suppress)] if question.suppress else []
    words += ["--sensitive", names_of(question.sensitive)] if question.sensitive is not None else []
    for option, given in (("--prior", question.prior), ("--population", question.population)):
        words += [option, _path(given, here)] if given is not None else []
    return words + (["--population-size", str(question.population_size)] if question.population_size else [])
