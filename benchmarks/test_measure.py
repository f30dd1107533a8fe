"""The bars of measuring: every loss and model of the ungeneralized census table, and a check beside a plain GROUP BY."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import census
import duckdb

import sfumato as sf
from sfumato.assessment.assess import Assessed
from sfumato.models import Context, models_of
from sfumato.question.priors import Priors

MODELS = [
    "k-anonymity:5", "distinct-diversity:3", "probabilistic-diversity:3", "entropy-diversity:3", "recursive-diversity:3,3",
    "t-closeness:0.2,equal", "t-closeness:0.2,ordered", "t-closeness:0.2,hierarchical",
]  # fmt: skip


TREE = """
Office = ["Adm-clerical", "Exec-managerial", "Prof-specialty", "Sales", "Tech-support"]
Manual = ["Craft-repair", "Farming-fishing", "Handlers-cleaners", "Machine-op-inspct", "Transport-moving"]
Service = ["Armed-Forces", "Other-service", "Priv-house-serv", "Protective-serv"]
"""


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def test_all_losses_and_models_of_eight_quasi_identifiers_take_less_than_a_tenth_of_a_second(benchmark: Any) -> None:
    text = census.SCHEMA.read_text().replace('[attributes.income]\nrole = "plain"', '[attributes.income]\nrole = "quasi"')
    text = text.replace("[attributes.occupation]", f"[attributes.occupation.hierarchy.tree]\n{TREE}\n[attributes.occupation]")
    schema = sf.Schema.parse(text, folder=census.SCHEMA.parent)
    with sf.Table.open(census.SAMPLE, schema) as table:
        counts = table.count()
        schema = table.schema
    assert counts.classes == 12_458
    priors = Priors({"occupation": sf.Prior.of(counts, "occupation")}, "itself")
    models = models_of(MODELS)

    def work() -> None:
        release = Assessed.of(counts, schema, priors, Context())
        release.losses("occupation")
        release.verdicts(models)

    benchmark.pedantic(work, rounds=5, warmup_rounds=1)
    print(f"\nall losses and {len(MODELS)} models, 12,458 classes: {benchmark.stats.stats.median:.3f} s (bar 0.1)")
    assert benchmark.stats.stats.median < 0.1


def test_a_check_costs_at_most_twice_a_plain_group_by(benchmark: Any, ten_million: Path, tmp_path: Path) -> None:
    release = tmp_path / "release.parquet"
    with sf.Table.open(ten_million, census.SCHEMA) as table:
        sf.publish(table, node=[1, 1, 1, 1, 1, 0, 0], output=release, ledger=tmp_path / "ledger")
    columns = ", ".join(f'"{name}"' for name in (*table.schema.quasi, "occupation"))

    def plain() -> object:
        with duckdb.connect() as connection:
            return connection.sql(f"SELECT {columns}, count(*) FROM '{release}' GROUP BY ALL").to_arrow_table()

    def ours() -> object:
        return sf.check(release, census.SCHEMA, models=MODELS[:6])

    plain()
    ratios = [timed(ours) / timed(plain) for _ in range(5)]
    benchmark.pedantic(ours, rounds=3)
    ratio = statistics.median(ratios)
    print(f"\ncheck of 10,000,000 rows: {ratio:.2f} times a plain GROUP BY (bar 2; runs {min(ratios):.2f} to {max(ratios):.2f})")
    assert ratio <= 2
