"""`sfumato compare --methods`: each method as mild, or as strong, as the bound allows; bad input in one line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

import sfumato as sf
from tests.conftest import Ended

Run = Callable[..., Ended]
SCHEMA = """
[attributes.age]
role = "quasi"
type = "integer"
hierarchy = { builder = "intervals", widths = [10, 20], lower = 0, upper = 100 }
[attributes.sex]
role = "quasi"
[attributes.town]
role = "quasi"
[attributes.illness]
role = "sensitive"
[attributes.works]
role = "plain"
"""


@pytest.fixture(scope="module")
def people() -> pa.Table:
    """400 people; who is older is ill more often, and works less."""
    ages = [20 + (7 * n) % 60 for n in range(400)]
    illness = ["none" if (n * 13) % 80 > age else ("flu", "asthma", "gout")[n % 3] for n, age in enumerate(ages)]
    return pa.table(
        {
            "age": ages,
            "sex": [("f", "m")[n // 3 % 2] for n in range(400)],
            "town": [("north", "south", "east")[n // 7 % 3] for n in range(400)],
            "illness": illness,
            "works": ["yes" if age < 55 or n % 5 == 0 else "no" for n, age in enumerate(ages)],
        }
    )


@pytest.fixture
def folder(people: pa.Table, tmp_path: Path) -> Path:
    import pyarrow.csv

    pyarrow.csv.write_csv(people, tmp_path / "people.csv")
    (tmp_path / "people.toml").write_text(SCHEMA, encoding="utf-8")
    return tmp_path


def test_every_method_is_as_mild_as_the_privacy_loss_allows(people: pa.Table) -> None:
    methods = ["generalize", "microaggregate", "record-swap", "pram:invariant"]
    found = sf.compare_methods(people, methods, sf.Schema.parse(SCHEMA), privacy_loss=0.2, queries=50)
    for each in found.outcomes:
        assert each.reason is None
        assert each.disclosure is not None
        assert each.disclosure.mean_distribution <= 0.2
    # A little milder than what was found discloses more than is allowed.
    (swapped,) = (each for each in found.outcomes if each.method == "record-swap")
    assert swapped.released is not None
    milder = f"record-swap:{float(swapped.released.partition(':')[2]) / 1.1:.3g}"
    (other,) = sf.compare_methods(people, [milder], sf.Schema.parse(SCHEMA)).outcomes
    assert other.disclosure is not None
    assert other.disclosure.mean_distribution > 0.2


def test_losses_are_those_that_the_verbs_give(people: pa.Table) -> None:
    schema = sf.Schema.parse(SCHEMA)
    node, noise = sf.compare_methods(people, ["[1,0,1]", "noise:gaussian,0.3"], schema, seed=5).outcomes
    measured = sf.measure(people, schema, node=[1, 0, 1]).attributes[0].losses["distribution"]
    assert node.disclosure is not None
    assert (node.disclosure.epsilon, node.disclosure.mean_distribution) == (measured.max, measured.people_mean)
    made = sf.sanitize(people, schema, method="noise:gaussian,0.3", seed=5).losses["illness"].losses["distribution"]
    assert noise.disclosure is not None
    assert (noise.disclosure.epsilon, noise.disclosure.mean_distribution) == (made.max, made.people_mean)
    errors = sf.learn.query_errors(people, [[1, 0, 1]], schema=schema, count=200, seed=5)
    assert node.queries == errors.releases[0].mean


def test_parameters_with_levels_are_no_node(people: pa.Table) -> None:
    methods = ["permute:age=1,sex=0,town=0", "top-code:age=60"]
    found = sf.compare_methods(people, methods, sf.Schema.parse(SCHEMA), queries=20)
    assert [(each.released, each.reason) for each in found.outcomes] == [(method, None) for method in methods]


def test_equal_utility_is_the_strongest_within_the_loss(people: pa.Table) -> None:
    schema = sf.Schema.parse(SCHEMA)
    found = sf.compare_methods(people, ["generalize", "noise:gaussian"], schema, utility_loss=0.2, queries=50)
    node, noise = found.outcomes
    assert all(each.queries is not None and each.queries <= 0.2 for each in (node, noise))
    assert noise.released is not None
    stronger = f"noise:gaussian,{float(noise.released.partition(',')[2]) * 1.1:.3g}"
    (other,) = sf.compare_methods(people, [stronger], schema, queries=50).outcomes
    assert other.queries is not None
    assert other.queries > 0.2


def test_what_a_model_loses_stands_beside_the_attacks(sfumato: Run, folder: Path) -> None:
    ended = sfumato(
        "compare", folder / "people.csv", "-s", folder / "people.toml", "--methods", "generalize", "--methods",
        "cell-suppression:5 anatomy:2 microaggregate:5", "--privacy-loss", "0.3", "--target", "works", "--estimator",
        "naive-bayes", "--json", "-o", folder / "methods.svg",
    )  # fmt: skip
    assert (ended.status, ended.err) == (0, "")
    record = ended.json
    assert (record["equal"], record["bound"], record["utility"]) == ("privacy", 0.3, "learning")
    by = {each["method"]: each for each in record["methods"]}
    assert all(0 <= each["learning"]["released"]["accuracy"] <= 1 for each in by.values())
    cells = {each["attack"]: each for each in by["cell-suppression:5"]["attacks"]}
    assert cells["record-linkage:prosecutor"]["outcome"] == "stopped"  # nobody is alone among five
    assert (folder / "methods.svg").read_text(encoding="utf-8").startswith("<svg")


def test_a_method_that_cannot_be_had_says_why_and_the_others_are_shown(sfumato: Run, folder: Path) -> None:
    ended = sfumato(
        "compare", folder / "people.csv", "-s", folder / "people.toml", "--methods", "dp generalize", "--privacy-loss", "0.3"
    )
    assert ended.status == 0
    assert "generalize [" in ended.out
    assert "dp: " in ended.out


def test_what_the_attacker_knows_is_told(people: pa.Table) -> None:
    schema = sf.Schema.parse(SCHEMA)
    noisy, node = sf.compare_methods(people, ["noise:gaussian,0.3", "[1,0,1]"], schema, queries=5).outcomes
    assert "knows that noise:gaussian,0.3 changed" in str(noisy.remark)
    assert node.remark is None


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--methods", "noise:gaussian"], "has no strength"),
        (["--methods", "nois:gaussian,1"], "did you mean 'noise'"),
        (["--methods", "blur"], "family of methods"),
        (["--methods", "generalize", "--privacy-loss", "0"], "above 0"),
        (["--methods", "generalize", "--privacy-loss", "0.1", "--utility-loss", "0.1"], "one of them"),
        (["--methods", "generalize", "--privacy-loss", "0.1", "--target", "nobody"], "nobody"),
        (["--methods", "record-swap", "--utility-loss", "0.1", "--target", "nobody"], "nobody"),
        (["--methods", "generalize", "--privacy-loss", "0.1", "-m", "k-anonymity:5"], "two releases"),
        (["--privacy-loss", "0.1"], "--methods"),
        ([], "second release"),
    ],
)
def test_bad_input_is_one_line(sfumato: Run, folder: Path, words: list[str], message: str) -> None:
    ended = sfumato("compare", folder / "people.csv", "-s", folder / "people.toml", *words)
    assert (ended.status, ended.err.count("\n")) == (2, 1)
    assert message in ended.err
