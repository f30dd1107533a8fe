"""Few columns are chosen, by what they tell together; the others do not leave."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

import sfumato as sf
from sfumato.profiling.choose import CANDIDATES, FEW, NODES
from sfumato.profiling.sample import Sample, joined
from sfumato.vocabulary.kinds import Role

CHANCE = np.random.default_rng(11)
ROWS = 2000


def frame(**columns: object) -> pd.DataFrame:
    return pd.DataFrame(columns)


def roles(data: pd.DataFrame) -> dict[str, str]:
    return {each.attribute.name: each.attribute.role.value for each in sf.profile(data).suggestions}


def reason(data: pd.DataFrame, name: str) -> str:
    return next(each.reason for each in sf.profile(data).suggestions if each.attribute.name == name)


def test_a_hundred_columns_do_not_become_a_hundred_quasi_identifiers() -> None:
    data = frame(**{f"q{n}": CHANCE.integers(1, 6, ROWS) for n in range(100)})
    profile = sf.profile(data)
    assert 1 <= len(profile.schema.quasi) <= FEW
    assert len(profile.schema.names(Role.IDENTIFIER)) == 100 - len(profile.schema.quasi)
    assert not profile.schema.names(Role.PLAIN)


def test_columns_that_everybody_knows_come_before_those_that_tell_more() -> None:
    data = frame(
        noise=CHANCE.integers(0, 900, ROWS),
        other=CHANCE.normal(0, 1, ROWS),
        sex=CHANCE.choice(["f", "m"], ROWS),
        age=CHANCE.integers(20, 80, ROWS),
        region=CHANCE.choice(list("NESW"), ROWS),
    )
    profile = sf.profile(data)
    assert {"sex", "age", "region"} <= set(profile.schema.quasi)


def test_a_column_that_follows_from_another_is_withheld() -> None:
    age = CHANCE.integers(20, 80, ROWS)
    data = frame(age=age, sex=CHANCE.choice(["f", "m"], ROWS), months=age * 12 + 600)
    assert roles(data)["months"] == "identifier"
    assert reason(data, "months") == "withheld: follows from age"


def test_a_column_that_is_nearly_the_same_for_everybody_is_withheld() -> None:
    data = frame(age=CHANCE.integers(20, 80, ROWS), insured=["yes"] * (ROWS - 3) + ["no"] * 3)
    assert roles(data) == {"age": "quasi", "insured": "identifier"}
    assert "the few who differ would stand out" in reason(data, "insured")


def test_only_what_is_the_same_for_everybody_is_plain() -> None:
    data = frame(age=CHANCE.integers(20, 80, ROWS), country=["DE"] * ROWS)
    assert roles(data) == {"age": "quasi", "country": "plain"}


def test_the_widest_groups_of_the_chosen_columns_have_five_people_each() -> None:
    """Counted anew at the level below the root, without the one column in three that may miss it."""
    data = frame(**{f"town{n}": CHANCE.integers(0, 40, ROWS) for n in range(12)})
    schema = sf.profile(data).schema
    chosen = schema.quasi
    with sf.Table.open(data, schema) as table:
        counts = table.count()
        kept = [
            names for size in range(1, len(chosen) + 1) for names in combinations(chosen, size) if 3 * size >= 2 * len(chosen)
        ]
        tops = [table.node({name: schema[name].height() - 1 for name in names}, names) for names in kept]
        assert max(counts.project(top.attributes).roll_up(top).people.min() for top in tops) >= 5


def test_the_lattice_is_one_that_can_be_searched_in_seconds() -> None:
    data = frame(**{f"age{n}": CHANCE.normal(40, 9, 60_000).round(1) for n in range(10)})
    schema = sf.profile(data).schema
    assert np.prod([schema[name].height() + 1 for name in schema.quasi]) <= NODES


def test_a_withheld_column_keeps_its_levels_in_the_comment() -> None:
    data = frame(age=CHANCE.integers(20, 80, ROWS), **{f"q{n}": CHANCE.integers(1, 40, ROWS) for n in range(CANDIDATES + 4)})
    text = sf.profile(data).to_toml()
    assert "# identifier: withheld: " in text
    assert 'as quasi: hierarchy = { builder = "cuts"' in text
    assert sf.Schema.parse(text) == sf.profile(data).schema


def test_a_name_of_a_column_cannot_break_the_file() -> None:
    data = pd.DataFrame({"age\n[x]": CHANCE.integers(20, 80, ROWS), "sex": CHANCE.choice(["f", "m"], ROWS)})
    profile = sf.profile(data)
    assert sf.Schema.parse(profile.to_toml()) == profile.schema


def test_a_value_is_named_only_if_five_people_have_it_however_many_rows_they_have() -> None:
    """Twenty people; all ninety rows with `rare` are one person's."""
    owners = [n % 19 for n in range(400)] + [19] * 90
    job = [["cook", "clerk", "nurse"][n % 3] for n in range(400)] + ["rare"] * 90
    text = sf.profile(frame(patient_id=owners, job=job, age=[20 + n % 40 for n in range(490)])).to_toml()
    assert "rare" not in text


@pytest.mark.parametrize("owners", [None, np.array([0, 0, 1, 2, 3, 3])])
def test_people_who_are_alone_are_counted_once(owners: np.ndarray | None) -> None:
    codes = np.array([0, 1, 1, 2, 2, 3])
    sample = Sample(6, {}, {}, owners)
    classes = joined(np.zeros(6, np.int64), codes)
    # Rows: classes 0 and 3 have one row each. People: 0 is alone in class 0, 3 in class 3; in class 1 are 0 and 1, in class 2 are 2 and 3.
    assert sample.alone(classes) == 2
    assert sample.people == (6 if owners is None else 4)


def test_a_few_missing_values_in_every_column_do_not_leave_a_table_without_columns() -> None:
    """Three missing values in each: without suppression nothing can be kept, with a little of it everything."""
    columns = {
        "age": CHANCE.integers(20, 80, ROWS),
        "sex": CHANCE.choice(["f", "m"], ROWS),
        "city": CHANCE.choice(list("ABCDE"), ROWS),
    }
    data = pd.DataFrame({name: pd.Series(values).astype(object) for name, values in columns.items()})
    for place, name in enumerate(columns):
        data.loc[3 * place : 3 * place + 2, name] = None
    profile = sf.profile(data.astype("string"))
    assert set(profile.schema.quasi) == set(columns)
    assert all("are suppressed, it may become *" in each.reason for each in profile.suggestions)
    result = sf.anonymize(data.astype("string"), profile.schema, models="k-anonymity:5", suppress="1%")
    node = dict(result.release.certificate.node)
    assert all(level < profile.schema[name].height() for name, level in node.items())
