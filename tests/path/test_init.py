"""`sfumato init`: asked column by column, in a real terminal too; nothing is written until every answer is there."""

from __future__ import annotations

import os
import pty
import re
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.errors import SchemaError, UsageError
from sfumato.profiling.templates import TEMPLATES
from sfumato.verbs.init import Asked
from sfumato.vocabulary.builders import Cuts, Dates, Zip3
from sfumato.vocabulary.builders.zip3 import RESTRICTED
from sfumato.vocabulary.kinds import Role
from tests.conftest import Ended

Run = Callable[..., Ended]
COLUMNS = ["record_id", "age", "sex", "zip", "admitted", "birth_date", "city", "diagnosis"]


@pytest.fixture
def patients(tmp_path: Path) -> Path:
    """A table about patients; one is older than 89, and some live where few people do."""
    chance, rows = np.random.default_rng(7), 400
    frame = pd.DataFrame(
        {
            "record_id": [f"R{n:05d}" for n in chance.permutation(90_000)[:rows]],
            "age": np.append(chance.integers(18, 88, rows - 1), 97),
            "sex": chance.choice(["f", "m"], rows),
            "zip": chance.choice(["02139", "02141", "03601", "10012", "10013"], rows),
            "admitted": [f"20{year}-0{month}-1{day}" for year, month, day in chance.integers([20, 1, 0], [23, 9, 9], (rows, 3))],
            "birth_date": [
                f"19{year}-0{month}-1{day}" for year, month, day in chance.integers([30, 1, 0], [99, 9, 9], (rows, 3))
            ],
            "city": chance.choice(["Boston", "New York", "Berlin NH"], rows),
            "diagnosis": chance.choice(["flu", "asthma", "fracture"], rows),
        }
    )
    frame.to_csv(tmp_path / "patients.csv", index=False)
    return tmp_path / "patients.csv"


def test_the_suggestions_make_a_release(patients: Path, sfumato: Run) -> None:
    folder = patients.parent / "begun"
    ended = sfumato("init", patients, "--yes", "-o", folder)
    assert ended.status == 0
    assert f"sfumato anonymize --recipe {folder / 'recipe.toml'}" in ended.out
    assert sfumato("anonymize", "--recipe", folder / "recipe.toml", "--ledger", patients.parent / "ledger").status == 0
    released = pd.read_csv(folder / "release.csv", dtype=str, keep_default_na=False)
    schema = sf.Schema.read(folder / "schema.toml")
    assert released.groupby(list(schema.quasi)).size().min() >= 5
    assert "record_id" not in released


def test_a_recipe_without_a_result_is_read_again(patients: Path) -> None:
    begun = sf.init(patients, output=patients.parent / "begun", template="research-use")
    recipe = sf.Recipe.read(begun.files[1])
    assert recipe.result is None
    assert [str(model) for model in recipe.question.models] == ["k-anonymity:5"]
    assert float(recipe.question.suppress) == 0.05


@pytest.mark.parametrize("template", [None, *TEMPLATES])
def test_nothing_is_replaced_without_force(patients: Path, sfumato: Run, template: str | None) -> None:
    words = ["init", patients, "--yes", "-o", patients.parent, *(["--template", template] if template else [])]
    (patients.parent / "schema.toml").write_text("mine")
    ended = sfumato(*words)
    assert (ended.status, "exists already; --force replaces it" in ended.err) == (2, True)
    assert (patients.parent / "schema.toml").read_text() == "mine"
    assert not (patients.parent / "recipe.toml").exists()
    assert sfumato(*words, "--force").status == 0
    assert sf.Schema.read(patients.parent / "schema.toml").quasi


def test_every_answer_is_taken(patients: Path) -> None:
    questions: list[Asked] = []

    def answer(asked: Asked) -> Role | None:
        questions.append(asked)
        return {"sex": Role.PLAIN, "city": Role.QUASI, "record_id": Role.OWNER}.get(asked.suggestion.attribute.name)

    begun = sf.init(patients, output=patients.parent / "begun", ask=answer)
    assert [asked.suggestion.attribute.name for asked in questions] == COLUMNS
    written = sf.Schema.read(begun.files[0])
    assert (written["sex"].role, written["city"].role, written.owner) == (Role.PLAIN, Role.QUASI, "record_id")


def test_the_cost_of_an_answer_is_that_of_a_plain_count(patients: Path) -> None:
    frame, taken = pd.read_csv(patients, dtype=str), list[str]()

    def answer(asked: Asked) -> Role | None:
        name = asked.suggestion.attribute.name
        if asked.alone_with is not None:
            together = frame.groupby([*taken, name]).size()
            assert asked.alone_with == (together == 1).sum()
            assert asked.alone == ((frame.groupby(taken).size() == 1).sum() if taken else 0)
            taken.append(name)
            return Role.QUASI
        return None

    sf.init(patients, output=patients.parent / "begun", ask=answer)
    assert {"age", "sex", "zip", "admitted", "city"} <= set(taken)


def test_safe_harbor_keeps_to_its_rule(patients: Path, sfumato: Run) -> None:
    """45 CFR 164.514(b)(2): by the text of the rule and the list of the guidance, not by what the program says."""
    folder = patients.parent / "safe"
    begun = sf.init(patients, output=folder, template="hipaa-safe-harbor")
    assert begun.node == {"age": 1, "sex": 0, "zip": 1, "admitted": 1}
    assert [type(begun.schema[name].builder) for name in ("age", "zip", "admitted")] == [Cuts, Zip3, Dates]
    node = ",".join(f"{name}={level}" for name, level in begun.node.items())
    ended = sfumato(
        "publish", patients, "-s", folder / "schema.toml", "--node", node, "-o", folder / "out.csv", "--ledger", folder / "l"
    )
    assert ended.status == 0
    released, source = pd.read_csv(folder / "out.csv", dtype=str), pd.read_csv(patients, dtype=str)
    assert set(released) == {"age", "sex", "zip", "admitted", "diagnosis"}
    assert set(released["zip"]) == {"021", "000", "100"}
    assert (released["zip"] == "000").sum() == (source["zip"] == "03601").sum()
    assert set(released["age"]) - {">=90"} <= set(map(str, range(90)))
    assert (released["age"] == ">=90").sum() == 1
    assert set(released["admitted"]) == {"2020", "2021", "2022"}


def test_the_restricted_areas_are_the_seventeen_of_the_guidance() -> None:
    """HHS, Guidance Regarding Methods for De-identification, 2012, question 3.2: from the census of 2000."""
    stated = "036 692 878 059 790 879 063 821 884 102 823 890 203 830 893 556 831"
    assert set(stated.split()) == RESTRICTED
    assert len(RESTRICTED) == 17


def test_a_template_whose_columns_are_missing_is_one_clear_line(tmp_path: Path, sfumato: Run) -> None:
    pd.DataFrame({"color": ["red", "blue"] * 40, "size": ["S", "M", "L", "L"] * 20}).to_csv(tmp_path / "shirts.csv", index=False)
    ended = sfumato("init", tmp_path / "shirts.csv", "--yes", "--template", "hipaa-safe-harbor", "-o", tmp_path / "out")
    assert ended.status == 2
    assert ended.err.count("\n") == 1
    assert "none of the 2 columns looks like a ZIP code, an age, a date" in ended.err
    assert not (tmp_path / "out").exists()


def test_what_a_template_did_not_find_is_one_line(tmp_path: Path, sfumato: Run) -> None:
    pd.DataFrame({"age": list(range(20, 60)) * 2, "sex": ["f", "m"] * 40}).to_csv(tmp_path / "people.csv", index=False)
    ended = sfumato("init", tmp_path / "people.csv", "--yes", "--template", "hipaa-safe-harbor", "-o", tmp_path / "out")
    assert "hipaa-safe-harbor: no column was taken for ZIP codes or dates" in ended.out


def test_machines_get_one_object(patients: Path, sfumato: Run) -> None:
    ended = sfumato("init", patients, "--yes", "--json", "-o", patients.parent / "begun", "--template", "public-use")
    assert ended.json["models"] == ["k-anonymity:12", "distinct-diversity:2"]
    assert [each["name"] for each in ended.json["attributes"]] == COLUMNS
    asked = sfumato("init", patients, "--json", "-o", patients.parent / "other")
    assert (asked.status, asked.json["error"]["message"]) == (2, "nobody can be asked; add --yes")


def test_an_unknown_template_is_refused_by_name(patients: Path) -> None:
    with pytest.raises(UsageError, match="did you mean 'public-use'"):
        sf.init(patients, template="public")


def test_a_table_in_memory_has_no_recipe() -> None:
    with pytest.raises(UsageError, match="a recipe names files"):
        sf.init(pa.table({"age": [1, 2]}))


def test_a_table_without_a_quasi_identifier_is_refused(patients: Path) -> None:
    with pytest.raises(SchemaError, match="no column is quasi"):
        sf.init(patients, output=patients.parent / "begun", ask=lambda asked: Role.IDENTIFIER)
    assert not (patients.parent / "begun").exists()


class Terminal:
    """A command in a pseudo-terminal."""

    def __init__(self, *words: object) -> None:
        self.shown = ""
        self._child, self._terminal = pty.fork()
        if self._child == 0:
            os.environ["COLUMNS"] = "200"
            os.execv(sys.executable, [sys.executable, "-c", "from sfumato.cli.entry import main; main()", *map(str, words)])

    def until(self, text: str) -> None:
        """Read until a text is shown."""
        end = time.monotonic() + 60
        while text not in self.shown and time.monotonic() < end:
            try:
                self.shown += os.read(self._terminal, 4096).decode(errors="replace")
            except OSError:  # the terminal was closed
                break
        assert text in self.shown

    def type(self, keys: str) -> None:
        os.write(self._terminal, keys.encode())

    def interrupt(self) -> None:
        os.kill(self._child, signal.SIGINT)

    def status(self) -> int:
        _, status = os.waitpid(self._child, 0)
        os.close(self._terminal)
        return os.waitstatus_to_exitcode(status)


def in_terminal(patients: Path) -> Terminal:
    return Terminal("init", patients, "-o", patients.parent / "begun")


def test_a_person_answers_in_a_terminal(patients: Path) -> None:
    terminal = in_terminal(patients)
    for place, name in enumerate(COLUMNS, 1):
        terminal.until(f"[{place}/{len(COLUMNS)}] {name}")
        terminal.until("]: ")
        if name == "sex":
            terminal.type("x\r")
            terminal.until("one of these words")
        terminal.type("plain\r" if name == "sex" else "\r")
        terminal.shown = terminal.shown[-20:] if place < len(COLUMNS) else terminal.shown
    terminal.until("make the release")
    assert terminal.status() == 0
    assert sf.Schema.read(patients.parent / "begun" / "schema.toml")["sex"].role is Role.PLAIN


def test_ctrl_c_leaves_nothing(patients: Path) -> None:
    terminal = in_terminal(patients)
    terminal.type("\r")
    terminal.until("[2/8] age")
    terminal.until("]: ")
    terminal.interrupt()
    terminal.until("interrupted; nothing was written")
    assert terminal.status() == 130
    assert not (patients.parent / "begun").exists()


def test_the_end_of_the_input_leaves_nothing(patients: Path) -> None:
    terminal = in_terminal(patients)
    terminal.until("[1/8] record_id")
    terminal.until("]: ")
    terminal.type("\x04")
    terminal.until("the answers ended before the columns did; nothing was written (--yes takes the suggestions)")
    assert terminal.status() == 2
    assert not (patients.parent / "begun").exists()


def test_no_value_is_shown_while_asking(patients: Path) -> None:
    terminal = in_terminal(patients)
    for _ in COLUMNS:
        terminal.type("\r")
    terminal.until("make the release")
    terminal.status()
    frame = pd.read_csv(patients, dtype=str)
    values = {value for name in ("record_id", "city", "diagnosis", "birth_date") for value in frame[name]}
    assert not [value for value in values if re.search(rf"\b{re.escape(value)}\b", terminal.shown)]
