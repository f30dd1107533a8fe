"""Privacy models, one file each."""

from sfumato.models.base import Judged, PrivacyModel, Verdict
from sfumato.models.register import MODELS, model_of

__all__ = ["MODELS", "Judged", "PrivacyModel", "Verdict", "model_of"]
