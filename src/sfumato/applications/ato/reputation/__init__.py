"""The reputation of addresses: from a few known bad and good ones to rules that divide all of them.

known ──two k-nearest-neighbor models──▶ addresses like them ──a small tree──▶ rules ──▶ Bad or Good for every address
all ──what the known good ones' mistakes do not explain──────────────────────────▲
"""

from sfumato.applications.ato.reputation.judging import Reputation, reputation
from sfumato.applications.ato.reputation.known import read_known
from sfumato.applications.ato.reputation.rules import Rules

__all__ = ["Reputation", "Rules", "read_known", "reputation"]
