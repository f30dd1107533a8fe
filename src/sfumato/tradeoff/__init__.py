"""Utility against privacy, for the distribution of a class: what is the least of the one within bounds on the other?

The extra `tradeoff` brings scipy, which is loaded when something is solved.
"""

from sfumato.tradeoff.joint import recommend_jointly
from sfumato.tradeoff.recommend import recommend
from sfumato.tradeoff.region import feasible_region
from sfumato.tradeoff.results import JointRecommendation, Point, Recommendation, Region

__all__ = ["JointRecommendation", "Point", "Recommendation", "Region", "feasible_region", "recommend", "recommend_jointly"]
