"""How a class is registered as a model under its name."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import TypeVar

from sfumato.errors import UsageError
from sfumato.models.about import ATTACKS
from sfumato.models.base import PrivacyModel
from sfumato.models.parameter import parameter_of

MODELS: dict[str, type[PrivacyModel]] = {}
Model = TypeVar("Model", bound=PrivacyModel)
# A name is the text before the colon on the command line.
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_REQUIRED = {"name": str, "stops": str, "monotone": bool}


def register(model: type[Model]) -> type[Model]:
    """Add a model under its name: a decorator, above that of the dataclass.

    Refuses a class that is not a frozen dataclass, that does not declare its name, the attacks it stops and whether it is monotone, or
    whose name another class has.

    Parameters
    ----------
    model : type
        The class.

    Returns
    -------
    type
        The same class.
    """
    for problem in _problems(model):
        raise UsageError(f"{getattr(model, '__name__', model)} is not a model: {problem}", where="models")
    taken = MODELS.get(model.name)
    # A notebook cell that runs again defines the same class again.
    if taken and (taken.__module__, taken.__qualname__) != (model.__module__, model.__qualname__):
        raise UsageError(f"a model named {model.name!r} exists already", where="models")
    MODELS[model.name] = model
    return model


def _problems(model: type[PrivacyModel]) -> list[str]:
    """The reasons why a class is not a model."""
    if not (isinstance(model, type) and issubclass(model, PrivacyModel)):
        return ["it must derive from PrivacyModel"]
    parameters = vars(model).get("__dataclass_params__")  # of the class itself: a base class may be a dataclass too
    if parameters is None or not parameters.frozen:
        return ["it must be a dataclass(frozen=True), with @register above it"]
    problems = [
        f"it must declare its {name!r}, a {kind.__name__}"
        for name, kind in _REQUIRED.items()
        if not isinstance(getattr(model, name, None), kind)
    ]
    if model.parts is PrivacyModel.parts and model.judge is PrivacyModel.judge:
        problems.append("it must have a method 'parts', or 'judge' for the table as a whole")
    if not problems and not _NAME.fullmatch(model.name):
        problems.append(f"its name {model.name!r} must have only lowercase letters, digits and hyphens")
    if not problems and not set(filter(None, model.stops.split(","))) <= set(ATTACKS):
        problems.append(f"it stops {model.stops!r}; name attacks among {', '.join(ATTACKS)}, with commas between")
    others = [each.name for each in fields(model) if parameter_of(each) is None]  # type: ignore[arg-type]
    return problems + [f"{name!r} must be an int, a float or a str" for name in others]
