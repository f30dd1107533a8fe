"""The tables of the worked cases: those of the lecture ([S]), of the thesis ([T] 2.2.3) and of the papers that they took them from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

import sfumato as sf
from sfumato.attacks import Attacked, Attempt


def table(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> pa.Table:
    return pa.table({name: [row[place] for row in rows] for place, name in enumerate(columns)})


def schema(quasi: dict[str, Any], sensitive: dict[str, Any]) -> dict[str, Any]:
    """A schema; an attribute is its type, or its type and a tree."""
    roles = {
        **{name: ("quasi", kind) for name, kind in quasi.items()},
        **{name: ("sensitive", k) for name, k in sensitive.items()},
    }
    return {"attributes": {name: _attribute(role, kind) for name, (role, kind) in roles.items()}}


def _attribute(role: str, kind: Any) -> dict[str, Any]:
    if isinstance(kind, str):
        return {"role": role, "type": kind}
    return {"role": role, "type": "text", "hierarchy": {"tree": kind}}


def tried(published: Any, declared: Any, original: Any, attack: str, **options: Any) -> Attempt:
    """The one attempt of one attack."""
    found: Attacked = sf.attack(published, declared, original=original, attacks=attack, **options)
    (attempt,) = found.attempts
    return attempt


# [S] "Privacy breach example": the microdata, the voter list, and the suppressed table.
VOTERS = schema({"zipcode": "text", "age": "integer", "sex": "text"}, {"disease": "text"})
MICRODATA = table(
    ("zipcode", "age", "sex", "disease"),
    [
        ("47677", 29, "F", "ovarian cancer"),
        ("47602", 22, "F", "ovarian cancer"),
        ("47678", 27, "M", "prostate cancer"),
        ("47905", 43, "M", "flu"),
        ("47909", 52, "F", "heart disease"),
        ("47906", 47, "M", "heart disease"),
    ],
)
VOTER_LIST = table(
    ("name", "zipcode", "age", "sex"),
    [
        ("Alice", "47677", 29, "F"),
        ("Bob", "47983", 65, "M"),
        ("Carol", "47677", 22, "F"),
        ("Dan", "47532", 23, "M"),
        ("Ellen", "46789", 43, "F"),
    ],
)
SUPPRESSED = table(
    ("zipcode", "age", "sex", "disease"),
    [
        *(("476**", "2*", "*", disease) for disease in ("ovarian cancer", "ovarian cancer", "prostate cancer")),
        *(("4790*", "[43,52]", "*", disease) for disease in ("flu", "heart disease", "heart disease")),
    ],
)

# [S] "Attribute linkage": Tom, 14852, 38.
CONDITIONS = schema({"zip": "text", "age": "integer"}, {"condition": "text"})
TOMS_TABLE = table(
    ("zip", "age", "condition"),
    [
        *(("130***", "< 30", condition) for condition in ("heart disease", "viral infection", "viral infection")),
        *(("148***", "[30-40]", condition) for condition in ("cancer", "cancer", "cancer")),
    ],
)
TOM_AND_OTHERS = table(
    ("zip", "age", "condition"),
    [
        ("13053", 28, "heart disease"),
        ("13068", 21, "viral infection"),
        ("13053", 23, "viral infection"),
        ("14852", 38, "cancer"),
        ("14850", 35, "cancer"),
        ("14853", 31, "cancer"),
    ],
)

# [S] "An example" of ℓ-diversity, after Machanavajjhala et al. 2007: Bob, 31, American, 13053; Umeko, 21, Japanese, 13068.
INPATIENTS = schema({"zip": "text", "age": "integer", "nationality": "text"}, {"condition": "text"})
_IN = ("zip", "age", "nationality", "condition")
HEART, VIRAL, CANCER = "heart disease", "viral infection", "cancer"
INPATIENT_TABLE = table(
    _IN,
    [
        ("13053", 28, "Russian", HEART),
        ("13068", 29, "American", HEART),
        ("13068", 21, "Japanese", VIRAL),
        ("13053", 23, "American", VIRAL),
        ("14853", 50, "Indian", CANCER),
        ("14853", 55, "Russian", HEART),
        ("14850", 47, "American", VIRAL),
        ("14850", 49, "American", VIRAL),
        ("13053", 31, "American", CANCER),
        ("13053", 37, "Indian", CANCER),
        ("13068", 36, "Japanese", CANCER),
        ("13068", 35, "American", CANCER),
    ],
)
FOUR_ANONYMOUS = table(
    _IN,
    [
        *(("130**", "< 30", "*", value) for value in (HEART, HEART, VIRAL, VIRAL)),
        *(("1485*", "≥ 40", "*", value) for value in (CANCER, HEART, VIRAL, VIRAL)),
        *(("130**", "3*", "*", value) for value in (CANCER,) * 4),
    ],
)
THREE_DIVERSE = table(
    _IN,
    [
        *(("1305*", "≤ 40", "*", value) for value in (HEART, VIRAL, CANCER, CANCER)),
        *(("1485*", "> 40", "*", value) for value in (CANCER, HEART, VIRAL, VIRAL)),
        *(("1306*", "≤ 40", "*", value) for value in (HEART, VIRAL, CANCER, CANCER)),
    ],
)

# [S] "Table linkage", after Fung et al. 2010: Alice is present with 4/5, Bob with 3/4.
PATIENTS = schema(
    {
        "job": {"Professional": ["Engineer", "Lawyer"], "Artist": ["Writer", "Dancer"]},
        "sex": "text",
        "age": "integer",
    },
    {"disease": "text"},
)
PATIENT_TABLE = table(
    ("job", "sex", "age", "disease"),
    [
        ("Engineer", "Male", 35, "Hepatitis"),
        ("Engineer", "Male", 38, "Hepatitis"),
        ("Lawyer", "Male", 38, "HIV"),
        ("Writer", "Female", 30, "Flu"),
        ("Writer", "Female", 30, "HIV"),
        ("Dancer", "Female", 30, "HIV"),
        ("Dancer", "Female", 30, "HIV"),
    ],
)
THREE_ANONYMOUS = table(
    ("job", "sex", "age", "disease"),
    [
        *(("Professional", "Male", "[35-40)", disease) for disease in ("Hepatitis", "Hepatitis", "HIV")),
        *(("Artist", "Female", "[30-35)", disease) for disease in ("Flu", "HIV", "HIV", "HIV")),
    ],
)
EXTERNAL = table(
    ("name", "job", "sex", "age"),
    [
        *((name, "Artist", "Female", "[30-35)") for name in ("Alice", "Cathy", "Emily", "Gladys", "Irene")),
        *((name, "Professional", "Male", "[35-40)") for name in ("Bob", "Doug", "Fred", "Henry")),
    ],
)

# [S] "Example of suppression (1)": Andre, 1964, m, 02135, White. The zip codes of the original are made up: the slide shows masks.
ANDRE = schema({"race": "text", "birth": "integer", "gender": "text", "zip": "text"}, {"problem": "text"})
_RELEASED = [
    ("Black", 1965, "m", "0214*", "short breath"),
    ("Black", 1965, "m", "0214*", "chest pain"),
    ("Black", 1965, "f", "0213*", "hypertension"),
    ("Black", 1965, "f", "0213*", "hypertension"),
    ("Black", 1964, "f", "0213*", "obesity"),
    ("Black", 1964, "f", "0213*", "chest pain"),
    ("White", 1964, "m", "0213*", "chest pain"),
    ("White", 1964, "m", "0213*", "obesity"),
    ("White", 1964, "m", "0213*", "short breath"),
    ("White", 1967, "m", "0213*", "chest pain"),
    ("White", 1967, "m", "0213*", "chest pain"),
]
_ANDRES = ("race", "birth", "gender", "zip", "problem")
ANDRES_TABLE = table(_ANDRES, _RELEASED)
ANDRES_ORIGINAL = table(
    _ANDRES, [(*row[:3], row[3].replace("*", str((place + 9) % 10)), row[4]) for place, row in enumerate(_RELEASED)]
)
ANDRES_LIST = table(
    ("name", "birth", "gender", "zip", "race"),
    [
        ("Andre", 1964, "m", "02135", "White"),
        ("Beth", 1964, "f", "55410", "Black"),
        ("Carol", 1964, "f", "90210", "White"),
        ("Dan", 1967, "m", "02174", "White"),
        ("Ellen", 1968, "f", "02237", "White"),
    ],
)

# [T] Tables 2.1 to 2.5.
DISEASES = schema({"zip": "text", "age": "integer"}, {"disease": "text"})
_ROWS = [
    ("47677", 29),
    ("47602", 22),
    ("47678", 27),
    ("47905", 43),
    ("47909", 49),
    ("47906", 47),
    ("47605", 30),
    ("47673", 36),
    ("47607", 32),
]
_CLASSES = [("476**", "2*")] * 3 + [("4790*", "≥ 40")] * 3 + [("476**", "3*")] * 3
_DISEASES = ("Heart Disease",) * 3 + ("Flu", "Heart Disease", "Cancer", "Heart Disease", "Cancer", "Cancer")
TABLE_2_1 = table(("zip", "age", "disease"), [(*row, value) for row, value in zip(_ROWS, _DISEASES, strict=True)])
TABLE_2_2 = table(("zip", "age", "disease"), [(*row, value) for row, value in zip(_CLASSES, _DISEASES, strict=True)])

STOMACH = {"stomach": ["gastric ulcer", "gastritis", "stomach cancer"], "lungs": ["flu", "bronchitis", "pneumonia"]}
SALARIES = schema({"zip": "text", "age": "integer"}, {"salary": "integer", "disease": STOMACH})
_SALARIES = (3, 4, 5, 6, 11, 8, 7, 9, 10)
_ILLNESSES = (
    "gastric ulcer",
    "gastritis",
    "stomach cancer",
    "gastritis",
    "flu",
    "bronchitis",
    "bronchitis",
    "pneumonia",
    "stomach cancer",
)
_TAIL = [(1000 * salary, illness) for salary, illness in zip(_SALARIES, _ILLNESSES, strict=True)]
_AGES = (29, 22, 27, 43, 52, 47, 30, 36, 32)
_FOUR = ("zip", "age", "salary", "disease")
TABLE_2_3 = table(_FOUR, [(row[0], age, *tail) for row, age, tail in zip(_ROWS, _AGES, _TAIL, strict=True)])
TABLE_2_4 = table(_FOUR, [(*row, *tail) for row, tail in zip(_CLASSES, _TAIL, strict=True)])
_CLOSE = [("4767*", "≤ 40", 0), ("4767*", "≤ 40", 2), ("4767*", "≤ 40", 7)] + [("4790*", "≥ 40", place) for place in (3, 4, 5)]
_CLOSE += [("4760*", "≤ 40", place) for place in (1, 6, 8)]
TABLE_2_5 = table(_FOUR, [(zip_code, age, *_TAIL[place]) for zip_code, age, place in _CLOSE])
