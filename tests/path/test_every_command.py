"""What a command can do, Python can do; and what one command can be told about a table, every command can."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_type_hints

import pandas as pd
import pytest
import typer.main

import sfumato as sf
from sfumato.applications import ato
from sfumato.cli.commands import application
from sfumato.errors import UsageError
from sfumato.negotiation.files import moves
from sfumato.operations import operation_of
from sfumato.web.bench.project import project_of
from sfumato.web.service.serving import serving
from tests.conftest import Ended

Run = Callable[..., Ended]
COMMANDS: dict[str, Any] = typer.main.get_command(application()).commands  # type: ignore[attr-defined]
# The verb of each command; those without one show what is in the library (models, bundled data, a saved space, a figure).
VERBS = {
    "profile": sf.profile,
    "init": sf.init,
    "hierarchies": sf.hierarchies,
    "anonymize": sf.anonymize,
    "explore": sf.explore,
    "subsets": sf.subsets,
    "tradeoff": sf.trade_off,
    "publish": sf.publish,
    "verify": sf.verify,
    "sign": sf.sign,
    "check": sf.check,
    "measure": sf.measure,
    "compare": sf.compare,
    "attack": sf.attack,
    "report": sf.report,
    "sanitize": sf.sanitize,
    "dimensions": sf.dimensions,
}
# A command that calls one verb or another.
ALSO = {"compare": (sf.compare_methods,)}
# Commands with a second word, and the functions that they call.
ROOM = sf.channel
ENUMERATED = (ROOM.measure_mechanism, ROOM.enumeration.enumerate_orbits, ROOM.estimating.estimate_map_error)
GROUPS: dict[str, dict[str, tuple[Callable[..., Any], ...]]] = {
    "keys": {"new": (sf.keys.new,), "show": (sf.keys.show,)},
    "ledger": {"show": (sf.ledger.show,), "verify": (sf.ledger.verify,)},
    "channel": {
        "measure": (ROOM.measure,),
        "of": (sf.channel_of,),
        "judge": (ROOM.judge,),
        "show": (ROOM.read,),
        "knowledge": (ROOM.error_by_hint,),
        "compare": (ROOM.refinement,),
        "design": (ROOM.least_loss, ROOM.least_loss_at_leakage),
        "enumerate": ENUMERATED,
        "rules": (ROOM.enumeration.Universe.of, ROOM.RulesK.plot),
        "bridge": (ROOM.bridge.side_by_side,),
    },
}
# What the commands of a group call above the verbs; their options are parts of larger arguments.
ABOVE = {
    "negotiate": moves,
    "open": project_of,
    "serve": serving,
    "graph": sf.graph,
    "learn": sf.learn.utility_losses,
    "queries": sf.learn.query_errors,
    "sequence": sf.sequence.audit,
    "searchlog": sf.searchlog,
    "ato": ato,
}
LIBRARY = {
    "demo": sf.data.adult,
    "data": sf.data.write_adult,
    "space": sf.PolicySpace.read,
    "models": sf.models.models_of,
    "methods": operation_of,
    "compare-metrics": sf.losses.comparison.compare_metrics,
}
# What an option is called in Python, where the names differ; the rest are ways to print or draw what the verb returns.
# A private key and its passphrase are one argument: the key, read.
CALLED = {"model": "models", "protect": "models", "release": "published", "attack": "attacks", "other": "others"}
CALLED_IN_GROUP = {"channel show": {"channel": "path"}, "channel knowledge": {"channel": "channels"}}
SECRET = {"passphrase_file", "ask_passphrase"}
SHOWN = {"json", "per_class", "losses", "svg", "png", "help"}
DRAWN = {
    "compare": {"output", "force"},
    "dimensions": {"output", "force"},
    "tradeoff": {"output", "force"},
    "profile": {"output", "force"},
    "init": {"yes"},
    "anonymize": {"report"},
    "attack": {"every"},  # which Python does if no attack is named
    "channel show": {"output", "force"},
    "channel knowledge": {"output", "force"},
    "channel design": {"output", "force", "leakage"},  # which of the functions
    "channel enumerate": {"orbits"},  # which of the functions
    "channel rules": {"output", "force"},
    "channel bridge": {"output", "force"},
}
# Options that are one argument in Python: what must hold at a node is a question.
TOGETHER = {"publish": ("question", {"model", "protect", "suppress", "sensitive", "prior", "population", "population_size"})}


def arguments_of(verb: Callable[..., Any]) -> set[str]:
    """The arguments of a verb: its own, and the fields of the values that it takes as keyword arguments."""
    parameters = inspect.signature(verb).parameters.values()
    names = {each.name for each in parameters if each.kind is not inspect.Parameter.VAR_KEYWORD}
    for each in parameters:
        if each.kind is inspect.Parameter.VAR_KEYWORD:
            names |= set(get_type_hints(get_type_hints(verb)[each.name].__args__[0]))
    return names


def test_every_command_has_a_verb_or_a_place_in_the_library() -> None:
    assert set(COMMANDS) - {"reproduce"} == set(VERBS) | set(LIBRARY) | set(GROUPS) | set(ABOVE)
    assert {verb.__name__ for verb in VERBS.values()} <= set(sf.__all__)


@pytest.mark.parametrize("command", VERBS)
def test_every_option_of_a_command_is_an_argument_of_its_verb(command: str) -> None:
    options = {parameter.name for parameter in COMMANDS[command].params} - SHOWN - SECRET - DRAWN.get(command, set())
    whole, parts = TOGETHER.get(command, ("data", set()))
    options = {whole if name in parts else name for name in options}
    verbs = (VERBS[command], *ALSO.get(command, ()))
    assert {CALLED.get(name, name) for name in options} <= {name for verb in verbs for name in arguments_of(verb)}


@pytest.mark.parametrize("group", GROUPS)
def test_every_command_of_a_group_is_a_function_of_its_name(group: str) -> None:
    commands = COMMANDS[group].commands
    assert set(commands) == set(GROUPS[group])
    for name, functions in GROUPS[group].items():
        taken = {each.name for each in commands[name].params} - SHOWN - SECRET - DRAWN.get(f"{group} {name}", set())
        arguments = {each for function in functions for each in arguments_of(function)}
        called = CALLED | CALLED_IN_GROUP.get(f"{group} {name}", {})
        assert {each if each in arguments else called.get(each, each) for each in taken} <= arguments, name


READERS = [name for name in VERBS if name != "verify"]


@pytest.mark.parametrize("command", VERBS)
def test_every_command_that_reads_a_table_can_be_told_how(command: str) -> None:
    assert {"engine", "memory", "temp", "threads", "delimiter"} <= {parameter.name for parameter in COMMANDS[command].params}


@pytest.mark.parametrize("command", ["anonymize", "explore", "subsets", "tradeoff", "dimensions"])
def test_every_search_can_be_asked_the_same(command: str) -> None:
    asked = {"model", "protect", "suppress", "quasi", "sensitive", "prior", "population", "population_size"}
    assert asked <= {parameter.name for parameter in COMMANDS[command].params}


@pytest.mark.parametrize(
    ("options", "value"),
    [
        (sf.table.source.SourceOptions, sf.Source),
        (sf.question.question.QuestionOptions, sf.Question),
        (sf.search.algorithms.search.SearchOptions, sf.Search),
        (sf.release.output.OutputOptions, sf.Output),
        (sf.search.space.within.BoundOptions, sf.Bounds),
        (sf.attacks.holdings.HoldingOptions, sf.attacks.Holdings),
    ],
)
def test_the_arguments_of_verbs_are_the_fields_of_the_values(options: Any, value: Any) -> None:
    fields = {name for name in value.__dataclass_fields__ if not name.startswith("_")} - {"data", "schema"}
    assert set(get_type_hints(options)) == fields


@pytest.mark.parametrize("verb", ["check", "measure", "report", "compare"])
@pytest.mark.parametrize("start", ["floor", "cells"])
def test_where_a_search_starts_is_refused_by_what_does_not_search(verb: str, start: str) -> None:
    assert start not in {parameter.name for parameter in COMMANDS[verb].params}
    with pytest.raises(UsageError, match=f"no argument {start!r} in this verb"):
        getattr(sf, verb)(*["nothing.parquet"] * (2 if verb == "compare" else 1), **{start: 1})


@pytest.fixture
def hashes(tmp_path: Path) -> Path:
    """A table whose delimiter no look at its header finds: `#` between two columns, commas within one."""
    rows = "".join(f"{age}#{sex}#{job}\n" for age in range(20, 60) for sex in "mf" for job in ("a, or b", "c"))
    (tmp_path / "people.csv").write_text("age#sex#job, as told\n" + rows)
    (tmp_path / "schema.toml").write_text(
        '[attributes.age]\nrole = "quasi"\ntype = "integer"\nhierarchy = { builder = "intervals", widths = [10, 20] }\n'
        '[attributes.sex]\nrole = "quasi"\n[attributes."job, as told"]\nrole = "sensitive"\n'
    )
    return tmp_path


def test_the_delimiter_reaches_every_step_of_every_command(sfumato: Run, hashes: Path) -> None:
    table = [hashes / "people.csv", "-s", hashes / "schema.toml", "--delimiter", "#"]
    model = ["-m", "k-anonymity:2"]
    for command, *words in (
        ("anonymize", *table, *model, "-o", hashes / "out.parquet", "--report", hashes / "report.html"),
        ("explore", *table, *model, "-o", hashes / "space.parquet"),
        ("publish", *table, "--node", "[1,0]", "-o", hashes / "node.parquet"),
        ("measure", *table, "--node", "[1,0]"),
        ("hierarchies", *table),
        ("subsets", *table, *model),
        ("dimensions", *table, *model),
        ("tradeoff", *table, *model),
        ("profile", table[0], "--delimiter", "#"),
    ):
        ended = sfumato(command, *words)
        assert (ended.status, ended.err) == (0, ""), command
    assert "<html" in (hashes / "report.html").read_text(encoding="utf-8")


def test_a_published_file_may_have_any_delimiter_too(sfumato: Run, hashes: Path) -> None:
    file = [hashes / "people.csv", "-s", hashes / "schema.toml"]
    for command, *words in (("check", *file, "-m", "k-anonymity:1"), ("report", *file, "-o", hashes / "page.html")):
        assert sfumato(command, *words, "--delimiter", "#").status == 0
    assert sf.check(hashes / "people.csv", hashes / "schema.toml", models="k-anonymity:1", delimiter="#").classes == 80


def test_dimensions_adds_qids_in_the_order_they_are_named(sfumato: Run, hashes: Path) -> None:
    words = [
        "dimensions",
        hashes / "people.csv",
        "-s",
        hashes / "schema.toml",
        "--delimiter",
        "#",
        "-m",
        "k-anonymity:2",
        "--json",
    ]
    assert [step["added"] for step in sfumato(*words, "--quasi", "sex,age").json["steps"]] == ["sex", "age"]
    assert [step["added"] for step in sfumato(*words, "--quasi", "age,sex").json["steps"]] == ["age", "sex"]
    assert [step["added"] for step in sfumato(*words).json["steps"]] == ["age", "sex"]


def test_one_name_or_one_model_needs_no_list() -> None:
    frame = pd.DataFrame({"age": [30, 31, 32, 33] * 3, "ill": list("abcabcabcabc")})
    schema = sf.Schema.parse('[attributes.age]\nrole="quasi"\n[attributes.ill]\nrole="sensitive"\n')
    model = sf.models.KAnonymity(3)
    release = sf.anonymize(frame, schema, models=model, quasi="age", sensitive="ill").release
    assert sf.check(release, schema, models=model).satisfied
    assert sf.report(release, schema, models=model).status == "satisfied"
    assert sf.subsets(frame, schema, models=model, keep="age").best is not None
    assert len(sf.explore(frame, schema, models="k-anonymity:3")) == 2
    assert sf.hierarchies(frame, schema, quasi="age").keys() == {"age"}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ({"modles": "k-anonymity:5"}, "no argument 'modles' in this verb; did you mean 'models'?"),
        ({"models": 5}, "models: a model is a text such as 'k-anonymity:5'"),
        ({"models": ()}, "models: name at least one model"),
        ({"models": "k-anonymity:5", "quasi": "nowhere"}, "no attribute 'nowhere' in the schema"),
        ({"models": "k-anonymity:5", "quasi": [1]}, "quasi: takes names of attributes"),
        ({"models": "k-anonymity:5", "suppress": "1"}, "suppress: a bare 1 could be 1% or everybody"),
        ({"models": "k-anonymity:5", "population_size": 0}, "population_size: the size of a population"),
        ({"models": "k-anonymity:5", "algorithm": "optimal", "budget": 3}, "budget: is for algorithm evolutionary"),
        ({"models": "k-anonymity:5", "memory": "much"}, "memory: the table is open already"),
    ],
)
def test_python_is_answered_in_its_own_words(call: dict[str, Any], message: str) -> None:
    with sf.data.adult() as table, pytest.raises(sf.SfumatoError) as refused:
        sf.anonymize(table, **call)
    assert message in str(refused.value)
    assert "--" not in str(refused.value)


@pytest.mark.parametrize(
    ("name", "value"), [("models", "k-anonymity:5"), ("sensitive", "ill"), ("suppress", "5%"), ("suppress", 0.05)]
)
def test_publish_says_where_it_takes_what_other_verbs_take_by_name(name: str, value: object) -> None:
    call: dict[str, Any] = {name: value}
    with pytest.raises(UsageError) as refused:
        sf.publish("nothing.parquet", node=[1], **call)
    assert str(refused.value) == f"{name}: it is a field of the question: question=sf.Question({name}=…)"
    assert name in sf.Question.__dataclass_fields__


def test_a_schema_that_is_none_is_refused_in_one_line() -> None:
    with pytest.raises(sf.SfumatoError, match="a dict is written like the TOML file"):
        sf.anonymize(pd.DataFrame({"a": [1]}), {"a": "quasi"}, models="k-anonymity:1")  # type: ignore[arg-type]
