"""Files that appear whole or not at all: written under a hidden name beside the target, then put in place."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sfumato.errors import OutputError
from sfumato.release.targets import require_free


@contextmanager
def written_whole(path: Path, force: bool) -> Iterator[Path]:
    """The hidden name to write to; whatever goes wrong, an error or Ctrl-C, nothing new is left."""
    require_free(path, force)
    hidden = path.with_name(f".{path.stem}-{os.getpid()}{path.suffix}")
    try:
        yield hidden
        require_free(path, force)
        hidden.replace(path)
    except OSError as error:
        raise OutputError(f"cannot be written: {error.strerror}", where=str(path)) from None
    finally:
        hidden.unlink(missing_ok=True)
