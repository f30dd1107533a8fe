"""A release in memory is judged, measured and reported like the same release in a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import sfumato as sf
from sfumato.errors import SchemaError, UsageError

SCHEMA = """
[table]
suppressed = "drop"
[attributes.age]
role = "quasi"
type = "integer"
hierarchy = { builder = "intervals", lower = 0, upper = 100, widths = [10] }
[attributes.sex]
role = "quasi"
[attributes.disease]
role = "sensitive"
"""
MODELS = ["k-anonymity:5", "distinct-diversity:2"]


def schema(style: str = "drop") -> sf.Schema:
    return sf.Schema.parse(SCHEMA.replace('"drop"', f'"{style}"'))


def people() -> pd.DataFrame:
    """Two classes of ten, one of eight, and somebody alone at the only node that keeps both columns."""
    rows = [(20 + i % 10, "f", "flu" if i % 2 else "cold") for i in range(10)]
    rows += [(30 + i % 10, "m", "flu" if i % 3 else "gout") for i in range(10)]
    rows += [(40 + i % 10, "f", "cold" if i % 2 else "gout") for i in range(8)]
    return pd.DataFrame([*rows, (95, "m", "gout")], columns=["age", "sex", "disease"])


def found(style: str = "drop", **options: Any) -> sf.Anonymized:
    result = sf.anonymize(people(), schema(style), models=MODELS, suppress="5%", minimize="loss", **options)
    assert isinstance(result, sf.Anonymized)
    assert result.release.certificate.suppressed["people"] == 1
    return result


@pytest.fixture(params=["drop", "star"])
def both(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[sf.Anonymized, Path, sf.Schema]:
    """One release twice: in memory and in a file."""
    written = tmp_path / "out.parquet"
    found(request.param, output=written)
    return found(request.param), written, schema(request.param)


def without_names(record: Any) -> Any:
    """A record without what must differ: the file, its name, digest and size, the time, the commands."""
    if isinstance(record, dict):
        differ = ("file", "made", "commands", "sha256", "bytes", "time", "ledger", "settings", "facts", "certificate")
        return {key: without_names(value) for key, value in record.items() if key not in differ}
    return [without_names(each) for each in record] if isinstance(record, list | tuple) else record


Both = tuple[sf.Anonymized, Path, sf.Schema]


def test_risk_knows_who_is_suppressed(both: Both) -> None:
    result, _, declared = both
    sizes = [10, 10, 8]  # the person alone is not in the release
    for measured in (sf.measure(result), sf.measure(result.release), sf.measure(people(), declared, node=result.release)):
        assert measured.risk.prosecutor_max == 1 / min(sizes)
        assert measured.risk.prosecutor_mean == len(sizes) / sum(sizes)
        assert measured.risk.unique == 0
        assert (measured.people, measured.suppressed) == (28, 1)


def test_a_node_is_measured_without_those_who_leave_by_the_models() -> None:
    result = found()
    node = result.release.certificate.node
    as_released = sf.measure(people(), schema(), node=node, models=MODELS, suppress="5%")
    assert as_released.as_dict() == sf.measure(people(), schema(), node=result).as_dict()
    everybody = sf.measure(people(), schema(), node=node)
    assert (everybody.suppressed, everybody.risk.prosecutor_max) == (0, 1.0)
    with pytest.raises(
        UsageError, match="suppress: the classes that violate the models at this node hold 1 person, and at most 0 may be"
    ):
        sf.measure(people(), schema(), node=node, models=MODELS, suppress="1%")


def test_a_release_in_memory_is_measured_like_its_file(both: Both) -> None:
    result, written, declared = both
    original = people()
    assert sf.measure(result).as_dict() == sf.measure(written, declared, original=original).as_dict()
    assert sf.measure(result.release, declared, original=original).as_dict() == sf.measure(result).as_dict()


def test_a_release_in_memory_is_judged_like_its_file(both: Both) -> None:
    result, written, declared = both
    asked = [*MODELS, "t-closeness:0.2", "k-anonymity:9"]
    in_memory = sf.check(result, models=asked)
    assert without_names(in_memory.as_dict()) == without_names(sf.check(written, declared, models=asked).as_dict())
    assert [verdict.satisfied for verdict in in_memory.verdicts][-1] is False
    judged = sf.check(result.release, models=asked, original=people())
    assert without_names(judged.as_dict()) == without_names(
        sf.check(written, declared, models=asked, original=people()).as_dict()
    )


@pytest.mark.parametrize("beside", [False, True])
def test_a_release_in_memory_is_reported_like_its_file(both: Both, beside: bool, tmp_path: Path) -> None:
    result, written, declared = both
    original = people() if beside else None
    in_memory = sf.report(result, original=original, output=tmp_path / "memory.html")
    of_file = sf.report(written, declared, original=original)
    assert without_names(in_memory.as_dict()) == without_names(of_file.as_dict())
    assert (tmp_path / "memory.html").stat().st_size > 1000


def test_a_release_written_to_a_file_is_its_own_argument_too(tmp_path: Path) -> None:
    written = found(output=tmp_path / "out.csv")
    assert sf.measure(written).as_dict() == sf.measure(found()).as_dict()
    assert sf.check(written, models=MODELS).satisfied
    assert sf.report(written).facts.classes == 3


def test_a_local_release_is_measured_and_judged_in_memory(tmp_path: Path) -> None:
    options: dict[str, Any] = {"models": "k-anonymity:5", "algorithm": "mondrian"}
    result = sf.anonymize(people(), schema(), **options)
    written = sf.anonymize(people(), schema(), **options, output=tmp_path / "out.parquet")
    assert isinstance(result, sf.Anonymized)
    assert isinstance(written, sf.Anonymized)
    assert sf.measure(result).as_dict() == sf.measure(tmp_path / "out.parquet", schema(), original=people()).as_dict()
    assert sf.check(result, models="k-anonymity:5").satisfied
    with pytest.raises(UsageError, match="node: the release has no node"):
        sf.measure(people(), schema(), node=result)


def test_a_file_needs_its_schema(tmp_path: Path) -> None:
    found(output=tmp_path / "out.csv")
    for verb in (sf.check, sf.report):
        with pytest.raises(SchemaError, match="schema: a published file needs the schema"):
            verb(tmp_path / "out.csv", models="k-anonymity:5")
    with pytest.raises(UsageError, match="a release is as it is"):
        sf.measure(found(), node=[1, 0])
