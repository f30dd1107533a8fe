"""Changes of levels, written into the schema that the commands read, and taken back again."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from sfumato.commit.locks import held
from sfumato.errors import UsageError
from sfumato.vocabulary.builders import Builder
from sfumato.vocabulary.kinds import Role
from sfumato.vocabulary.schema import Attribute, Schema, with_kind
from sfumato.web.bench.levels.history import History, Step, attribute_of, text_of
from sfumato.web.bench.project import Project

DECIDED = "levels decided on the workbench"


def version_of(attribute: Attribute) -> str:
    """A short word that is another one when the attribute is."""
    return hashlib.sha256(text_of(attribute).encode()).hexdigest()[:16]


def edit(project: Project, name: str, shown: str, change: Callable[[Attribute], tuple[Builder, str]]) -> None:
    """Give a column other levels. `shown` is what `version_of` said when the page was made; `change` gives the levels, and in words what
    was done. Nothing is written if the levels stay as they are."""
    with held(project.folder):
        schema = project.schema
        before = schema[name]
        if before.role not in (Role.QUASI, Role.SENSITIVE):
            raise UsageError(f"only quasi and sensitive columns have levels; this one is {before.role.value}", where=name)
        if version_of(before) != shown:
            raise UsageError("the levels have changed since this page was shown; open it again", where=name)
        builder, words = change(before)
        after = replace(before, builder=builder)
        after = with_kind(after, after.kind) if after.kind else after
        step = Step(name, words, text_of(before), text_of(after))
        if step.before == step.after:
            return
        _put(project, schema, after)
        History.read(project.folder).with_step(step).write(project.folder)


def undo(project: Project) -> Step:
    """Take back the last change, if its column is still as the change left it."""
    with held(project.folder):
        history = History.read(project.folder)
        if not history.done:
            raise UsageError("there is nothing to undo")
        step = history.done[-1]
        _exchange(project, step, step.after, step.before, replace(history, done=history.done[:-1]))
        history.back().write(project.folder)
        return step


def redo(project: Project) -> Step:
    """Make the change that was taken back last again, if its column is still as it was left."""
    with held(project.folder):
        history = History.read(project.folder)
        if not history.undone:
            raise UsageError("there is nothing to redo")
        step = history.undone[-1]
        _exchange(project, step, step.before, step.after, replace(history, undone=history.undone[:-1]))
        history.again().write(project.folder)
        return step


def _exchange(project: Project, step: Step, now: str, then: str, without: History) -> None:
    """Put one attribute in the place of another. If somebody has changed it meanwhile, it stays, and the step is forgotten."""
    schema = project.schema
    found = next((each for each in schema.attributes if each.name == step.name), None)
    if found is None or text_of(found) != now:
        without.write(project.folder)
        raise UsageError(
            f"{step.words!r} cannot be undone or redone: the column was changed elsewhere since, and stays as it is",
            where=step.name,
        )
    _put(project, schema, attribute_of(then, project.folder))


def _put(project: Project, schema: Schema, attribute: Attribute) -> None:
    changed = tuple(attribute if each.name == attribute.name else each for each in schema.attributes)
    comments = comments_of(project.schema_file.read_text(encoding="utf-8"))
    project.write_schema(replace(schema, attributes=changed), {**comments, attribute.name: DECIDED})


def comments_of(text: str) -> dict[str, str]:
    """The comments directly above the attributes of a schema file."""
    found: dict[str, str] = {}
    above: list[str] = []
    for line in text.splitlines():
        if line.startswith("#"):
            above.append(line.removeprefix("#").strip())
            continue
        if above and line.startswith("[attributes."):
            with suppress(tomllib.TOMLDecodeError):  # a line within a text of several lines
                found[next(iter(tomllib.loads(line)["attributes"]))] = "\n# ".join(above)
        above = []
    return found
