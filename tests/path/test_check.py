"""Judging a published file, whoever made it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.errors import SchemaError, UsageError
from sfumato.models.identity.k_anonymity import KAnonymity
from tests.conftest import Ended
from tests.forging import forge

Run = Callable[..., Ended]
PEOPLE = """
[attributes.age]
role = "quasi"
[attributes.disease]
role = "sensitive"
"""
# The thesis's Ex. 12: heart, virus, cancer in three classes of four; prior (3, 4, 5)/12.
CLASSES = {"20-29": ["heart"] * 2 + ["virus"] * 2, "30-39": ["heart", "virus", "virus", "cancer"], "40-49": ["cancer"] * 4}


@pytest.fixture
def patients(tmp_path: Path) -> Path:
    rows = [(age, disease) for age, diseases in CLASSES.items() for disease in diseases]
    pd.DataFrame(rows, columns=["age", "disease"]).to_csv(tmp_path / "patients.csv", index=False)
    (tmp_path / "schema.toml").write_text(PEOPLE)
    return tmp_path


@pytest.fixture
def release(census: Path, tmp_path: Path) -> Path:
    with sf.Table.open(census / "adult.parquet", census / "adult.toml") as table:
        sf.publish(table, quasi=["age", "workclass"], node=[2, 1], output=tmp_path / "out.parquet")
    return tmp_path / "out.parquet"


def test_the_census_release_is_judged_as_the_papers_say(sfumato: Run, census: Path, release: Path) -> None:
    models = ["-m", "k-anonymity:22", "-m", "distinct-diversity:6", "-m", "t-closeness:0.5", "-m", "t-closeness:0.2"]
    ended = sfumato("check", release, "-s", census / "adult.toml", *models, "--json")
    assert ended.status == 1
    record = ended.json
    assert (record["status"], record["classes"], record["people"], record["prior"]) == (
        "violated",
        8,
        30162,
        "the file itself, in which nobody is missing",
    )
    verdicts = {verdict["model"]: verdict for verdict in record["models"]}
    assert verdicts["k-anonymity:22"]["satisfied"] is True
    assert verdicts["k-anonymity:22"]["witness"] == {"class": 7, "size": 22}
    assert verdicts["distinct-diversity:6"]["value"] == 6
    assert verdicts["t-closeness:0.5"]["value"] == pytest.approx(0.4371, abs=5e-5)
    assert verdicts["t-closeness:0.2"]["satisfied"] is False
    assert sfumato("check", release, "-s", census / "adult.toml", "-m", "k-anonymity:22").status == 0


def test_a_foreign_file_is_judged_by_its_own_distribution_and_says_so(sfumato: Run, patients: Path) -> None:
    ended = sfumato("check", patients / "patients.csv", "-s", patients / "schema.toml", "-m", "distribution-loss:0.72", "--json")
    assert ended.status == 0
    assert ended.json["prior"] == "the file itself"
    assert ended.json["models"][0]["value"] == pytest.approx(0.7168604389202189, abs=1e-12)
    shown = sfumato("check", patients / "patients.csv", "-s", patients / "schema.toml", "-m", "k-anonymity:5")
    assert shown.status == 1
    assert "class 1 (4 people)" in shown.out
    assert "prior: the file itself" in shown.out
    assert "20-29" not in shown.out


def test_the_original_gives_the_prior(patients: Path) -> None:
    part = pd.read_csv(patients / "patients.csv").iloc[:4]
    part.to_csv(patients / "part.csv", index=False)
    checked = sf.check(
        patients / "part.csv", patients / "schema.toml", models=["distribution-loss:1"], original=patients / "patients.csv"
    )
    assert checked.prior == "the original table"
    assert checked.verdicts[0].value == pytest.approx(0.5137011669140814, abs=1e-12)


def test_stated_beliefs_make_a_class_of_its_own_prior_harmless(patients: Path) -> None:
    prior = '[[disease]]\nwhen = { age = "40-49" }\nshares = { cancer = 1.0 }\n'
    (patients / "prior.toml").write_text(prior)
    checked = sf.check(
        patients / "patients.csv", patients / "schema.toml", models=["distribution-loss:0.6"], prior=patients / "prior.toml"
    )
    assert checked.prior == "prior.toml over the file itself"
    assert checked.verdicts[0].witness != 3
    same = {"disease": [sf.Prior.stated({"age": "40-49"}, {"cancer": 1.0})]}
    again = sf.check(patients / "patients.csv", patients / "schema.toml", models=["distribution-loss:0.6"], prior=same)
    assert again.verdicts == checked.verdicts


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[[disease]]\nwhen = { age = "40-49" }\nshares = { cancer = 1.5 }\n', "between 0 and 1"),
        ('[[disease]]\nwhen = { age = "40-49" }\nshares = { cancer = -0.5 }\n', "between 0 and 1"),
        ('[[disease]]\nwhen = { age = "40-49" }\nshares = { cancer = 0.6, heart = 0.6 }\n', "add up to at most 1"),
        ("[[disease]]\nshares = { cancer = 0.1, heart = 0.1, virus = 0.1 }\n", "do not add up to one"),
        ('[[disease]]\nwhen = { zip = "1" }\nshares = { cancer = 0.5 }\n', "no QID 'zip'"),
        ('[[disease]]\nwhen = { age = "50-59" }\nshares = { cancer = 0.5 }\n', "no label '50-59'"),
        ("[[illness]]\nshares = { cancer = 0.5 }\n", "no sensitive attribute 'illness'"),
        ("[[disease]]\nshares = { gout = 0.5 }\n", "a value that does not occur"),
        (
            '[[disease]]\nwhen = { age = "40-49" }\nshares = { cancer = 0.5 }\n'
            '[[disease]]\nwhen = { age = "40-49" }\nshares = { cancer = 0.9 }\n',
            "these stated beliefs contradict each other: 1 (for age = 40-49); 2 (for age = 40-49)",
        ),
        ("disease = 1\n", "write [[disease]]"),
        ("[[disease]]\nshares = 1\n", "a stated belief has when"),
        ('[[disease]]\nshares = { cancer = "much" }\n', "must be numbers"),
        ("not toml", "not TOML"),
    ],
)
def test_stated_beliefs_that_cannot_be(sfumato: Run, patients: Path, text: str, message: str) -> None:
    (patients / "prior.toml").write_text(text)
    where = ["-s", patients / "schema.toml", "-m", "distribution-loss:1", "--prior", patients / "prior.toml"]
    ended = sfumato("check", patients / "patients.csv", *where)
    assert (ended.status, ended.err.count("\n")) == (2, 1)
    assert message in ended.err


def test_people_are_counted_as_the_certificate_counts_them(tmp_path: Path) -> None:
    frame = pd.DataFrame({"q": ["a", "a", "a", "b", "b"], "s": ["x", "x", "y", "x", "y"], "who": [1, 1, 2, 3, 4]})
    schema = sf.Schema.parse('[attributes.q]\nrole="quasi"\n[attributes.s]\nrole="sensitive"\n[attributes.who]\nrole="owner"\n')
    sf.publish(frame, schema, node=[0], output=tmp_path / "out.parquet")
    judged = sf.check(tmp_path / "out.parquet", schema, models=["k-anonymity:2", "probabilistic-diversity:2"])
    assert (judged.basis, judged.people, judged.rows) == ("owner", 4, 5)
    assert [verdict.value for verdict in judged.verdicts] == [2, 0.5]
    assert judged.satisfied


def test_a_certificate_of_another_file_is_not_believed(sfumato: Run, census: Path, release: Path) -> None:
    with sf.Table.open(census / "adult.parquet", census / "adult.toml") as table:
        sf.publish(table, quasi=["age"], node=[2], output=release.with_name("other.parquet"))
    certificate = release.with_name("other.parquet.certificate.json")
    where = ["-s", census / "adult.toml", "-m", "k-anonymity:2", "--certificate", certificate]
    ended = sfumato("check", release, *where)
    assert (ended.status, "its digest differs" in ended.err) == (1, True)


def test_several_sensitive_attributes_are_judged_one_by_one(tmp_path: Path) -> None:
    pq.write_table(pa.table({"q": ["a"] * 4, "s": ["x", "x", "y", "y"], "t": ["u"] * 4}), tmp_path / "two.parquet")
    schema = sf.Schema.parse('[attributes.q]\nrole="quasi"\n[attributes.s]\nrole="sensitive"\n[attributes.t]\nrole="sensitive"\n')
    judged = sf.check(tmp_path / "two.parquet", schema, models=["k-anonymity:4", "distinct-diversity:2"])
    assert [(verdict.sensitive, verdict.satisfied) for verdict in judged.verdicts] == [(None, True), ("s", True), ("t", False)]
    assert sf.check(tmp_path / "two.parquet", schema, models=["distinct-diversity:2"], sensitive=["s"]).satisfied
    with pytest.raises(UsageError, match="'q' is not a sensitive attribute here; choose among s, t"):
        sf.check(tmp_path / "two.parquet", schema, models=["distinct-diversity:2"], sensitive=["q"])


def test_a_file_that_does_not_fit_the_schema_is_refused(tmp_path: Path) -> None:
    schema = sf.Schema.parse(PEOPLE + '[attributes.name]\nrole = "identifier"\n')
    pq.write_table(pa.table({"age": [1], "name": ["Ann"]}), tmp_path / "named.parquet")
    with pytest.raises(SchemaError, match="column 'name' is declared identifier and must not be published"):
        sf.check(tmp_path / "named.parquet", schema, models=["k-anonymity:1"])
    pq.write_table(pa.table({"age": [1], "shoe": [43]}), tmp_path / "shoe.parquet")
    with pytest.raises(SchemaError, match="no attribute 'shoe' in the schema"):
        sf.check(tmp_path / "shoe.parquet", schema, models=["k-anonymity:1"])
    pq.write_table(pa.table({"disease": ["flu"]}), tmp_path / "bare.parquet")
    with pytest.raises(SchemaError, match="none of the QIDs"):
        sf.check(tmp_path / "bare.parquet", schema, models=["k-anonymity:1"])


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ("k-anonimity:5", "did you mean 'k-anonymity'?"),
        ("k-anonymity:0", "k must be a whole number of at least 1"),
        ("k-anonymity", "takes k"),
        ("t-closeness:0.2,sideways", "no distance 'sideways'"),
        ("ke-anonymity:2,5", "ke-anonymity judges numbers; 'disease' holds none"),
    ],
)
def test_models_that_cannot_be_asked(sfumato: Run, patients: Path, model: str, message: str) -> None:
    ended = sfumato("check", patients / "patients.csv", "-s", patients / "schema.toml", "-m", model)
    assert (ended.status, ended.err.count("\n")) == (2, 1)
    assert message in ended.err


def test_no_model_and_no_sensitive_attribute_are_told(sfumato: Run, patients: Path) -> None:
    assert "name at least one model" in sfumato("check", patients / "patients.csv", "-s", patients / "schema.toml").err
    (patients / "bare.toml").write_text(PEOPLE.replace('"sensitive"', '"plain"'))
    ended = sfumato("check", patients / "patients.csv", "-s", patients / "bare.toml", "-m", "distinct-diversity:2")
    assert ended.status == 2
    assert "there is none here" in ended.err


def test_a_population_is_counted_at_the_node_of_the_release(census: Path, release: Path) -> None:
    judged = sf.check(
        release, census / "adult.toml", models=["k-map:22", "delta-presence:0,1"], population=census / "adult.parquet"
    )
    assert [verdict.value for verdict in judged.verdicts] == [22, pytest.approx(1)]
    assert judged.satisfied


def test_verdicts_print_in_a_terminal_and_in_a_notebook(patients: Path) -> None:
    judged = sf.check(patients / "patients.csv", patients / "schema.toml", models=["k-anonymity:4", "entropy-diversity:2"])
    assert str(judged).splitlines()[1].split() == ["k-anonymity:4", "4", "≥", "4", "yes", "class", "1", "(4", "people)"]
    assert "<td>k-anonymity:4</td>" in judged._repr_html_()
    assert judged.table().to_pandas()["model"].tolist() == ["k-anonymity:4", "entropy-diversity:2 [disease]"]


def test_the_models_are_listed(sfumato: Run) -> None:
    models = sfumato("models", "--json").json["models"]
    assert {"k-anonymity", "t-closeness", "privacy-loss", "population-uniqueness"} <= {model["name"] for model in models}
    assert "k-anonymity:k" in sfumato("models").out


@pytest.mark.parametrize(
    "lie",
    [{"prior": {"of": "withheld"}}, {"suppressed": {"people": 90486, "rows": 90486, "classes": 1, "as": "drop"}}, {"people": 99}],
    ids=str,
)
def test_a_certificate_that_contradicts_its_file_is_not_believed(
    sfumato: Run, census: Path, release: Path, lie: dict[str, object]
) -> None:
    path = release.with_name("out.parquet.certificate.json")
    forge(path, lie)
    ended = sfumato("check", release, "-s", census / "adult.toml", "-m", "k-anonymity:5")
    assert (ended.status, "contradicts the file" in ended.err) == (1, True)


def test_a_distance_that_the_attribute_does_not_have_is_refused(sfumato: Run, census: Path, release: Path) -> None:
    for distance, reason in (("ordered", "has no order"), ("hierarchical", "has no hierarchy")):
        ended = sfumato("check", release, "-s", census / "adult.toml", "-m", f"t-closeness:0.2,{distance}")
        assert (ended.status, reason in ended.err) == (2, True)


def test_a_population_without_a_class_of_the_release_counts_nobody_there(tmp_path: Path) -> None:
    release = pd.DataFrame({"q": ["a"] * 3 + ["b"] * 3})
    release.to_csv(tmp_path / "release.csv", index=False)
    schema = sf.Schema.parse('[attributes.q]\nrole="quasi"\n')
    judged = sf.check(tmp_path / "release.csv", schema, models="k-map:2", population=pd.DataFrame({"q": ["a"] * 9}))
    assert (judged.verdicts[0].value, judged.verdicts[0].witness, judged.satisfied) == (0, 2, False)


def test_infinite_values_convert_to_arrow_and_pandas(census: Path, release: Path) -> None:
    judged = sf.check(release, census / "adult.toml", models=["k-anonymity:5", "delta-disclosure:1"])
    assert judged.to_pandas()["value"].tolist() == [22, float("inf")]
    assert judged.to_arrow().num_rows == 2
    assert "infinite" in str(judged)


def test_a_folder_is_no_published_file(sfumato: Run, census: Path) -> None:
    for folder in (".", census):
        ended = sfumato("check", folder, "-s", census / "adult.toml", "-m", "k-anonymity:5")
        assert (ended.status, "a folder; name one file" in ended.err) == (2, True)


def test_sixty_thousand_labels_are_as_many_classes(tmp_path: Path) -> None:
    rows = pd.DataFrame({"q": [f"label {number:06d}" for number in range(60_000)]})
    rows.to_parquet(tmp_path / "many.parquet")
    judged = sf.check(tmp_path / "many.parquet", sf.Schema.parse('[attributes.q]\nrole="quasi"\n'), models=["k-anonymity:2"])
    assert (judged.classes, judged.verdicts[0].value) == (60_000, 1)


def test_models_that_could_not_be_judged_are_not_called_satisfied(sfumato: Run, census: Path, release: Path) -> None:
    ended = sfumato("check", release, "-s", census / "adult.toml", "-m", "k-map:30", "--json")
    assert (ended.status, ended.json["status"]) == (0, "not_applicable")
    assert ended.json["models"][0]["satisfied"] == "not_applicable"


def test_a_belief_about_an_unknown_attribute_is_refused(patients: Path) -> None:
    beliefs = {"illness": [sf.Prior.stated({}, {"cancer": 0.5})]}
    with pytest.raises(UsageError, match="no sensitive attribute 'illness'"):
        sf.check(patients / "patients.csv", patients / "schema.toml", models="distribution-loss:1", prior=beliefs)


def test_the_prior_of_a_count_with_one_sensitive_attribute_needs_no_name(census: Path) -> None:
    with sf.Table.open(census / "adult.parquet", census / "adult.toml") as table:
        assert sf.Prior.of(table.count(["sex"])).attribute == "occupation"
        with pytest.raises(UsageError, match="name the sensitive attribute"):
            sf.Prior.of(table.count(["sex"], sensitive=()))


def test_values_that_the_original_lacks_join_the_prior_in_order(tmp_path: Path) -> None:
    schema = sf.Schema.parse('[attributes.q]\nrole="quasi"\n[attributes.pay]\nrole="sensitive"\ntype="integer"\n')
    pd.DataFrame({"q": ["a"] * 2, "pay": [10, 25]}).to_csv(tmp_path / "new.csv", index=False)
    original = pd.DataFrame({"q": ["a"] * 4, "pay": [10, 10, 20, 30]})
    judged = sf.check(tmp_path / "new.csv", schema, models="t-closeness:1,ordered", original=original)
    # prior (2, 1, 0, 1)/4 and class (1, 0, 1, 0)/2 over 10, 20, 25, 30
    assert judged.verdicts[0].value == pytest.approx((0 + 1 / 4 + 1 / 4) / 3)


def test_models_are_given_as_text_or_as_models_one_or_many(patients: Path) -> None:
    file, schema = patients / "patients.csv", patients / "schema.toml"
    one, many = KAnonymity(2), [KAnonymity(2), "k-anonymity:2", "distinct-diversity:1"]
    assert [str(verdict.model) for verdict in sf.check(file, schema, models=one).verdicts] == ["k-anonymity:2"]
    assert [str(verdict.model) for verdict in sf.check(file, schema, models=many).verdicts] == [
        "k-anonymity:2",
        "distinct-diversity:1",
    ]
    with pytest.raises(UsageError, match="name at least one model"):
        sf.check(file, schema, models=())
    with pytest.raises(UsageError, match="it is not a value of type int"):
        sf.check(file, schema, models=5)  # type: ignore[arg-type]


def test_a_release_is_judged_under_the_schema_that_is_given(census: Path) -> None:
    with sf.data.adult() as table:
        release = sf.publish(table, quasi=["age", "sex"], node=[2, 0])
    tree = "[attributes.occupation.hierarchy.tree]\n"
    tree += 'Office = ["Adm-clerical", "Exec-managerial", "Prof-specialty", "Sales", "Tech-support"]\n'
    tree += 'Manual = ["Craft-repair", "Farming-fishing", "Handlers-cleaners", "Machine-op-inspct", "Transport-moving"]\n'
    tree += 'Service = ["Armed-Forces", "Other-service", "Priv-house-serv", "Protective-serv"]\n'
    text = (census / "adult.toml").read_text().replace("[attributes.occupation]", tree + "[attributes.occupation]")
    richer = sf.Schema.parse(text, folder=census)
    with pytest.raises(sf.SfumatoError, match="has no hierarchy"):
        sf.check(release, census / "adult.toml", models="t-closeness:1,hierarchical")
    assert sf.check(release, richer, models="t-closeness:1,hierarchical").satisfied
