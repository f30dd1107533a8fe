"""`sfumato explore`, `space` and `dimensions`: the whole policy space, as a file, as numbers and as pictures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from sfumato.reporting.dimensions import dimensions_chart
from sfumato.reporting.lattice import lattice_chart
from sfumato.search.evaluation import every_loss
from sfumato.search.space import PolicySpace
from sfumato.search.space.exploring import explored
from sfumato.verbs.dimensions import dimensions
from tests.conftest import Ended
from tests.path.test_anonymize import SCHEMA, asked, files, rows

Run = Callable[..., Ended]
NODES = 4 * 4 * 2


@pytest.fixture
def people(tmp_path: Path) -> Path:
    head = "age,zip,sex,disease,stay"
    (tmp_path / "people.csv").write_text("\n".join([head, *rows(1, 80)]) + "\n")
    (tmp_path / "schema.toml").write_text(SCHEMA)
    return tmp_path


@pytest.fixture
def explore(people: Path, sfumato: Run) -> Run:
    def call(*more: object, output: str = "space.parquet") -> Ended:
        return sfumato("explore", people / "people.csv", "-s", people / "schema.toml", "-o", people / output, *more)

    return call


# The file


def test_what_is_told_to_machines(explore: Run, people: Path) -> None:
    record = explore(*asked("k-anonymity:3"), "--suppress", "5%", "--json").json
    assert (record["status"], record["nodes"], record["complete"]) == ("explored", NODES, True)
    assert (record["people"], record["rows"], record["basis"], record["limit"]) == (80, 80, "row", 4)
    assert (record["models"], record["prior"], record["output"]) == (
        ["k-anonymity:3"],
        "the original table",
        str(people / "space.parquet"),
    )
    assert set(every_loss()) <= set(record["columns"])
    assert {"value:k-anonymity:3", "satisfied:k-anonymity:3", "distribution.max@disease"} <= set(record["columns"])
    table = pq.read_table(people / "space.parquet")
    assert table.num_rows == NODES
    assert table.column_names[:3] == ["level:age", "level:zip", "level:sex"]
    assert sum(table["feasible"].to_pylist()) == record["feasible"]


def test_a_space_agrees_with_publishing_and_checking_every_node(explore: Run, sfumato: Run, people: Path) -> None:
    """The verdict of each node of two QIDs is that of `check` on a file published at it."""
    explore(*asked("k-anonymity:4", "t-closeness:0.4"), "--quasi", "zip,sex", "--sensitive", "disease")
    space = PolicySpace.read(people / "space.parquet")
    assert len(space) == 8
    for levels in space.evaluations.levels.tolist():
        output, node = people / "out.parquet", f"[{levels[0]},{levels[1]}]"
        publish = ["publish", people / "people.csv", "-s", people / "schema.toml", "--quasi", "zip,sex", "--node", node]
        assert sfumato(*publish, "-o", output, "--force").status == 0
        models = [*asked("k-anonymity:4", "t-closeness:0.4"), "--sensitive", "disease"]
        checked = sfumato("check", output, "-s", people / "schema.toml", *models, "--json").json
        point = space.node(levels)
        assert point["feasible"] == checked["satisfied"]
        for verdict in checked["models"]:
            assert point[f"value:{verdict['model']}"] == pytest.approx(verdict["value"], abs=1e-12)
        assert (point["classes"], point["people"]) == (checked["classes"], checked["people"])


def test_the_best_node_of_a_space_is_what_anonymize_publishes(explore: Run, sfumato: Run, people: Path) -> None:
    more = [*asked("k-anonymity:3", "distinct-diversity:2"), "--suppress", "5%"]
    explore(*more)
    record = sfumato("space", people / "space.parquet", "--json").json
    for loss in ("loss", "utility-distribution", "discernibility", "kl"):
        made = sfumato(
            "anonymize", people / "people.csv", "-s", people / "schema.toml", "-o", people / "out.parquet", "--force",
            "--minimize", loss, *more, "--json",
        ).json  # fmt: skip
        assert made["node"] == record["best"][loss]["node"]
        assert made["suppressed"]["people"] == record["best"][loss]["suppressed"]
        assert made["classes"] == record["best"][loss]["classes"]


def test_a_space_tells_feasible_best_front_minimal_and_why_not(explore: Run, sfumato: Run, people: Path) -> None:
    explore(*asked("k-anonymity:3"))
    space = PolicySpace.read(people / "space.parquet")
    record = sfumato("space", people / "space.parquet", "--node", "[0,0,0]", "--json").json
    assert record["feasible"] == len(space.feasible())
    assert set(record["best"]) == set(every_loss())
    assert record["pareto"]["losses"] == ["distribution.max", "utility-distribution"]
    assert [list(each["node"].values()) for each in record["minimal"]] == space.minimal().evaluations.levels.tolist()
    [why] = record["why_not"]
    assert (why["model"], why["threshold"], why["satisfied"]) == ("k-anonymity:3", 3, False)
    other = sfumato("space", people / "space.parquet", *asked("k-anonymity:10", "distribution-loss:0.5"), "--json").json
    assert other["feasible"] == len(space.feasible(["k-anonymity:10", "distribution-loss:0.5"])) < record["feasible"]
    shown = sfumato("space", people / "space.parquet", "--node", "age=0,zip=0,sex=0")
    assert shown.status == 0
    assert "k-anonymity:3: 1 ≥ 3 no" in shown.out
    shown = sfumato("space", people / "space.parquet")
    assert f"{NODES} nodes over age, zip, sex; {record['feasible']} feasible (k-anonymity:3)" in shown.out


def test_a_space_without_a_feasible_node_says_so(explore: Run, sfumato: Run, people: Path) -> None:
    assert explore(*asked("k-anonymity:81"), "--json").json["feasible"] == 0
    shown = sfumato("space", people / "space.parquet")
    assert shown.status == 0
    assert "no node is feasible; 'sfumato anonymize' says which bounds would work" in shown.out
    record = sfumato("space", people / "space.parquet", "--json").json
    assert (record["minimal"], record["pareto"]["nodes"], set(record["best"].values())) == ([], [], {None})


# Bad input


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--suppress", "5"], "suppression is a share between 0 and 1"),
        (["--suppress", "1"], "write 1% or 100%"),
        (["-m", "k-anonimity:5"], "did you mean 'k-anonymity'?"),
        (["-m", "k-map:5"], "cannot be judged here"),
        (["--memory", "20kB"], "need about"),
        (["--quasi", "disease"], "'disease' is declared sensitive, not quasi"),
    ],
)
def test_what_cannot_be_explored_is_told_in_one_line(explore: Run, people: Path, more: list[str], message: str) -> None:
    before = files(people)
    ended = explore(*more)
    assert (ended.status, ended.out, ended.err.count("\n")) == (2, "", 1), ended
    assert message in ended.err or (more[0] == "--memory" and "memory" in ended.err)
    assert files(people) == before


def test_a_memory_limit_too_small_says_what_is_needed(sfumato: Run, census: Path, tmp_path: Path) -> None:
    ended = sfumato(
        "explore", census / "adult.parquet", "-s", census / "adult.toml", "--memory", "10MB", "-o", tmp_path / "space.parquet"
    )
    assert ended.status == 2
    assert ended.err.startswith("sfumato: --memory: 2,160 nodes of ")
    assert "--memory allows 10MB" in ended.err
    assert not (tmp_path / "space.parquet").exists()


def test_a_lattice_too_large_proposes_an_evolutionary_search(explore: Run, people: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sfumato.search.space.exploring.MOST_NODES", NODES - 1)
    ended = explore(*asked("k-anonymity:3"))
    assert ended.status == 2
    assert f"the lattice has {NODES} nodes, more than the {NODES - 1} that are enumerated" in ended.err
    assert "--algorithm evolutionary" in ended.err
    assert not (people / "space.parquet").exists()
    monkeypatch.setattr("sfumato.search.space.exploring.MOST_NODES", NODES)
    assert explore(*asked("k-anonymity:3")).status == 0


def test_an_output_that_exists_is_told_before_anything_is_counted(
    explore: Run, people: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def counting(*given: object, **more: object) -> None:
        raise AssertionError("the table is counted")

    monkeypatch.setattr("sfumato.verbs.explore.problem_of", counting)
    monkeypatch.setenv("SFUMATO_DEBUG", "1")
    (people / "space.parquet").write_text("precious")
    ended = explore()
    assert (ended.status, ended.err) == (2, f"sfumato: {people / 'space.parquet'}: exists already; --force replaces it\n")
    assert (people / "space.parquet").read_text() == "precious"


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["-m", "t-closeness:0.2,equal"], "explore again with --model t-closeness:0.2,equal"),
        (["-m", "entropy-diversity:2"], "explore again with --model entropy-diversity:2"),
        (["--node", "[9,9,9]"], "not a node of this space; the levels go from age 0 to 3"),
        (["--node", "age=1"], "not a node of this space"),
        (["--node", "[1"], "cannot read"),
        (["--pareto", "loss"], "two losses"),
        (["--pareto", "loss,lost"], "no loss 'lost'"),
        (["-o", "picture.pdf"], "svg"),
    ],
)
def test_what_a_space_cannot_answer_is_told_in_one_line(
    explore: Run, sfumato: Run, people: Path, more: list[str], message: str
) -> None:
    explore(*asked("k-anonymity:3"))
    before = files(people)
    ended = sfumato("space", people / "space.parquet", *more)
    assert (ended.status, ended.err.count("\n")) == (2, 1), ended
    assert message in ended.err.lower() or message in ended.err
    assert files(people) == before


def test_a_file_that_is_no_space_is_told_in_one_line(sfumato: Run, people: Path) -> None:
    for name, message in (("people.csv", "not a policy space"), ("none.parquet", "no such file")):
        ended = sfumato("space", people / name)
        assert (ended.status, ended.err.count("\n")) == (2, 1)
        assert message in ended.err


# Pictures


@pytest.mark.parametrize(("name", "begins"), [("lattice.svg", b"<svg"), ("lattice.png", b"\x89PNG")])
def test_the_lattice_is_drawn(explore: Run, sfumato: Run, people: Path, name: str, begins: bytes) -> None:
    explore(*asked("k-anonymity:3"))
    ended = sfumato("space", people / "space.parquet", "-o", people / name, "--json")
    assert (ended.status, ended.json["written"]) == (0, str(people / name))
    assert (people / name).read_bytes().startswith(begins)
    again = sfumato("space", people / "space.parquet", "-o", people / name)
    assert (again.status, "exists already" in again.err) == (2, True)
    assert sfumato("space", people / "space.parquet", "-o", people / name, "--force").status == 0


def values(spec: Any) -> list[list[dict[str, Any]]]:
    """Every inline data set of a chart, also of those that name a shared one."""
    if isinstance(spec, list):
        return [found for each in spec for found in values(each)]
    if not isinstance(spec, dict):
        return []
    own = (
        [spec["values"]]
        if isinstance(spec.get("values"), list) and spec["values"] and isinstance(spec["values"][0], dict)
        else []
    )
    return own + [found for each in spec.values() for found in values(each)]


def space_of(explore: Run, people: Path, *more: str) -> PolicySpace:
    explore(*more)
    return PolicySpace.read(people / "space.parquet")


def kinds_by_hand(space: PolicySpace, loss: str) -> Counter[str]:
    """One optimal node; the other minimal ones; the other feasible ones; the rest."""
    feasible = [tuple(levels) for levels in space.evaluations.levels[space["feasible"]].tolist()]
    lesser = {node: [o for o in feasible if o != node and all(a <= b for a, b in zip(o, node, strict=True))] for node in feasible}
    best = space.best(loss)
    assert best is not None
    minimal = {node for node in feasible if not lesser[node]} - {best.node.levels}
    return Counter(
        {
            "optimal": 1,
            "minimal": len(minimal),
            "feasible": len(feasible) - len(minimal) - 1,
            "not feasible": len(space) - len(feasible),
        }
    )


def test_up_to_500_nodes_are_drawn_one_by_one_with_their_edges(explore: Run, people: Path) -> None:
    space = space_of(explore, people, *asked("k-anonymity:3"))
    drawn = values(lattice_chart(space, loss="loss"))
    points = next(each for each in drawn if "kind" in each[0])
    edges = next(each for each in drawn if "x2" in each[0])
    assert Counter(point["kind"] for point in points) == +kinds_by_hand(space, "loss")
    assert len(points) == NODES
    # Every step of one QID: 3 * 4 * 2 + 4 * 3 * 2 + 4 * 4 * 1.
    assert len(edges) == 64
    assert all(edge["y"] == edge["y2"] + 1 for edge in edges)
    assert {point["levels"] for point in points} == {"".join(map(str, levels)) for levels in space.evaluations.levels.tolist()}
    optimal = next(point for point in points if point["kind"] == "optimal")
    assert optimal["loss"] == min(value for value, holds in zip(space["loss"], space["feasible"], strict=True) if holds)


def test_more_nodes_are_drawn_as_how_many_there_are(explore: Run, people: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    space = space_of(explore, people, *asked("k-anonymity:3"))
    monkeypatch.setattr("sfumato.reporting.lattice.MOST_NODES", NODES - 1)
    [bars] = values(lattice_chart(space, loss="loss"))
    counted: Counter[str] = Counter()
    for bar in bars:
        counted[bar["kind"]] += bar["nodes"]
    assert counted == +kinds_by_hand(space, "loss")
    sums = Counter(space.evaluations.levels.sum(axis=1).tolist())
    for total, nodes in sums.items():
        assert sum(bar["nodes"] for bar in bars if bar["sum"] == total) == nodes


@pytest.mark.parametrize(("nodes", "drawn"), [(500, True), (512, False)])
def test_the_limit_is_500_nodes(nodes: int, drawn: bool) -> None:
    """QIDs of 5, 5, 5, 4 and of 8, 8, 8 levels, without a table: nothing but a count of one row."""
    from tests.contracts.model_world import World
    from tests.strategies import Drawn, Row
    from tests.unit.search.problems import Case

    levels = (5, 5, 5, 4) if nodes == 500 else (8, 8, 8)
    paths = tuple(((*(f"v{level}" for level in range(height - 1)), "*"),) for height in levels)
    rows = (Row((0,) * len(levels), None, 0, 2),)
    space = explored(Case(World(Drawn(paths, rows, owned=False), (0,), (None,)), {}).problem(["k-anonymity:2"]), "x")
    assert len(space) == nodes
    names = {name for each in values(lattice_chart(space)) for name in each[0]}
    assert ("levels" in names) is drawn
    assert ("nodes" in names) is not drawn


def test_a_lattice_without_a_feasible_node_is_drawn(explore: Run, people: Path) -> None:
    space = space_of(explore, people, *asked("k-anonymity:81"))
    points = next(each for each in values(lattice_chart(space)) if "kind" in each[0])
    assert {point["kind"] for point in points} == {"not feasible"}


# The curse of dimensionality


def test_dimensions_are_those_of_exploring_fewer_qids(sfumato: Run, people: Path) -> None:
    record = sfumato("dimensions", people / "people.csv", "-s", people / "schema.toml", *asked("k-anonymity:3"), "--json").json
    assert (record["models"], record["people"]) == (["k-anonymity:3"], 80)
    assert [(step["qids"], step["added"], step["nodes"]) for step in record["steps"]] == [
        (1, "age", 4),
        (2, "zip", 16),
        (3, "sex", 32),
    ]
    for step, quasi in zip(record["steps"], ("age", "age,zip", "age,zip,sex"), strict=True):
        explored = sfumato(
            "explore", people / "people.csv", "-s", people / "schema.toml", *asked("k-anonymity:3"), "--quasi", quasi,
            "-o", people / "part.parquet", "--force", "--json",
        ).json  # fmt: skip
        assert (step["nodes"], step["feasible"]) == (explored["nodes"], explored["feasible"])
        assert step["feasible_share"] == step["feasible"] / step["nodes"]
        bottom = PolicySpace.read(people / "part.parquet").node([0] * step["qids"])
        assert step["classes"] == bottom["classes"]
        assert step["distribution"] == pytest.approx(bottom["distribution"], abs=1e-12)


def test_more_dimensions_than_can_be_explored_are_refused_before_the_first(
    sfumato: Run, people: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not after minutes, when the last QIDs are reached."""
    monkeypatch.setattr("sfumato.search.space.exploring.MOST_NODES", 31)
    monkeypatch.setattr("sfumato.verbs.dimensions.explored", None)
    ended = sfumato("dimensions", people / "people.csv", "-s", people / "schema.toml")
    assert (ended.status, ended.out, ended.err.count("\n")) == (2, "", 1)
    assert ended.err.startswith(
        "sfumato: --quasi: the lattice has 32 nodes, more than the 31 that are enumerated; release fewer QIDs"
    )


def test_dimensions_count_who_is_alone(sfumato: Run, people: Path) -> None:
    lines = (people / "people.csv").read_text().splitlines()[1:]
    ages = Counter(line.split(",")[0] for line in lines)
    record = sfumato("dimensions", people / "people.csv", "-s", people / "schema.toml", "--json").json
    assert record["models"] == ["k-anonymity:5"]
    assert record["steps"][0]["classes"] == len(ages)
    assert record["steps"][0]["unique"] == sum(count == 1 for count in ages.values()) / 80


@pytest.mark.parametrize(("name", "begins"), [("curse.svg", b"<svg"), ("curse.png", b"\x89PNG")])
def test_the_curse_is_drawn(sfumato: Run, people: Path, name: str, begins: bytes) -> None:
    call = ["dimensions", people / "people.csv", "-s", people / "schema.toml", "-o", people / name]
    assert sfumato(*call, "--json").json["written"] == str(people / name)
    assert (people / name).read_bytes().startswith(begins)
    assert "exists already" in sfumato(*call).err


def test_the_figure_has_a_point_per_number_of_qids_and_loss(people: Path) -> None:
    found = dimensions(people / "people.csv", people / "schema.toml")
    classes, losses, shares = values(dimensions_chart(found))
    assert [point["classes"] for point in classes] == [step.classes for step in found.steps]
    assert [point["feasible_share"] for point in shares] == [step.feasible / step.nodes for step in found.steps]
    assert Counter(point["loss"] for point in losses) == {"unique": 3, "distribution": 3, "utility-distribution": 3}
    assert [point["value"] for point in losses if point["loss"] == "unique"] == [step.unique for step in found.steps]


def test_one_qid_is_no_curse(sfumato: Run, people: Path) -> None:
    ended = sfumato("dimensions", people / "people.csv", "-s", people / "schema.toml", "--quasi", "age")
    assert (ended.status, "needs several" in ended.err) == (2, True)
