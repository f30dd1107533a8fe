"""What is asked on the Explore page, as a form and back: every model with its parameters, the bounds, the axes, the nodes to look at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields
from typing import Any

from starlette.datastructures import FormData, QueryParams

from sfumato.errors import UsageError
from sfumato.models import MODELS, PrivacyModel, models_of
from sfumato.models.about import ATTACKS, about, parts_of
from sfumato.models.parameter import Parameter, parameter_of, written
from sfumato.question import Question
from sfumato.search.space.within import CLASS, LOSS_OF, Bounds

Sent = QueryParams | FormData
ASKED = "asked"  # a form without a chosen model asks for none


@dataclass(frozen=True, slots=True)
class Entry:
    """A parameter as a field of the form."""

    name: str
    label: str
    kind: str
    value: str
    least: str | None = None
    most: str | None = None
    choices: tuple[tuple[str, str], ...] = ()
    needed: bool = True


@dataclass(frozen=True, slots=True)
class Row:
    """A model in the form: whether it is used, its parameters, what it means in one sentence, and more about it."""

    name: str
    used: bool
    entries: tuple[Entry, ...]
    means: str
    more: tuple[str, ...]
    stops: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Wish:
    """What is asked: what must hold, within which bounds, on which axes, and which nodes are looked at."""

    question: Question
    bounds: Bounds
    axes: tuple[str, str] | None = None
    node: tuple[int, ...] | None = None
    beside: tuple[int, ...] | None = None


def rows_of(models: Sequence[PrivacyModel]) -> tuple[list[Row], list[str]]:
    """Every model, those that are used first; and the models that the form has no row for, such as those for a group."""
    used: dict[str, PrivacyModel] = {}
    others = []
    for model in models:
        if MODELS.get(model.name) is type(model) and model.name not in used:
            used[model.name] = model
        else:
            others.append(str(model))
    rows = [_row(name, MODELS[name], used.get(name)) for name in (*used, *(each for each in MODELS if each not in used))]
    return rows, others


def _row(name: str, model: type[PrivacyModel], used: PrivacyModel | None) -> Row:
    first, *more = parts_of(about(model))
    entries = [entry for each in fields(model) if (entry := _entry(name, each, used))]  # type: ignore[arg-type]
    stops = tuple(ATTACKS[letter] for letter in model.stops.split(",") if letter)
    return Row(name, used is not None, tuple(entries), first, tuple(more), stops)


def _entry(model: str, declared: Field[Any], used: PrivacyModel | None) -> Entry | None:
    parameter = parameter_of(declared)
    if parameter is None:
        return None
    given = getattr(used, declared.name) if used else (parameter.example if declared.default is MISSING else declared.default)
    value = given if isinstance(given, str) else written(given)
    kind = "text" if parameter.kind is str else "number"
    return Entry(
        name=f"{model}.{declared.name}",
        label=declared.name.replace("_", " "),
        kind="choice" if parameter.choices else kind,
        value=value,
        least=None if parameter.at_least is None else written(parameter.at_least),
        most=None if parameter.at_most is None else written(parameter.at_most),
        choices=_choices(parameter, declared),
        needed=declared.default is MISSING,
    )


def _choices(parameter: Parameter, declared: Field[Any]) -> tuple[tuple[str, str], ...]:
    if not parameter.choices:
        return ()
    own = () if declared.default in (MISSING, *parameter.choices) else ((str(declared.default), "as the column suggests"),)
    return (*own, *((each, each) for each in parameter.choices))


def models_in(sent: Sent) -> tuple[PrivacyModel, ...]:
    """The models of a form that was sent."""
    texts = [_text(name, MODELS[name], sent) for name in sent.getlist("use") if isinstance(name, str) and name in MODELS]
    return models_of([*texts, *(line.strip() for line in _field(sent, "others").splitlines() if line.strip())])


def _text(name: str, model: type[PrivacyModel], sent: Sent) -> str:
    """A model as the command line has it; parameters at the end that were left empty keep their default."""
    given = [_field(sent, f"{name}.{each.name}") for each in fields(model) if parameter_of(each)]  # type: ignore[arg-type]
    while given and not given[-1]:
        given.pop()
    if "" in given:
        raise UsageError("a parameter is missing", where=f"model {name}")
    return f"{name}:{','.join(given)}" if given else name


def wish_in(sent: Sent, known: Question) -> Wish:
    """What a form asks for; what the project asks for where there is none."""
    if ASKED in sent:
        known = question_of(known, models_in(sent), _field(sent, "suppress") or "0")
    axes = (_field(sent, "x"), _field(sent, "y"))
    return Wish(known, bounds_in(sent), axes if all(axes) else None, _levels(sent, "node"), _levels(sent, "beside"))


def question_of(known: Question, models: Sequence[PrivacyModel], suppress: str, **more: Any) -> Question:
    """A question with other models about the same columns."""
    kept = {name: getattr(known, name) for name in ("quasi", "sensitive", "prior", "population", "population_size")}
    return Question(models, suppress, **(kept | more))


def bounds_in(sent: Sent) -> Bounds:
    """The bounds of a form."""
    given: dict[str, float] = {}
    for name in LOSS_OF:
        if text := _field(sent, name):
            try:
                given[name] = float(text)
            except ValueError:
                raise UsageError("a bound is a number, as in 0.2", where=name) from None
    return Bounds(**given, scope=_field(sent, "scope") or CLASS)


def _levels(sent: Sent, name: str) -> tuple[int, ...] | None:
    text = _field(sent, name).strip("[] ")
    if not text:
        return None
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() and len(part) < 4 for part in parts):
        raise UsageError("a node is a level for each column, as in [1,0,2]", where=name)
    return tuple(map(int, parts))


def _field(sent: Mapping[str, Any], name: str) -> str:
    value = sent.get(name, "")
    return value.strip() if isinstance(value, str) else ""
