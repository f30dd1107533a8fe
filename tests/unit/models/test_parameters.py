"""A model refuses parameters out of their range, alike from Python and from text."""

from __future__ import annotations

from dataclasses import dataclass, fields
from fractions import Fraction
from math import inf, nan
from typing import Any

import numpy as np
import pytest

from sfumato.errors import UsageError
from sfumato.models import MODELS, PrivacyModel, model_of

WHOLE, ANY, SHARE = (int, 1, None), (float, 0, None), (float, 0, 1)
# The numbers that each model takes, in their order: type, least, most.
NUMBERS: dict[str, dict[str, tuple[type, float, float | None]]] = {
    "k-anonymity": {"k": WHOLE},
    "distinct-diversity": {"l": WHOLE},
    "probabilistic-diversity": {"l": (float, 1, None)},
    "entropy-diversity": {"l": (float, 1, None)},
    "recursive-diversity": {"c": ANY, "l": WHOLE},
    "t-closeness": {"t": SHARE},
    "distribution-loss": {"bound": ANY},
    "entropy-loss": {"bound": ANY},
    "privacy-loss": {"epsilon": ANY, "alpha": ANY},
    "utility-distribution-loss": {"bound": ANY},
    "utility-entropy-loss": {"bound": ANY},
    "utility-loss": {"gamma": ANY, "delta": ANY},
    "map-error": {"least": SHARE},
    "alpha-k-anonymity": {"alpha": SHARE, "k": WHOLE},
    "multirelational-k-anonymity": {"k": WHOLE},
    "confidence-bounding": {"h": SHARE},
    "xy-privacy": {"k": WHOLE, "h": SHARE},
    "ke-anonymity": {"k": WHOLE, "e": ANY},
    "em-anonymity": {"epsilon": ANY, "m": (float, 1, None)},
    "personalized-privacy": {"p": SHARE},
    "delta-presence": {"low": SHARE, "high": SHARE},
    "ct-isolation": {"c": ANY, "t": (int, 0, None)},
    "beta-likeness": {"beta": ANY},
    "delta-disclosure": {"delta": ANY},
    "k-map": {"k": WHOLE},
    "average-risk": {"r": SHARE},
    "population-uniqueness": {"share": SHARE},
}
# Words that a model needs, and words it takes.
WORDS = {"personalized-privacy": ("guard",)}
CHOICES = {
    "t-closeness": "distance",
    "beta-likeness": "kind",
    "em-anonymity": "kind",
    "population-uniqueness": "method",
}
EVERY = [(name, parameter) for name, numbers in NUMBERS.items() for parameter in numbers]


@dataclass(frozen=True)
class Asked:
    """A model with one parameter exchanged; all others are 1, which every range holds."""

    model: str
    parameter: str

    def python(self, value: Any) -> PrivacyModel:
        return MODELS[self.model](*self._given(value))

    def text(self, value: Any) -> PrivacyModel:
        return model_of(f"{self.model}:{','.join(str(each) for each in self._given(value))}")

    def _given(self, value: Any) -> list[Any]:
        return [value if name == self.parameter else 1 for name in NUMBERS[self.model]] + list(WORDS.get(self.model, ()))

    def refusal(self, value: Any, *, text: bool = False) -> tuple[str, str | None]:
        with pytest.raises(UsageError) as caught:
            (self.text if text else self.python)(value)
        return caught.value.message, caught.value.where


def test_every_model_and_every_number_is_here() -> None:
    assert set(NUMBERS) == set(MODELS)
    for name, model in MODELS.items():
        assert list(NUMBERS[name]) == [each.name for each in fields(model) if each.type != "str"]  # type: ignore[arg-type]


@pytest.mark.parametrize(("name", "parameter"), EVERY)
def test_a_number_out_of_its_range_is_refused_alike_from_python_and_from_text(name: str, parameter: str) -> None:
    asked, (kind, least, most) = Asked(name, parameter), NUMBERS[name][parameter]
    bad = [-3, least - 1, *([] if most is None else [most + 1, 50])]
    bad += [2.5, nan, inf, -inf] if kind is int else [least - 0.5, nan, inf, -inf]
    wanted = "a whole number" if kind is int else "a number"
    bounds = f"of at least {least}" if most is None else f"between {least} and {most}"
    for value in bad:
        message = f"{parameter} must be {wanted} {bounds}; it is '{value}'"
        assert asked.refusal(value) == (message, f"model {name}")
        assert asked.refusal(value, text=True) == (message, f"model {name}")


@pytest.mark.parametrize(("name", "parameter"), EVERY)
def test_what_is_no_number_is_refused(name: str, parameter: str) -> None:
    asked, (kind, *_) = Asked(name, parameter), NUMBERS[name][parameter]
    for value in (True, False, np.True_, "1", "many", None, [1], 1j, *([1.0, np.float64(1)] if kind is int else [])):
        message, where = asked.refusal(value)
        assert message.startswith(f"{parameter} must be a")
        assert where == f"model {name}"
    assert asked.refusal("many") == asked.refusal("many", text=True)


@pytest.mark.parametrize(("name", "parameter"), EVERY)
def test_the_ends_of_a_range_belong_to_it(name: str, parameter: str) -> None:
    asked, (kind, least, most) = Asked(name, parameter), NUMBERS[name][parameter]
    for value in (least, 1 if most is None else most):
        if (parameter, value) != ("high", 0):  # low is 1 here
            made = asked.python(value)
            assert made == asked.text(value)
            assert type(getattr(made, parameter)) is kind


def test_numbers_of_other_libraries_are_taken_as_pythons_own() -> None:
    made = MODELS["k-anonymity"](np.int64(5))
    assert (made, type(made.k), str(made)) == (model_of("k-anonymity:5"), int, "k-anonymity:5")
    assert str(MODELS["average-risk"](Fraction(1, 4))) == "average-risk:0.25"
    assert type(MODELS["average-risk"](np.float64(0.25)).r) is float


def test_a_number_too_large_for_its_type_is_refused() -> None:
    with pytest.raises(UsageError, match="beta must be a number of at least 0"):
        MODELS["beta-likeness"](10**400)
    with pytest.raises(UsageError, match="k must be a whole number of at least 1; it is beyond 2\\^53"):
        MODELS["k-anonymity"](10**400)


@pytest.mark.parametrize(("name", "parameter"), CHOICES.items())
def test_a_choice_out_of_the_list_is_refused_alike_from_python_and_from_text(name: str, parameter: str) -> None:
    given = [1] * len(NUMBERS[name])
    refused = []
    for make in (lambda: MODELS[name](*given, "odd"), lambda: model_of(f"{name}:{','.join(map(str, given))},odd")):
        with pytest.raises(UsageError, match=f"no {parameter} 'odd'; choose ") as caught:
            make()
        refused.append((caught.value.message, caught.value.where))
    assert refused[0] == refused[1]
    for value in (3, None, ["odd"]):
        with pytest.raises(UsageError, match=f"no {parameter} "):
            MODELS[name](*given, value)


@pytest.mark.parametrize("value", [3, None, "", "  "])
def test_a_guard_is_a_name(value: Any) -> None:
    with pytest.raises(UsageError, match="guard must be a text, as in COLUMN"):
        MODELS["personalized-privacy"](0.5, value)


def test_parameters_that_contradict_each_other_are_refused_alike() -> None:
    for make in (lambda: MODELS["delta-presence"](0.8, 0.2), lambda: model_of("delta-presence:0.8,0.2")):
        with pytest.raises(UsageError, match=r"low is above high \(0\.8 > 0\.2\)") as caught:
            make()
        assert caught.value.where == "model delta-presence"


def test_a_range_never_depends_on_the_name_of_a_parameter() -> None:
    assert model_of("ct-isolation:2,7") == MODELS["ct-isolation"](2, 7)  # its t is a number of people, not a distance
    with pytest.raises(UsageError, match="ct-isolation takes c,t, as in ct-isolation:3,5; 1 given"):
        model_of("ct-isolation:2")
