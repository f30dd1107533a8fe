"""A mechanism as an information channel: how likely each output is for each input, and what somebody who sees an output can guess.

The extra `channel` installs scipy, which is loaded when a matrix is made.
"""

from sfumato.channel import bridge, enumeration, estimating, records, utility
from sfumato.channel.bounds import Bound, ChannelBounds, bounds
from sfumato.channel.capacity import Capacity, blahut_arimoto, capacity
from sfumato.channel.composition import cascade, hidden_choice, parallel, visible_choice
from sfumato.channel.design import Designed, Wasted, least_loss, least_loss_at_leakage, most_information, waste
from sfumato.channel.files import read, read_table, write
from sfumato.channel.gains import Gain, g_leakage, g_vulnerability, prior_g_vulnerability
from sfumato.channel.hints import Hinted, error_by_hint
from sfumato.channel.information import conditional_entropy, entropy, mutual_information, output_probabilities
from sfumato.channel.known import constant, geometric, identity, randomized_response
from sfumato.channel.matrix import ChannelMatrix
from sfumato.channel.measured import ChannelMeasures, measure
from sfumato.channel.mechanism import judge
from sfumato.channel.priors import knowing, prior_of, uniform
from sfumato.channel.refinement import Refinement, refinement
from sfumato.channel.rules import RuleK, RulesK, rules_by_k
from sfumato.channel.small import MechanismMeasures, measure_mechanism
from sfumato.channel.vulnerability import (
    Adversaries,
    OneOutput,
    WorstPrior,
    adversaries,
    map_error,
    min_capacity,
    min_entropy_leakage,
    posterior_vulnerability,
    prior_vulnerability,
    weak_adversary,
    worst_map_error,
)

__all__ = [
    "Adversaries",
    "Bound",
    "Capacity",
    "ChannelBounds",
    "ChannelMatrix",
    "ChannelMeasures",
    "Designed",
    "Gain",
    "Hinted",
    "MechanismMeasures",
    "OneOutput",
    "Refinement",
    "RuleK",
    "RulesK",
    "Wasted",
    "WorstPrior",
    "adversaries",
    "blahut_arimoto",
    "bounds",
    "bridge",
    "capacity",
    "cascade",
    "conditional_entropy",
    "constant",
    "entropy",
    "enumeration",
    "error_by_hint",
    "estimating",
    "g_leakage",
    "g_vulnerability",
    "geometric",
    "hidden_choice",
    "identity",
    "judge",
    "knowing",
    "least_loss",
    "least_loss_at_leakage",
    "map_error",
    "measure",
    "measure_mechanism",
    "min_capacity",
    "min_entropy_leakage",
    "most_information",
    "mutual_information",
    "output_probabilities",
    "parallel",
    "posterior_vulnerability",
    "prior_g_vulnerability",
    "prior_of",
    "prior_vulnerability",
    "randomized_response",
    "read",
    "read_table",
    "records",
    "refinement",
    "rules_by_k",
    "uniform",
    "utility",
    "visible_choice",
    "waste",
    "weak_adversary",
    "worst_map_error",
    "write",
]
