"""All models by name, and how `NAME:PARAMETERS` becomes one."""

from __future__ import annotations

from collections.abc import Iterable

from sfumato.errors import UsageError, argument, unknown
from sfumato.models.base import PrivacyModel
from sfumato.models.notation import made
from sfumato.models.notation import parameters_of as parameters_of
from sfumato.models.protected import Protected, split
from sfumato.models.registration import MODELS as MODELS

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
        _refuse_mechanism(name)
        raise UsageError(unknown("model", name, MODELS, within="this version"), where=argument("models"))
    return made(MODELS[name], rest, "models")


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


def _refuse_mechanism(name: str) -> None:
    """Refuse a model of mechanisms, and say where it is asked for."""
    from sfumato.models.of_mechanisms.mechanisms import MECHANISM_MODELS

    if name in MECHANISM_MODELS:
        raise UsageError(
            f"{name} is a requirement of a mechanism and cannot be seen in a file; `sfumato channel judge` judges a mechanism's channel",
            where=argument("models"),
        )


def _model(given: object) -> PrivacyModel:
    if isinstance(given, PrivacyModel):
        return given
    if isinstance(given, str):
        return model_of(given)
    if isinstance(name := getattr(given, "name", None), str) and not isinstance(given, type):
        _refuse_mechanism(name)
    kind = f"the class {given.__name__}" if isinstance(given, type) else f"a value of type {type(given).__name__}"
    raise UsageError(
        f"a model is a text such as 'k-anonymity:5' or a model such as KAnonymity(5); it is not {kind}", where=argument("models")
    )
