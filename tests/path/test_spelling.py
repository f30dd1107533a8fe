"""Spellings of one value are no diversity: judging commands warn, and `normalize` merges them."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

import sfumato as sf
from sfumato.errors import SchemaError
from tests.conftest import Ended

Run = Callable[..., Ended]
SCHEMA = """
[attributes.town]
role = "quasi"
{town}
[attributes.disease]
role = "sensitive"
{disease}
"""
SPELLINGS = ["HIV", "hiv", "HIV ", "\u200bＨＩＶ"]
ROWS = [("Bern", spelling) for spelling in SPELLINGS] + [("BERN", "gout"), ("Basel", "gout")]
TABLE = pd.DataFrame(ROWS, columns=["town", "disease"])
MODEL = "distinct-diversity:2"


def schema(disease: str = "", town: str = "") -> sf.Schema:
    return sf.Schema.parse(SCHEMA.format(disease=disease, town=town))


@pytest.fixture
def patients(tmp_path: Path) -> Path:
    TABLE.to_csv(tmp_path / "patients.csv", index=False)
    (tmp_path / "schema.toml").write_text(SCHEMA.format(disease="", town=""))
    return tmp_path


def test_every_judging_command_warns_in_one_line_without_a_value(sfumato: Run, patients: Path) -> None:
    data, declared = patients / "patients.csv", ["-s", patients / "schema.toml"]
    assert sfumato("publish", data, *declared, "--node", "[1]", "-o", patients / "out.csv").status == 0
    models = ["-m", "distinct-diversity:1"]
    commands = {
        "check": [patients / "out.csv", *declared, *models],
        "measure": [data, *declared, "--node", "[1]"],
        "report": [patients / "out.csv", *declared, *models, "-o", patients / "report.html"],
        "explore": [data, *declared, *models, "-o", patients / "space.parquet"],
        "anonymize": [data, *declared, *models, "-o", patients / "better.csv"],
        "subsets": [data, *declared, *models],
        "tradeoff": [data, *declared],
    }
    for command, words in commands.items():
        ended = sfumato(command, *words)
        assert ended.status == 0, (command, ended.err)
        [line] = [line for line in ended.err.splitlines() if "warning" in line]
        assert "'disease' has 4 spellings of 1 value" in line, command
        assert not any(spelling.strip() in line for spelling in SPELLINGS)
    assert "has 4 spellings of 1 value" in (patients / "report.html").read_text(encoding="utf-8")


def test_profile_warns(sfumato: Run, patients: Path) -> None:
    lines = [line for line in sfumato("profile", patients / "patients.csv").err.splitlines() if "warning" in line]
    assert [line.split("'")[1] for line in lines] == ["town", "disease"]


def test_json_is_still_the_only_thing_on_standard_output(sfumato: Run, patients: Path) -> None:
    ended = sfumato("measure", patients / "patients.csv", "-s", patients / "schema.toml", "--node", "[1]", "--json")
    assert ended.json["classes"] == 1
    assert ended.err.count("\n") == 1


def test_spellings_count_as_diversity_unless_they_are_merged(tmp_path: Path) -> None:
    with pytest.warns(sf.SpellingWarning):
        assert sf.measure(TABLE, schema(), node=[1]).attributes[0].losses["utility-entropy"].max > 2
    merged = schema("normalize = true", "normalize = true")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        space = sf.explore(TABLE, merged, models=[MODEL])
        release = sf.publish(TABLE, merged, node=[0], output=tmp_path / "out.csv")
        [verdict] = sf.check(tmp_path / "out.csv", merged, models=[MODEL]).verdicts
    # Five people of Bern with HIV four times and gout once, one of Basel with gout.
    assert (release.certificate.classes, release.certificate.smallest_class) == (2, 1)
    assert (verdict.value, space.node([0])[f"value:{MODEL}"]) == (1, 1)
    assert sorted(pd.read_csv(tmp_path / "out.csv").value_counts().items()) == [
        (("basel", "gout"), 1),
        (("bern", "gout"), 1),
        (("bern", "hiv"), 4),
    ]
    sf.verify(tmp_path / "out.csv")


@pytest.mark.parametrize("algorithm", ["optimal", "mondrian"])
def test_a_listed_spelling_is_the_published_one(algorithm: str, tmp_path: Path) -> None:
    tree = 'hierarchy = { tree = { be = ["Bern"], bs = ["Basel"] } }'
    listed = schema('values = ["gout", "HIV"]\nnormalize = true', f"{tree}\nnormalize = true")
    result = sf.anonymize(TABLE, listed, models=["k-anonymity:2"], algorithm=algorithm, output=tmp_path / "out.csv")
    assert isinstance(result, sf.Anonymized)
    assert set(pd.read_csv(tmp_path / "out.csv")["disease"]) == {"gout", "HIV"}


def test_levels_that_the_engine_computes_are_computed_from_merged_spellings() -> None:
    codes = pd.DataFrame({"town": ["ab12", "AB13 ", "ab12 "], "disease": ["x", "y", "z"]})
    declared = schema(town='hierarchy = { builder = "prefix", keep = [3, 2] }\nnormalize = true')
    with sf.Table.open(codes, declared) as table:
        for level, people in ((0, [2, 1]), (1, [3]), (2, [3])):
            assert table.count(["town"], floor={"town": level}).people.tolist() == people


def test_what_means_missing_and_what_is_blank_is_missing_in_every_spelling() -> None:
    odd = pd.DataFrame({"town": ["Bern"] * 3, "disease": [" n/a", "\u200b ", "gout"]})
    declared = sf.Schema.parse('[table]\nmissing = ["N/A"]\n' + SCHEMA.format(town="", disease="normalize = true"))
    with sf.Table.open(odd, declared) as table:
        assert sf.Prior.of(table.count(["town"])).values == ("gout", None)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (SCHEMA.format(town="", disease='values = ["HIV", "hiv "]\nnormalize = true'), "merges 2 of the listed values into 1"),
        (SCHEMA.format(town="", disease='type = "integer"\nnormalize = true'), "only quasi and sensitive texts"),
        (SCHEMA.format(town="", disease='normalize = "yes"'), "true or false"),
        (
            SCHEMA.format(town="", disease="") + '[attributes.n]\nrole = "plain"\nnormalize = true\n',
            "only quasi and sensitive texts",
        ),
    ],
)
def test_a_schema_that_cannot_be_normalized_is_refused(text: str, message: str) -> None:
    with pytest.raises(SchemaError, match=message):
        sf.Schema.parse(text)


def test_a_schema_is_written_and_read_again_with_it() -> None:
    declared = schema("normalize = true")
    assert sf.Schema.parse(declared.to_toml()) == declared
    assert declared.digest() != schema().digest()
