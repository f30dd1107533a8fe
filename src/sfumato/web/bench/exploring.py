"""The policy space of a project: explored into a file that the commands read too, together with what it was explored from."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from math import prod
from os import PathLike
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from sfumato.commit.locks import held
from sfumato.commit.writing import written_together
from sfumato.errors import UsageError
from sfumato.inputs.address import is_address
from sfumato.question import Question, problem_of
from sfumato.release.certificate import sha256
from sfumato.reporting.explorer.thinning import MOST_ON_PAGE, Places, losses_in, nodes_to_show
from sfumato.search.problem import Problem
from sfumato.search.space import PolicySpace
from sfumato.search.space.exploring import MOST_NODES, explored
from sfumato.search.space.thresholds import top_of, under
from sfumato.search.space.trade_off import Answers, TradeOff, X, Y, trade_off_of
from sfumato.search.space.within import Bounds
from sfumato.table import Table
from sfumato.table.source import SOURCE_OPTIONS
from sfumato.vocabulary.schema import Schema
from sfumato.web.bench.jobs import Watch
from sfumato.web.bench.project import LIMITS, Project

SPACE, SPACE_OF = "space.parquet", "space.json"
VERSION = 1
ASKED = ("quasi", "sensitive", "prior", "population", "population_size", "floor", "cells")
LONG = 100_000  # nodes that take a while
PREFERRED = (X, Y, "discernibility", "loss")  # a table without a sensitive column has the last two


@dataclass(frozen=True, slots=True, eq=False)
class Explored:
    """The space of a table as it was explored, with the counted table. `top` is the problem at the root, where models say how they
    compare; `axes` are those unless somebody chooses others, and `shown` the nodes that a page shows: all, or a selection."""

    problem: Problem
    top: Problem
    space: PolicySpace
    suppress: str
    axes: tuple[str, str]
    shown: Places

    @classmethod
    def of(cls, problem: Problem, space: PolicySpace, suppress: str) -> Explored:
        """A space with its problem."""
        first, second = [name for name in PREFERRED if name in losses_in(space)][:2]
        plain = trade_off_of(problem, space, Bounds(), (first, second), Answers())
        return cls(problem, top_of(problem), space, suppress, (first, second), nodes_to_show(plain, MOST_ON_PAGE))

    def weighed(self, question: Question, bounds: Bounds, axes: tuple[str, str]) -> TradeOff:
        """The nodes under other models and bounds; refuses what was not explored."""
        if question.limit(self.space.about.people) != self.space.about.limit:
            raise UsageError("another share of people may be left out than before; explore again", where="suppress")
        space = under(self.space, question.models, self.top)
        return trade_off_of(self.problem, space, bounds, axes, Answers())


def nodes_of(schema: Schema, question: Question) -> int:
    """How many nodes there are to explore."""
    return prod(schema[name].height() + 1 for name in schema.choose_quasi(question.quasi))


def require_explorable(schema: Schema, question: Question) -> int:
    """How many nodes there are; refuses a lattice that is too large to enumerate."""
    nodes = nodes_of(schema, question)
    if nodes > MOST_NODES:
        raise UsageError(
            f"there are {nodes:,} ways to generalize this table, more than the {MOST_NODES:,} that can be explored; give a column "
            "another role or a hierarchy fewer levels, or go on to publish: the search there looks at a part of them",
            where="explore",
        )
    return nodes


def explore(project: Project, watch: Watch) -> dict[str, Any]:
    """Evaluate every node, and keep the space in the project."""
    recipe, schema = project.recipe, project.schema
    basis = basis_of(project)  # before the work: what changes meanwhile makes the space stale
    nodes = require_explorable(schema, recipe.question)
    with Table.open(recipe.source) as table:
        watch.step("counting", table.engine)
        problem, prior = problem_of(table, recipe.question)
    watch.step(f"{nodes:,} ways to generalize")
    space = explored(problem, prior, memory=recipe.source.memory, threads=recipe.source.threads, progress=watch.progress)
    with held(project.folder), written_together(project.folder, (SPACE, SPACE_OF), force=True) as (file, beside):
        pq.write_table(space.to_arrow(), file)
        known = {"version": VERSION, "basis": basis, "sha256": sha256(file), "suppress": str(recipe.question.suppress)}
        beside.write_text(json.dumps(known), encoding="utf-8")
    return {}


def basis_of(project: Project) -> str:
    """A digest of what a space depends on besides models and suppression: the table, its schema, and what is asked of which columns."""
    recipe = project.recipe
    source, question = recipe.source, recipe.question
    read = {name: str(getattr(source, name)) for name in ("data", *SOURCE_OPTIONS) if name not in LIMITS}
    asked = {name: str(getattr(question, name)) for name in ASKED}
    known = [project.schema.digest(), read, asked, state_of(source.data), state_of(question.prior), state_of(question.population)]
    return hashlib.sha256(json.dumps(known).encode()).hexdigest()


def state_of(data: Any) -> list[int] | None:
    """The size and the time of a file."""
    if not isinstance(data, str | PathLike) or is_address(data) or not Path(data).exists():
        return None
    state = Path(data).stat()
    return [state.st_size, state.st_mtime_ns]


def explored_in(project: Project) -> Explored | None:
    """The space in a project; None if there is none, or if it is not one of the table as it is now."""
    try:
        known = json.loads((project.folder / SPACE_OF).read_text(encoding="utf-8"))
        same = known["version"] == VERSION and known["basis"] == basis_of(project)
        same = same and known["sha256"] == sha256(project.folder / SPACE)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    if not same:
        return None
    space = PolicySpace.read(project.folder / SPACE)
    question = project.recipe.question
    asked = {name: getattr(question, name) for name in ASKED if name not in ("floor", "cells")}
    with Table.open(project.source) as table:
        floor = dict(zip(space.lattice.attributes, space.lattice.floors, strict=True))
        problem, _ = problem_of(table, Question(space.about.models, known["suppress"], **asked, floor=floor))
    return Explored.of(problem, space, known["suppress"])


def explored_state(project: Project) -> tuple[Any, ...]:
    """Changes whenever the explored space may have to be read again."""
    files = [state_of(project.folder / name) for name in (SPACE, SPACE_OF)]
    return (*(tuple(each or ()) for each in files), basis_of(project) if all(files) else "")
