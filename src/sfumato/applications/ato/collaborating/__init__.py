"""Collaborative detection: several owners share counts of people by address, without their logs.

logs ──people by period and key──▶ protect ──▶ shares ──add up──▶ what each owner knows ──▶ alerts, scored alone and together
                                                └──▶ what they give away, what owners learn of each other, what each is paid
"""

from sfumato.applications.ato.collaborating.collaborate import collaborate, share
from sfumato.applications.ato.collaborating.results import Collaborated
from sfumato.applications.ato.collaborating.shapley import Shapley, shapley
from sfumato.applications.ato.collaborating.shares import Share, read_share

__all__ = ["Collaborated", "Shapley", "Share", "collaborate", "read_share", "shapley", "share"]
