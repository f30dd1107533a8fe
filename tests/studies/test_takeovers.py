"""The thesis's chapter 5 on a log of our own: what is said about the log is counted right, and the exhibits are those of one run."""

from __future__ import annotations

import json
import re
from math import log2, sqrt

import numpy as np
import pytest

from sfumato.applications.ato.training import Labelled, Trained
from sfumato.applications.ato.training.exhibits import importances_chart
from sfumato.applications.ato.training.privacy import privacy_losses
from sfumato_studies import takeovers
from sfumato_studies.exhibit import Agreement
from sfumato_studies.takeovers import FRAUDULENT, Experiment, experiment
from tests.studies.made import made, row, texts

CHAPTER = (*(f"thesis-table-5.{number}" for number in (3, 4, 5, 6)), *(f"thesis-fig-5.{number}" for number in (4, 5, 6)))


@pytest.fixture
def by_hand() -> Experiment:
    """Two classes of 40 and one of 20 logins. The first is legitimate; in the second 30 are fraudulent and 10 of these have the flag; in
    the third 5 are, none of which has it. Truly fraudulent are 20 of the second class."""
    keys = np.repeat([0, 1, 2], [40, 40, 20])
    fraudulent, flags, truth = np.zeros(100, bool), np.zeros(100), np.zeros(100, bool)
    fraudulent[40:70] = fraudulent[80:85] = True
    flags[40:50] = 1
    truth[40:60] = True
    rows = {level: np.column_stack([np.zeros((100, 6)), flags]) for level in ("ip", "subnet", "country")}
    logins = Labelled(rows, dict.fromkeys(rows, keys), fraudulent, truth)
    return Experiment(logins, Trained({}, None, 0, (0, 0), (0, 0)), 3, 2, ())  # type: ignore[arg-type]


def test_no_detector_decides_logins_that_look_alike_differently(by_hand: Experiment) -> None:
    # Right at best: 40, then 10 with the flag and 20 of 30 without it, then 15 of 20.
    assert by_hand.best_accuracy("country") == (40 + 10 + 20 + 15) / 100
    assert by_hand.flagged() == 10 / 35


def test_classes_with_one_label_are_counted(by_hand: Experiment) -> None:
    assert by_hand.one_label("country") == 1
    assert by_hand.fraudulent == 0.35


def test_wrong_labels_are_divided_by_who_else_uses_their_address(by_hand: Experiment) -> None:
    assert by_hand.wrongly_labelled() == (10 + 5, 10)


def test_the_thesis_has_134473_fraudulent_logins() -> None:
    # A quarter of the logins is for tests; by Table 5.5 33,509 + 110 of them are fraudulent with the subnet.
    assert FRAUDULENT == 134_473
    assert abs(FRAUDULENT / 4 - (33_509 + 110)) < 1


@pytest.mark.slow
def test_one_log_serves_the_whole_chapter(monkeypatch: pytest.MonkeyPatch) -> None:
    first = experiment()
    monkeypatch.setattr(takeovers, "generate", None)
    assert experiment() is first
    assert all(made(name).rows for name in CHAPTER)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "level"), [("thesis-fig-5.4", "ip"), ("thesis-fig-5.5", "subnet"), ("thesis-fig-5.6", "country")]
)
def test_figures_are_those_of_the_command(name: str, level: str) -> None:
    variant = experiment().trained.variants[level]
    exhibit = made(name)
    assert exhibit.chart == importances_chart(variant)
    assert exhibit.contents.table
    assert dict(exhibit.contents.table.rows) == variant.importances()


@pytest.mark.slow
def test_the_losses_of_table_5_6_are_those_of_the_definitions() -> None:
    share = experiment().fraudulent
    assert share == pytest.approx(134_473 / 1_134_473, abs=1e-4)
    entropy = -share * log2(share) - (1 - share) * log2(1 - share)
    ours = {each.what: each for each in made("thesis-table-5.6").rows}
    assert float(ours["largest distribution loss, subnet, our log"].ours) == pytest.approx(sqrt(2) * (1 - share), abs=6e-5)
    assert float(ours["largest entropy loss, subnet, our log"].ours) == pytest.approx(entropy, abs=6e-5)
    assert float(ours["largest distribution loss against (0.88, 0.12)"].ours) == pytest.approx(sqrt(2) * 0.88, abs=6e-5)
    assert ours["largest entropy loss against (0.88, 0.12)"].agreement is Agreement.CUT


@pytest.mark.slow
def test_the_pattern_of_the_thesis_shows() -> None:
    for what in ("average privacy losses over logins", "utility loss"):
        assert row("thesis-table-5.6", what).agrees
    assert row("thesis-fig-5.6", "UserAgentFlag from address to country").agrees


@pytest.mark.slow
def test_where_the_pattern_does_not_show_few_countries_are_the_reason() -> None:
    """Countries with less than 2 % of the legitimate logins make the average over classes: it falls without them."""
    made = experiment()
    assert not row("thesis-table-5.6", "average privacy losses over classes").agrees
    countries, fraudulent = made.logins.keys["country"], made.logins.fraudulent
    legitimate = np.bincount(countries, ~fraudulent)
    large = legitimate[countries] > 0.02 * legitimate.sum()
    kept = privacy_losses(countries[large], fraudulent[large]).pair("class_mean")
    subnet = made.trained.variants["subnet"].losses.pair("class_mean")
    assert kept[0] < subnet[0]
    assert kept[1] < subnet[1]


@pytest.mark.slow
@pytest.mark.parametrize("name", CHAPTER)
def test_no_address_organization_or_user_is_shown(name: str) -> None:
    shown = json.dumps(made(name).as_dict()) + " ".join(texts(made(name).chart))
    assert not re.search(r"\d+\.\d+\.\d+\.\d+|[0-9a-f]*:[0-9a-f]*::|@", shown)
