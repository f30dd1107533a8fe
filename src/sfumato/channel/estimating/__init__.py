"""The MAP error of a mechanism that can only be run, estimated from a sample with confidence bounds."""

from sfumato.channel.estimating.estimate import Estimate, estimate_map_error
from sfumato.channel.estimating.samplers import Sampler, sample_channel, sample_mechanism, sample_tables

__all__ = ["Estimate", "Sampler", "estimate_map_error", "sample_channel", "sample_mechanism", "sample_tables"]
