"""The models of mechanisms by name, and how `NAME:PARAMETERS` becomes one."""

from __future__ import annotations

from sfumato.errors import UsageError, argument, unknown
from sfumato.models.notation import made
from sfumato.models.of_mechanisms.d_gamma_privacy import DGammaPrivacy
from sfumato.models.of_mechanisms.differential_privacy import DifferentialPrivacy
from sfumato.models.of_mechanisms.distributional_privacy import DistributionalPrivacy
from sfumato.models.of_mechanisms.mechanism import MechanismModel

# The reference and `sfumato models` use this order, after the models of files.
MECHANISM_MODELS: dict[str, type[MechanismModel]] = {
    model.name: model for model in (DifferentialPrivacy, DGammaPrivacy, DistributionalPrivacy)
}


def mechanism_model_of(given: str | MechanismModel) -> MechanismModel:
    """A model of mechanisms from text, such as `differential-privacy:1`; a model stays as it is."""
    if isinstance(given, MechanismModel):
        return given
    name, _, rest = given.partition(":")
    if name not in MECHANISM_MODELS:
        raise UsageError(unknown("model", name, MECHANISM_MODELS, within="those of mechanisms"), where=argument("models"))
    return made(MECHANISM_MODELS[name], rest, "models")
