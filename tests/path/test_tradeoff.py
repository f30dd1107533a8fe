"""`sfumato tradeoff` from the outside: what it prints, writes and refuses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sfumato as sf
from sfumato.verbs.trade_off import trade_off

Run = Callable[..., Any]
QUASI = ("--quasi", "age,education,sex")


@pytest.fixture
def asked(census: Path) -> tuple[Any, ...]:
    return ("tradeoff", census / "adult.parquet", "-s", census / "adult.toml", *QUASI, "-m", "k-anonymity:5")


def test_everything_at_once(sfumato: Run, asked: tuple[Any, ...], tmp_path: Path) -> None:
    names = [tmp_path / f"t.{end}" for end in ("html", "svg", "png")]
    words = ("-o", names[0], "--svg", names[1], "--png", names[2])
    ended = sfumato(*asked, "--epsilon", 0.4, *words)
    assert (ended.status, ended.err) == (0, "")
    assert "given ε = 0.4" in ended.out
    assert "KKT residual" in ended.out
    assert "of 40 nodes within: distribution.max ≤ 0.4, k-anonymity:5" in ended.out
    assert "publish it: --node age=" in ended.out
    for path in names:
        assert f"wrote {path}" in ended.out
    html, svg, png = (path.read_bytes() for path in names)
    assert html.startswith(b"<!DOCTYPE html>")
    assert svg.startswith(b"<svg")
    assert b"knee: age" in svg
    assert png.startswith(b"\x89PNG")
    again = sfumato(*asked, "--epsilon", 0.4, *words)
    assert (again.status, "exists already" in again.err) == (2, True)
    assert sfumato(*asked, "--epsilon", 0.4, *words, "--force").status == 0
    assert [path.read_bytes() for path in names] == [html, svg, png]


def test_json_agrees_with_the_space(sfumato: Run, asked: tuple[Any, ...], census: Path) -> None:
    ended = sfumato(*asked, "--epsilon", 0.5, "--gamma", 3.6, "--x", "distribution", "--y", "loss", "--json")
    found = ended.json
    space = sf.explore(census / "adult.parquet", census / "adult.toml", models="k-anonymity:5", quasi=["age", "education", "sex"])
    kept = space.feasible(["k-anonymity:5", "distribution-loss:0.5", "utility-entropy-loss:3.6"])
    front = kept.pareto("distribution", "loss")
    assert (ended.status, found["status"], found["schema_version"]) == (0, "found", 1)
    assert found["axes"] == {"x": "distribution", "y": "loss"}
    assert found["bounds"] == {"scope": "class", "epsilon": 0.5, "gamma": 3.6}
    assert (found["nodes"], found["within"], found["basis"], found["people"]) == (40, len(kept), "row", 30_162)
    assert sorted(list(each["node"].values()) for each in found["front"]) == sorted(front.evaluations.levels.tolist())
    assert found["knee"] in found["front"]
    best = space.node(found["knee"]["node"])
    measured = {"max": best["distribution.max"], "people_mean": best["distribution"]}
    assert found["knee"]["losses"]["distribution"] == pytest.approx(measured, abs=1e-12)  # a command may use other loops
    assert found["knee"]["losses"]["loss"] == {"total": pytest.approx(best["loss"], abs=1e-12)}
    assert found["nearest"] == []
    assert found["written"] == []


@pytest.mark.slow
def test_the_three_problems_are_those_of_the_library(sfumato: Run, asked: tuple[Any, ...], census: Path) -> None:
    found = sfumato(*asked, "--epsilon", 0.5, "--delta", 0.97, "--json").json["recommendations"]
    with sf.Table.open(census / "adult.parquet", census / "adult.toml") as table:
        prior = sf.Prior.of(table.count(["sex"], sensitive=["occupation"]))
    first, second = sf.tradeoff.recommend(prior, epsilon=0.5), sf.tradeoff.recommend(prior, delta=0.97)
    region = sf.tradeoff.feasible_region(prior, epsilon=0.5, delta=0.97, sample=0)
    assert [each["share"] for each in found["utility"]["distribution"]] == pytest.approx(list(first.chosen.shares), abs=1e-6)
    assert found["privacy"]["losses"] == pytest.approx(dict(second.chosen.losses), abs=1e-6)
    assert found["utility"]["kkt_residual"] == pytest.approx(first.kkt_residual, abs=1e-4)
    assert found["region"]["feasible"] is True
    assert found["region"]["least"] == pytest.approx(dict(region.least), abs=1e-6)


@pytest.mark.slow
def test_infeasible_tells_the_least_feasible_and_writes_nothing(sfumato: Run, asked: tuple[Any, ...], tmp_path: Path) -> None:
    bounds = ("--epsilon", 0.3, "--delta", 0.9)
    before = set(tmp_path.iterdir())
    ended = sfumato(*asked, *bounds, "-o", tmp_path / "t.html", "--svg", tmp_path / "t.svg")
    assert ended.status == 1
    assert "no node is within ε = 0.3, δ = 0.9 (class scope)" in ended.out
    assert "least feasible, the others kept" in ended.out
    assert set(tmp_path.iterdir()) == before


@pytest.mark.slow
def test_the_least_feasible_bound_is_feasible_and_no_smaller_one_is(sfumato: Run, asked: tuple[Any, ...]) -> None:
    found = sfumato(*asked, "--delta", 0.9, "--json")
    assert (found.status, found.json["status"], found.json["knee"]) == (1, "infeasible", None)
    (nearest,) = found.json["nearest"]
    assert (nearest["bound"], nearest["column"], nearest["threshold"]) == ("delta", "utility-distribution.max", 0.9)
    within = sfumato(*asked, "--delta", repr(nearest["nearest"]), "--json")
    assert (within.status, within.json["knee"]["node"]) == (0, nearest["node"])
    assert sfumato(*asked, "--delta", repr(nearest["nearest"] - 1e-6), "--json").status == 1


def test_models_that_nothing_satisfies(sfumato: Run, asked: tuple[Any, ...]) -> None:
    ended = sfumato(*asked, "-m", "k-anonymity:40000")
    assert (ended.status, "no node satisfies" in ended.out) == (1, True)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--epsilon", "-0.1"), "epsilon: a bound is a number of at least 0"),
        (("--gamma", "nan"), "gamma: a bound is a number of at least 0"),
        (("--x", "distributon.max"), "did you mean 'distribution.max'?"),
        (("--y", "classes"), "y: no loss 'classes'"),
        (("--scope", "people"), "--scope: no scope 'people'"),
        (("--sensitive", "income"), "'income' is not a sensitive attribute here"),
        (("--sensitive", "occupation,income"), "'income' is not a sensitive attribute here"),
        (("--suppress", "5"), "suppression is a share"),
        (("-o", "t.pdf"), "the name must end in .html"),
        (("--svg", "t.png"), "the name must end in .svg"),
        (("--png", "nowhere/t.png"), "no such folder"),
    ],
)
def test_bad_input_is_refused_in_one_line(
    sfumato: Run, asked: tuple[Any, ...], words: tuple[str, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ended = sfumato(*asked, *words)
    assert (ended.status, ended.out, ended.err.count("\n")) == (2, "", 1)
    assert message in ended.err


def test_a_place_that_is_taken_is_told_before_the_work(sfumato: Run, asked: tuple[Any, ...], tmp_path: Path) -> None:
    (tmp_path / "t.png").write_text("mine")
    ended = sfumato(*asked, "--epsilon", "-1", "-o", tmp_path / "t.html", "--png", tmp_path / "t.png")
    assert (ended.status, "exists already" in ended.err) == (2, True)
    assert (tmp_path / "t.png").read_text() == "mine"


def test_a_table_with_one_sensitive_value(sfumato: Run, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("q,s\n" + "a,x\nb,x\n" * 5)
    (tmp_path / "t.toml").write_text('[attributes.q]\nrole="quasi"\n[attributes.s]\nrole="sensitive"\n')
    words = ("tradeoff", tmp_path / "t.csv", "-s", tmp_path / "t.toml", "--epsilon", 0, "--gamma", 0)
    ended = sfumato(*words, "-o", tmp_path / "t.html", "--svg", tmp_path / "t.svg")
    assert (ended.status, ended.err) == (0, "")
    assert "2 of 2 nodes within" in ended.out
    assert "nan" not in (tmp_path / "t.html").read_text().lower().split("<script")[0]
    assert np.isfinite(sfumato(*words, "--json").json["knee"]["losses"]["kl"]["max"])


def test_a_table_without_a_sensitive_attribute_is_refused(sfumato: Run, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("q\na\nb\n")
    (tmp_path / "t.toml").write_text('[attributes.q]\nrole="quasi"\n')
    ended = sfumato("tradeoff", tmp_path / "t.csv", "-s", tmp_path / "t.toml")
    assert (ended.status, "have: none" in ended.err) == (2, True)


def test_suppression_and_the_total_scope(sfumato: Run, asked: tuple[Any, ...]) -> None:
    found = sfumato(*asked, "--suppress", "5%", "--scope", "total", "--epsilon", 0.2, "--json").json
    assert found["limit"] == 1508
    assert found["bounds"] == {"scope": "total", "epsilon": 0.2}
    assert all(each["losses"]["distribution"]["people_mean"] <= 0.2 + 1e-9 for each in found["front"])
    assert any(each["suppressed"] > 0 for each in found["front"])


def test_a_group_can_be_protected(sfumato: Run, asked: tuple[Any, ...]) -> None:
    free = sfumato(*asked, "--json").json
    found = sfumato(*asked, "--protect", "age=[75, 100]", "distribution-loss:0.3", "--json").json
    assert found["models"] == ["k-anonymity:5", "distribution-loss:0.3 for age=[75, 100]"]
    assert 0 < found["within"] < free["within"]


def test_people_with_several_rows(sfumato: Run, tmp_path: Path) -> None:
    rows = [f"{'ab'[n % 2]},{'xyz'[n % 3]},{n % 9}" for n in range(60)]
    (tmp_path / "t.csv").write_text("q,s,who\n" + "\n".join(rows) + "\n")
    (tmp_path / "t.toml").write_text(
        '[attributes.q]\nrole="quasi"\n[attributes.s]\nrole="sensitive"\n[attributes.who]\nrole="owner"\n'
    )
    words = ("tradeoff", tmp_path / "t.csv", "-s", tmp_path / "t.toml")
    ended = sfumato(*words, "-o", tmp_path / "t.html", "--json")
    assert (ended.status, ended.json["basis"], ended.json["people"], ended.json["rows"]) == (0, "owner", 9, 60)


def test_values_that_few_hold_are_named_nowhere(sfumato: Run, tmp_path: Path) -> None:
    """Neither by the trade-off nor by guidance; a missing value that many hold is something else."""
    rows = ["age,illness", *(f"{20 + place},{('flu', 'cold', '')[place % 3]}" for place in range(30)), "30,Noma", "31,Noma"]
    (tmp_path / "t.csv").write_text("\n".join(rows), encoding="utf-8")
    schema = '[attributes.age]\nrole = "quasi"\ntype = "integer"\n[attributes.illness]\nrole = "sensitive"\n'
    (tmp_path / "t.toml").write_text(schema, encoding="utf-8")
    table = (tmp_path / "t.csv", "-s", tmp_path / "t.toml")
    weigh = ("tradeoff", *table, "-m", "k-anonymity:5", "--epsilon", 0.3)
    guide = ("anonymize", *table, "-m", "distribution-loss:0.3", "--toward", "recommended", "--ledger", tmp_path)
    for place, words in enumerate((weigh, (*guide, "-o", tmp_path / "a.csv"))):
        ended = sfumato(*words)
        assert (ended.status, "Noma" in ended.out) == (0, False)
        assert "(held by few)" in ended.out
        assert "(missing)" in ended.out
        record = sfumato(*words, "--json", *(("--force",) if place else ())).json
        shares = record["search"]["distribution"] if place else record["recommendations"]["utility"]["distribution"]
        assert [(each["value"], each.get("unnamed", False)) for each in shares] == [
            (None, True),
            ("cold", False),
            ("flu", False),
            (None, False),
        ]


def test_one_name_may_stand_without_a_list(census: Path) -> None:
    found = trade_off(census / "adult.parquet", census / "adult.toml", quasi=["sex"], sensitive="occupation")
    assert found.sensitive == "occupation"
