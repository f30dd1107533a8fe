"""Two distributions from one repository: what is in each, and that they are released together."""

from __future__ import annotations

import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from tests.docs.fences import ROOT

CORE, STUDIES = (
    tomllib.loads((ROOT / each / "pyproject.toml").read_text(encoding="utf-8"))["project"] for each in (".", "studies")
)


def wheel(folder: Path, into: Path) -> zipfile.ZipFile:
    """The wheel of a distribution, built without a network."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(into)]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    (path,) = into.glob("*.whl")
    return zipfile.ZipFile(path)


@pytest.mark.slow
def test_each_wheel_holds_its_own_package_only(tmp_path: Path) -> None:
    with wheel(ROOT, tmp_path / "core") as core, wheel(ROOT / "studies", tmp_path / "studies") as studies:
        assert {name.partition("/")[0] for name in core.namelist()} == {"sfumato", "sfumato-0.1.0.dist-info"}
        assert {name.partition("/")[0] for name in studies.namelist()} == {"sfumato_studies", "sfumato_studies-0.1.0.dist-info"}
        points = studies.read("sfumato_studies-0.1.0.dist-info/entry_points.txt").decode()
        assert points.split("\n")[:2] == ["[sfumato.commands]", "reproduce = sfumato_studies.command:reproduce"]


def test_both_have_one_version_and_one_license() -> None:
    assert STUDIES["version"] == CORE["version"]
    assert STUDIES["dependencies"] == [f"sfumato[channel,learn,report,tradeoff]=={CORE['version']}"]
    assert STUDIES["requires-python"] == CORE["requires-python"]
    assert STUDIES["license"] == CORE["license"]
    assert (ROOT / "studies" / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


def test_the_extra_brings_the_studies_and_nothing_else_does() -> None:
    extras = CORE["optional-dependencies"]
    assert extras["studies"] == [STUDIES["name"]]
    assert not any("studies" in each for name, brought in extras.items() if name != "studies" for each in brought)
