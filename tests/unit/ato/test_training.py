"""Training: the same split and settings for every level, honest scores, and the tables of the thesis beside ours."""

from __future__ import annotations

import json
import math
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.applications.ato.confusion import Confusion
from sfumato.applications.ato.events import LEVELS
from sfumato.applications.ato.features.making import features
from sfumato.applications.ato.forest import read_model
from sfumato.applications.ato.forest.model import Settings
from sfumato.applications.ato.tables import read_features
from sfumato.applications.ato.training import Labelled, Trained, train, trained
from sfumato.applications.ato.training.exhibits import (
    importances_chart,
    pattern,
    table_5_4,
    table_5_5,
    table_5_5_by_truth,
    table_5_6,
)
from sfumato.applications.ato.training.fitting import best_settings, settings_of
from sfumato.applications.ato.training.privacy import privacy_losses
from sfumato.errors import DataError, OutputError, UsageError
from tests.unit.ato.making import some_events, some_logins


@pytest.fixture(scope="module")
def found() -> Trained:
    return trained(some_logins(), grid="none", seed=5)


def test_a_quarter_of_each_class_is_kept_to_test_with(found: Trained) -> None:
    assert found.logins == (2250, 750)
    assert found.fraudulent[1] == pytest.approx(found.fraudulent[0] / 3, abs=1)


def test_every_level_is_judged_on_the_same_logins(found: Trained) -> None:
    fraudulent = {each.labels.true_positives + each.labels.false_negatives for each in found.variants.values()}
    assert fraudulent == {found.fraudulent[1]}
    assert {each.labels.total for each in found.variants.values()} == {750}


def test_the_truth_scores_and_changes_no_model(found: Trained) -> None:
    blind = trained(some_logins(truth=False), grid="none", seed=5)
    for level, variant in blind.variants.items():
        assert variant.truth is None
        assert np.array_equal(variant.model.forest.share, found.variants[level].model.forest.share)
    by_truth, by_label = found.variants["ip"].truth, found.variants["ip"].labels
    assert by_truth is not None
    assert by_truth.false_positives + by_truth.false_negatives > by_label.false_positives + by_label.false_negatives


def test_the_same_seed_gives_the_same_to_the_last_digit(found: Trained) -> None:
    again = trained(some_logins(), grid="none", seed=5, jobs=2)
    assert again.as_dict() == found.as_dict()


def test_the_thesis_pattern_shows_where_it_must(found: Trained) -> None:
    """Coarser classes mix good and bad logins, and only the agent still tells them apart."""
    assert all(pattern(found).values()), pattern(found)


def test_the_pattern_is_not_claimed_where_it_does_not_show(found: Trained) -> None:
    """With the levels exchanged, everything runs the other way."""
    names = dict(zip(("ip", "subnet", "country"), ("country", "subnet", "ip"), strict=True))
    turned = {name: replace(found.variants[names[name]], level=name) for name in names}
    assert not any(pattern(replace(found, variants=turned)).values())


def test_losses_of_fraudulence_by_hand() -> None:
    """Three classes: all fraudulent, all legitimate, half; a quarter of all logins are fraudulent."""
    keys = np.array([0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2])
    fraudulent = np.array([True, True, *[False] * 8, True, False])
    losses = privacy_losses(keys, fraudulent)
    prior = -(0.25 * math.log2(0.25) + 0.75 * math.log2(0.75))
    distances = [0.75 * math.sqrt(2), 0.25 * math.sqrt(2), 0.25 * math.sqrt(2)]
    entropies = [prior, prior, 1 - prior]
    assert losses.classes == 3
    assert losses.pair("max") == pytest.approx((distances[0], prior))
    assert losses.pair("min") == pytest.approx((distances[1], 1 - prior))
    assert losses.pair("class_mean") == pytest.approx((sum(distances) / 3, sum(entropies) / 3))
    people = [sum(size * loss for size, loss in zip((2, 8, 2), each, strict=True)) / 12 for each in (distances, entropies)]
    assert losses.pair("people_mean") == pytest.approx(tuple(people))


def test_utility_loss_by_hand(found: Trained) -> None:
    fine = replace(found.variants["ip"], labels=Confusion(5, 45, 0, 0))
    coarse = replace(found.variants["country"], labels=Confusion(5, 40, 5, 0))
    both = replace(found, variants={**found.variants, "ip": fine, "country": coarse})
    assert (both.utility_loss("ip"), both.utility_loss("country")) == (0, pytest.approx(0.1))


def test_the_majority_is_counted_by_label_and_by_truth(found: Trained) -> None:
    variant = replace(found.variants["ip"], labels=Confusion(10, 30, 5, 5), truth=Confusion(2, 40, 7, 1))
    both = replace(found, variants={**found.variants, "ip": variant})
    assert (both.majority(), both.majority(truth=True)) == (35 / 50, 47 / 50)
    unknown = replace(found, variants={**found.variants, "ip": replace(variant, truth=None)})
    assert (unknown.majority(truth=True), unknown.as_dict()["majority_by_truth"]) == (None, None)


def test_tables_have_the_form_of_the_thesis(found: Trained) -> None:
    assert table_5_4().rows[0] == ("IPBadLogins", "SubnetBadLogins", "CountryBadLogins")
    assert table_5_4().rows[-1] == ("UserAgentFlag",) * 3
    models = table_5_5(found)
    assert models.rows[0][0::2][0] == "TP"
    assert models.rows[0][1::2] == (33581, 33509, 33256)
    assert [row[2] for row in models.rows[:4]] == list(found.variants["ip"].labels.as_dict().values())[:4]
    trade_off = table_5_6(found)
    assert trade_off.rows[0] == ("# of classes", None, 200, 21368, 40, 272, 4)
    assert trade_off.rows[-1][1:] == ("0%", "0.000%", "0.045%", trade_off.rows[-1][4], "0.46%", trade_off.rows[-1][6])
    by_truth = table_5_5_by_truth(found)
    assert by_truth is not None
    assert len(by_truth.rows) == 7
    assert table_5_5_by_truth(trained(some_logins(500, truth=False), grid="none")) is None


def test_figures_show_the_importances(found: Trained) -> None:
    chart = importances_chart(found.variants["subnet"])
    assert "Figure 5.5" in str(chart)
    values = next(iter(chart["datasets"].values())) if "datasets" in chart else chart["data"]["values"]
    assert sum(row["importance"] for row in values) == pytest.approx(1)


def test_train_writes_models_results_and_figures_together(tmp_path: Path) -> None:
    events, truth = some_events()
    features(events, tmp_path / "features")
    keys = read_features(tmp_path / "features", "ip").column("Key")
    reputed = ["Bad" if key.startswith("203") else "Good" for key in keys.to_pylist()]
    pq.write_table(pa.table({"Key": keys, "Reputation": reputed}), tmp_path / "reputation.parquet")
    pq.write_table(truth, tmp_path / "truth.parquet")
    inputs = tmp_path / "features", tmp_path / "reputation.parquet"
    found = train(events, *inputs, tmp_path / "out", truth=tmp_path / "truth.parquet", grid="none", figures=True, seed=2)
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        *(f"model-{level}.parquet" for level in LEVELS),
        *(f"figure-5.{number}.svg" for number in (4, 5, 6)),
        "training.json",
    }
    for level, variant in found.variants.items():
        model = read_model(tmp_path / "out" / f"model-{level}.parquet")
        assert model.level == level
        assert model.importances == variant.model.importances
        assert variant.truth == variant.labels, "in this log the labels are the truth"
    assert json.loads((tmp_path / "out" / "training.json").read_text())["seed"] == 2
    for path in (tmp_path / "out").iterdir():
        content = path.read_bytes()
        assert not any(word in content for word in (b"203.0.113", b"240.0.", b"CBAInPROD", b"u17"))
    with pytest.raises(OutputError, match="exists already"):
        train(events, *inputs, tmp_path / "out", grid="none")


def test_a_reputation_or_features_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    events, _ = some_events(people=30, days=1)
    addresses = events.column("ClientIP").to_pylist()
    assert len(addresses) == 330
    features(events, tmp_path / "features")
    place = tmp_path / "reputation.parquet"
    for table, message in (
        ({"Key": ["a"], "Reputation": ["Ugly"]}, "Bad or Good"),
        ({"Key": ["a"]}, "lacks the columns Reputation"),
        ({"Key": [None, "a"], "Reputation": ["Bad", "Good"]}, "a missing value in column 'Key'"),
        ({"Key": ["a"], "Reputation": ["Bad"]}, "reputation: knows nothing of 330 logins"),
        (
            {"Key": sorted(set(addresses)), "Reputation": ["Good"] * len(set(addresses))},
            "0 logins from addresses of bad reputation",
        ),
    ):
        pq.write_table(pa.table(table), place)
        with pytest.raises(DataError, match=message):
            train(events, tmp_path / "features", place, tmp_path / "out")
    with pytest.raises(DataError, match="no such folder"):
        train(events, tmp_path / "none", place, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_the_grid_of_the_thesis_and_the_choice_among_settings() -> None:
    assert len(settings_of("thesis")) == 39 * 19 * 5
    assert settings_of("none") == [Settings(75, 15, 8)]
    logins, steps = some_logins(600), []
    chosen = best_settings(
        logins.rows["ip"], logins.fraudulent, "coarse", 1, progress=lambda done, total: steps.append((done, total))
    )
    assert chosen in settings_of("coarse")
    assert steps[-1] == (8, 8)
    with pytest.raises(UsageError, match="no grid 'fine'"):
        settings_of("fine")


@pytest.mark.parametrize(("fraudulent", "kind"), [(0, "bad"), (100, "good"), (19, "bad")])
def test_logins_of_one_class_only_are_refused(fraudulent: int, kind: str) -> None:
    label = np.arange(100) < fraudulent
    keys = {level: np.zeros(100, np.int64) for level in ("ip", "subnet", "country")}
    with pytest.raises(DataError, match=f"addresses of {kind} reputation"):
        Labelled({level: np.zeros((100, 7)) for level in keys}, keys, label)


def test_without_the_extra_training_says_so_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(UsageError, match=r"needs the extra 'learn'"):
        trained(some_logins(600), grid="none")
