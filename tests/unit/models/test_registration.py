"""A model of your own: a frozen dataclass under a decorator."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

import pytest

import sfumato as sf
from sfumato.errors import UsageError
from sfumato.models import MODELS, Judged, Part, PrivacyModel, model_of, parameter, register
from tests.contracts.model_world import release

ORDER = (
    "k-anonymity distinct-diversity probabilistic-diversity entropy-diversity recursive-diversity t-closeness distribution-loss "
    "entropy-loss privacy-loss utility-distribution-loss utility-entropy-loss utility-loss map-error alpha-k-anonymity "
    "multirelational-k-anonymity confidence-bounding xy-privacy ke-anonymity em-anonymity personalized-privacy delta-presence "
    "ct-isolation beta-likeness delta-disclosure k-map average-risk population-uniqueness"
)


@pytest.fixture(autouse=True)
def shipped() -> Iterator[None]:
    """What a test registers is gone afterwards."""
    before = dict(MODELS)
    yield
    MODELS.clear()
    MODELS.update(before)


@dataclass(frozen=True, slots=True)
class AtMostM(PrivacyModel):
    """No class holds more than m people."""

    name: ClassVar[str] = "at-most-m"
    stops: ClassVar[str] = ""
    monotone: ClassVar[bool] = False
    needs_sensitive: ClassVar[bool] = False

    m: int = field(metadata=parameter.whole(at_least=1))

    def parts(self, judged: Judged) -> tuple[Part, ...]:
        return (Part(judged.counts.people, self.m, "at_most"),)


def test_the_models_of_the_package_are_registered_in_their_order() -> None:
    assert list(MODELS) == ORDER.split()


def test_a_model_is_loaded_when_it_is_asked_for() -> None:
    code = (
        "import sys\nfrom sfumato.models import MODELS\n"
        "def modules(): return {name.rpartition('.')[2] for name in sys.modules if name.startswith('sfumato.models.')}\n"
        "def loaded(): return sorted(name for name in MODELS if name.replace('-', '_') in modules())\n"
        "print(loaded(), 'k-map' in MODELS, len(MODELS), loaded(), MODELS['k-map'].name, loaded())"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout == f"[] True {len(ORDER.split())} [] k-map ['k-map']\n"


def test_the_name_of_a_model_that_is_not_loaded_is_taken() -> None:
    code = (
        "from dataclasses import dataclass\nfrom sfumato import models\n"
        "@dataclass(frozen=True)\nclass Other(models.PrivacyModel):\n"
        "    name, stops, monotone = 'k-map', '', False\n    def parts(self, judged): return ()\n"
        "try:\n    models.register(Other)\nexcept Exception as error:\n    print(error)"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "a model named 'k-map' exists already" in ended.stdout


def test_a_model_can_be_taken_away() -> None:
    del MODELS["k-map"]
    assert "k-map" not in MODELS
    assert list(MODELS) == ORDER.replace("k-map ", "").split()
    with pytest.raises(KeyError):
        del MODELS["k-map"]


def test_every_model_and_what_a_model_is_made_of_can_be_reached_from_the_package() -> None:
    for model in MODELS.values():
        assert getattr(sf.models, model.__name__) is model
        assert model.__name__ in sf.models.__all__
    for name in (
        "MODELS",
        "register",
        "model_of",
        "models_of",
        "Verdict",
        "Judged",
        "Context",
        "Part",
        "PrivacyModel",
        "parameter",
    ):
        assert name in sf.models.__all__
    assert "models" in sf.__all__


def test_a_registered_model_is_named_and_judged_like_the_others() -> None:
    assert register(AtMostM) is AtMostM
    assert model_of("at-most-m:3") == AtMostM(3)
    assert model_of("at-most-m:3").judge(release([(3, 1), (1, 1)])).satisfied is False
    with pytest.raises(UsageError, match="m must be a whole number of at least 1; it is '0'"):
        model_of("at-most-m:0")
    with pytest.raises(UsageError, match="at-most-m takes m, as in at-most-m:5; 0 given"):
        model_of("at-most-m")


def test_a_field_that_says_nothing_is_checked_by_its_type() -> None:
    @register
    @dataclass(frozen=True)
    class Plain(AtMostM):
        name: ClassVar[str] = "plain"

        m: int
        word: str = ""

    assert model_of("plain:-3,a, b") == Plain(-3, "a, b")
    with pytest.raises(UsageError, match=r"m must be a whole number; it is '2\.5'"):
        Plain(2.5)  # type: ignore[arg-type]


def test_a_model_without_parameters_is_its_name() -> None:
    @register
    @dataclass(frozen=True, slots=True)
    class Anything(PrivacyModel):
        name: ClassVar[str] = "anything"
        stops: ClassVar[str] = ""
        monotone: ClassVar[bool] = True

        def parts(self, judged: Judged) -> tuple[Part, ...]:
            return (Part(judged.counts.people, 0, "at_least"),)

    assert model_of("anything") == Anything()
    assert str(Anything()) == "anything"


def test_a_name_that_another_class_has_is_refused_and_the_same_class_may_be_defined_again() -> None:
    @dataclass(frozen=True, slots=True)
    class Taken(AtMostM):
        name: ClassVar[str] = "k-anonymity"

    with pytest.raises(UsageError, match="a model named 'k-anonymity' exists already"):
        register(Taken)
    assert register(register(AtMostM)) is AtMostM


def _without(missing: str) -> Any:
    said: dict[str, Any] = {"name": "mine", "stops": "R", "monotone": True, "parts": AtMostM.parts}
    del said[missing]
    return dataclass(frozen=True)(type("Mine", (PrivacyModel,), {"__slots__": (), **said}))


def test_a_class_that_judges_nothing_is_refused() -> None:
    said = {"name": "mine", "stops": "R", "monotone": True, "__slots__": ()}
    with pytest.raises(UsageError, match="Mine is not a model: it must have a method 'parts'"):
        register(dataclass(frozen=True)(type("Mine", (PrivacyModel,), said)))


@pytest.mark.parametrize("missing", ["name", "stops", "monotone"])
def test_a_class_that_does_not_say_what_a_model_must_is_refused(missing: str) -> None:
    with pytest.raises(UsageError, match=f"Mine is not a model: it must declare its '{missing}'"):
        register(_without(missing))


class Undecorated(AtMostM):
    """Its base is a dataclass; it is none."""

    name: ClassVar[str] = "undecorated"


def test_a_class_that_is_no_frozen_dataclass_is_refused() -> None:
    for given in (Undecorated, type("Loose", (PrivacyModel,), {"name": "loose"}), dataclass(type("Soft", (PrivacyModel,), {}))):
        with pytest.raises(UsageError, match=r"is not a model: it must be a dataclass\(frozen=True\), with @register above it"):
            register(given)
    for other in (int, AtMostM(3), "k-anonymity:5"):
        with pytest.raises(UsageError, match="is not a model: it must derive from PrivacyModel"):
            register(other)  # type: ignore[type-var, arg-type]


@pytest.mark.parametrize("name", ["Mine", "my model", "mine:2", "", "mine,2", "mine-"])
def test_a_name_that_nobody_could_write_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="must have only lowercase letters, digits and hyphens"):
        register(dataclass(frozen=True)(type("Mine", (AtMostM,), {"name": name, "__slots__": ()})))


def test_an_attack_that_nobody_knows_is_refused() -> None:
    with pytest.raises(UsageError, match="it stops 'R,X'; name attacks among R, A, T, P"):
        register(dataclass(frozen=True)(type("Mine", (AtMostM,), {"stops": "R,X", "__slots__": ()})))


def test_a_parameter_that_nobody_could_write_is_refused() -> None:
    @dataclass(frozen=True)
    class Listed(PrivacyModel):
        name: ClassVar[str] = "listed"
        stops: ClassVar[str] = ""
        monotone: ClassVar[bool] = False

        values: tuple[str, ...] = ()

        parts = AtMostM.parts

    with pytest.raises(UsageError, match="Listed is not a model: 'values' must be an int, a float or a str"):
        register(Listed)
