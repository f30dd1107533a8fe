"""How `NAME:PARAMETERS` becomes a value: a model, or anything else whose parameters are the fields of a frozen dataclass."""

from __future__ import annotations

from dataclasses import MISSING, Field, fields
from typing import Any, ClassVar, Protocol, TypeVar

from sfumato.errors import UsageError, argument
from sfumato.models.parameter import Parameter, parameter_of


class Named(Protocol):
    """What has a name before the colon."""

    name: ClassVar[str]


Made = TypeVar("Made", bound=Named)


def parameters_of(kind: type[Any]) -> str:
    """How parameters are written: `k`, `t[,distance]`."""
    text = ""
    for place, parameter in enumerate(_parameters(kind)):
        word = ("," if place else "") + parameter.name
        text += word if parameter.default is MISSING else f"[{word}]"
    return text


def made(kind: type[Made], text: str, where: str) -> Made:
    """A value from the text of its parameters, each converted to its type; the value itself refuses what it does not take. `where` is
    the argument that errors name."""
    declared = {each.name: (each, parameter) for each in _parameters(kind) if (parameter := parameter_of(each))}
    optional = {name for name, (each, _) in declared.items() if each.default is not MISSING}
    given = _named(kind, _split(text, [parameter for _, parameter in declared.values()]), list(declared), optional, where)
    if not (set(declared) - optional <= set(given) <= set(declared)):
        shown = [name for name in declared if name not in optional] or list(declared)
        example = ",".join(declared[name][1].example for name in shown)
        takes = f"takes {parameters_of(kind)}, as in {kind.name}:{example}" if declared else "takes no parameter"
        raise UsageError(f"{kind.name} {takes}; {len(given)} given", where=argument(where))
    return kind(**{name: declared[name][1].read(part) for name, part in given.items()})


def _parameters(kind: type[Any]) -> list[Field[Any]]:
    return list(fields(kind))


def _split(text: str, parameters: list[Parameter]) -> list[str]:
    """The texts between commas; a last parameter that may contain commas takes the rest."""
    splits = len(parameters) - 1 if parameters and parameters[-1].takes_commas else -1
    return [part.strip() for part in text.split(",", splits)] if text.strip() else []


def _named(kind: type[Named], given: list[str], names: list[str], optional: set[str], where: str) -> dict[str, str]:
    """The texts of parameters by name. They may be named, as in `k=5`; named ones come last. One too many has a number for a name."""
    values: dict[str, str] = {}
    last = ""
    for place, part in enumerate(given):
        name, equals, value = part.partition("=")
        if not (equals and name.strip() in names):
            if last:
                raise UsageError(f"{kind.name}: a parameter without a name follows one with a name", where=argument(where))
            values[names[place] if place < len(names) else str(place)] = part
            continue
        last = name.strip()
        if last in values:
            raise UsageError(f"{kind.name}: {last} is given twice", where=argument(where))
        values[last] = value.strip()
    missing = [name for name in names[: names.index(last)] if name not in values and name not in optional] if last else []
    if missing:
        raise UsageError(f"{kind.name}: {missing[0]} is missing before {last}", where=argument(where))
    return values
