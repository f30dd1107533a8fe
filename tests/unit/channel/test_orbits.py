"""By orbits: the same numbers from a few inputs."""

from __future__ import annotations

from itertools import permutations
from math import factorial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.channel.enumeration import Choice, Universe, enumerate_mechanism, enumerate_orbits
from sfumato.channel.enumeration.judging import Judge, distinct_profiles
from sfumato.channel.enumeration.multisets import all_multisets
from sfumato.channel.enumeration.orbits import representatives
from sfumato.channel.enumeration.symmetry import Symmetry, all_profiles, automorphisms
from sfumato.errors import UsageError
from sfumato.models import models_of
from sfumato.vocabulary.hierarchy import Hierarchy
from tests.unit.channel.small import PAPER, QUASI_ONLY, UNEVEN, paper

MODELS = ["k-anonymity:2", "k-anonymity:3", "distinct-diversity:2", "t-closeness:0.4", "entropy-diversity:2"]


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("choice", list(Choice))
@pytest.mark.parametrize("schema", [PAPER, UNEVEN])
def test_orbits_give_what_plain_enumeration_gives(schema: dict[str, object], choice: Choice, model: str) -> None:
    for rows in (1, 2, 3, 4):
        universe = Universe.of(schema, rows)
        plain, quick = (each(universe, model, choice=choice) for each in (enumerate_mechanism, enumerate_orbits))
        assert quick.map_error == pytest.approx(plain.map_error, abs=1e-12)
        assert (quick.inputs, quick.outputs) == (plain.channel.inputs, plain.channel.outputs)
        assert quick.unpublished == plain.unpublished
        assert rows < 2 or quick.representatives < quick.inputs


def test_the_example_has_96_relabelings() -> None:
    """The tree of ages has 8 automorphisms, the genders 2, the diseases 6."""
    found = enumerate_orbits(paper(2), "k-anonymity:2")
    assert found.relabelings == 8 * 2 * 6
    assert found.not_enumerated == found.inputs - found.representatives == 300 - 12


def _fixed(permutation: list[int], rows: int) -> int:
    """The multisets that a permutation leaves as they are: each cycle is in them as a whole (Burnside's lemma)."""
    ways, seen = [1] + [0] * rows, set()
    for start in range(len(permutation)):
        if start in seen:
            continue
        length, place = 0, start
        while place not in seen:
            seen.add(place)
            place, length = permutation[place], length + 1
        for size in range(length, rows + 1):
            ways[size] += ways[size - length]
    return ways[rows]


@pytest.mark.parametrize("schema", [PAPER, UNEVEN, QUASI_ONLY])
@pytest.mark.parametrize("rows", [1, 2, 3, 4, 5])
def test_there_are_as_many_orbits_as_burnsides_lemma_says_and_they_have_all_inputs(schema: dict[str, object], rows: int) -> None:
    universe = Universe.of(schema, rows)
    symmetry = Symmetry.of(Judge(universe, models_of("k-anonymity:2")))
    tables, sizes = representatives(symmetry, rows)
    assert len(tables) * symmetry.order == sum(_fixed(element, rows) for element in symmetry.elements.tolist())
    assert int(sizes.sum()) == universe.inputs()


TREES = st.recursive(st.just(1), lambda inner: st.lists(inner, min_size=1, max_size=3), max_leaves=5)


def _hierarchy(tree: object) -> Hierarchy:
    paths: list[list[str]] = []

    def walk(branch: object, above: tuple[str, ...]) -> None:
        if branch == 1:
            paths.append([*above])
            return
        for place, each in enumerate(branch):  # type: ignore[arg-type,var-annotated]
            walk(each, (f"{above[0] if above else ''}.{place}", *above))

    walk(tree if tree != 1 else [1], ())
    height = max(map(len, paths))
    columns = zip(*([path[0]] * (height - len(path)) + path for path in paths), strict=True)
    return Hierarchy.of_columns("x", [list(column) for column in columns])


@given(TREES)
def test_automorphisms_are_the_permutations_that_preserve_every_level(tree: object) -> None:
    hierarchy = _hierarchy(tree)
    leaves = len(hierarchy.at(0))
    levels = [hierarchy.ancestors(0, level)[:leaves] for level in range(hierarchy.height + 1)]

    def preserves(one: tuple[int, ...]) -> bool:
        pairs = [
            (level[a] == level[b], level[one[a]] == level[one[b]]) for level in levels for a in range(leaves) for b in range(a)
        ]
        return all(before == after for before, after in pairs)

    assert sorted(automorphisms(hierarchy)) == [each for each in permutations(range(leaves)) if preserves(each)]


def test_a_group_that_is_too_large_is_left_out() -> None:
    many = Hierarchy.flat([str(leaf) for leaf in range(8)])
    assert factorial(8) > 5_000
    assert len(automorphisms(many)) == 1


def test_sensitive_values_that_a_model_tells_apart_are_not_exchanged() -> None:
    """The first two values have one parent, the third another: only the two change places, under a distance that knows the tree."""
    universe = Universe.of(UNEVEN, 3)
    alike, apart = (enumerate_orbits(universe, model) for model in ("t-closeness:0.4,equal", "t-closeness:0.4,hierarchical"))
    assert alike.relabelings == 3 * apart.relabelings


def test_all_profiles_are_those_of_tables_with_as_many_cells_as_rows() -> None:
    for rows, spread in ((1, 3), (3, 2), (4, 3)):
        wanted, _ = distinct_profiles(all_multisets(rows * spread, rows), spread)
        assert sorted(map(tuple, wanted.tolist())) == all_profiles(rows, spread, 1_000)
        assert all_profiles(rows, spread, len(wanted) - 1) is None


def test_where_profiles_are_too_many_to_judge_values_stay_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    universe = paper(3)
    whole = enumerate_orbits(universe, "distinct-diversity:2")
    monkeypatch.setattr("sfumato.channel.enumeration.symmetry.MOST_PROFILES", 5)
    less = enumerate_orbits(universe, "distinct-diversity:2")
    assert (whole.relabelings, less.relabelings) == (96, 16)
    assert less.map_error == pytest.approx(whole.map_error, abs=1e-12)
    assert less.outputs == whole.outputs


def test_models_that_read_labels_and_too_many_orbits_are_refused() -> None:
    with pytest.raises(UsageError, match="reads labels"):
        enumerate_orbits(Universe.of(UNEVEN, 2), "k-anonymity:2 for place=north")
    with pytest.raises(UsageError, match=r"even by orbits .* estimate_map_error"):
        enumerate_orbits(Universe.of(PAPER, 12), "k-anonymity:2")
    with pytest.raises(UsageError, match=r"more than can be numbered.* estimate_map_error"):
        enumerate_orbits(Universe.of(PAPER, 80), "k-anonymity:2")


def test_it_is_shown_as_a_table_and_as_a_record() -> None:
    found = enumerate_orbits(paper(3), "k-anonymity:2", choice="deterministic")
    assert found.as_dict()["not_enumerated"] == 2_600 - 46
    assert "not enumerated" in str(found)
