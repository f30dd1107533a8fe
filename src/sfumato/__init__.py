"""sfumato: publish tables about people.

    table ──count──▶ frequency set ──roll_up──▶ classes of a node ──publish──▶ release + certificate

>>> import sfumato as sf
>>> with sf.data.adult() as table:
...     release = sf.publish(table, quasi=["age", "workclass"], node=[2, 1])
>>> release
Release(in memory: 30,162 people in 30,162 rows, 8 classes)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from sfumato._version import __version__

if TYPE_CHECKING:
    from sfumato import data, losses, models, tradeoff
    from sfumato.beliefs import Prior
    from sfumato.errors import SfumatoError
    from sfumato.frequency import FrequencySet
    from sfumato.release import Certificate, Release, publish
    from sfumato.reporting.writing import write_report
    from sfumato.search.space import PolicySpace
    from sfumato.table import Table
    from sfumato.verbs.anonymize import anonymize
    from sfumato.verbs.check import check
    from sfumato.verbs.dimensions import dimensions
    from sfumato.verbs.explore import explore
    from sfumato.verbs.measure import measure
    from sfumato.verbs.profile import profile
    from sfumato.verbs.subsets import subsets
    from sfumato.verbs.verify import verify
    from sfumato.vocabulary.node import Node
    from sfumato.vocabulary.schema import Schema

__all__ = [
    "Certificate",
    "FrequencySet",
    "Node",
    "PolicySpace",
    "Prior",
    "Release",
    "Schema",
    "SfumatoError",
    "Table",
    "__version__",
    "anonymize",
    "check",
    "data",
    "dimensions",
    "explore",
    "losses",
    "measure",
    "models",
    "profile",
    "publish",
    "subsets",
    "tradeoff",
    "verify",
    "write_report",
]

# Each name's home. Loaded when first used, so that `import sfumato` and `sfumato --help` cost nothing.
_HOMES = {
    "Certificate": "sfumato.release",
    "FrequencySet": "sfumato.frequency",
    "Node": "sfumato.vocabulary.node",
    "PolicySpace": "sfumato.search.space.policies",
    "Prior": "sfumato.beliefs",
    "Release": "sfumato.release",
    "Schema": "sfumato.vocabulary.schema",
    "SfumatoError": "sfumato.errors",
    "Table": "sfumato.table",
    "anonymize": "sfumato.verbs.anonymize",
    "check": "sfumato.verbs.check",
    "dimensions": "sfumato.verbs.dimensions",
    "explore": "sfumato.verbs.explore",
    "measure": "sfumato.verbs.measure",
    "profile": "sfumato.verbs.profile",
    "publish": "sfumato.release",
    "subsets": "sfumato.verbs.subsets",
    "verify": "sfumato.verbs.verify",
    "write_report": "sfumato.reporting.writing",
}


def __getattr__(name: str) -> Any:
    if name in ("data", "losses", "models", "tradeoff"):
        return import_module(f"sfumato.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'sfumato' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
