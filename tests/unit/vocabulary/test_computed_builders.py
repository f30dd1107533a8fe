"""Cut points, common values, countries and diagnoses: builders whose levels depend on a value alone."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato import Schema
from sfumato.errors import HierarchyError, SchemaError
from sfumato.vocabulary.builders import Builder, Common, Countries, Cuts, Icd10
from sfumato.vocabulary.coordinates import coordinates
from sfumato.vocabulary.kinds import Kind, Role
from sfumato.vocabulary.labels import Range
from sfumato.vocabulary.m49 import regions, subregions
from sfumato.vocabulary.meeting import meeting
from sfumato.vocabulary.schema import Attribute


def path(builder: Builder, value: str, kind: Kind = Kind.TEXT) -> list[str]:
    """A value and its labels up to the root."""
    hierarchy = builder.build("x", kind, [value])
    assert hierarchy.height == builder.height(kind)
    return [labels[0] for labels in hierarchy.labels]


INCOME = Cuts(((Decimal(1000), Decimal(2000), Decimal("5000.5")), (Decimal(2000),)))
JOBS = Common(("nurse", "clerk", "cook"), (3, 1))


@pytest.mark.parametrize(
    ("builder", "kind", "value", "labels"),
    [
        (INCOME, Kind.DECIMAL, "999.99", ["<1000", "<2000", "*"]),
        (INCOME, Kind.DECIMAL, "1000.0", ["[1000, 2000)", "<2000", "*"]),
        (INCOME, Kind.INTEGER, "5000", ["[2000, 5000.5)", ">=2000", "*"]),
        (INCOME, Kind.INTEGER, "-7", ["<1000", "<2000", "*"]),
        (INCOME, Kind.DECIMAL, "1e+30", [">=5000.5", ">=2000", "*"]),
        (JOBS, Kind.TEXT, "nurse", ["nurse", "nurse", "*"]),
        (JOBS, Kind.TEXT, "cook", ["cook", "other", "*"]),
        (JOBS, Kind.TEXT, "pilot", ["other", "other", "*"]),
        (Countries(), Kind.TEXT, "DEU", ["Western Europe", "Europe", "*"]),
        (Countries(), Kind.TEXT, "united states", ["Northern America", "Americas", "*"]),
        (Countries(("region",)), Kind.TEXT, "Suisse", ["Europe", "*"]),
        (Icd10(), Kind.TEXT, "I21.4", ["I21", "I20-I25", "I00-I99 circulation", "*"]),
        (Icd10(("chapter",)), Kind.TEXT, "S5250", ["S00-T98 injuries", "*"]),
        (Icd10(), Kind.TEXT, "D48.9", ["D48", "D37-D48", "C00-D48 neoplasms", "*"]),
        (Icd10(), Kind.TEXT, "D50", ["D50", "D50-D53", "D50-D89 blood and immunity", "*"]),
        (Icd10(), Kind.TEXT, "H59.9", ["H59", "H55-H59", "H00-H59 eyes", "*"]),
        (Icd10(), Kind.TEXT, "H60", ["H60", "H60-H62", "H60-H95 ears", "*"]),
    ],
)
def test_a_value_goes_up_by_known_steps(builder: Builder, kind: Kind, value: str, labels: list[str]) -> None:
    assert path(builder, value, kind) == [value, *labels]


@given(st.lists(st.integers(-50, 50), min_size=1, unique=True), st.sets(st.integers(-40, 40), min_size=2))
def test_a_number_is_in_the_band_that_its_label_says(numbers: list[int], cuts: set[int]) -> None:
    level = tuple(map(Decimal, sorted(cuts)))
    hierarchy = Cuts((level, level[:1])).build("x", Kind.INTEGER, [str(number) for number in sorted(numbers)])
    for code, leaf in enumerate(hierarchy.labels[0]):
        span = Range.parse(hierarchy.at(1)[hierarchy.ancestors(0, 1)[code]])
        assert span is not None
        assert span.among([Decimal(leaf)]) == 1


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        ('builder = "cuts", cuts = []', "'cuts' must be lists of ascending numbers"),
        ('builder = "cuts", cuts = [[2, 1]]', "'cuts' must be lists of ascending numbers"),
        ('builder = "cuts", cuts = [[1, 2], [3]]', "'cuts' must be lists of ascending numbers"),
        ('builder = "cuts", cuts = [[1, 2], [1, 2]]', "'cuts' must be lists of ascending numbers"),
        ('builder = "cuts", cuts = [1]', "'cuts' must be a list of lists"),
        ('builder = "common", values = ["a"], keep = [2]', "'keep' must descend"),
        ('builder = "common", values = ["a", "b"], keep = [1, 2]', "'keep' must descend"),
        ('builder = "common", values = ["a", "a"], keep = [1]', "lists a value twice"),
        ('builder = "common", keep = [1]', "'values' must be a list of texts"),
        ('builder = "countries", levels = ["region", "subregion"]', "in this order"),
        ('builder = "icd10", levels = []', "in this order"),
    ],
)
def test_a_wrong_declaration_is_refused(declared: str, message: str) -> None:
    kind = 'type = "integer"\n' if "cuts" in declared else ""
    with pytest.raises(SchemaError, match=message):
        Schema.parse(f'[attributes.x]\nrole = "quasi"\n{kind}hierarchy = {{ {declared} }}')


@pytest.mark.parametrize("builder", [INCOME, JOBS, Countries(("region",)), Icd10(("block", "chapter"))])
def test_a_declared_builder_is_read_again(builder: Builder) -> None:
    kind = Kind.DECIMAL if builder is INCOME else Kind.TEXT
    schema = Schema((Attribute("x", Role.QUASI, kind, builder),))
    assert Schema.parse(schema.to_toml()) == schema


@pytest.mark.parametrize(("builder", "values"), [(Countries(), ["FR", "Atlantis"]), (Icd10(), ["I21.4", "none"])])
def test_a_value_outside_a_standard_is_counted_and_not_shown(builder: Builder, values: list[str]) -> None:
    with pytest.raises(HierarchyError, match="has 1 value that is not a") as caught:
        builder.build("x", Kind.TEXT, values)
    assert values[1] not in str(caught.value)


def test_every_country_has_a_region() -> None:
    """ISO 3166-1 has 249 codes of two letters; M49 puts all but Antarctica into a region. `uk` is no code of the standard."""
    codes = [name for name in subregions() if len(name) == 2]
    assert len(codes) - ("uk" in codes) == 248
    assert set(subregions().values()) == set(regions())
    assert set(regions().values()) == {"Africa", "Americas", "Asia", "Europe", "Oceania"}


@pytest.mark.parametrize(
    ("builder", "wanted", "label", "meets"),
    [
        (INCOME, "<2000", "[1000, 2000)", True),
        (INCOME, "<1000", "[1000, 2000)", False),
        (INCOME, ">=2000", "2500", True),
        (JOBS, "other", "cook", True),
        (JOBS, "other", "nurse", False),
        (JOBS, "cook", "nurse", False),
        (Countries(), "Europe", "FR", True),
        (Countries(), "FR", "Western Europe", True),
        (Countries(), "FR", "DE", False),
        (Icd10(), "I20-I25", "I21.4", True),
        (Icd10(), "I00-I99 circulation", "I20-I25", True),
        (Icd10(), "I21", "I20", False),
    ],
)
def test_labels_meet_where_they_share_values(builder: Builder, wanted: str, label: str, meets: bool) -> None:
    kind = Kind.DECIMAL if builder is INCOME else Kind.TEXT
    assert meeting(Attribute("x", Role.QUASI, kind, builder), wanted)(label) is meets


def test_open_bands_have_a_place_between_the_others() -> None:
    attribute = Attribute("x", Role.QUASI, Kind.DECIMAL, INCOME)
    places = coordinates(attribute, ["<1000", "[1000, 2000)", ">=2000"])
    assert list(places) == sorted(places)
    assert (places[0], places[-1]) == (0, 1)
