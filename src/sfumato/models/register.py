"""All models by name, and how `NAME:PARAMETERS` becomes one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, fields
from typing import Any

from sfumato.errors import UsageError, unknown
from sfumato.models.alpha_k_anonymity import AlphaKAnonymity
from sfumato.models.average_risk import AverageRisk
from sfumato.models.base import PrivacyModel
from sfumato.models.beta_likeness import BetaLikeness
from sfumato.models.confidence_bounding import ConfidenceBounding
from sfumato.models.ct_isolation import CTIsolation
from sfumato.models.delta_disclosure import DeltaDisclosure
from sfumato.models.delta_presence import DeltaPresence
from sfumato.models.distinct_diversity import DistinctDiversity
from sfumato.models.em_anonymity import EMAnonymity
from sfumato.models.entropy_diversity import EntropyDiversity
from sfumato.models.k_anonymity import KAnonymity
from sfumato.models.k_map import KMap
from sfumato.models.ke_anonymity import KEAnonymity
from sfumato.models.loss_bounds import DistributionLoss, EntropyLoss, UtilityDistributionLoss, UtilityEntropyLoss
from sfumato.models.loss_pairs import PrivacyLoss, UtilityLoss
from sfumato.models.multirelational_k_anonymity import MultirelationalKAnonymity
from sfumato.models.personalized_privacy import PersonalizedPrivacy
from sfumato.models.population_uniqueness import PopulationUniqueness
from sfumato.models.probabilistic_diversity import ProbabilisticDiversity
from sfumato.models.protected import Protected, split
from sfumato.models.recursive_diversity import RecursiveDiversity
from sfumato.models.t_closeness import TCloseness
from sfumato.models.xy_privacy import XYPrivacy

MODELS: dict[str, type[PrivacyModel]] = {
    model.name: model
    for model in (
        KAnonymity,
        DistinctDiversity,
        ProbabilisticDiversity,
        EntropyDiversity,
        RecursiveDiversity,
        TCloseness,
        DistributionLoss,
        EntropyLoss,
        PrivacyLoss,
        UtilityDistributionLoss,
        UtilityEntropyLoss,
        UtilityLoss,
        AlphaKAnonymity,
        MultirelationalKAnonymity,
        ConfidenceBounding,
        XYPrivacy,
        KEAnonymity,
        EMAnonymity,
        PersonalizedPrivacy,
        DeltaPresence,
        CTIsolation,
        BetaLikeness,
        DeltaDisclosure,
        KMap,
        AverageRisk,
        PopulationUniqueness,
    )
}

_LEAST = {"k": 1, "l": 1, "m": 1, "c": 0, "t": 0, "bound": 0}
_SHARES = ("h", "p", "low", "high", "share", "r")  # parameters that lie between 0 and 1
_SAMPLES = {"k": "5", "l": "3", "m": "3", "c": "3", "t": "0.2", "low": "0", "guard": "COLUMN"}  # others lie around one half
_WORDS = ("values", "guard")  # a last parameter that may hold commas of its own


def model_of(text: str) -> PrivacyModel:
    """A model from what a person writes: `k-anonymity:5`, `t-closeness:0.2,ordered`, `distribution-loss:0.1 for age=[75, 100]`."""
    if found := split(text):
        return Protected(model_of(found[0]), found[1])
    name, _, rest = text.partition(":")
    if name not in MODELS:
        raise UsageError(unknown("model", name, MODELS, within="this version"), where="model")
    return _made(MODELS[name], _parts(rest, _parameters(MODELS[name])))


def parameters_of(model: type[PrivacyModel]) -> str:
    """How a model's parameters are written: `k`, `t[,distance]`."""
    told = ""
    for place, parameter in enumerate(_parameters(model)):
        word = ("," if place else "") + parameter.name
        told += word if parameter.default is MISSING else f"[{word}]"
    return told


def _parameters(model: type[PrivacyModel]) -> list[Any]:
    return list(fields(model))  # type: ignore[arg-type]


def _parts(text: str, parameters: list[Any]) -> list[str]:
    """The parameters as they stand between commas; a last one of words takes what is left."""
    splits = len(parameters) - 1 if parameters[-1].name in _WORDS else -1
    return [part.strip() for part in text.split(",", splits)] if text.strip() else []


def _made(model: type[PrivacyModel], given: list[str]) -> PrivacyModel:
    parameters = _parameters(model)
    needed = sum(parameter.default is MISSING for parameter in parameters)
    if not needed <= len(given) <= len(parameters):
        sample = ",".join(_SAMPLES.get(parameter.name, "0.5") for parameter in parameters[:needed])
        raise UsageError(
            f"{model.name} takes {parameters_of(model)}, as in {model.name}:{sample}; {len(given)} given", where="model"
        )
    values = [_value(model.name, parameter, text) for parameter, text in zip(parameters, given, strict=False)]
    make: Callable[..., PrivacyModel] = model
    return make(*values)


def _value(name: str, parameter: Any, text: str) -> Any:
    """A parameter as its type; numbers out of their range are refused."""
    kind = {"int": int, "float": float}.get(parameter.type, str)
    if kind is str:
        return text
    share = parameter.name in _SHARES or (name, parameter.name) == (TCloseness.name, "t")  # a distance is never larger
    least, most = _LEAST.get(parameter.name, 0), 1 if share else float("inf")
    try:
        value = kind(text)
    except ValueError:
        value = None
    if value is None or not least <= value <= most or value == float("inf"):
        wanted = {int: "a whole number", float: "a number"}[kind]
        bounds = f"of at least {least}" if most > 1 else "between 0 and 1"
        raise UsageError(f"{parameter.name} must be {wanted} {bounds}; it is {text!r}", where=f"model {name}")
    return value
