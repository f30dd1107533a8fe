"""Privacy models, one file each."""

from sfumato.models.base import Judged, PrivacyModel, Verdict
from sfumato.models.context import Context, LocatedMembership, Membership, Population
from sfumato.models.register import MODELS, Models, columns_of, model_of, models_of

__all__ = [
    "MODELS",
    "Context",
    "Judged",
    "LocatedMembership",
    "Membership",
    "Models",
    "Population",
    "PrivacyModel",
    "Verdict",
    "columns_of",
    "model_of",
    "models_of",
]
