"""The census with eight QIDs and hierarchies of the shape that the recorded figures of ARX were measured with: 4,320 nodes.

Heights 1, 4, 1, 2, 3, 2, 2, 1 for sex, age, race, marital-status, education, native-country, workclass and income; age has a hundred
leaves; occupation is sensitive, with a hierarchy of two levels.
"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
from census import SAMPLE

from sfumato import Prior, Schema, Table
from sfumato.models import model_of
from sfumato.search.problem import Problem

QUASI = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "income")
FLAT = {
    "sex": ["Male", "Female"],
    "race": ["White", "Asian-Pac-Islander", "Amer-Indian-Eskimo", "Other", "Black"],
    "income": [">50K", "<=50K"],
}
GROUPS = {
    "marital-status": {
        "with a spouse": ["Married-civ-spouse", "Married-AF-spouse"],
        "without": ["Divorced", "Never-married", "Separated", "Widowed", "Married-spouse-absent"],
    },
    "native-country": {
        "Africa": ["South"],
        "Asia": "Cambodia India Japan China Iran Philippines Vietnam Laos Taiwan Thailand Hong".split(),
        "Europe": "England Germany Greece Italy Poland Portugal Ireland France Hungary Scotland Yugoslavia Holand-Netherlands".split(),
        "North America": [
            "United-States", "Puerto-Rico", "Canada", "Outlying-US(Guam-USVI-etc)", "Cuba", "Honduras", "Jamaica", "Mexico",
            "Dominican-Republic", "Haiti", "Guatemala", "Nicaragua",
        ],
        "South America": ["Ecuador", "Columbia", "Trinadad&Tobago", "El-Salvador", "Peru"],
    },
    "workclass": {
        "private": ["Private", "Self-emp-not-inc", "Self-emp-inc"],
        "government": ["Federal-gov", "Local-gov", "State-gov"],
        "none": ["Without-pay", "Never-worked"],
    },
    "occupation": {
        "technical": ["Tech-support", "Craft-repair", "Prof-specialty", "Machine-op-inspct"],
        "office": ["Sales", "Exec-managerial", "Adm-clerical"],
        "other": [
            "Other-service", "Handlers-cleaners", "Farming-fishing", "Transport-moving", "Priv-house-serv", "Protective-serv",
            "Armed-Forces",
        ],
    },
}  # fmt: skip
SCHOOLS = {
    "higher": {
        "undergraduate": ["Bachelors", "Some-college"],
        "vocational": ["Prof-school", "Assoc-acdm", "Assoc-voc"],
        "graduate": ["Masters", "Doctorate"],
    },
    "secondary": {"high school": ["11th", "HS-grad", "9th", "7th-8th", "12th", "10th"]},
    "primary": {"school": ["1st-4th", "5th-6th", "Preschool"]},
}
RECORDED = {  # models: (ARX warm in ms, whole process in ms) without and with 5 % suppression, as recorded
    "k=5": (["k-anonymity:5"], (34, 1560), (273, 2130)),
    "k=50": (["k-anonymity:50"], (22, 1600), (244, 2020)),
    "k=5, distinct 3": (["k-anonymity:5", "distinct-diversity:3"], (50, 1770), (485, 2370)),
    "k=5, entropy 3": (["k-anonymity:5", "entropy-diversity:3"], (41, 1670), (581, 2410)),
    "k=5, recursive 3,3": (["k-anonymity:5", "recursive-diversity:3,3"], (35, 1540), (539, 2330)),
    "k=5, t=0.2 equal": (["k-anonymity:5", "t-closeness:0.2,equal"], (20, 1540), (1048, 2830)),
    "k=5, t=0.2 tree": (["k-anonymity:5", "t-closeness:0.2,hierarchical"], (24, 1530), (1106, 2950)),
}


def rows_of(name: str) -> list[list[str]]:
    """A hierarchy, one line per leaf, from the leaf to the root."""
    if name == "age":
        return [[str(age), *(f"{age // w * w}-{age // w * w + w - 1}" for w in (5, 10, 20)), "*"] for age in range(100)]
    if name == "education":
        return [[leaf, low, high, "*"] for high, lows in SCHOOLS.items() for low, leaves in lows.items() for leaf in leaves]
    if name in FLAT:
        return [[leaf, "*"] for leaf in FLAT[name]]
    return [[leaf, group, "*"] for group, leaves in GROUPS[name].items() for leaf in leaves]


def write_schema(folder: Path) -> Path:
    """The schema and its hierarchies."""
    text = ""
    for name in (*QUASI, "occupation"):
        lines = (";".join(row) for row in rows_of(name))
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        role = "sensitive" if name == "occupation" else "quasi"
        kind = 'type = "integer"\n' if name == "age" else ""
        text += f'[attributes.{name}]\nrole = "{role}"\n{kind}hierarchy = {{ file = "{name}.csv" }}\n\n'
    path = folder / "eight.toml"
    path.write_text(text, encoding="utf-8")
    return path


def write_csv(folder: Path) -> Path:
    """The 30,162 rows as CSV."""
    path = folder / "census.csv"
    pacsv.write_csv(sample(), path)
    return path


def sample() -> pa.Table:
    return pq.read_table(SAMPLE).select([*QUASI, "occupation"])


def problem(schema: Path, models: list[str], share: float, source: object = None) -> Problem:
    """The counted table with its models."""
    with Table.open(sample() if source is None else source, Schema.read(schema)) as table:
        counts = table.count(QUASI)
        attribute = table.schema["occupation"]
    limit = int(share * counts.total_people)
    prior = Prior.of(counts, "occupation")
    return Problem(counts, {"occupation": attribute}, {"occupation": prior}, tuple(map(model_of, models)), limit)
