"""Designing a channel: as useful as can be, within a bound on what an adversary may achieve ([C] section 6)."""

from sfumato.channel.design.information import most_information
from sfumato.channel.design.loss import least_loss
from sfumato.channel.design.rate import least_loss_at_leakage
from sfumato.channel.design.results import Designed
from sfumato.channel.design.waste import Rule, Wasted, waste

__all__ = ["Designed", "Rule", "Wasted", "least_loss", "least_loss_at_leakage", "most_information", "waste"]
