"""`sfumato negotiate equilibrium` and `menu` from the outside: what they print and refuse."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from sfumato.negotiation import game
from sfumato.search.space import PolicySpace
from tests.unit.negotiation.game.spaces import six
from tests.unit.negotiation.spaces import census

Run = Callable[..., Any]


def write(space: PolicySpace, path: Path) -> None:
    pq.write_table(space.to_arrow(), path)


@pytest.fixture
def space(tmp_path: Path) -> Path:
    path = tmp_path / "space.parquet"
    write(census(), path)
    return path


def test_an_equilibrium_is_the_one_of_python_and_its_figure_is_drawn(sfumato: Run, space: Path, tmp_path: Path) -> None:
    ended = sfumato("negotiate", "equilibrium", space, "--epsilon", 0.7, "--users", 12, "-o", tmp_path / "game.svg")
    assert (ended.status, ended.err) == (0, "")
    kept = int(((census()["distribution.max"] <= 0.7) & (census()["smallest"] >= 2)).sum())
    for part in (f"{kept} of 120 policies keep the bounds", "policies are levels of age", "12 random users", "what a rule costs"):
        assert part in ended.out
    assert (tmp_path / "game.svg").read_text(encoding="utf-8").startswith("<svg")
    record = sfumato("negotiate", "equilibrium", space, "--epsilon", 0.7, "--users", 12, "--json").json
    found = game.equilibrium(census(), game.Rules(epsilon=0.7), users=12)
    assert record == {"schema_version": 1, "space": str(space), **found.as_dict()}
    assert record["deal"]["policy"] == found.policy(found.deal.place)
    assert [each["proposer"] for each in record["rounds"]] == ["user", "owner"]


def test_a_menu_is_the_one_of_python_and_its_figure_is_drawn(sfumato: Run, space: Path, tmp_path: Path) -> None:
    ended = sfumato("negotiate", "menu", space, "--epsilon", 0.7, "-o", tmp_path / "menu.png")
    assert (ended.status, ended.err) == (0, "")
    assert "the best: no menu has more than" in ended.out
    assert (tmp_path / "menu.png").read_bytes().startswith(b"\x89PNG")
    record = sfumato("negotiate", "menu", space, "--epsilon", 0.7, "--json").json
    assert record == {"schema_version": 1, "space": str(space), **game.menu(census(), game.Rules(epsilon=0.7)).as_dict()}
    assert record["menu"]["proved"] is True
    assert len(record["types"]) == 10


def test_where_nobody_gains_there_is_no_deal(sfumato: Run, space: Path) -> None:
    costly = ("--epsilon", 0.7, "--compensation", "500 * loss + 200", "--users", 0)
    ended = sfumato("negotiate", "equilibrium", space, *costly)
    assert ended.status == 0
    assert "no deal: no policy is worth to the user what it costs the owner" in ended.out
    assert sfumato("negotiate", "equilibrium", space, *costly, "--json").json["deal"]["deal"] is False


@pytest.mark.parametrize(
    ("command", "options", "wrong"),
    [
        ("equilibrium", ("--epsilon", 0.00001, "-m", "k-anonymity:1000000"), "no policy keeps these bounds"),
        ("equilibrium", ("--epsilon", -1), "--epsilon: a bound is a number of at least 0"),
        ("equilibrium", ("--patience", 2), "--patience: a share from 0 to 1"),
        ("equilibrium", ("--rounds", 0), "--rounds: a whole number from 1 to 1,000"),
        ("equilibrium", ("--budget", -5), "--budget: a number from 0 up"),
        ("equilibrium", ("--value", "sin(loss)"), "--value: cannot read this value: 'sin' is not known"),
        ("equilibrium", ("--fee", -1), "--fee: a number from 0 up"),
        ("equilibrium", ("--users", 0, "-o", "game.svg"), "--users: the figure compares users; there are none"),
        ("equilibrium", ("-o", "game.pdf"), "the name must end in .svg or .png"),
        ("menu", ("--types", "uniform:1,2,99"), "--types: the number of types is a whole number from 1 to 50"),
        ("menu", ("--types", "scales:1=0.5"), "--types: the probabilities add up to 0.5 and not to 1"),
        ("menu", ("--types", "none.toml"), "none.toml: no such file"),
        ("menu", ("--time-limit", 0), "--time-limit: a number of seconds above 0"),
        ("menu", ("--price", "100 * loss"), "--price: it rises with the loss"),
        ("menu", ("--providers", "all"), "--providers: cannot read how people react"),
        ("menu", ("--privacy", "distribution.maximum"), "does not have the loss 'distribution.maximum'"),
    ],
)
def test_bad_input_is_one_clear_line_and_nothing_is_written(
    command: str,
    options: tuple[object, ...],
    wrong: str,
    sfumato: Run,
    space: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    ended = sfumato("negotiate", command, space, *options)
    assert (ended.status, ended.out) == (2, "")
    assert wrong in ended.err
    assert len(ended.err.strip().splitlines()) == 1
    assert [each.name for each in tmp_path.iterdir()] == ["space.parquet"]


def test_a_space_without_rules_or_losses_or_that_is_none_is_refused(sfumato: Run, tmp_path: Path) -> None:
    write(six(), tmp_path / "six.parquet")
    for command in ("equilibrium", "menu"):
        bare = sfumato("negotiate", command, tmp_path / "six.parquet")
        assert bare.status == 2
        (tmp_path / "none.parquet").write_bytes(b"PAR1")
        assert sfumato("negotiate", command, tmp_path / "none.parquet", "--epsilon", 1).status == 2
        assert sfumato("negotiate", command, tmp_path / "missing.parquet", "--epsilon", 1).err.endswith("no such file\n")
