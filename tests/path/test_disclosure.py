"""What is published says no more about the suppressed people than the models allow. They are a class to whoever knows that somebody was
in the table and finds them in no class of the file.

The adversary here knows everything but the sensitive values of the suppressed: the file, every output meant for others, every QID, and
this program. It tries every histogram that the suppressed may have, publishes each such table with the same policy, and compares. A
histogram for which the models are violated cannot have been published: that much the models say. Any other difference is a disclosure.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.errors import NotVerified
from sfumato.frequency import CellTable, FrequencySet
from sfumato.question import problem_of
from sfumato.release.certifying import certify
from sfumato.release.disclosure import may_be_shown
from tests.conftest import Ended

Run = Callable[..., Ended]
VALUES = ("HIV", "cold", "flu")
SCHEMA = """
[table]
suppressed = "{style}"
[attributes.age]
role = "quasi"
type = "integer"
hierarchy = {{ builder = "intervals", widths = [10], lower = 0, upper = 100 }}
[attributes.sex]
role = "quasi"
values = ["f", "m"]
[attributes.disease]
role = "sensitive"
values = ["HIV", "cold", "flu"]
"""
OF_VALUES = (
    "distinct-diversity:2",
    "probabilistic-diversity:1.2",
    "entropy-diversity:1.2",
    "recursive-diversity:3,2",
    "t-closeness:0.6",
    "t-closeness:0.6,ordered",
    "confidence-bounding:0.9",
    "alpha-k-anonymity:0.9,2",
    "distribution-loss:0.8",
    "entropy-loss:1.2",
    "privacy-loss:0.9,1.5",
    "beta-likeness:4",
    "utility-distribution-loss:0.9,total",
)
NOW = datetime(2031, 2, 3, 4, 5, 6, tzinfo=UTC)


@dataclass(frozen=True)
class Case:
    """A table, its schema, and what is published of it."""

    rows: tuple[tuple[int, str, str], ...]
    suppress: tuple[int, ...]
    models: tuple[str, ...]
    style: str

    @property
    def schema(self) -> sf.Schema:
        return sf.Schema.parse(SCHEMA.format(style=self.style))

    def left(self) -> list[int]:
        """The places of the suppressed rows: classes are numbered by age, then sex."""
        keys = sorted({row[:2] for row in self.rows})
        return [place for place, row in enumerate(self.rows) if keys.index(row[:2]) + 1 in self.suppress]

    def histograms(self) -> Iterator[Case]:
        """The same table with every other histogram of the suppressed."""
        left = self.left()
        own = Counter(self.rows[place][2] for place in left)
        for values in combinations_with_replacement(VALUES, len(left)):
            if Counter(values) != own:
                rows = list(self.rows)
                for place, value in zip(left, values, strict=True):
                    rows[place] = (*rows[place][:2], value)
                yield replace(self, rows=tuple(rows))

    def table(self) -> pa.Table:
        return pa.table(dict(zip(("age", "sex", "disease"), map(list, zip(*self.rows, strict=True)), strict=True)))

    def publish(self, visited: int, **where: Any) -> sf.Release:
        """The release; `visited` stands for what only the search of this very table can know."""
        with sf.Table.open(self.table(), self.schema) as table:
            policy = sf.Policy.at_node(table, [0, 0], suppress=self.suppress)
            search = {"algorithm": "optimal", "visited": visited}
            policy = replace(policy, question=sf.Question(models=self.models), limit=len(self.rows), search=search)
            return sf.publish(table, policy=policy, now=NOW, **where)


def drawn(random_: random.Random) -> Case:
    """A random small table with one to three suppressed people."""
    while True:
        rows = tuple(
            (random_.choice((5, 15)), random_.choice("fm"), random_.choice(VALUES)) for _ in range(random_.randint(6, 12))
        )
        sizes = Counter(row[:2] for row in rows)
        keys = sorted(sizes)
        suppress = tuple(number for number, key in enumerate(keys, 1) if random_.random() < 0.4 or sizes[key] == 1)
        left = sum(sizes[keys[number - 1]] for number in suppress)
        if 1 <= left <= 3 and len(suppress) < len(keys):
            models = random_.sample(OF_VALUES, random_.randint(0, 2))
            models += [f"k-anonymity:{random_.randint(2, 3)}"] if not models or random_.random() < 0.5 else []
            return Case(rows, suppress, tuple(models), random_.choice(("drop", "star")))


def public(release: sf.Release) -> list[Any]:
    """What others are given: the file and its certificate."""
    return [release.to_arrow().to_pylist(), release.certificate.text()]


def published_tables(seed: int, count: int) -> Iterator[tuple[Case, sf.Release]]:
    """Cases that can be published, and whose suppressed must not be known."""
    random_ = random.Random(seed)
    while count:
        case = drawn(random_)
        try:
            release = case.publish(1)
        except NotVerified:
            continue
        if not allowed(case):
            count -= 1
            yield case, release


def allowed(case: Case) -> bool:
    """Whether the models let everybody know the suppressed: none of them is about sensitive values, and each holds for their class."""
    least = [int(model.partition(":")[2]) for model in case.models if model.startswith("k-anonymity")]
    return len(least) == len(case.models) and len(case.left()) >= max(least)


def test_no_histogram_of_the_suppressed_can_be_excluded_by_the_release() -> None:
    for case, release in published_tables(3, 8):
        for other in case.histograms():
            try:
                again = other.publish(2)
            except NotVerified:  # the models exclude it: against this table the very same file violates one of them
                assert not sf.check(release, case.schema, models=case.models, original=other.table()).satisfied
                continue
            assert public(again) == public(release), (case, other)


@dataclass(frozen=True)
class Certifier:
    """Certificates of many small tables, without writing each of them: an open table whose count is put in its place."""

    table: sf.Table
    file: Path

    def certificate(self, case: Case, visited: int) -> str | None:
        """The certificate of a case; None if the models refuse it."""
        counts = self.table.count()
        quasi, disease = list(zip(*(row[:2] for row in case.rows), strict=True)), [row[2] for row in case.rows]
        columns = [
            np.array([h.labels[0].index(str(v)) for v in own], np.int32) for h, own in zip(counts.hierarchies, quasi, strict=True)
        ]
        hierarchy = counts.payloads["disease"].hierarchy
        values = {"disease": (hierarchy, np.array([hierarchy.labels[0].index(each) for each in disease], np.int32))}
        cells = CellTable(columns, np.ones(len(disease), np.int64), values)
        self.table._counted = FrequencySet.of_cells(counts.node, counts.hierarchies, cells)
        question = sf.Question(models=case.models)
        policy = sf.Policy.at_node(self.table, [0, 0], suppress=case.suppress)
        policy = replace(policy, question=question, search={"algorithm": "optimal", "visited": visited})
        problem = problem_of(self.table, question)[0]
        promised = policy.counts(self.table).roll_up(counts.node)
        left = np.isin(np.arange(1, promised.classes + 1), case.suppress)
        kept, suppressed = promised.keep(~left), promised.keep(left)
        verdicts = problem.judge(kept, suppressed.total_people)
        if any(verdict.satisfied is not True for verdict in verdicts):
            return None
        shown = may_be_shown(suppressed, problem)
        return certify(self.file, self.table, policy, promised, kept, sf.Output(now=NOW), verdicts, shown=shown).text()


@pytest.mark.parametrize("tables", [250, pytest.param(2000, marks=pytest.mark.torture)])
def test_no_histogram_of_the_suppressed_can_be_excluded_by_a_certificate(tmp_path: Path, tables: int) -> None:
    """Many random tables, every histogram of each."""
    random_, tried, excluded, shown = random.Random(5), 0, 0, 0
    every = Case(tuple((age, sex, value) for age in (5, 15) for sex in "fm" for value in VALUES), (), (), "drop")
    (tmp_path / "file").write_text("the file is the same whatever the suppressed have")
    with sf.Table.open(every.table(), every.schema) as table:
        certifier = Certifier(table, tmp_path / "file")
        while tried < tables:
            case = drawn(random_)
            certificate = certifier.certificate(case, 1)
            if certificate is None:
                continue
            others = [certifier.certificate(other, 2) for other in case.histograms()]
            if allowed(case):
                shown += 1
                assert any(other != certificate for other in others)  # the prior tells which it is, as the models allow
                continue
            tried += 1
            excluded += sum(other is None for other in others)
            assert {other for other in others if other} <= {certificate}, case
    assert shown > tables / 20
    assert excluded > tables / 20  # some bounds are so tight that the models themselves say something


def test_every_output_meant_for_others_says_the_same(sfumato: Run, tmp_path: Path) -> None:
    """The commands, with everything that they print or write for others."""
    for number, (case, _) in enumerate(published_tables(7, 2)):
        outputs = set()
        for place, each in enumerate((case, *case.histograms())):
            folder = tmp_path / f"{number}-{place}"
            folder.mkdir()
            try:
                each.publish(place, output=folder / "out.csv", ledger=folder / "ledger")
            except NotVerified:
                continue
            (folder / "schema.toml").write_text(each.schema.to_toml())
            outputs.add(_everything(sfumato, folder, case.models))
        assert len(outputs) == 1


def _everything(sfumato: Run, folder: Path, models: Sequence[str]) -> str:
    asked = [word for model in (*models, "t-closeness:0.5", "distribution-loss:0.5") for word in ("-m", model)]
    release, schema, page = folder / "out.csv", folder / "schema.toml", folder / "report.html"
    texts = [
        release.read_text(),
        (folder / "out.csv.certificate.json").read_text(),
        sfumato("verify", release).out,
        sfumato("verify", release, "--json").out,
        sfumato("check", release, "-s", schema, *asked).out,
        sfumato("check", release, "-s", schema, *asked, "--json").out,
        sfumato("measure", release, "-s", schema, "--json").out,
        sfumato("report", release, "-s", schema, *asked, "--json").out,
        sfumato("report", release, "-s", schema, *asked, "-o", page).out,
        page.read_text(),
    ]
    # The time at which a report was made and the name of the folder say nothing about anybody.
    return re.sub(r"20\d\d-\d\d-\d\d[T ][\d:+]+", "TIME", "\n".join(texts)).replace(str(folder), "FOLDER")


def test_the_diagnosis_of_the_one_who_was_left_out_is_not_in_the_certificate(tmp_path: Path) -> None:
    """199 people of 30 and 40 and one of 97: prior minus file was that one person's diagnosis."""
    frame = pd.DataFrame({"age": [30] * 100 + [40] * 99 + [97], "s": ["flu", "cold"] * 99 + ["flu"] + ["HIV"]})
    schema = sf.Schema.parse('[attributes.age]\nrole="quasi"\n[attributes.s]\nrole="sensitive"\n')
    result = sf.anonymize(
        frame,
        schema,
        models=["k-anonymity:5", "t-closeness:0.1"],
        suppress="1%",
        output=tmp_path / "out.csv",
        ledger=tmp_path / "mine",
    )
    assert result.release.certificate.suppressed["people"] == 1
    record = json.loads((tmp_path / "out.csv.certificate.json").read_text())
    assert record["prior"] == {"of": "withheld"}
    assert {"model": "t-closeness:0.1", "direction": "at_most", "threshold": 0.1, "satisfied": True, "sensitive": "s"} in record[
        "models"
    ]
    assert record["models"][0]["value"] == 99  # the size of a class that the file shows
    assert "visited" not in record["search"]
    judged = sf.check(tmp_path / "out.csv", schema, models="t-closeness:0.1")
    assert judged.prior.startswith("the file itself; the certificate withholds")
    (entry,) = (path for path in (tmp_path / "mine").iterdir() if path.suffix == ".json")
    assert '"HIV"' in entry.read_text()
    assert "visited" in entry.read_text()


def test_a_prior_may_be_published_if_the_class_of_the_suppressed_keeps_the_models_whatever_its_values(tmp_path: Path) -> None:
    frame = pd.DataFrame({"age": [30] * 6 + [97] * 5, "s": ["flu"] * 6 + ["HIV"] * 5})
    schema = sf.Schema.parse('[attributes.age]\nrole="quasi"\n[attributes.s]\nrole="sensitive"\n')

    def certified(k: int) -> Any:
        with sf.Table.open(frame, schema) as table:
            policy = sf.Policy.at_node(table, [0], suppress=[2])
            policy = replace(policy, question=sf.Question(models=f"k-anonymity:{k}"), limit=5)
            return sf.publish(table, policy=policy, output=tmp_path / "out.csv", force=True).certificate.prior

    assert certified(5).people == {"s": {"shown": [6], "others": [{"value": "HIV", "people": 5}]}}
    known = sf.check(tmp_path / "out.csv", schema, models="t-closeness:1")
    assert known.prior == "the certificate"
    assert known.verdicts[0].value == pytest.approx(5 / 11)
    assert certified(6).of == "withheld"


@pytest.mark.parametrize("style", ["drop", "star"])
def test_what_is_said_does_not_depend_on_who_has_a_rare_value(style: str) -> None:
    """Five suppressed under k-anonymity:5 may be known, whatever they have; six under k-anonymity:7 may not, in file and certificate."""
    outputs = set()
    for value in ("flu", "gout", "HIV"):
        rows = [(30, "flu")] * 6 + [(30, "gout")] * 6 + [(97, "flu")] * 4 + [(97, value)]
        frame = pd.DataFrame(rows, columns=["age", "s"])
        schema = sf.Schema.parse(
            f'[table]\nsuppressed="{style}"\n[attributes.age]\nrole="quasi"\n[attributes.s]\nrole="sensitive"\n'
        )
        with sf.Table.open(frame, schema) as table:
            policy = replace(sf.Policy.at_node(table, [0], suppress=[2]), limit=5)
            known = sf.publish(table, policy=replace(policy, question=sf.Question(models="k-anonymity:5")), now=NOW)
            hidden = sf.publish(table, policy=replace(policy, question=sf.Question(models="k-anonymity:7")), now=NOW)
        assert (known.certificate.prior.of, hidden.certificate.prior.of) == ("original", "withheld")
        assert ("sensitive" in known.certificate.suppressed, "sensitive" in hidden.certificate.suppressed) == (
            False,
            style == "star",
        )
        assert known.to_arrow()["s"].to_pylist().count(value) == frame["s"].tolist().count(value) - (style == "drop") * (
            1 if value != "flu" else 5
        )
        outputs.add(str(public(hidden)))
    assert len(outputs) == 1


def test_silence_would_speak_if_it_depended_on_the_values() -> None:
    """Six suppressed people under confidence-bounding:0.5. Withheld only where most of them have HIV, the silence would say so."""
    for sick in range(7):
        rows = [(30, "flu")] * 4 + [(30, "HIV")] * 2 + [(97, "HIV")] * sick + [(97, "flu")] * (6 - sick)
        frame = pd.DataFrame(rows, columns=["age", "s"])
        schema = sf.Schema.parse('[attributes.age]\nrole="quasi"\n[attributes.s]\nrole="sensitive"\n')
        with sf.Table.open(frame, schema) as table:
            policy = sf.Policy.at_node(table, [0], suppress=[2])
            policy = replace(policy, question=sf.Question(models="confidence-bounding:0.5,HIV"), limit=6)
            assert sf.publish(table, policy=policy).certificate.prior.of == "withheld"
