"""How a class is registered as a model under its name."""

from __future__ import annotations

import re
from collections.abc import Iterator, MutableMapping, Sequence
from dataclasses import fields
from importlib import import_module
from typing import TypeVar

from sfumato.errors import UsageError
from sfumato.models.about import ATTACKS
from sfumato.models.base import PrivacyModel
from sfumato.models.parameter import parameter_of

Model = TypeVar("Model", bound=PrivacyModel)
# A name is the text before the colon on the command line.
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_REQUIRED = {"name": str, "stops": str, "monotone": bool}


class Register(MutableMapping[str, type[PrivacyModel]]):
    """Models by name: those of the core, in their order, each loaded when it is first asked for, then others as they were added."""

    def __init__(self, core: Sequence[str]) -> None:
        self._home = {module.rpartition(".")[2].replace("_", "-"): f"sfumato.models.{module}" for module in core}
        self._known: dict[str, type[PrivacyModel]] = {}

    def __getitem__(self, name: str) -> type[PrivacyModel]:
        if name not in self._known and name in self._home:
            import_module(self._home[name])
        return self._known[name]

    def __setitem__(self, name: str, model: type[PrivacyModel]) -> None:
        self._known[name] = model

    def __delitem__(self, name: str) -> None:
        if self._home.pop(name, None) is None and name not in self._known:
            raise KeyError(name)
        self._known.pop(name, None)

    def __contains__(self, name: object) -> bool:
        return name in self._home or name in self._known

    def __iter__(self) -> Iterator[str]:
        return iter({**self._home, **self._known})

    def __len__(self) -> int:
        return len({**self._home, **self._known})

    def add(self, model: type[PrivacyModel]) -> None:
        """Add a model; refuses the name of another one."""
        taken, home = self._known.get(model.name), self._home.get(model.name, model.__module__)
        # A notebook cell that runs again defines the same class again.
        if home != model.__module__ or (
            taken and (taken.__module__, taken.__qualname__) != (model.__module__, model.__qualname__)
        ):
            raise UsageError(f"a model named {model.name!r} exists already", where="models")
        self[model.name] = model


# One line per model. The reference and `sfumato models` use this order.
MODELS = Register(
    (
        "identity.k_anonymity",
        "attribute.distinct_diversity",
        "attribute.probabilistic_diversity",
        "attribute.entropy_diversity",
        "attribute.recursive_diversity",
        "attribute.t_closeness",
        "bounds.distribution_loss",
        "bounds.entropy_loss",
        "bounds.privacy_loss",
        "bounds.utility_distribution_loss",
        "bounds.utility_entropy_loss",
        "bounds.utility_loss",
        "attribute.map_error",
        "attribute.alpha_k_anonymity",
        "identity.multirelational_k_anonymity",
        "attribute.confidence_bounding",
        "attribute.xy_privacy",
        "attribute.ke_anonymity",
        "attribute.em_anonymity",
        "attribute.personalized_privacy",
        "identity.delta_presence",
        "identity.ct_isolation",
        "attribute.beta_likeness",
        "attribute.delta_disclosure",
        "identity.k_map",
        "identity.average_risk",
        "identity.population_uniqueness",
    )
)


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
    MODELS.add(model)
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
