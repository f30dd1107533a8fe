"""sfumato: publish tables about people.

    table ──count──▶ frequency set ──roll_up──▶ classes of a node ──publish──▶ release + certificate

>>> import sfumato as sf
>>> with sf.data.adult() as table:
...     release = sf.publish(table, quasi=["age", "workclass"], node=[2, 1])
>>> release
Release(in memory: 30,162 people in 30,162 rows, 8 classes)
"""

from __future__ import annotations

from sfumato._version import __version__

TYPE_CHECKING = False  # the command line imports this first, and typing takes longer than all the rest of it
if TYPE_CHECKING:
    from typing import Any

    from sfumato import attacks, channel, data, graph, learn, losses, models, negotiation, searchlog, sequence, tradeoff
    from sfumato.applications.ato import verbs as ato
    from sfumato.assessment.measurement import Measurement
    from sfumato.attacks import Attacked, attack
    from sfumato.beliefs import Prior
    from sfumato.errors import FloorWarning, LongSearchWarning, PrivacyWarning, SfumatoError, SpellingWarning, TogetherWarning
    from sfumato.frequency import FrequencySet
    from sfumato.methods import MethodsCompared, compare_methods
    from sfumato.models import Verdict
    from sfumato.policy import Policy
    from sfumato.question import Question
    from sfumato.recipe import Recipe
    from sfumato.release import Certificate, Output, Reading, Release
    from sfumato.reporting.document import Report
    from sfumato.search.algorithms.search import Search
    from sfumato.search.space import PolicySpace
    from sfumato.search.space.dimensions import Dimensions
    from sfumato.search.space.trade_off import TradeOff
    from sfumato.search.space.within import Bounds
    from sfumato.table import Table
    from sfumato.table.queries import Queries
    from sfumato.table.source import Source
    from sfumato.verbs import keys, ledger
    from sfumato.verbs.anonymize import Anonymized, Infeasible, anonymize
    from sfumato.verbs.channel_of import ChannelOf, channel_of
    from sfumato.verbs.check import Checked, check
    from sfumato.verbs.compare import Compared, compare
    from sfumato.verbs.dimensions import dimensions
    from sfumato.verbs.explore import explore
    from sfumato.verbs.hierarchies import hierarchies
    from sfumato.verbs.init import Begun, init
    from sfumato.verbs.measure import measure
    from sfumato.verbs.profile import Profile, profile
    from sfumato.verbs.publish import publish
    from sfumato.verbs.report import report
    from sfumato.verbs.sanitize import Sanitized, sanitize
    from sfumato.verbs.sign import sign
    from sfumato.verbs.subsets import Subsets, subsets
    from sfumato.verbs.trade_off import trade_off
    from sfumato.verbs.verify import Verified, verify
    from sfumato.vocabulary.node import Node
    from sfumato.vocabulary.schema import Schema

__all__ = [
    "Anonymized",
    "Attacked",
    "Begun",
    "Bounds",
    "Certificate",
    "ChannelOf",
    "Checked",
    "Compared",
    "Dimensions",
    "FloorWarning",
    "FrequencySet",
    "Infeasible",
    "LongSearchWarning",
    "Measurement",
    "MethodsCompared",
    "Node",
    "Output",
    "Policy",
    "PolicySpace",
    "Prior",
    "PrivacyWarning",
    "Profile",
    "Queries",
    "Question",
    "Reading",
    "Recipe",
    "Release",
    "Report",
    "Sanitized",
    "Schema",
    "Search",
    "SfumatoError",
    "Source",
    "SpellingWarning",
    "Subsets",
    "Table",
    "TogetherWarning",
    "TradeOff",
    "Verdict",
    "Verified",
    "__version__",
    "anonymize",
    "ato",
    "attack",
    "attacks",
    "channel",
    "channel_of",
    "check",
    "compare",
    "compare_methods",
    "data",
    "dimensions",
    "explore",
    "graph",
    "hierarchies",
    "init",
    "keys",
    "learn",
    "ledger",
    "losses",
    "measure",
    "models",
    "negotiation",
    "profile",
    "publish",
    "report",
    "sanitize",
    "searchlog",
    "sequence",
    "sign",
    "subsets",
    "trade_off",
    "tradeoff",
    "verify",
]

# Each name's home. Loaded when first used, so that `import sfumato` and `sfumato --help` cost nothing.
_HOMES = {
    "Anonymized": "sfumato.verbs.anonymize",
    "Attacked": "sfumato.attacks",
    "Begun": "sfumato.verbs.init",
    "Bounds": "sfumato.search.space.within",
    "Certificate": "sfumato.release",
    "ChannelOf": "sfumato.verbs.channel_of",
    "Checked": "sfumato.verbs.check",
    "Compared": "sfumato.verbs.compare",
    "Dimensions": "sfumato.search.space.dimensions",
    "FloorWarning": "sfumato.errors",
    "FrequencySet": "sfumato.frequency",
    "Infeasible": "sfumato.verbs.anonymize",
    "LongSearchWarning": "sfumato.errors",
    "Measurement": "sfumato.assessment.measurement",
    "MethodsCompared": "sfumato.methods",
    "Node": "sfumato.vocabulary.node",
    "Output": "sfumato.release",
    "Policy": "sfumato.policy",
    "PolicySpace": "sfumato.search.space",
    "Prior": "sfumato.beliefs",
    "Profile": "sfumato.verbs.profile",
    "Queries": "sfumato.table.queries",
    "PrivacyWarning": "sfumato.errors",
    "Question": "sfumato.question",
    "Reading": "sfumato.release",
    "Recipe": "sfumato.recipe",
    "Release": "sfumato.release",
    "Report": "sfumato.reporting.document",
    "Sanitized": "sfumato.verbs.sanitize",
    "Schema": "sfumato.vocabulary.schema",
    "Search": "sfumato.search.algorithms.search",
    "SfumatoError": "sfumato.errors",
    "Source": "sfumato.table",
    "SpellingWarning": "sfumato.errors",
    "Subsets": "sfumato.verbs.subsets",
    "Table": "sfumato.table",
    "TogetherWarning": "sfumato.errors",
    "TradeOff": "sfumato.search.space.trade_off",
    "Verdict": "sfumato.models",
    "Verified": "sfumato.verbs.verify",
    "anonymize": "sfumato.verbs.anonymize",
    "attack": "sfumato.attacks",
    "channel_of": "sfumato.verbs.channel_of",
    "check": "sfumato.verbs.check",
    "compare": "sfumato.verbs.compare",
    "compare_methods": "sfumato.methods",
    "dimensions": "sfumato.verbs.dimensions",
    "explore": "sfumato.verbs.explore",
    "hierarchies": "sfumato.verbs.hierarchies",
    "init": "sfumato.verbs.init",
    "measure": "sfumato.verbs.measure",
    "profile": "sfumato.verbs.profile",
    "publish": "sfumato.verbs.publish",
    "report": "sfumato.verbs.report",
    "sanitize": "sfumato.verbs.sanitize",
    "sign": "sfumato.verbs.sign",
    "subsets": "sfumato.verbs.subsets",
    "trade_off": "sfumato.verbs.trade_off",
    "verify": "sfumato.verbs.verify",
}
_ROOMS = {
    name: f"sfumato.{name}"
    for name in (
        "attacks",
        "channel",
        "data",
        "graph",
        "learn",
        "losses",
        "models",
        "negotiation",
        "searchlog",
        "sequence",
        "tradeoff",
    )
}
_ROOMS |= {name: f"sfumato.verbs.{name}" for name in ("keys", "ledger")}
_ROOMS["ato"] = "sfumato.applications.ato.verbs"


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _ROOMS:
        return import_module(_ROOMS[name])
    if name not in _HOMES:
        raise AttributeError(f"module 'sfumato' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
