"""Compiled loops that no longer fit their sources are dropped without anybody's help."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sfumato.search.compiled.stale import drop_stale

LOADED = "from sfumato.search.compiled import kernels, narrow, rows\nprint(kernels.group.stats.cache_path)\n"


@pytest.fixture
def sources(tmp_path: Path) -> list[Path]:
    made = [tmp_path / "one.py", tmp_path / "two.py"]
    for source in made:
        source.write_text(f"# {source.stem}\n")
    return made


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    folder = tmp_path / "cache"
    folder.mkdir()
    for name in ("one.loop-3.py311.nbi", "one.loop-3.py311.1.nbc", "two.loop-9.py311.nbi", "other.loop-3.py311.nbi", "one.py"):
        (folder / name).touch()
    return folder


def left(cache: Path) -> set[str]:
    return {file.name for file in cache.iterdir() if file.suffix != ".sha256"}


def test_a_change_in_one_source_drops_the_loops_of_all_and_nothing_else(sources: list[Path], cache: Path) -> None:
    assert drop_stale(cache, sources, "v1")
    assert left(cache) == {"other.loop-3.py311.nbi", "one.py"}
    (cache / "one.loop-3.py311.nbi").touch()
    assert not drop_stale(cache, sources, "v1")
    assert "one.loop-3.py311.nbi" in left(cache)
    sources[1].write_text("# another order\n")
    assert drop_stale(cache, sources, "v1")
    assert left(cache) == {"other.loop-3.py311.nbi", "one.py"}


def test_another_compiler_has_a_stamp_of_its_own(sources: list[Path], cache: Path) -> None:
    drop_stale(cache, sources, "v1")
    assert drop_stale(cache, sources, "v2")
    assert not drop_stale(cache, sources, "v1")


@pytest.mark.slow
def test_loops_that_were_compiled_before_there_was_a_stamp_are_dropped_once(tmp_path: Path) -> None:
    """With a cache of its own, as a process meets it; what stands there under the name of a loop is no compiled code."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}

    def folder() -> Path:
        ended = subprocess.run([sys.executable, "-c", LOADED], env=environment, capture_output=True, text=True, check=True)
        return Path(ended.stdout.strip())

    cache = folder()
    (stamp,) = cache.glob("*.sha256")
    old = cache / "narrow.measure_narrow-1.py311.nbi"
    old.touch()
    folder()
    assert old.exists()
    stamp.write_text("other sources")
    folder()
    assert not old.exists()
    assert stamp.read_text() != "other sources"


def test_a_cache_that_cannot_be_written_is_left_alone(sources: list[Path], cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from sfumato.search.compiled import stale

    def refused(*given: object) -> bool:
        raise PermissionError

    monkeypatch.setattr(stale, "drop_stale", refused)
    stale._require_fresh.__wrapped__(cache)
    assert len(left(cache)) == 5
