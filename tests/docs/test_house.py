"""The map of the house is that of the source, and its figures are counted as the page says."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.docs.fences import ROOT

sys.path.insert(0, str(ROOT / "scripts"))
import house
import house_count
import house_map

LAYERS = """
[[tool.importlinter.contracts]]
type = "layers"
layers = ["cli", "engines | (later)", "words"]
"""


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A checkout small enough to count by hand."""
    files = {
        "__init__.py": "from sfumato import words\n",
        "cli/main.py": "from sfumato.cli import other\napp.command()(other.asked)\n",
        "cli/other.py": f"def asked({', '.join('abcdefghi')}): ...\ndef told(*, {', '.join('abcdefghi')}): ...\n",
        "engines/duckdb.py": "from sfumato.words import one\nfrom sfumato.words import two\nimport duckdb\n",
        "engines/other.py": '"""Not DuckDB."""\n# duckdb\nclass A:\n    def f(self, a, b, c, d, e, f, g, h): ...\n',
        "words.py": 'def f(engine="DuckDB"):\n    """No duckdb."""\n' + "    pass\n" * 399,
    }
    for place, text in files.items():
        path = tmp_path / "src" / "sfumato" / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text(LAYERS, encoding="utf-8")
    return tmp_path


def test_the_map_is_what_the_script_makes_from_the_source() -> None:
    made = house.written()
    for path in (house.PAGE, house.PICTURE):
        _require(path, made[path])


def _require(path: Path, made: str) -> None:
    if (ROOT / path).read_text(encoding="utf-8") != made:
        pytest.fail(f"{path} is not that of the source; write it anew: make house (python scripts/house.py)", pytrace=False)


def test_rooms_and_edges_are_counted_from_import_statements(small: Path) -> None:
    found = house_count.house(small)
    assert found["layers"] == [["cli"], ["engines"], ["words"]]
    assert found["rooms"] == {
        "cli": {"files": 2, "lines": 4, "imports": {}},
        "engines": {"files": 2, "lines": 7, "imports": {"words": 2}},
        "words": {"files": 1, "lines": 401, "imports": {}},
    }


def test_what_we_watch_is_counted_in_the_code_alone(small: Path) -> None:
    watched = house_count.house(small)["watched"]
    assert (watched["lines"], watched["files"], watched["next_door"]) == (413, 6, 0)
    assert watched["long_files"] == {"words.py": 401}
    assert watched["wide_functions"] == {"cli/other.py:told": 9}  # `asked` is a command; `self` is no parameter
    assert watched["engine_files"] == ["engines/duckdb.py", "words.py"]  # not a docstring, not a comment
    assert house_count.house(small, "spark")["watched"]["engine_files"] == []


def test_a_room_without_a_place_in_the_layers_is_told(small: Path) -> None:
    (small / "src" / "sfumato" / "shed.py").write_text("", encoding="utf-8")
    with pytest.raises(SystemExit, match=r"not in the layers of pyproject\.toml: shed"):
        house_count.house(small)


def test_the_picture_shows_every_room_and_every_edge(small: Path) -> None:
    counted = house_count.house(small)
    drawn = ElementTree.fromstring(house_map.svg(counted))
    titles = [each.text for each in drawn.iter("{http://www.w3.org/2000/svg}title")]
    assert titles == ["The house: 3 rooms, 1 edge", "engines imports words: 2"]
    squares = [each for each in drawn.iter("{http://www.w3.org/2000/svg}rect") if each.get("class") == "room"]
    assert len(squares) == 3


def test_another_checkout_is_counted_and_nothing_written(small: Path) -> None:
    command = [sys.executable, str(ROOT / "scripts" / "house.py"), "--root", str(small)]
    output = subprocess.run([*command, "--json"], capture_output=True, check=True, encoding="utf-8").stdout
    assert json.loads(output) == house_count.house(small)
    shown = subprocess.run(command, capture_output=True, check=True, encoding="utf-8").stdout
    assert "| `words` | 1 | 401 | nothing |" in shown
    assert "files over 400 lines: 1" in shown
    assert not (small / "docs").exists()


def test_what_was_before_says_what_it_is() -> None:
    before = json.loads(house.BEFORE.read_text(encoding="utf-8"))
    assert before["about"].startswith("Commit ")
    assert before["rooms"].keys() >= {"reproduction", "search"}
