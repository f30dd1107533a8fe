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
    given = _split(text, [parameter for _, parameter in declared])
    needed = [parameter for each, parameter in declared if each.default is MISSING]
    if not len(needed) <= len(given) <= len(declared):
        example = ",".join(parameter.example for parameter in needed)
        raise UsageError(
            f"{model.name} takes {parameters_of(model)}, as in {model.name}:{example}; {len(given)} given",
            where=argument("models"),
        )
    make: Callable[..., PrivacyModel] = model
    return make(*(parameter.read(part) for (_, parameter), part in zip(declared, given, strict=False)))
