"""Forged certificates: changed, with a digest that fits the change."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sfumato.signing.canonical import digest_of


def forge(path: Path, changed: Mapping[str, Any]) -> None:
    """Change a certificate in place, and its digest with it; signatures stay as they are."""
    record = json.loads(path.read_text(encoding="utf-8")) | changed
    covered = {key: value for key, value in record.items() if key not in ("digest", "signatures")}
    path.write_text(json.dumps(record | {"digest": digest_of(covered)}), encoding="utf-8")
