"""Every subset of the QIDs: the walk through them, and what is refused because it would take too long."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from types import MappingProxyType

import numpy as np
import pandas as pd
import pytest

import sfumato as sf
from sfumato.assessment import combinations as every
from sfumato.assessment.combinations import every_combination, projections, require_few, require_quick
from sfumato.errors import UsageError
from sfumato.frequency import FrequencySet
from sfumato.question.priors import Priors
from sfumato.search.cost import seconds_for_subsets as seconds_for
from sfumato.statements import Statement
from sfumato.table import Table

LABELS = {"b": 2, "many": 12, "c": 3, "few": 2, "d": 4}


def table_of(rows: int, *, owners: bool, labels: dict[str, int] = LABELS) -> Table:
    """Rows drawn at random, with two sensitive attributes; with owners, most people have several rows."""
    draw = np.random.default_rng(5)
    frame = pd.DataFrame({name: draw.integers(0, count, rows).astype(str) for name, count in labels.items()})
    frame["s"], frame["t"] = draw.integers(0, 3, rows).astype(str), draw.integers(0, 5, rows).astype(str)
    frame.loc[::7, "t"] = None
    roles = {**dict.fromkeys(labels, "quasi"), "s": "sensitive", "t": "sensitive"}
    if owners:
        frame["who"], roles["who"] = draw.integers(0, rows // 3, rows), "owner"
    schema = sf.Schema.parse("".join(f'[attributes.{name}]\nrole = "{role}"\n' for name, role in roles.items()))
    return sf.Table.open(frame, schema)


def plain(counts: FrequencySet) -> dict[tuple[str, ...], FrequencySet]:
    """Every subset, projected from all QIDs."""
    names = counts.node.attributes
    subsets = [subset for size in range(1, len(names) + 1) for subset in combinations(names, size)]
    return {subset: counts.project(subset) for subset in subsets}


@pytest.mark.parametrize("owners", [False, True])
def test_a_projection_from_a_larger_subset_is_that_from_all_qids(owners: bool) -> None:
    with table_of(300, owners=owners) as table:
        counts = table.count()
    assert counts.basis == ("owner" if owners else "row")
    known, found = plain(counts), list(projections(counts))
    assert found[0].node.attributes == counts.node.attributes
    assert sorted(each.node.attributes for each in found) == sorted(known)
    for each in found:
        other = known[each.node.attributes]
        assert each.same_as(other)
        assert (each.incidence is None) == (not owners)
        if each.incidence is not None and other.incidence is not None:
            assert np.array_equal(each.incidence.offsets, other.incidence.offsets)
            assert np.array_equal(each.incidence.owners, other.incidence.owners)


def test_each_subset_is_projected_from_one_that_has_the_fewest_labels_more(monkeypatch: pytest.MonkeyPatch) -> None:
    with table_of(300, owners=False) as table:
        counts = table.count()
    from_which: dict[tuple[str, ...], tuple[str, ...]] = {}
    project = FrequencySet.project

    def noted(self: FrequencySet, attributes: list[str]) -> FrequencySet:
        from_which[tuple(attributes)] = self.node.attributes
        return project(self, attributes)

    monkeypatch.setattr(FrequencySet, "project", noted)
    assert len(list(projections(counts))) == len(from_which) == 31
    for subset, larger in from_which.items():
        lacking = [name for name in LABELS if name not in subset]
        added = set(larger) - set(subset)
        assert {LABELS[name] for name in added} == ({min(LABELS[name] for name in lacking)} if lacking else set())


@pytest.mark.parametrize("owners", [False, True])
def test_the_combinations_are_those_of_plain_projections_to_the_last_digit(owners: bool) -> None:
    with table_of(300, owners=owners) as table:
        counts, schema = table.count(), table.schema
        priors = Priors.of_table(table, ["s", "t"])
    priors = replace(priors, statements={"s": [Statement({"b": "1", "d": "0"}, {"2": 0.5})]})
    found = every_combination(counts, [schema["s"], schema["t"]], priors)
    assert found.complete
    for name in ("s", "t"):
        stated = priors.statements.get(name, ())
        measured = [
            every._measured(each, schema[name], priors.of[name], [s for s in stated if set(s.when) <= set(subset)])
            for subset, each in plain(counts).items()
        ]
        measured.sort(key=lambda each: (-each.distribution_max, -each.distribution_people_mean, each.attributes))
        assert found.of[name] == tuple(measured)


def test_progress_counts_every_combination() -> None:
    with table_of(100, owners=False) as table:
        steps: list[tuple[int, int]] = []
        sf.measure(table, combinations=True, progress=lambda done, total: steps.append((done, total)))
    assert steps == [(done, 31) for done in range(1, 32)]


def test_when_the_time_is_up_what_was_measured_is_shown_and_said_not_to_be_all() -> None:
    with table_of(100, owners=False) as table:
        whole = sf.measure(table, combinations=True)
        some = sf.measure(table, combinations=True, time_limit=1e-9)
    assert (whole.complete, whole.as_dict()["complete"]) == (True, True)
    assert (some.complete, some.as_dict()["complete"]) == (False, False)
    for measured, every_one in zip(some.attributes, whole.attributes, strict=True):
        assert [each.attributes for each in measured.combinations] == [tuple(LABELS)]
        assert measured.combinations[0] in every_one.combinations
        assert (measured.shares, len(every_one.shares)) == ((), 5)
        assert measured.losses == every_one.losses
    assert "complete" not in sf.measure(table_of(100, owners=False)).as_dict()


def test_more_subsets_than_a_million_are_refused_before_anything_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    with table_of(20, owners=False, labels={f"q{place}": 2 for place in range(20)}) as table:
        with monkeypatch.context() as patched:
            patched.setattr(Table, "count", None)
            with pytest.raises(UsageError) as refused:
                sf.measure(table, combinations=True)
        assert str(refused.value) == (
            "combinations: 20 QIDs have 1,048,575 subsets, more than the 1,000,000 that are measured; name fewer QIDs (quasi), or "
            "say how many seconds this may take (time_limit)"
        )
        assert not sf.measure(table, combinations=True, time_limit=1e-9).complete
        assert sf.measure(table, quasi=["q0", "q1"], combinations=True).complete
    require_few(19, chosen=True)
    with pytest.raises(UsageError, match=r"measured; say how many seconds this may take \(time_limit\)"):
        require_few(20, chosen=False)  # a published file has the QIDs that it has


def test_subsets_that_would_take_very_long_are_refused() -> None:
    with table_of(20_000, owners=False, labels={f"q{place}": 40 for place in range(18)}) as table:
        counts = table.count()
    with pytest.raises(
        UsageError, match=r"the 262,143 subsets of 18 QIDs would take about \d+ minutes; name fewer QIDs \(quasi\)"
    ):
        require_quick(counts, 2, chosen=True)
    few = counts.project(counts.node.attributes[:8])
    require_quick(few, 2, chosen=True)
    assert seconds_for(few, 2) == 2 * seconds_for(few, 1)


def test_owners_make_subsets_take_longer() -> None:
    with table_of(2000, owners=True) as table:
        counts = table.count()
    without = replace(counts, incidence=None)
    one = replace(counts, payloads=MappingProxyType({}))
    assert seconds_for(counts, 1) > seconds_for(without, 1) > seconds_for(replace(one, incidence=None), 1)


def test_a_time_limit_is_for_combinations() -> None:
    with table_of(20, owners=False) as table, pytest.raises(UsageError, match="time_limit: it limits combinations; give both"):
        sf.measure(table, time_limit=5)
