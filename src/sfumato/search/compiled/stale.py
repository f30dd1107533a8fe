"""Compiled loops that no longer fit their sources are dropped: the compiler's cache of a file does not notice a change in another one.

Beside the cache stands a stamp: a digest of the sources of all loops. When it differs, the loops in the cache are removed and compiled
anew. A cache that cannot be written is left alone, and several processes may do the same at once: what is gone is compiled again.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

LOOPS = ("kernels", "measures", "narrow", "owners", "wide")
_COMPILED = (".nbi", ".nbc")


def require_fresh(loop: Any) -> None:
    """Drop what is stale beside a loop, before any is called; nothing to do without the compiler (NUMBA_DISABLE_JIT=1)."""
    stats = getattr(loop, "stats", None)
    if stats is not None and stats.cache_path is not None:
        _require_fresh(Path(stats.cache_path))


@cache
def _require_fresh(folder: Path) -> None:
    """Once per process."""
    import numba

    here = Path(__file__).parent
    with suppress(OSError):  # sources that are not files, a cache that is read-only
        drop_stale(folder, [here / f"{name}.py" for name in LOOPS], f"{sys.implementation.cache_tag}-{numba.__version__}")


def drop_stale(folder: Path, sources: Sequence[Path], version: str) -> bool:
    """Remove the compiled loops of some sources unless the stamp of this version says that they fit; whether they were removed."""
    digest = hashlib.sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()
    stamp = folder / f"loops-{version}.sha256"
    with suppress(FileNotFoundError):
        if stamp.read_text(encoding="ascii") == digest:
            return False
    for file in folder.glob("*.nb?"):
        if file.suffix in _COMPILED and file.name.partition(".")[0] in {source.stem for source in sources}:
            file.unlink(missing_ok=True)
    # Last, and whole: a process that ends before leaves a stamp that differs.
    fresh = stamp.with_suffix(f".{os.getpid()}")
    fresh.write_text(digest, encoding="ascii")
    fresh.replace(stamp)
    return True
