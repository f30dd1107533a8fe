"""Attacks on releases, run and not described: each in its own file, which begins with who attacks, what they hold and what they
want."""

from sfumato.attacks.attackers import ATTACKERS
from sfumato.attacks.attacking import attack
from sfumato.attacks.base import Attack, Attempt
from sfumato.attacks.holdings import Holdings
from sfumato.attacks.register import ALL, ATTACKS, attack_of
from sfumato.attacks.results import Attacked, Claim, Observed, Read

__all__ = [
    "ALL",
    "ATTACKERS",
    "ATTACKS",
    "Attack",
    "Attacked",
    "Attempt",
    "Claim",
    "Holdings",
    "Observed",
    "Read",
    "attack",
    "attack_of",
]
