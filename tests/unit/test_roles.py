"""What a column is, by what its values look like first and by what it is called second."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sfumato as sf
from sfumato.profiling.content import Content, look_at
from sfumato.profiling.suggest import suggest
from sfumato.profiling.words import words_of
from sfumato.vocabulary.builders import Common, Countries, Icd10, Suppression
from sfumato.vocabulary.kinds import Role
from tests.unit.test_suggest import column

MAILS = [f"person{n}@example.org" for n in range(40)]
# Account numbers with valid check digits, printed as examples in the standards of their countries.
IBANS = ["DE89370400440532013000", "GB29 NWBK 6016 1331 9268 19", "FR1420041010050500013M02606", "ES9121000418450200051332"]
PHONES = ["+49 351 1234567", "0351/7654321", "(555) 123-4567", "+33 1 23 45 67 89", "+34 612 345 678", "555-123-4567"]
STREETS = ["Hauptstraße 12", "12 rue de Rivoli", "Calle Mayor 5", "221 Baker Street", "Am Ring 3a", "7, avenue Foch"]
PEOPLE = ["Müller, Anna", "Jean Dupont", "María García", "John Smith", "Klaus Schmidt", "Lucía Fernández"]
PROSE = [f"The patient came on day {n} and was sent home with advice" for n in range(30)]
COLORS = ["schwarz", "weiß", "rot", "blau", "grün", "gelb"]


@pytest.mark.parametrize(
    ("texts", "content"),
    [
        (MAILS, Content.EMAIL),
        (IBANS, Content.IBAN),
        (PHONES, Content.PHONE),
        (STREETS, Content.STREET),
        (PEOPLE, Content.PERSON),
        (PROSE, Content.TEXT),
        (["https://example.org/a", "www.example.com"], Content.URL),
        (["6ba7b810-9dad-11d1-80b4-00c04fd430c8"], Content.UUID),
        (["192.0.2.1", "2001:db8::1"], Content.IP),
        (["DE", "FR", "US"], Content.COUNTRY),
        (["Deutschland", "Suisse", "España"], Content.COUNTRY),
        (["I21.4", "J45.0", "E11.9"], Content.ICD10),
        (["A11", "A12", "A13"], None),
        (["E0123", "E0456", "E0789"], None),
        (["2024-01-05", "2023-11-30"], None),
        (["10115", "80331"], None),
        (COLORS, None),
        (["DE89370400440532013001", "XX00123", "DE00123"], None),
        ([], None),
    ],
)
def test_values_are_known_by_their_look(texts: list[str], content: Content | None) -> None:
    assert look_at(texts).content is content


def test_a_fifth_of_the_values_is_enough_to_withhold() -> None:
    mixed = [*MAILS[:10], *(f"none {n}" for n in range(40))]
    assert look_at(mixed).content is Content.EMAIL
    assert look_at(mixed[5:]).content is None


def role(name: str, values: Sequence[Any]) -> Role:
    return suggest(column(name, list(values))).attribute.role


@pytest.mark.parametrize("name", ["x", "ref", "color", "ward"])
@pytest.mark.parametrize("values", [MAILS, IBANS * 9, PHONES * 5, STREETS * 5, PEOPLE * 5, PROSE])
def test_what_says_who_somebody_is_is_withheld_whatever_it_is_called(name: str, values: list[str]) -> None:
    assert role(name, values) is Role.IDENTIFIER


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("telephone", ["yes", "none"]),
        ("name", ["A", "B", "C", "D", "E"]),
        ("address", ["home", "work"]),
        ("email", ["yes", "no"]),
    ],
)
def test_a_few_values_identify_nobody_whatever_the_column_is_called(name: str, values: list[str]) -> None:
    assert role(name, values * 200) is Role.QUASI


@pytest.mark.parametrize(
    "name", ["Nachname", "prénom", "apellidos", "last_name", "Kontonummer", "courriel", "teléfono", "Straße"]
)
def test_many_values_under_an_identifying_word_are_withheld(name: str) -> None:
    assert role(name, [f"word{n % 60}" for n in range(300)]) is Role.IDENTIFIER


@pytest.mark.parametrize(
    "name",
    ["Diagnose", "Hauptdiagnose", "maladie", "enfermedad", "Gehalt", "salaire_net", "Salario bruto", "Konfession", "Religion"],
)
def test_sensitive_words_of_four_languages(name: str) -> None:
    assert role(name, ["a", "b", "c"] * 30) is Role.SENSITIVE


@pytest.mark.parametrize("name", ["Patientennummer", "patient_id", "numéro client", "id_paciente", "Kundennummer", "user no"])
def test_keys_of_people_in_four_languages(name: str) -> None:
    assert role(name, [n % 100 + 5000 for n in range(300)]) is Role.OWNER


def test_two_values_under_the_name_of_a_persons_key_are_no_owner() -> None:
    assert role("user no", [1, 2] * 200) is Role.QUASI


def test_diagnoses_are_sensitive_by_their_codes_and_have_their_levels() -> None:
    result = suggest(column("x", ["I21.4", "J45.0", "E11.9", "I21.0", "I25.1", "J44.1"] * 20)).attribute
    assert result.role is Role.SENSITIVE
    assert isinstance(result.builder, Icd10)


def test_unique_codes_that_look_like_diagnoses_are_keys() -> None:
    assert role("matricule", [f"E{n:04d}" for n in range(300)]) is Role.IDENTIFIER


def test_a_running_number_is_a_key_and_a_measurement_is_not() -> None:
    assert role("x", list(range(1000, 1200))) is Role.IDENTIFIER
    assert role("x", np.random.default_rng(1).permutation(10**6)[:200].tolist()) is Role.QUASI


def test_a_sensitive_text_that_everybody_has_alone_is_withheld() -> None:
    assert role("diagnosis", [f"case{n}" for n in range(100)]) is Role.IDENTIFIER


def test_a_sensitive_number_of_ones_own_says_so() -> None:
    result = suggest(column("salary", [1000 + 7 * n for n in range(50)]))
    assert result.attribute.role is Role.SENSITIVE
    assert "50 people have a value of their own" in result.reason
    one = suggest(column("salary", [1000] * 49 + [2000]))
    assert one.reason.endswith("and 1 person has a value of their own")


def test_words_are_found_in_any_spelling() -> None:
    assert words_of("HomeZip_code") == {"home", "zip", "code"}
    assert words_of("Straße-Nr.") == {"strasse", "nr"}
    assert words_of("PRÉNOM 2") == {"prenom", "2"}


def test_a_value_that_fewer_than_five_have_is_not_named() -> None:
    jobs = ["nurse"] * 60 + ["clerk"] * 30 + ["cook"] * 9 + ["pilot"] * 4 + ["diver"]
    builder = suggest(column("job", jobs)).attribute.builder
    assert builder == Common(("nurse", "clerk", "cook"), (3, 2))
    fewer = suggest(column("job", jobs[:-2])).attribute.builder  # the others would be three people
    assert fewer == Common(("nurse", "clerk"), (2,))


def test_texts_that_nobody_shares_get_no_levels() -> None:
    assert suggest(column("job", [f"job{n}" for n in range(10)] * 3)).attribute.builder == Suppression()


def test_countries_get_the_levels_that_merge_some() -> None:
    builder = suggest(column("x", ["DE", "FR", "AT", "US", "CA", "JP"] * 9)).attribute.builder
    assert builder == Countries(("subregion",)) or builder == Countries(("subregion", "region"))
    assert suggest(column("x", ["DE", "US", "JP", "ZA"] * 9)).attribute.builder != Countries()


KEYS = np.random.default_rng(1).permutation(np.repeat(np.arange(1000), 3)) * 7 + 10_000
ONES = np.random.default_rng(2).choice(90_000, 2000, replace=False) + 10_000


@pytest.mark.parametrize(
    "name",
    ["id", "ID", "PatNr", "patid", "pat_id", "subject", "case_id", "Fallnummer", "no_dossier", "nr", "person", "study_id", "record",
     "patient_id", "numéro_patient"],
)  # fmt: skip
def test_a_key_that_repeats_is_taken_for_a_persons(name: str) -> None:
    """Otherwise rows would count as people, and the key would be published."""
    profiled = sf.profile(pd.DataFrame({name: KEYS, "age": KEYS % 60}))
    assert profiled.schema[name].role is Role.OWNER


@pytest.mark.parametrize("name", ["hospital_id", "product_no", "station_nr"])
def test_the_key_of_something_else_is_withheld(name: str) -> None:
    assert sf.profile(pd.DataFrame({name: KEYS, "age": KEYS % 60})).schema[name].role is Role.IDENTIFIER


@pytest.mark.parametrize("name", ["pidnum", "patno", "hospno", "AHV", "casenr", "barcode", "Fallnr", "record", "anything"])
def test_numbers_that_nobody_shares_by_no_chance_are_a_key(name: str) -> None:
    assert sf.profile(pd.DataFrame({name: ONES, "age": ONES % 60})).schema[name].role is Role.IDENTIFIER


@pytest.mark.parametrize("name", ["num_medications", "number_of_visits", "no_children"])
def test_counts_of_something_are_no_keys(name: str) -> None:
    counts = np.random.default_rng(3).poisson(8, 3000)
    assert sf.profile(pd.DataFrame({name: counts, "age": KEYS % 60})).schema[name].role in (Role.QUASI, Role.IDENTIFIER)
    assert "key" not in next(each.reason for each in sf.profile(pd.DataFrame({name: counts, "age": KEYS % 60})).suggestions)
