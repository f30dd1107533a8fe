"""How a model is asked for, and what is said about one that cannot be made or cannot judge what it is given."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from sfumato.errors import UsageError
from sfumato.models import MODELS, model_of, models_of
from sfumato.models.attribute.t_closeness import TCloseness
from sfumato.models.identity.k_anonymity import KAnonymity
from sfumato.models.protected import Protected
from sfumato.models.register import FAMILIES, parameters_of
from tests.contracts.model_oracle import ORACLES, OTHERS
from tests.contracts.model_world import World, known, release
from tests.strategies import Drawn, Row

PLAIN = release([(3, 1), (1, 1)], labels=("secret", "hidden"))


def test_a_model_is_its_name_and_parameters() -> None:
    assert model_of("k-anonymity:5") == KAnonymity(5)
    assert model_of("t-closeness: 0.2 , ordered") == TCloseness(0.2, "ordered")


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("k-anonymity", "k"),
        ("t-closeness", "t[,distance]"),
        ("confidence-bounding", "h[,values]"),
        ("xy-privacy", "k[,h]"),
        ("personalized-privacy", "p,guard"),
        ("delta-presence", "low,high"),
        ("ct-isolation", "c,t"),
        ("population-uniqueness", "share[,method]"),
        ("privacy-loss", "epsilon,alpha[,scope]"),
    ],
)
def test_the_parameters_of_a_model_are_told_as_they_are_written(name: str, parameters: str) -> None:
    assert parameters_of(MODELS[name]) == parameters


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("k-anonimity:5", "no model 'k-anonimity' in this version; did you mean 'k-anonymity'"),
        ("k-anonymity", "k-anonymity takes k, as in k-anonymity:5; 0 given"),
        ("k-anonymity:5,6", "k-anonymity takes k, as in k-anonymity:5; 2 given"),
        ("personalized-privacy:0.5", "personalized-privacy takes p,guard, as in personalized-privacy:0.5,COLUMN; 1 given"),
        ("k-anonymity:0", "k must be a whole number of at least 1; it is '0'"),
        ("k-anonymity:2.5", "k must be a whole number of at least 1; it is '2.5'"),
        ("k-anonymity:many", "k must be a whole number of at least 1; it is 'many'"),
        ("t-closeness:-0.1", "t must be a number between 0 and 1; it is '-0.1'"),
        ("t-closeness:nan", "t must be a number between 0 and 1; it is 'nan'"),
        ("t-closeness:inf", "t must be a number between 0 and 1; it is 'inf'"),
        ("entropy-diversity:0.5", "l must be a number of at least 1; it is '0.5'"),
        ("beta-likeness:-1", "beta must be a number of at least 0; it is '-1'"),
        ("confidence-bounding:50", "h must be a number between 0 and 1; it is '50'"),
        ("xy-privacy:2,1.5", "h must be a number between 0 and 1; it is '1.5'"),
        ("personalized-privacy:2,guard", "p must be a number between 0 and 1; it is '2'"),
        ("delta-presence:0.2,1.2", "high must be a number between 0 and 1; it is '1.2'"),
        ("delta-presence:0.8,0.2", "low is above high (0.8 > 0.2)"),
        ("population-uniqueness:5", "share must be a number between 0 and 1; it is '5'"),
        ("average-risk:5", "r must be a number between 0 and 1; it is '5'"),
        ("alpha-k-anonymity:5,2", "alpha must be a number between 0 and 1; it is '5'"),
        ("t-closeness:0.2,straight", "no distance 'straight'; choose among equal, ordered, hierarchical"),
        ("beta-likeness:2,better", "no kind 'better'; choose basic or enhanced"),
        ("em-anonymity:1,2,odd", "no kind 'odd'; choose absolute or relative"),
        ("distribution-loss:0.2,half", "no scope 'half'; choose class or total"),
        ("privacy-loss:0.2,1,half", "no scope 'half'; choose class or total"),
        ("population-uniqueness:0.1,guess", "no method 'guess'; choose among pitman, zayatz, snb"),
    ],
)
def test_a_model_that_cannot_be_made_says_what_would_have_worked(text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        model_of(text)
    assert message in caught.value.message


@pytest.mark.parametrize("text", ["ke-anonymity:2,3", "em-anonymity:1,2"])
def test_a_model_of_numbers_refuses_a_categorical_attribute(text: str) -> None:
    with pytest.raises(UsageError, match="judges numbers; 'value' holds none"):
        model_of(text).judge(PLAIN)


@pytest.mark.parametrize("text", [*ORACLES, *OTHERS])
def test_a_model_of_sensitive_values_asks_for_a_sensitive_attribute(text: str) -> None:
    model, nothing = model_of(text), known(replace(PLAIN, statistics=None), PLAIN.counts.people, size=50)
    if model.needs_sensitive:
        with pytest.raises(UsageError, match="there is none here"):
            model.judge(nothing)
    else:
        assert model.judge(nothing).sensitive is None


def test_a_value_that_the_attribute_does_not_know_is_refused_without_telling_those_it_has() -> None:
    with pytest.raises(UsageError) as caught:
        model_of("confidence-bounding:0.5,secret;sekret").judge(PLAIN)
    assert "1 of the named values (sekret)" in caught.value.message
    assert "hidden" not in caught.value.message


def test_several_values_that_the_attribute_does_not_know_are_counted() -> None:
    with pytest.raises(UsageError, match=r"'value' lacks 2 of the named values \(sekret, hiden\); separate"):
        model_of("confidence-bounding:0.5,sekret;hiden;secret").judge(PLAIN)


def test_a_declared_value_that_nobody_has_is_held_by_no_share() -> None:
    assert model_of("confidence-bounding:0.5,c").judge(release([(1, 1, 0)], prior=(1, 1, 0))).value == 0


def test_a_value_may_hold_a_comma() -> None:
    judged = release([(3, 1)], labels=("flu, mild", "flu, bad"))
    assert model_of("confidence-bounding:0.5,flu, bad").judge(judged).value == 1 / 4


def test_a_guard_that_was_not_counted_is_named() -> None:
    with pytest.raises(UsageError, match="no column 'guards' in what was counted"):
        model_of("personalized-privacy:0.5,guards").judge(PLAIN)


def test_guards_that_are_no_labels_are_counted_not_told() -> None:
    table = Drawn(((("a", "*"),),), (Row((0,), None, 0, 1),), owned=False)
    judged = World(table, (0,), (0,)).judged((0,))
    payload = judged.counts.payloads["guard"]
    strange = replace(payload, hierarchy=replace(payload.hierarchy, labels=(("zzz",) * 6, ("*",))))
    counts = replace(judged.counts, payloads={**judged.counts.payloads, "guard": strange})
    with pytest.raises(UsageError, match="column 'guard' holds 1 value outside the hierarchy of 'value'") as caught:
        model_of("personalized-privacy:0.5,guard").judge(replace(judged, counts=counts))
    assert "zzz" not in caught.value.message


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("multirelational-k-anonymity:2", "no column identifies the owner of a row; give one the role owner"),
        ("k-map:2", "no public table to count the population in"),
        ("delta-presence:0,0.5", "no public table to compare the release with"),
        ("population-uniqueness:0.1", "the size of the population is not known"),
    ],
)
def test_a_model_that_lacks_what_it_would_judge_does_not_apply(text: str, reason: str) -> None:
    result = model_of(text).judge(PLAIN)
    assert (result.value, result.satisfied, result.reason) == (None, None, reason)
    assert result.as_dict()["satisfied"] == "not_applicable"


def test_a_population_smaller_than_the_release_is_refused() -> None:
    with pytest.raises(UsageError, match=r"the population \(5\) is smaller than the release \(6\)"):
        model_of("population-uniqueness:0.1").judge(known(PLAIN, size=5))


def test_every_model_is_frozen_and_compares_by_its_parameters() -> None:
    for text in (*ORACLES, *OTHERS):
        model = model_of(text)
        assert model == model_of(text)
        assert hash(model) == hash(model_of(text))
        assert np.all([text.startswith(model.name), str(model) == text])


@pytest.mark.parametrize(
    ("model", "group"),
    [
        ("k-anonymity:9", "age=[75, 100]"),
        ("k-anonymity:9", "work=free for hire & age=[75, 100]"),
        ("k-anonymity:9", "work=free for hire"),
        ("confidence-bounding:0.5,free for all", "age=[75, 100]"),
    ],
)
def test_a_model_for_a_group_is_read_as_it_is_written(model: str, group: str) -> None:
    result = model_of(f"{model} for {group}")
    assert isinstance(result, Protected)
    assert (str(result.model), str(result.group), model_of(str(result))) == (model, group, result)


def test_models_are_named_one_by_one_or_in_any_collection() -> None:
    both = (KAnonymity(5), TCloseness(0.2))
    assert models_of("k-anonymity:5") == models_of(KAnonymity(5)) == both[:1]
    texts = ["k-anonymity:5", "t-closeness:0.2"]
    for given in (
        texts,
        tuple(texts),
        dict.fromkeys(texts),
        (text for text in texts),
        both,
        [texts[0], both[1]],
        np.array(texts),
    ):
        assert models_of(given) == both
    assert models_of(()) == ()


def test_a_model_that_is_named_twice_counts_once() -> None:
    assert models_of(["k-anonymity:5", KAnonymity(5), "t-closeness:0.2", "k-anonymity: 5"]) == (KAnonymity(5), TCloseness(0.2))


@pytest.mark.parametrize(
    "given", [5, None, [5], ["k-anonymity:5", None], KAnonymity, [KAnonymity], b"k-anonymity:5", [["k-map:5"]]]
)
def test_what_is_no_model_is_refused_in_one_line(given: Any) -> None:
    with pytest.raises(UsageError, match="a model is a text such as 'k-anonymity:5' or a model such as") as caught:
        models_of(given)
    assert "\n" not in caught.value.message


@pytest.mark.parametrize("name", ["distribution-loss:0.2", "privacy-loss:0.2,0.5", "utility-loss:3,0.5"])
def test_the_scope_of_a_bound_is_every_class_unless_it_is_said_to_be_the_total(name: str) -> None:
    assert model_of(name) == model_of(f"{name},class")
    assert str(model_of(f"{name},class")) == name
    assert str(model_of(f"{name},total")) == f"{name},total"
    assert not model_of(f"{name},total").parts(PLAIN)
    assert model_of(name).parts(PLAIN)


@pytest.mark.parametrize(
    ("named", "plain"),
    [
        ("k-anonymity:k=5", "k-anonymity:5"),
        ("t-closeness: t = 0.2 , distance = ordered", "t-closeness:0.2,ordered"),
        ("t-closeness:0.2,distance=ordered", "t-closeness:0.2,ordered"),
        ("recursive-diversity:l=3,c=2", "recursive-diversity:2,3"),
        ("confidence-bounding:h=0.5,values=a=b", "confidence-bounding:0.5,a=b"),
    ],
)
def test_parameters_may_be_named(named: str, plain: str) -> None:
    assert str(model_of(named)) == str(model_of(plain))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("k-anonymity:k=5,k=6", "k-anonymity: k is given twice"),
        ("k-anonymity:5,k=6", "k-anonymity: k is given twice"),
        ("t-closeness:distance=ordered", "t-closeness: t is missing before distance"),
        ("t-closeness:t=0.2,ordered", "t-closeness: a parameter without a name follows one with a name"),
        (
            "l-diversity:3",
            "'l-diversity' is a family of models; write distinct-diversity:3, entropy-diversity:3, recursive-diversity:3,3 or "
            "probabilistic-diversity:3",
        ),
        ("entropy-l-diversity:3", "'entropy-l-diversity' is written entropy-diversity:3"),
    ],
)
def test_names_that_do_not_fit_get_one_line(text: str, line: str) -> None:
    with pytest.raises(UsageError) as caught:
        model_of(text)
    assert str(caught.value) == f"models: {line}"


def test_what_a_family_suggests_is_a_model() -> None:
    assert [str(model_of(each)) for family in FAMILIES.values() for each in family] == [
        each for f in FAMILIES.values() for each in f
    ]
