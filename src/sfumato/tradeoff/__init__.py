"""Utility against privacy, for the distribution of one class: the least loss of one kind within bounds on the other.

The extra `tradeoff` installs scipy, which is loaded when a problem is solved.
"""

from sfumato.tradeoff.joint import recommend_jointly
from sfumato.tradeoff.recommend import recommend
from sfumato.tradeoff.region import feasible_region
from sfumato.tradeoff.results import Candidate, JointRecommendation, Recommendation, Region

__all__ = ["Candidate", "JointRecommendation", "Recommendation", "Region", "feasible_region", "recommend", "recommend_jointly"]
