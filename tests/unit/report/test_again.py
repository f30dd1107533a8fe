"""The commands of a report make the release again."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.question import Question
from sfumato.reporting.again import share_of
from sfumato.verbs.report import report


@given(st.integers(1, 2_000_000).flatmap(lambda people: st.tuples(st.integers(1, people), st.just(people))))
def test_a_limit_of_people_becomes_a_share_and_back(given: tuple[int, int]) -> None:
    limit, people = given
    assert Question(suppress=share_of(limit, people)).limit(people) == limit


@pytest.mark.parametrize("algorithm", ["publish", "optimal", "mondrian"])
def test_the_commands_make_the_same_file(
    algorithm: str, census: Path, sfumato: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(census)
    if algorithm == "publish":
        sf.publish("adult.parquet", "adult.toml", quasi=["age", "sex"], node=[2, 0], seed=3, output="out.parquet")
    else:
        suppressed = 0.0 if algorithm == "mondrian" else 0.03
        asked: dict[str, Any] = {"models": ["k-anonymity:9"], "algorithm": algorithm, "suppress": suppressed}
        sf.anonymize("adult.parquet", "adult.toml", quasi=["age", "sex"], **asked, output="out.parquet")
    made = report("out.parquet", "adult.toml", original="adult.parquet")
    before = made.facts.sha256
    program, *words = shlex.split(made.commands[0])
    assert program == "sfumato"
    assert sfumato(*words, "--force").status == 0
    assert report("out.parquet", "adult.toml").facts.sha256 == before
    for command in made.commands[1:]:
        assert sfumato(*shlex.split(command)[1:]).status == 0, command
