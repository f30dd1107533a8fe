"""A question: what is asked of a table. Which models must hold, who may be suppressed, which attributes are released and judged, and
what the adversary knows.

Whatever is wrong with it in itself is refused when it is made; whether it fits a table, when it meets one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from decimal import Decimal, InvalidOperation
from typing import Any, TypedDict

from sfumato.errors import NodeError, UsageError, argument, raise_alone, several
from sfumato.models import PrivacyModel, models_of
from sfumato.question.priors import Stated
from sfumato.vocabulary.node import parse_levels
from sfumato.vocabulary.schema import Schema

Models = Sequence[str | PrivacyModel] | str | PrivacyModel
Names = Sequence[str] | str
Share = str | float
Floor = str | Mapping[str, int]
Number = str | float


class JudgingOptions(TypedDict, total=False):
    """The fields of `Question` that verbs take as keyword arguments, whether they search or not."""

    models: Models
    suppress: Share
    quasi: Names | None
    sensitive: Names | None
    prior: Stated | None
    population: Any
    population_size: int | None


class QuestionOptions(JudgingOptions, total=False):
    """All of them: where a search starts, too."""

    floor: Floor | None
    cells: Number | None


@dataclass(frozen=True, slots=True, init=False)
class Question:
    """What is asked of a table.

    Parameters
    ----------
    models : str, PrivacyModel, or a list of them
        Models, or their texts (`k-anonymity:5`).
    suppress : str or float
        The largest share of people who may be left out, `5%` or 0.05.
    quasi : str or list of str, optional
        The QIDs to release; all by default.
    sensitive : str or list of str, optional
        The attributes to judge; all by default.
    prior : path or dict, optional
        Stated beliefs, as a TOML file or by attribute.
    population : path, frame, Source, optional
        A larger table with the same QIDs.
    population_size : int, optional
        The number of people in a population that is not at hand.
    floor : str or dict, optional
        Levels below which no search looks, as in `age=1,time=2`; 0 for QIDs that are not named.
    cells : int, optional
        The largest number of cells to count, five million by default: if there are more, a search starts at the cheapest floor that has
        no more. With `floor`, only if it is given.
    """

    models: tuple[PrivacyModel, ...]
    suppress: Decimal
    quasi: tuple[str, ...] | None
    sensitive: tuple[str, ...] | None
    prior: Stated | None
    population: Any
    population_size: int | None
    floor: Mapping[str, int] | None
    cells: int | None

    def __init__(
        self,
        models: Models = (),
        suppress: Share = 0,
        quasi: Names | None = None,
        sensitive: Names | None = None,
        prior: Stated | None = None,
        population: Any = None,
        population_size: int | None = None,
        floor: Floor | None = None,
        cells: Number | None = None,
    ) -> None:
        given = {
            "models": models_of(models),
            "suppress": share_of(suppress),
            "quasi": names_of(quasi, "quasi"),
            "sensitive": names_of(sensitive, "sensitive"),
            "prior": prior,
            "population": population,
            "population_size": _size_of(population_size),
            "floor": levels_named(floor),
            "cells": _cells_of(cells),
        }
        for name, value in given.items():
            object.__setattr__(self, name, value)

    def limit(self, people: int) -> int:
        """The largest number of people who may be suppressed: the share, rounded down."""
        return int(self.suppress * people)

    def judged(self, schema: Schema) -> tuple[str, ...]:
        """The sensitive attributes to judge: all, or those named."""
        for name in self.sensitive or ():
            if name not in schema.sensitive:
                raise UsageError(
                    f"{name!r} is not a sensitive attribute here; choose among {', '.join(schema.sensitive) or 'none'}",
                    where=argument("sensitive"),
                )
        return schema.sensitive if self.sensitive is None else self.sensitive

    def require_models(self) -> None:
        """Refuse a question without a model."""
        if not self.models:
            from sfumato.models import MODELS

            raise UsageError(
                f"name at least one model, as in k-anonymity:5; there are {', '.join(MODELS)}", where=argument("models")
            )


QUESTION_OPTIONS: Sequence[str] = tuple(field.name for field in fields(Question))
JUDGING_OPTIONS: Sequence[str] = tuple(name for name in QUESTION_OPTIONS if name in JudgingOptions.__annotations__)


def names_of(names: Names | None, where: str) -> tuple[str, ...] | None:
    """Names of attributes: one, or several; each counts once."""
    if names is None:
        return None
    given = [names] if isinstance(names, str) or not isinstance(names, Iterable) else list(names)
    if not all(isinstance(name, str) for name in given):
        raise UsageError("takes names of attributes", where=argument(where))
    return tuple(dict.fromkeys(given))


def share_of(share: Share | Decimal) -> Decimal:
    """A share of people, written 5% or 0.05.

    >>> share_of("5%"), share_of(0.05)
    (Decimal('0.05'), Decimal('0.05'))
    """
    text = str(share).strip()
    try:
        number = Decimal(text.removesuffix("%").strip()) / (100 if text.endswith("%") else 1)
    except InvalidOperation:
        number = Decimal(-1)
    if not (number.is_finite() and 0 <= number <= 1):
        raise UsageError(f"suppression is a share between 0 and 1, as 5% or 0.05; it is {text!r}", where=argument("suppress"))
    if text == "1" and not isinstance(share, Decimal):  # that one was parsed already
        raise UsageError("a bare 1 could be 1% or everybody; write 1% or 100%", where=argument("suppress"))
    return number


def levels_named(floor: Floor | None) -> Mapping[str, int] | None:
    """A floor by the names of its attributes.

    >>> levels_named("age=1,time=2")
    {'age': 1, 'time': 2}
    """
    if floor is None:
        return None
    try:
        given = parse_levels(floor) if isinstance(floor, str) else floor
    except NodeError:
        given = None
    if not isinstance(given, Mapping) or not all(type(level) is int for level in given.values()):
        raise_alone(UsageError("write the levels to start at by name, as in age=1,time=2", where=argument("floor")))
    return dict(given)


def _cells_of(cells: Number | None) -> int | None:
    """A number of cells, also written 5e6."""
    if cells is None:
        return None
    try:
        number = Decimal(str(cells).strip())
    except InvalidOperation:
        number = Decimal(0)
    if isinstance(cells, bool) or not number.is_finite() or number < 1 or number != int(number):
        raise UsageError("a number of cells is a whole number of 1 or more, as 5e6 or 5000000", where=argument("cells"))
    return int(number)


def _size_of(size: int | None) -> int | None:
    if size is None:
        return None
    if isinstance(size, bool) or not isinstance(size, int) or size < 1:
        raise UsageError(
            f"the size of a population is a whole number of {several(1, 'person')} or more", where=argument("population_size")
        )
    return size
