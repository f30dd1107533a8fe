"""Search logs: making, importing, searching for what identifies people, publishing, attacking, and what a release is good for.

    log ──find──▶ what identifies
     │
     └──publish──▶ release + certificate ──verify
                        │
                        └──attack, utility──▶ report

A log says more about people than any table with columns: it is the combination of what somebody searches that identifies them. What is
published are queries that many people have searched, in bundles as small as may be; a name, a town and an age do not survive that, a
combination of common queries may. So attacks are run, before and after, and not argued away. Each name is loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sfumato.searchlog.attacking.attack import attack
    from sfumato.searchlog.attacking.results import Attacked
    from sfumato.searchlog.finding.making import Findings, find
    from sfumato.searchlog.generating.making import Generated, generate
    from sfumato.searchlog.importing.making import Imported, import_log
    from sfumato.searchlog.publishing.certificate import LogCertificate
    from sfumato.searchlog.publishing.making import publish
    from sfumato.searchlog.publishing.private import Privacy
    from sfumato.searchlog.publishing.results import Published
    from sfumato.searchlog.reporting.making import LogReport, report
    from sfumato.searchlog.usefulness import Usefulness, utility
    from sfumato.searchlog.verifying import LogVerified, sign, verify

_HOMES = {
    "Attacked": "attacking.results",
    "Findings": "finding.making",
    "Generated": "generating.making",
    "Imported": "importing.making",
    "LogCertificate": "publishing.certificate",
    "LogReport": "reporting.making",
    "LogVerified": "verifying",
    "Privacy": "publishing.private",
    "Published": "publishing.results",
    "Usefulness": "usefulness",
    "attack": "attacking.attack",
    "find": "finding.making",
    "generate": "generating.making",
    "import_log": "importing.making",
    "publish": "publishing.making",
    "report": "reporting.making",
    "sign": "verifying",
    "utility": "usefulness",
    "verify": "verifying",
}

__all__ = [
    "Attacked",
    "Findings",
    "Generated",
    "Imported",
    "LogCertificate",
    "LogReport",
    "LogVerified",
    "Privacy",
    "Published",
    "Usefulness",
    "attack",
    "find",
    "generate",
    "import_log",
    "publish",
    "report",
    "sign",
    "utility",
    "verify",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'sfumato.searchlog' has no attribute {name!r}")
    return getattr(import_module(f"sfumato.searchlog.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
