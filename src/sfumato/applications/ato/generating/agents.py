"""User agents: of computers, of telephones, of services, and of a mail program that looks like a tool of attackers."""

from __future__ import annotations

import numpy as np

_SYSTEMS = ("Windows NT 10.0; Win64; x64", "Macintosh; Intel Mac OS X 10_15_7", "X11; Linux x86_64")
_BROWSERS = [
    f"Mozilla/5.0 ({system}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{version}.0.0.0 Safari/537.36{suffix}"
    for version in (120, 121, 122)
    for system in _SYSTEMS
    for suffix in ("", f" Edg/{version}.0.0.0")
]
_PHONES = [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_3 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.3 Safari/604.1",
    "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/122.0.0.0 Mobile Safari/537.36",
    "Outlook-iOS/723.4022345.prod.iphone (4.2407.0)",
    "Outlook-Android/4.2405.1",
]
_SERVICES = ["python-requests/2.28.1", "Microsoft Exchange ActiveSync", "curl/8.4.0", "BackupAgent/5.2"]
LEGACY = "CBAInPROD"
TOOL = "python-requests/2.31.0"

TEXTS = [*_BROWSERS, *_PHONES, *_SERVICES, LEGACY, TOOL]
COMPUTERS = len(_BROWSERS)
PHONES, PHONES_FROM = len(_PHONES), len(_BROWSERS)
SERVICES, SERVICES_FROM = len(_SERVICES), len(_BROWSERS) + len(_PHONES)
NONE = -1


def number_of(agent: str) -> int:
    """The number of a user agent; `disguised` has none of its own."""
    return TEXTS.index(agent) if agent in TEXTS else NONE


def popular(shares: np.ndarray) -> np.ndarray:
    """Browsers, the first ones more often."""
    return (shares**2 * COMPUTERS).astype(np.int64)
