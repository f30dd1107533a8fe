"""Privacy models, one file each, which is loaded when the model is first asked for. Those of mechanisms are a kind of their own."""

from typing import TYPE_CHECKING, Any

from sfumato.models import parameter
from sfumato.models.base import Judged, Part, PrivacyModel, Verdict
from sfumato.models.context import Context, LocatedMembership, Membership, Population
from sfumato.models.protected import Members, Protected
from sfumato.models.register import MODELS, Models, columns_of, model_of, models_of
from sfumato.models.registration import register

if TYPE_CHECKING:
    from sfumato.models.attribute.alpha_k_anonymity import AlphaKAnonymity
    from sfumato.models.attribute.beta_likeness import BetaLikeness
    from sfumato.models.attribute.confidence_bounding import ConfidenceBounding
    from sfumato.models.attribute.delta_disclosure import DeltaDisclosure
    from sfumato.models.attribute.distinct_diversity import DistinctDiversity
    from sfumato.models.attribute.em_anonymity import EMAnonymity
    from sfumato.models.attribute.entropy_diversity import EntropyDiversity
    from sfumato.models.attribute.ke_anonymity import KEAnonymity
    from sfumato.models.attribute.map_error import MapError
    from sfumato.models.attribute.personalized_privacy import PersonalizedPrivacy
    from sfumato.models.attribute.probabilistic_diversity import ProbabilisticDiversity
    from sfumato.models.attribute.recursive_diversity import RecursiveDiversity
    from sfumato.models.attribute.t_closeness import TCloseness
    from sfumato.models.attribute.xy_privacy import XYPrivacy
    from sfumato.models.bounds.distribution_loss import DistributionLoss
    from sfumato.models.bounds.entropy_loss import EntropyLoss
    from sfumato.models.bounds.privacy_loss import PrivacyLoss
    from sfumato.models.bounds.utility_distribution_loss import UtilityDistributionLoss
    from sfumato.models.bounds.utility_entropy_loss import UtilityEntropyLoss
    from sfumato.models.bounds.utility_loss import UtilityLoss
    from sfumato.models.identity.average_risk import AverageRisk
    from sfumato.models.identity.ct_isolation import CTIsolation
    from sfumato.models.identity.delta_presence import DeltaPresence
    from sfumato.models.identity.k_anonymity import KAnonymity
    from sfumato.models.identity.k_map import KMap
    from sfumato.models.identity.multirelational_k_anonymity import MultirelationalKAnonymity
    from sfumato.models.identity.population_uniqueness import PopulationUniqueness
    from sfumato.models.of_mechanisms.d_gamma_privacy import DGammaPrivacy
    from sfumato.models.of_mechanisms.differential_privacy import DifferentialPrivacy
    from sfumato.models.of_mechanisms.distributional_privacy import DistributionalPrivacy
    from sfumato.models.of_mechanisms.mechanism import MechanismModel, MechanismVerdict
    from sfumato.models.of_mechanisms.mechanisms import MECHANISM_MODELS

__all__ = [
    "MECHANISM_MODELS",
    "MODELS",
    "AlphaKAnonymity",
    "AverageRisk",
    "BetaLikeness",
    "CTIsolation",
    "ConfidenceBounding",
    "Context",
    "DGammaPrivacy",
    "DeltaDisclosure",
    "DeltaPresence",
    "DifferentialPrivacy",
    "DistinctDiversity",
    "DistributionLoss",
    "DistributionalPrivacy",
    "EMAnonymity",
    "EntropyDiversity",
    "EntropyLoss",
    "Judged",
    "KAnonymity",
    "KEAnonymity",
    "KMap",
    "LocatedMembership",
    "MapError",
    "MechanismModel",
    "MechanismVerdict",
    "Members",
    "Membership",
    "Models",
    "MultirelationalKAnonymity",
    "Part",
    "PersonalizedPrivacy",
    "Population",
    "PopulationUniqueness",
    "PrivacyLoss",
    "PrivacyModel",
    "ProbabilisticDiversity",
    "Protected",
    "RecursiveDiversity",
    "TCloseness",
    "UtilityDistributionLoss",
    "UtilityEntropyLoss",
    "UtilityLoss",
    "Verdict",
    "XYPrivacy",
    "columns_of",
    "model_of",
    "models_of",
    "parameter",
    "register",
]
_HOMES = {
    "MECHANISM_MODELS": "of_mechanisms.mechanisms",
    "AlphaKAnonymity": "attribute.alpha_k_anonymity",
    "AverageRisk": "identity.average_risk",
    "BetaLikeness": "attribute.beta_likeness",
    "CTIsolation": "identity.ct_isolation",
    "ConfidenceBounding": "attribute.confidence_bounding",
    "DGammaPrivacy": "of_mechanisms.d_gamma_privacy",
    "DeltaDisclosure": "attribute.delta_disclosure",
    "DeltaPresence": "identity.delta_presence",
    "DifferentialPrivacy": "of_mechanisms.differential_privacy",
    "DistinctDiversity": "attribute.distinct_diversity",
    "DistributionLoss": "bounds.distribution_loss",
    "DistributionalPrivacy": "of_mechanisms.distributional_privacy",
    "EMAnonymity": "attribute.em_anonymity",
    "EntropyDiversity": "attribute.entropy_diversity",
    "EntropyLoss": "bounds.entropy_loss",
    "KAnonymity": "identity.k_anonymity",
    "KEAnonymity": "attribute.ke_anonymity",
    "KMap": "identity.k_map",
    "MechanismModel": "of_mechanisms.mechanism",
    "MechanismVerdict": "of_mechanisms.mechanism",
    "MapError": "attribute.map_error",
    "MultirelationalKAnonymity": "identity.multirelational_k_anonymity",
    "PersonalizedPrivacy": "attribute.personalized_privacy",
    "PopulationUniqueness": "identity.population_uniqueness",
    "PrivacyLoss": "bounds.privacy_loss",
    "ProbabilisticDiversity": "attribute.probabilistic_diversity",
    "RecursiveDiversity": "attribute.recursive_diversity",
    "TCloseness": "attribute.t_closeness",
    "UtilityDistributionLoss": "bounds.utility_distribution_loss",
    "UtilityEntropyLoss": "bounds.utility_entropy_loss",
    "UtilityLoss": "bounds.utility_loss",
    "XYPrivacy": "attribute.xy_privacy",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'sfumato.models' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"sfumato.models.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
