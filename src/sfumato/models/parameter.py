"""The parameters of a model: the metadata of a field states which values it takes, and they are checked when a model is made.

    k: int = field(metadata=whole(at_least=1, example=5))

A field without metadata is checked by its type alone: `int`, `float` or `str`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field, dataclass, fields
from math import inf
from numbers import Integral, Real
from typing import Any, ClassVar

from sfumato.errors import UsageError

_KEY = "parameter"
_MOST = 2**53  # of a whole number; there are fewer people
_LONGEST = 40  # characters of a value in a message
Metadata = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Parameter:
    """What a field takes: `kind` is int, float or str, `example` a value for error messages.

    Numbers lie within the bounds, if there are any. A text is one of the `choices`, if there are any, else any text.
    """

    kind: type[int] | type[float] | type[str]
    example: str = ""
    at_least: float | None = None
    at_most: float | None = None
    choices: tuple[str, ...] = ()

    @property
    def takes_commas(self) -> bool:
        """Whether a text may contain commas; then, as the last parameter, it takes the rest."""
        return self.kind is str and not self.choices

    def read(self, text: str) -> Any:
        """A text converted to the type of the field. A text that is not a number stays a text: the model refuses it."""
        try:
            return self.kind(text)
        except ValueError:
            return text

    def accepted(self, value: Any) -> Any:
        """A value converted to the type of the field; None if the field does not take it."""
        if self.kind is str:
            known = isinstance(value, str) and (value in self.choices if self.choices else value.strip())
            return value if known else None
        if isinstance(value, bool) or not isinstance(value, Integral if self.kind is int else Real):
            return None
        number = _number(value, whole=self.kind is int)
        if self.kind is int and abs(number) > _MOST:
            return None
        low = -inf < number if self.at_least is None else number >= self.at_least
        high = number < inf if self.at_most is None else number <= self.at_most
        return number if low and high else None  # NaN fails both comparisons

    def refusal(self, name: str, value: Any) -> str:
        """The message about a value that the field does not take."""
        if self.choices:
            *most, last = self.choices
            choose = f"{most[0]} or {last}" if len(most) == 1 else f"among {', '.join(self.choices)}"
            return f"no {name} {shown(value)}; choose {choose}"
        wanted = {int: "a whole number", float: "a number", str: f"a text, as in {self.example}"}[self.kind]
        if self.at_least is not None:
            wanted += f" of at least {self.at_least}" if self.at_most is None else f" between {self.at_least} and {self.at_most}"
        return f"{name} must be {wanted}; it is {shown(value)}"


def whole(*, at_least: int | None = None, example: int = 5) -> Metadata:
    """A whole number.

    Parameters
    ----------
    at_least : int, optional
        The smallest that is taken.
    example : int
        What messages and the documentation show.
    """
    return {_KEY: Parameter(int, written(example), at_least)}


def number(*, at_least: float | None = None, example: float = 0.5) -> Metadata:
    """A number.

    Parameters
    ----------
    at_least : float, optional
        The smallest that is taken.
    example : float
        What messages and the documentation show.
    """
    return {_KEY: Parameter(float, written(example), at_least)}


def share(*, example: float = 0.5) -> Metadata:
    """A number between 0 and 1.

    Parameters
    ----------
    example : float
        What messages and the documentation show.
    """
    return {_KEY: Parameter(float, written(example), 0, 1)}


def choice(*choices: str) -> Metadata:
    """One of several words. The default of the field may be another one, such as an empty text.

    Parameters
    ----------
    *choices : str
        The words.
    """
    return {_KEY: Parameter(str, choices[0], choices=choices)}


def text(*, example: str = "TEXT") -> Metadata:
    """Any text. Only the default of the field may be empty.

    Parameters
    ----------
    example : str
        What messages and the documentation show.
    """
    return {_KEY: Parameter(str, example)}


def parameter_of(declared: Field[Any]) -> Parameter | None:
    """What a field takes; None for a field that cannot be given as text, such as another model."""
    if _KEY in declared.metadata:
        parameter: Parameter = declared.metadata[_KEY]
        return parameter
    # Annotations are strings in modules that postpone their evaluation.
    named = declared.type if isinstance(declared.type, str) else declared.type.__name__
    plain = {"int": whole(), "float": number(), "str": text()}.get(named, {})
    return plain.get(_KEY)


def validated(declared: Field[Any], value: Any, where: str) -> Any:
    """The value of a field, converted to its type; refuses one that the field does not take."""
    parameter = parameter_of(declared)
    if parameter is None or (parameter.kind is str and isinstance(value, str) and value == declared.default):
        return value
    accepted = parameter.accepted(value)
    if accepted is None:
        raise UsageError(parameter.refusal(declared.name, value), where=where)
    return accepted


class WithParameters:
    """A frozen dataclass with a name, whose fields are checked when it is made, and which is written NAME:PARAMETERS."""

    __slots__ = ()

    name: ClassVar[str]

    def __post_init__(self) -> None:
        for declared in fields(self):  # type: ignore[arg-type]
            value = validated(declared, getattr(self, declared.name), f"model {self.name}")
            object.__setattr__(self, declared.name, value)
        self.check_parameters()

    def check_parameters(self) -> None:
        """Refuse parameters that contradict each other; the range of each is checked already."""

    def __str__(self) -> str:
        """NAME:PARAMETERS, as on the command line; parameters at their default are omitted at the end."""
        given = [(getattr(self, parameter.name), parameter.default) for parameter in fields(self)]  # type: ignore[arg-type]
        while given and given[-1][0] == given[-1][1]:
            given.pop()
        texts = [value if isinstance(value, str) else written(value) for value, _ in given]
        return f"{self.name}:{','.join(texts)}" if texts else self.name


def _number(value: Any, *, whole: bool) -> int | float:
    """A number as a Python int or float; one that is too large for a float is infinite."""
    try:
        return int(value) if whole else float(value)
    except OverflowError:
        return inf


def written(number: float) -> str:
    """A number as a person writes it, with all its digits.

    >>> written(3.0), written(0.2), written(1 / 3)
    ('3', '0.2', '0.3333333333333333')
    """
    return str(number) if isinstance(number, int) else repr(float(number)).removesuffix(".0")


def shown(value: Any) -> str:
    """A value in a message: numbers and texts in quotes, anything else by its type, since it may contain records."""
    if isinstance(value, float):
        return repr(written(value))
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > _MOST:
        return "beyond 2^53"
    if isinstance(value, str) and len(value) > _LONGEST:
        value = value[:_LONGEST] + "…"
    return repr(str(value)) if isinstance(value, str | bool | int) else f"of type {type(value).__name__}"
