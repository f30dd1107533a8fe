"""Begin with a table that nobody has described yet: a schema and a recipe, from suggestions, a template and the answers of a person."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from sfumato.commit.call import one_call
from sfumato.commit.places import require_free
from sfumato.commit.writing import written_together
from sfumato.engines.base import Engine
from sfumato.errors import SchemaError, UsageError, argument
from sfumato.options import divided
from sfumato.profiling.sample import Codes, Sample, joined, sample_of
from sfumato.profiling.suggest import Suggestion
from sfumato.profiling.templates import HARBOR, Harbored, Template, harbored, template_of
from sfumato.question import Question
from sfumato.recipe import Recipe
from sfumato.release import Output
from sfumato.search.algorithms.search import Search
from sfumato.table.source import SOURCE_OPTIONS, Source, SourceOptions, source_of
from sfumato.verbs.profile import Profile, profile
from sfumato.vocabulary.builders import Suppression
from sfumato.vocabulary.kinds import Role
from sfumato.vocabulary.schema import Schema

SCHEMA, RECIPE, RELEASE = "schema.toml", "recipe.toml", "release.csv"
_MOST = 64  # columns whose cost is computed


@dataclass(frozen=True, slots=True)
class Asked:
    """One column that somebody is asked about: what is suggested, and how many people are alone in the combination of the
    quasi-identifiers so far, without this column and with it. None if that is not known."""

    place: int
    columns: int
    suggestion: Suggestion
    people: int
    alone: int | None
    alone_with: int | None
    owner: str | None = None  # the column that was made the owner, if one was


Answer = Callable[[Asked], Role | None]


@dataclass(frozen=True, slots=True, eq=False)
class Begun:
    """What was written: the schema, and the recipe or, for a fixed recoding, the node to publish."""

    schema: Schema
    suggestions: tuple[Suggestion, ...]
    files: tuple[Path, ...]
    template: str | None
    models: tuple[str, ...]
    suppress: str
    node: Mapping[str, int] | None = None
    absent: tuple[str, ...] = ()  # what the template is about and the table does not seem to have

    @property
    def next(self) -> str:
        """The command that makes the release."""
        if self.node is None:
            return f"sfumato anonymize --recipe {self.files[1]}"
        levels = ",".join(f"{name}={level}" for name, level in self.node.items())
        return f"sfumato publish DATA -s {self.files[0]} --node '{levels}' -o {self.files[0].with_name(RELEASE)}"

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        return {
            "files": [str(path) for path in self.files],
            "template": self.template,
            "models": list(self.models),
            "suppress": self.suppress,
            "node": None if self.node is None else dict(self.node),
            "absent": list(self.absent),
            "attributes": [each.as_dict() for each in self.suggestions],
        }


@one_call()
def init(
    data: Any,
    *,
    output: str | PathLike[str] = ".",
    template: str | None = None,
    ask: Answer | None = None,
    force: bool = False,
    watch: Callable[[str, Engine | None], None] = lambda step, engine: None,
    **options: Unpack[SourceOptions],
) -> Begun:
    """Suggest a schema, let `ask` decide column by column (None takes the suggestions), and write it with a recipe into a folder.

    Parameters
    ----------
    data : path, pandas or polars frame, Arrow table, Source
        The table.
    output : path
        The folder to write to.
    template : str, optional
        `public-use`, `research-use` or `hipaa-safe-harbor`; without one, `k-anonymity:5` is asked for.
    ask : callable, optional
        Gets an `Asked` and returns a role, or None for the suggested one. If it raises, nothing is written.
    force : bool
        Replace what exists.
    watch : callable, optional
        Called with the name of each step and the engine that works on it.
    **options
        The fields of `Source`.

    Returns
    -------
    Begun
        The schema, and the files that were written.
    """
    chosen, folder = template_of(template), Path(output)
    names = (SCHEMA,) if chosen.name == HARBOR else (SCHEMA, RECIPE)
    for name in names if folder.is_dir() else ():
        require_free(folder / name, force)
    (settings,) = divided(options, SOURCE_OPTIONS)
    source = source_of(data, None, settings)
    if not isinstance(source.data, str | PathLike):
        raise UsageError("a recipe names files; give the path of a file", where=argument("data"))
    profiled = profile(source, watch=watch)
    safe = harbored(profiled.suggestions) if chosen.name == HARBOR else None
    if safe is not None:
        profiled = replace(profiled, suggestions=safe.suggestions)
    if ask is not None:
        profiled = replace(profiled, suggestions=_answered(source, profiled, ask))
    if not any(each.attribute.role is Role.QUASI for each in profiled.suggestions):
        raise SchemaError("no column is quasi: there is nothing to generalize, and nothing to ask for", where=source.name)
    return _written(source, profiled, chosen, safe, (folder, names, force))


def begin_with(source: Source, profiled: Profile, folder: Path) -> Begun:
    """Write what was suggested as a schema and a recipe, for somebody who decides later: a column need not be quasi yet."""
    return _written(source, profiled, template_of(None), None, (folder, (SCHEMA, RECIPE), False))


def _written(
    source: Source, profiled: Profile, template: Template, safe: Harbored | None, where: tuple[Path, tuple[str, ...], bool]
) -> Begun:
    """Write the schema and the recipe together."""
    folder, names, force = where
    schema = replace(profiled.schema, attributes=tuple(each.attribute for each in profiled.suggestions))
    models, node = template.models_for(schema.sensitive), None
    if safe is not None:
        node = {name: safe.node.get(name, 0) for name in schema.quasi}
    described = replace(profiled, schema=schema)
    recipe = Recipe(
        replace(source, schema=folder / SCHEMA),
        Question(models, template.suppress),
        Search(),
        Output(folder / RELEASE),
    )
    texts = [described.to_toml() if node is None else _commented(template.why) + described.to_toml()]
    texts += [recipe.text(folder.resolve(), template.why)] if node is None else []
    with written_together(folder, names, force=force) as hidden:
        for path, text in zip(hidden, texts, strict=True):
            path.write_text(text, encoding="utf-8")
    files = tuple(folder / name for name in names)
    known = None if template.name == "none" else template.name
    absent = safe.absent if safe else ()
    return Begun(schema, profiled.suggestions, files, known, models, template.suppress, node, absent)


def _commented(lines: Sequence[str]) -> str:
    return "".join(f"# {line}\n" for line in lines) + "\n"


class _Cost:
    """How many people are alone in the combination of the quasi-identifiers that were answered."""

    def __init__(self, sample: Sample) -> None:
        self._sample = sample
        self._classes: Codes = np.zeros(sample.rows, np.int64)

    def alone(self, name: str | None = None) -> int | None:
        """With one column more; None if it is not known."""
        if name is not None and name not in self._sample.values:
            return None
        return self._sample.alone(self._with(name) if name else self._classes)

    def take(self, name: str) -> None:
        if name in self._sample.values:
            self._classes = self._with(name)

    def _with(self, name: str) -> Codes:
        return joined(self._classes, self._sample.values[name])

    @property
    def people(self) -> int:
        return self._sample.people


def _answered(source: Source, profiled: Profile, ask: Answer) -> tuple[Suggestion, ...]:
    """The suggestions as somebody decided about each."""
    cost = _Cost(_sample(source, profiled))
    decided: list[Suggestion] = []
    for place, suggestion in enumerate(profiled.suggestions, 1):
        name, owner = suggestion.attribute.name, next((e.attribute.name for e in decided if e.attribute.role is Role.OWNER), None)
        if owner and suggestion.attribute.role is Role.OWNER:
            suggestion = suggestion.withheld("a person's key beside the owner's")
        role = ask(Asked(place, len(profiled.suggestions), suggestion, cost.people, cost.alone(), cost.alone(name), owner))
        if role is Role.OWNER and owner:
            raise UsageError(f"one owner column at most; it is {owner!r}", where=f"column {name!r}")
        decided.append(suggestion if role in (None, suggestion.attribute.role) else _with_role(suggestion, role))
        if decided[-1].attribute.role is Role.QUASI:
            cost.take(name)
    return tuple(decided)


def _with_role(suggestion: Suggestion, role: Role) -> Suggestion:
    """A column with the role that somebody decided on; as a quasi-identifier it has its levels."""
    attribute = suggestion.attribute
    if role is Role.QUASI:
        attribute = suggestion.as_quasi or attribute
    builder = attribute.builder if role in (Role.QUASI, Role.SENSITIVE) else Suppression()
    return replace(suggestion, attribute=replace(attribute, role=role, builder=builder), reason="decided by hand", how="")


def _sample(source: Source, profiled: Profile) -> Sample:
    attributes = [each.as_quasi for each in profiled.suggestions if each.as_quasi is not None][:_MOST]
    if not attributes:
        return Sample(0, {}, {}, None)
    engine = source.open_engine()
    try:
        return sample_of(engine, attributes, profiled.schema.owner, profiled.schema.missing, profiled.rows)
    finally:
        engine.close()
