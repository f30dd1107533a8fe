"""Results in a notebook: small escaped tables without values of small groups, and charts."""

from __future__ import annotations

import sys
from typing import Any

import altair as alt
import pandas as pd
import pytest

import sfumato as sf
from sfumato.errors import UsageError
from sfumato.upward import HOMES, above

RARE = "only-one-person-has-this"
SCRIPT = "<script>alert(1)</script>"
TEXT = f"""
[attributes."a<b>"]
role = "quasi"
type = "integer"
hierarchy = {{ builder = "intervals", lower = 0, upper = 100, widths = [10, 50] }}
[attributes.job]
role = "quasi"
hierarchy = {{ builder = "tree", tree = {{ "{SCRIPT}" = ["nurse", "doctor"], {RARE} = ["clerk"] }} }}
[attributes.disease]
role = "sensitive"
"""


def people() -> pd.DataFrame:
    rows = [(20 + i % 30, "nurse" if i % 2 else "doctor", ["flu", "cold", "gout"][i % 3]) for i in range(60)]
    return pd.DataFrame([*rows, (99, "clerk", RARE)], columns=["a<b>", "job", "disease"])


def schema() -> sf.Schema:
    return sf.Schema.parse(TEXT)


def results() -> dict[str, Any]:
    found = sf.anonymize(people(), schema(), k=5, suppress="5%")
    return {
        "Profile": sf.profile(people()),
        "Release": found.release,
        "published": sf.publish(people(), schema(), node=[0, 1]),
        "PolicySpace": sf.explore(people(), schema(), models="k-anonymity:5"),
        "TradeOff": sf.trade_off(people(), schema(), models="k-anonymity:5"),
        "Anonymized": found,
        "Compared": sf.compare(found, sf.publish(people(), schema(), node=[2, 1])),
        "Dimensions": sf.dimensions(people(), schema()),
        "Comparison": sf.losses.compare_metrics(),
    }


@pytest.fixture(scope="module")
def made() -> dict[str, Any]:
    return results()


@pytest.mark.parametrize("name", ["Profile", "Release", "published", "PolicySpace", "TradeOff", "Compared"])
def test_a_result_in_a_notebook_is_a_small_table_without_scripts_or_rare_values(made: dict[str, Any], name: str) -> None:
    html = made[name]._repr_html_()
    assert html.startswith(("<div>", "<table>"))
    assert "<script" not in html
    assert "<b>" not in html
    assert RARE not in html
    assert len(html) < 10_000


def test_the_tables_say_what_the_results_are(made: dict[str, Any]) -> None:
    assert "Profile(3 columns of 61 rows)" in made["Profile"]._repr_html_()
    release = made["Release"]._repr_html_()
    assert "k-anonymity:5" in release
    assert "1 person suppressed" in release
    assert "&lt;script&gt;" in made["published"]._repr_html_()  # sixty people share the label, so it is shown, as a text
    space = made["PolicySpace"]
    assert f"{len(space.feasible()):,} feasible under k-anonymity:5" in space._repr_html_()
    assert "knee" in made["TradeOff"]._repr_html_()
    assert repr(made["TradeOff"]).startswith("TradeOff(distribution.max against utility-distribution")


@pytest.mark.parametrize("name", ["Release", "Anonymized", "PolicySpace", "TradeOff", "Compared", "Dimensions", "Comparison"])
def test_what_has_a_picture_is_an_altair_chart(made: dict[str, Any], name: str) -> None:
    chart = made[name].plot()
    assert isinstance(chart, alt.TopLevelMixin)
    assert RARE not in chart.to_json()


def test_the_picture_of_a_release_counts_everybody_once(made: dict[str, Any]) -> None:
    rows = made["Release"].plot().to_dict()["data"]["values"]
    assert sum(row["people"] for row in rows) == made["Release"].certificate.people
    assert sum(row["classes"] for row in rows) == made["Release"].certificate.classes


def test_a_picture_for_other_models_and_losses(made: dict[str, Any]) -> None:
    few = made["PolicySpace"].plot("k-anonymity:61").to_dict()["title"]["text"]
    assert few.startswith("1 of ")
    assert "least precision" in made["PolicySpace"].plot(loss="precision").to_dict()["title"]["subtitle"]


def test_pictures_need_altair(made: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "altair", None)
    for name in ("Release", "PolicySpace", "TradeOff"):
        with pytest.raises(UsageError, match="charts need the extra 'report'"):
            made[name].plot()


@pytest.mark.parametrize("method", HOMES)
def test_every_method_from_above_leads_somewhere(method: str) -> None:
    assert callable(above(method))
