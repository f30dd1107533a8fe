"""The utility of tables and of mechanisms, in bits, for users who may know something already (channel paper, 4.2)."""

from sfumato.channel.utility.joint import Joint
from sfumato.channel.utility.mechanism import MechanismUtility, expected_degradation, mechanism_utility
from sfumato.channel.utility.tables import Step, attribute_utility, table_utility, utility_degradation, utility_steps
from sfumato.channel.utility.users import User

__all__ = [
    "Joint",
    "MechanismUtility",
    "Step",
    "User",
    "attribute_utility",
    "expected_degradation",
    "mechanism_utility",
    "table_utility",
    "utility_degradation",
    "utility_steps",
]
