"""Is there a Java that Spark runs on? Asked before Spark is started: its own answers are long and come late."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from sfumato.errors import UsageError, argument, raise_alone

LEAST = 17
_INSTALL = "on Debian: apt-get install openjdk-17-jre-headless; elsewhere a Java 17 or 21, with JAVA_HOME naming its folder"
_VERSION = re.compile(r'version "(?:1\.)?([0-9]+)')
PATIENCE = 30.0  # seconds


def require_java() -> None:
    """Refuse to go on without a Java of this age."""
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home, "bin", "java")) if home else shutil.which("java")
    if java is None:
        raise UsageError(f"Spark needs Java, and there is none here; {_INSTALL}", where=argument("engine"))
    version = _version(java)
    if version is None:
        raise UsageError(f"Spark needs Java, and {java} is none; {_INSTALL}", where="JAVA_HOME" if home else argument("engine"))
    if version < LEAST:
        raise UsageError(f"Spark needs Java {LEAST} or newer, and {java} is Java {version}; {_INSTALL}", where=argument("engine"))


def _version(java: str) -> int | None:
    try:
        completed = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=PATIENCE, check=False)  # noqa: S603
    except subprocess.TimeoutExpired:
        message = f"Spark needs Java, and {java} did not answer within {PATIENCE:g} seconds; {_INSTALL}"
        raise_alone(UsageError(message, where=argument("engine")))
    except (OSError, subprocess.SubprocessError):
        return None
    match = _VERSION.search(completed.stderr)
    return int(match[1]) if match else None


def require_pyspark() -> None:
    """Refuse to go on without the library."""
    try:
        import pyspark  # noqa: F401
    except ImportError:
        raise_alone(UsageError('this engine needs pyspark: pip install "sfumato[spark]"', where=argument("engine")))
