"""Privacy models, one file each, which is loaded when the model is first asked for. Those of mechanisms are a kind of their own."""

from typing import TYPE_CHECKING, Any

from sfumato.models import parameter
from sfumato.models.base import Judged, Part, PrivacyModel, Verdict
from sfumato.models.context import Context, LocatedMembership, Membership, Population
from sfumato.models.protected import Members, Protected
from sfumato.models.register import MODELS, Models, columns_of, model_of, models_of
from sfumato.models.registration import register

if TYPE_CHECKING:
    from sfumato.models.alpha_k_anonymity import AlphaKAnonymity
    from sfumato.models.average_risk import AverageRisk
    from sfumato.models.beta_likeness import BetaLikeness
    from sfumato.models.confidence_bounding import ConfidenceBounding
    from sfumato.models.ct_isolation import CTIsolation
    from sfumato.models.d_gamma_privacy import DGammaPrivacy
    from sfumato.models.delta_disclosure import DeltaDisclosure
    from sfumato.models.delta_presence import DeltaPresence
    from sfumato.models.differential_privacy import DifferentialPrivacy
    from sfumato.models.distinct_diversity import DistinctDiversity
    from sfumato.models.distribution_loss import DistributionLoss
    from sfumato.models.distributional_privacy import DistributionalPrivacy
    from sfumato.models.em_anonymity import EMAnonymity
    from sfumato.models.entropy_diversity import EntropyDiversity
    from sfumato.models.entropy_loss import EntropyLoss
    from sfumato.models.k_anonymity import KAnonymity
    from sfumato.models.k_map import KMap
    from sfumato.models.ke_anonymity import KEAnonymity
    from sfumato.models.map_error import MapError
    from sfumato.models.mechanism import MechanismModel, MechanismVerdict
    from sfumato.models.mechanisms import MECHANISM_MODELS
    from sfumato.models.multirelational_k_anonymity import MultirelationalKAnonymity
    from sfumato.models.personalized_privacy import PersonalizedPrivacy
    from sfumato.models.population_uniqueness import PopulationUniqueness
    from sfumato.models.privacy_loss import PrivacyLoss
    from sfumato.models.probabilistic_diversity import ProbabilisticDiversity
    from sfumato.models.recursive_diversity import RecursiveDiversity
    from sfumato.models.t_closeness import TCloseness
    from sfumato.models.utility_distribution_loss import UtilityDistributionLoss
    from sfumato.models.utility_entropy_loss import UtilityEntropyLoss
    from sfumato.models.utility_loss import UtilityLoss
    from sfumato.models.xy_privacy import XYPrivacy

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
    "MECHANISM_MODELS": "mechanisms",
    "AlphaKAnonymity": "alpha_k_anonymity",
    "AverageRisk": "average_risk",
    "BetaLikeness": "beta_likeness",
    "CTIsolation": "ct_isolation",
    "ConfidenceBounding": "confidence_bounding",
    "DGammaPrivacy": "d_gamma_privacy",
    "DeltaDisclosure": "delta_disclosure",
    "DeltaPresence": "delta_presence",
    "DifferentialPrivacy": "differential_privacy",
    "DistinctDiversity": "distinct_diversity",
    "DistributionLoss": "distribution_loss",
    "DistributionalPrivacy": "distributional_privacy",
    "EMAnonymity": "em_anonymity",
    "EntropyDiversity": "entropy_diversity",
    "EntropyLoss": "entropy_loss",
    "KAnonymity": "k_anonymity",
    "KEAnonymity": "ke_anonymity",
    "KMap": "k_map",
    "MechanismModel": "mechanism",
    "MechanismVerdict": "mechanism",
    "MapError": "map_error",
    "MultirelationalKAnonymity": "multirelational_k_anonymity",
    "PersonalizedPrivacy": "personalized_privacy",
    "PopulationUniqueness": "population_uniqueness",
    "PrivacyLoss": "privacy_loss",
    "ProbabilisticDiversity": "probabilistic_diversity",
    "RecursiveDiversity": "recursive_diversity",
    "TCloseness": "t_closeness",
    "UtilityDistributionLoss": "utility_distribution_loss",
    "UtilityEntropyLoss": "utility_entropy_loss",
    "UtilityLoss": "utility_loss",
    "XYPrivacy": "xy_privacy",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'sfumato.models' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"sfumato.models.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
