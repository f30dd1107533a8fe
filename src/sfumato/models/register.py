"""All models by name, and how `NAME:PARAMETERS` becomes one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import MISSING, Field, fields
from importlib import import_module
from typing import Any

from sfumato.errors import UsageError, argument, unknown
from sfumato.models.base import PrivacyModel
from sfumato.models.parameter import Parameter, parameter_of
from sfumato.models.protected import Protected, split
from sfumato.models.registration import MODELS as MODELS

# One line per model: each registers itself when it is imported. The reference and `sfumato models` use this order.
for _module in (
    "k_anonymity",
    "distinct_diversity",
    "probabilistic_diversity",
    "entropy_diversity",
    "recursive_diversity",
    "t_closeness",
    "distribution_loss",
    "entropy_loss",
    "privacy_loss",
    "utility_distribution_loss",
    "utility_entropy_loss",
    "utility_loss",
    "alpha_k_anonymity",
    "multirelational_k_anonymity",
    "confidence_bounding",
    "xy_privacy",
    "ke_anonymity",
    "em_anonymity",
    "personalized_privacy",
    "delta_presence",
    "ct_isolation",
    "beta_likeness",
    "delta_disclosure",
    "k_map",
    "average_risk",
    "population_uniqueness",
):
    import_module(f"sfumato.models.{_module}")

# What the literature calls by one name and we call by several, each with an example of its parameters.
FAMILIES = {
    "l-diversity": ("distinct-diversity:3", "entropy-diversity:3", "recursive-diversity:3,3", "probabilistic-diversity:3"),
    "entropy-l-diversity": ("entropy-diversity:3",),
    "distinct-l-diversity": ("distinct-diversity:3",),
    "recursive-l-diversity": ("recursive-diversity:3,3",),
}

Models = str | PrivacyModel | Iterable[str | PrivacyModel]


def model_of(text: str) -> PrivacyModel:
    """Make a model from text.

    Parameters
    ----------
    text : str
        `k-anonymity:5`, `t-closeness:0.2,ordered`, `distribution-loss:0.1 for age=[75, 100]`.

    Returns
    -------
    PrivacyModel
        The model.
    """
    if parts := split(text):
        model, group = parts
        return Protected(model_of(model), group)
    name, _, rest = text.partition(":")
    if name in FAMILIES:
        *others, last = FAMILIES[name]
        several = f"is a family of models; write {', '.join(others)} or {last}" if others else f"is written {last}"
        raise UsageError(f"{name!r} {several}", where=argument("models"))
    if name not in MODELS:
        raise UsageError(unknown("model", name, MODELS, within="this version"), where=argument("models"))
    return _make(MODELS[name], rest)


def models_of(models: Models) -> tuple[PrivacyModel, ...]:
    """Make models from texts or model objects; a repeated one counts once.

    >>> [str(model) for model in models_of(["k-anonymity:5", "t-closeness:0.2", "k-anonymity:5"])]
    ['k-anonymity:5', 't-closeness:0.2']

    Parameters
    ----------
    models : str, PrivacyModel, or a collection of them
        One, or several.

    Returns
    -------
    tuple of PrivacyModel
        The models in order.
    """
    given = [models] if isinstance(models, str | PrivacyModel) or not isinstance(models, Iterable) else models
    return tuple({str(model): model for model in map(_model, given)}.values())


def columns_of(models: Iterable[PrivacyModel]) -> tuple[str, ...]:
    """The columns that models count in addition to the QIDs and the sensitive attributes, each once."""
    return tuple(dict.fromkeys(name for model in models for name in model.columns))


def _model(given: object) -> PrivacyModel:
    if isinstance(given, PrivacyModel):
        return given
    if isinstance(given, str):
        return model_of(given)
    kind = f"the class {given.__name__}" if isinstance(given, type) else f"a value of type {type(given).__name__}"
    raise UsageError(
        f"a model is a text such as 'k-anonymity:5' or a model such as KAnonymity(5); it is not {kind}", where=argument("models")
    )


def parameters_of(model: type[PrivacyModel]) -> str:
    """How a model's parameters are written: `k`, `t[,distance]`."""
    text = ""
    for place, parameter in enumerate(_parameters(model)):
        word = ("," if place else "") + parameter.name
        text += word if parameter.default is MISSING else f"[{word}]"
    return text


def _parameters(model: type[PrivacyModel]) -> list[Field[Any]]:
    return list(fields(model))  # type: ignore[arg-type]


def _split(text: str, parameters: list[Parameter]) -> list[str]:
    """The texts between commas; a last parameter that may contain commas takes the rest."""
    splits = len(parameters) - 1 if parameters and parameters[-1].takes_commas else -1
    return [part.strip() for part in text.split(",", splits)] if text.strip() else []


def _make(model: type[PrivacyModel], text: str) -> PrivacyModel:
    """A model from the text of its parameters, each converted to its type; the model itself refuses values that it does not take."""
    declared = [(each, parameter) for each in _parameters(model) if (parameter := parameter_of(each))]
    given = _in_order(model, _split(text, [parameter for _, parameter in declared]), [each.name for each, _ in declared])
    needed = [parameter for each, parameter in declared if each.default is MISSING]
    if not len(needed) <= len(given) <= len(declared):
        example = ",".join(parameter.example for parameter in needed)
        raise UsageError(
            f"{model.name} takes {parameters_of(model)}, as in {model.name}:{example}; {len(given)} given",
            where=argument("models"),
        )
    make: Callable[..., PrivacyModel] = model
    return make(*(parameter.read(part) for (_, parameter), part in zip(declared, given, strict=False)))


def _in_order(model: type[PrivacyModel], given: list[str], names: list[str]) -> list[str]:
    """The values of parameters that may be named, as in `k=5`, in the order in which the model declares them. Named ones come last."""
    named: dict[str, str] = {}
    values: list[str] = []
    for part in given:
        name, equals, value = part.partition("=")
        if not (equals and name.strip() in names):
            values.append(part)
            if named:
                raise UsageError(f"{model.name}: a parameter without a name follows one with a name", where=argument("models"))
        elif name.strip() in (*named, *names[: len(values)]):
            raise UsageError(f"{model.name}: {name.strip()} is given twice", where=argument("models"))
        else:
            named[name.strip()] = value.strip()
    for name in names[len(values) :]:
        if not named:
            break
        if name not in named:
            raise UsageError(f"{model.name}: {name} is missing before {next(iter(named))}", where=argument("models"))
        values.append(named.pop(name))
    return values
