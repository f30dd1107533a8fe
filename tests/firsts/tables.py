"""Thirteen tables as they come out of systems, made by chance with a fixed seed: other sizes, languages, types and kinds of dirt.

Every person in them is invented. The values of the columns in `direct` say who somebody is; none of them may leave.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

Chance = np.random.Generator

GIVEN = "Anna Peter Maria Hans Julia Thomas Laura Paul Sabine Klaus Monika Stefan Petra Andreas Lena Lukas Emma Jonas".split()
FAMILY = "Müller Schmidt Weber Meyer Wagner Becker Schulz Hoffmann Krause Lehmann Huber Vogel Arnold Pohl Roth Seidel".split()
FRENCH = "Marie Pierre Camille Nicolas Sophie Antoine Chloé Julien Nathalie Guillaume Céline Laurent Sylvie Hugo".split()
SPANISH = "Carmen Javier Lucía Pablo Marta Sergio Elena Álvaro Isabel Diego Pilar Raúl Beatriz Enrique".split()
FRENCH_FAMILY = "Dubois Durand Moreau Lefebvre Fournier Girard Mercier Dupont Lambert Garnier Rousseau Faure".split()
SPANISH_FAMILY = "Fernández Gómez Jiménez Ruiz Díaz Álvarez Romero Navarro Domínguez Vázquez Ramos Molina".split()


@dataclass(frozen=True, slots=True)
class Table:
    """A table, the columns that say who somebody is, and how its file is written."""

    frame: pd.DataFrame
    direct: Sequence[str]
    delimiter: str = ","


def some(chance: Chance, choices: Sequence[Any], rows: int, weights: Sequence[float] | None = None) -> list[Any]:
    share = None if weights is None else np.array(weights) / sum(weights)
    return [choices[place] for place in chance.choice(len(choices), rows, p=share)]


def days(chance: Chance, first: str, last: str, rows: int) -> list[str]:
    start, end = datetime.date.fromisoformat(first), datetime.date.fromisoformat(last)
    return [str(start + datetime.timedelta(days=int(n))) for n in chance.integers(0, (end - start).days + 1, rows)]


def gaps(chance: Chance, values: Sequence[Any], share: float, sign: str = "") -> list[Any]:
    return [sign if lost else value for value, lost in zip(values, chance.random(len(values)) < share, strict=True)]


def ages(chance: Chance, rows: int, least: int = 18, most: int = 97) -> list[int]:
    return np.clip(chance.gamma(5, 9, rows) + least - 8, least, most).astype(int).tolist()


def people(chance: Chance, given: Sequence[str], family: Sequence[str], rows: int) -> tuple[list[str], list[str]]:
    return some(chance, given, rows), some(chance, family, rows)


def hospital(chance: Chance) -> Table:
    """A German hospital's stays: patients have several, diagnoses in ICD-10."""
    patients, rows = 1400, 2600
    first, last = people(chance, GIVEN, FAMILY, patients)
    born, sexes = days(chance, "1931-01-01", "2015-12-31", patients), some(chance, ["m", "w"], patients, [48, 52])
    places = some(chance, ["10115", "10117", "10243", "10999", "12043", "12055", "13347", "14050", "80331", "80469"], patients)
    whose = np.concatenate([np.arange(patients), chance.integers(0, patients, rows - patients)])
    codes = ["I21.4", "I50.1", "J18.9", "J44.1", "E11.9", "E10.9", "K35.8", "S72.0", "N39.0", "C34.1", "G45.9", "F32.1"]
    came = days(chance, "2021-01-01", "2023-12-31", rows)
    frame = pd.DataFrame(
        {
            "Fallnummer": [f"F{700000 + n}" for n in range(rows)],
            "Patientennummer": [f"P{n:05d}" for n in whose],
            "Vorname": [first[n] for n in whose],
            "Nachname": [last[n] for n in whose],
            "Geburtsdatum": [born[n] for n in whose],
            "Geschlecht": [sexes[n] for n in whose],
            "PLZ": [places[n] for n in whose],
            "Aufnahme": came,
            "Verweildauer": np.clip(chance.gamma(1.5, 4, rows), 1, 90).astype(int),
            "Station": some(chance, ["Innere", "Chirurgie", "Gyn", "Neuro", "Intensiv"], rows, [40, 30, 12, 12, 6]),
            "Hauptdiagnose": some(chance, codes, rows),
            "Bemerkung": gaps(
                chance, [f"Patient wurde am {day} aufgenommen, Befund Nr. {n} liegt vor" for n, day in enumerate(came)], 0.6
            ),
        }
    )
    return Table(frame, ["Fallnummer", "Patientennummer", "Vorname", "Nachname", "Bemerkung"], ";")


def credit(chance: Chance) -> Table:
    """Applicants for credit, with codes for categories."""
    rows = 1000
    amounts = np.exp(chance.normal(7.8, 0.8, rows)).round(-1).astype(int)
    frame = pd.DataFrame(
        {
            "checking_status": some(chance, ["A11", "A12", "A13", "A14"], rows, [27, 27, 6, 40]),
            "duration_months": some(chance, [6, 12, 18, 24, 36, 48], rows),
            "purpose": some(
                chance, ["car", "furniture", "radio/tv", "education", "business", "repairs"], rows, [33, 18, 28, 5, 10, 2]
            ),
            "credit_amount": amounts,
            "savings": some(chance, ["A61", "A62", "A63", "A64", "A65"], rows, [60, 10, 6, 5, 19]),
            "employed_since": some(chance, ["unemployed", "<1", "1-4", "4-7", ">7"], rows),
            "installment_rate": some(chance, [1, 2, 3, 4], rows),
            "sex": some(chance, ["male", "female"], rows, [69, 31]),
            "age": ages(chance, rows, 19, 75),
            "housing": some(chance, ["own", "rent", "free"], rows, [71, 18, 11]),
            "job": some(chance, ["skilled", "unskilled", "management", "none"], rows, [63, 20, 15, 2]),
            "telephone": some(chance, ["none", "yes"], rows, [60, 40]),
            "foreign_worker": some(chance, ["yes", "no"], rows, [96, 4]),
            "class": some(chance, ["good", "bad"], rows, [70, 30]),
        }
    )
    return Table(frame, [])


def survey(chance: Chance) -> Table:
    """A health survey: measurements with a fraction, coded answers, gaps."""
    rows = 3000
    frame = pd.DataFrame(
        {
            "SEQN": np.arange(93703, 93703 + rows),
            "gender": some(chance, [1, 2], rows),
            "age_years": ages(chance, rows, 20, 80),
            "race_ethnicity": some(chance, [1, 2, 3, 4, 6, 7], rows, [12, 9, 35, 25, 13, 6]),
            "education_level": gaps(chance, some(chance, [1, 2, 3, 4, 5], rows), 0.04),
            "marital_status": gaps(chance, some(chance, [1, 2, 3, 4, 5, 6], rows, [50, 8, 11, 3, 19, 9]), 0.03, "."),
            "household_income_ratio": gaps(chance, np.clip(chance.gamma(2, 1.2, rows), 0, 5).round(2).tolist(), 0.1),
            "weight_kg": chance.normal(82, 20, rows).round(1),
            "height_cm": chance.normal(167, 10, rows).round(1),
            "systolic": gaps(chance, chance.normal(125, 18, rows).astype(int).tolist(), 0.12),
            "diabetes": some(chance, ["yes", "no", "borderline"], rows, [13, 84, 3]),
            "smoker": some(chance, ["never", "former", "current"], rows),
        }
    )
    return Table(frame, ["SEQN"])


def payroll(chance: Chance) -> Table:
    """A French company's payroll."""
    rows = 640
    first, last = people(chance, FRENCH, FRENCH_FAMILY, rows)
    frame = pd.DataFrame(
        {
            "matricule": [f"E{n:04d}" for n in chance.permutation(9000)[:rows]],
            "nom": last,
            "prénom": first,
            "courriel": [f"{a}.{b}{n}@exemple.fr".lower() for n, (a, b) in enumerate(zip(first, last, strict=True))],
            "sexe": some(chance, ["F", "H"], rows),
            "date_naissance": days(chance, "1960-01-01", "2003-12-31", rows),
            "code_postal": some(chance, ["75011", "75012", "75020", "93100", "93200", "94300", "92120", "69003", "69007"], rows),
            "service": some(chance, ["ventes", "production", "RH", "informatique", "direction"], rows, [30, 45, 8, 14, 3]),
            "contrat": some(chance, ["CDI", "CDD", "apprentissage"], rows, [84, 12, 4]),
            "ancienneté": np.clip(chance.gamma(1.5, 5, rows), 0, 40).astype(int),
            "salaire_brut": np.exp(chance.normal(10.4, 0.35, rows)).round(2),
        }
    )
    return Table(frame, ["matricule", "nom", "prénom", "courriel"], ";")


def school(chance: Chance) -> Table:
    """Pupils of a Spanish school."""
    rows = 420
    first, last = people(chance, SPANISH, SPANISH_FAMILY, rows)
    frame = pd.DataFrame(
        {
            "nombre": first,
            "apellidos": [f"{a} {b}" for a, b in zip(last, some(chance, SPANISH_FAMILY, rows), strict=True)],
            "fecha_nacimiento": days(chance, "2006-01-01", "2012-12-31", rows),
            "sexo": some(chance, ["mujer", "hombre"], rows),
            "curso": some(chance, ["1A", "1B", "2A", "2B", "3A", "3B"], rows),
            "municipio": some(chance, ["Getafe", "Leganés", "Móstoles", "Pinto", "Parla"], rows, [40, 25, 20, 10, 5]),
            "dirección": [f"Calle Mayor {n}, {n % 5}º" for n in chance.integers(1, 400, rows)],
            "teléfono": [f"+34 6{n:08d}" for n in chance.integers(0, 10**8, rows)],
            "nota_media": np.clip(chance.normal(6.5, 1.6, rows), 0, 10).round(1),
            "discapacidad": some(chance, ["no", "sí"], rows, [95, 5]),
        }
    )
    return Table(frame, ["nombre", "apellidos", "dirección", "teléfono"])


def sign_ins(chance: Chance) -> Table:
    """A log of sign-ins: users have many rows, addresses and moments."""
    rows, users = 5000, 400
    whose = np.concatenate([np.arange(users), chance.integers(0, users, rows - users)])
    start = datetime.datetime(2024, 3, 1)
    frame = pd.DataFrame(
        {
            "event_id": [f"{n:08x}-{n % 9999:04d}-4a3b-8c2d-{n * 7919:012d}" for n in range(rows)],
            "user_id": whose + 1000,
            "username": [f"user{n}@corp.example" for n in whose],
            "timestamp": [str(start + datetime.timedelta(seconds=int(s))) for s in chance.integers(0, 80 * 86400, rows)],
            "ip": [f"10.{n % 4}.{n % 16}.{m}" for n, m in zip(whose, chance.integers(1, 250, rows), strict=True)],
            "country": some(chance, ["DE", "FR", "US", "IN"], rows, [60, 20, 15, 5]),
            "browser": some(chance, ["Chrome", "Edge", "Firefox", "Safari"], rows, [50, 25, 15, 10]),
            "result": some(chance, ["success", "failure"], rows, [92, 8]),
        }
    )
    return Table(frame, ["event_id", "user_id", "username"])


def members(chance: Chance) -> Table:
    """The members of a German club."""
    rows = 850
    first, last = people(chance, GIVEN, FAMILY, rows)
    frame = pd.DataFrame(
        {
            "Mitgliedsnummer": chance.permutation(50000)[:rows],
            "Name": [f"{b}, {a}" for a, b in zip(first, last, strict=True)],
            "Straße": [
                f"{name}straße {n}" for name, n in zip(some(chance, FAMILY, rows), chance.integers(1, 99, rows), strict=True)
            ],
            "PLZ": some(chance, ["01067", "01069", "01097", "01127", "01187", "01307"], rows),
            "Ort": "Dresden",
            "Telefon": [f"0351 {n}" for n in chance.integers(1000000, 9999999, rows)],
            "IBAN": [_iban(int(n)) for n in chance.integers(10**9, 10**10, rows)],
            "Geburtsjahr": 2024 - np.array(ages(chance, rows, 8, 90)),
            "Geschlecht": some(chance, ["weiblich", "männlich", "divers"], rows, [49, 50, 1]),
            "Abteilung": some(chance, ["Fußball", "Turnen", "Tennis", "Schach"], rows, [45, 35, 15, 5]),
            "Beitrag": some(chance, [60, 90, 120, 0], rows, [20, 50, 27, 3]),
        }
    )
    return Table(frame, ["Mitgliedsnummer", "Name", "Straße", "Telefon", "IBAN"], ";")


def _iban(account: int) -> str:
    """An account number of an invented bank with its check digits (ISO 13616)."""
    bare = f"10000000{account:010d}"
    return f"DE{98 - int(bare + '131400') % 97:02d}{bare}"


def questionnaire(chance: Chance) -> Table:
    """Sixty columns: a few about the person, then answers from 1 to 5."""
    rows = 900
    answers = {f"q{n:02d}": np.clip(chance.normal(3 + n % 3 / 2, 1.1, rows).round(), 1, 5).astype(int) for n in range(1, 55)}
    frame = pd.DataFrame(
        {
            "respondent": [f"r-{n:06d}" for n in chance.permutation(10**6)[:rows]],
            "age_group": some(chance, ["18-29", "30-44", "45-59", "60+"], rows),
            "gender": some(chance, ["f", "m", "x"], rows, [52, 46, 2]),
            "region": some(chance, ["north", "east", "south", "west"], rows),
            **answers,
            "comment": gaps(chance, [f"I think that question {n} was not clear to me at all" for n in range(rows)], 0.7),
            "weight": chance.gamma(20, 0.05, rows).round(4),
        }
    )
    return Table(frame, ["respondent", "comment"])


def travel(chance: Chance) -> Table:
    """Bookings of a travel agency."""
    rows = 1500
    first, last = people(chance, FRENCH + GIVEN, FRENCH_FAMILY + FAMILY, rows)
    spread = [
        "Spain",
        "Italy",
        "Greece",
        "France",
        "Turkey",
        "Portugal",
        "Thailand",
        "Mexico",
        "Egypt",
        "Morocco",
        "Japan",
        "Peru",
    ]
    frame = pd.DataFrame(
        {
            "passenger": [f"{a} {b}" for a, b in zip(first, last, strict=True)],
            "passport": [f"C{n:08d}" for n in chance.permutation(10**7)[:rows]],
            "nationality": some(
                chance, ["Germany", "France", "Austria", "Poland", "United States", "Canada"], rows, [50, 20, 10, 10, 6, 4]
            ),
            "birth_date": days(chance, "1945-01-01", "2010-12-31", rows),
            "destination": some(chance, spread, rows, [24, 20, 14, 12, 9, 7, 4, 3, 3, 2, 1, 1]),
            "departure": days(chance, "2023-01-01", "2024-12-31", rows),
            "nights": some(chance, [3, 4, 7, 10, 14, 21], rows, [15, 15, 40, 12, 15, 3]),
            "price_eur": np.exp(chance.normal(6.9, 0.6, rows)).round(2),
        }
    )
    return Table(frame, ["passenger", "passport"])


def claims(chance: Chance) -> Table:
    """Claims of insured people, amounts with a long tail."""
    rows, insured = 4000, 2500
    whose = np.concatenate([np.arange(insured), chance.integers(0, insured, rows - insured)])
    how_old, zips = (
        ages(chance, insured, 18, 95),
        some(chance, ["02139", "02140", "02141", "02474", "03031", "03060", "06001"], insured),
    )
    sexes = some(chance, ["F", "M"], insured)
    frame = pd.DataFrame(
        {
            "claim_no": np.arange(1, rows + 1),
            "member_id": [f"M{n:06d}" for n in whose],
            "ssn": [f"{100 + n % 800}-{n % 90 + 10}-{1000 + n}" for n in whose],
            "age": [how_old[n] for n in whose],
            "sex": [sexes[n] for n in whose],
            "zip": [zips[n] for n in whose],
            "service_date": days(chance, "2022-01-01", "2022-12-31", rows),
            "procedure": some(chance, ["99213", "99214", "36415", "80053", "71046"], rows, [40, 25, 20, 10, 5]),
            "billed": np.exp(chance.normal(5.2, 1.1, rows)).round(2),
            "plan": some(chance, ["bronze", "silver", "gold"], rows, [30, 50, 20]),
        }
    )
    return Table(frame, ["claim_no", "member_id", "ssn"])


def accidents(chance: Chance) -> Table:
    """A register of accidents with places and moments."""
    rows = 2200
    start = datetime.datetime(2019, 1, 1)
    frame = pd.DataFrame(
        {
            "reference": [f"A-{n}" for n in chance.permutation(10**6)[:rows]],
            "occurred_at": [str(start + datetime.timedelta(minutes=int(m))) for m in chance.integers(0, 5 * 365 * 1440, rows)],
            "latitude": chance.normal(52.5, 0.08, rows).round(5),
            "longitude": chance.normal(13.4, 0.12, rows).round(5),
            "age_of_casualty": gaps(chance, ages(chance, rows, 3, 95), 0.05, "NA"),
            "sex_of_casualty": some(chance, ["male", "female", "NA"], rows, [58, 40, 2]),
            "casualty_class": some(chance, ["driver", "passenger", "pedestrian"], rows, [60, 25, 15]),
            "severity": some(chance, ["slight", "serious", "fatal"], rows, [83, 16, 1]),
            "light": some(chance, ["day", "dark, lit", "dark"], rows, [72, 22, 6]),
            "speed_limit": some(chance, [30, 50, 70, 100], rows, [30, 50, 10, 10]),
        }
    )
    return Table(frame, ["reference"])


def permits(chance: Chance) -> Table:
    """Three columns: who may park where."""
    rows = 300
    frame = pd.DataFrame(
        {
            "licence_plate": [
                f"B-{letters} {n}"
                for letters, n in zip(some(chance, ["AB", "KM", "XY"], rows), chance.permutation(9000), strict=False)
            ],
            "zone": some(chance, ["1", "2", "3", "4", "5"], rows, [40, 30, 20, 7, 3]),
            "valid_until": days(chance, "2024-01-01", "2026-12-31", rows),
        }
    )
    return Table(frame, ["licence_plate"])


def census(chance: Chance) -> Table:
    """Part of a census: people in households."""
    rows = 8000
    frame = pd.DataFrame(
        {
            "age": ages(chance, rows, 0, 99),
            "sex": some(chance, ["Male", "Female"], rows),
            "county": some(chance, [f"{n:03d}" for n in range(1, 25)], rows, np.arange(24, 0, -1).tolist()),
            "country_of_birth": some(
                chance, ["US", "MX", "IN", "CN", "PH", "VN", "DE", "CU", "GB", "KE"], rows, [85, 5, 2, 2, 1, 1, 1, 1, 1, 1]
            ),
            "marital_status": some(
                chance, ["married", "never married", "divorced", "widowed", "separated"], rows, [48, 33, 11, 6, 2]
            ),
            "education": some(
                chance, ["none", "primary", "secondary", "bachelor", "master", "doctorate"], rows, [3, 10, 45, 27, 12, 3]
            ),
            "industry_nace": some(
                chance, ["62.01", "62.02", "47.11", "47.71", "86.10", "86.21", "85.20", "85.31", "41.20", "01.11"], rows
            ),
            "hours_worked": np.clip(chance.normal(38, 9, rows), 0, 80).astype(int),
            "household_size": np.clip(chance.poisson(1.8, rows) + 1, 1, 12),
            "income": np.where(chance.random(rows) < 0.2, 0, np.exp(chance.normal(10.2, 0.8, rows)).round(-2)).astype(int),
            "religion": gaps(chance, some(chance, ["none", "catholic", "protestant", "muslim", "jewish"], rows), 0.05, "?"),
        }
    )
    return Table(frame, [])


TABLES: dict[str, Callable[[Chance], Table]] = {
    "hospital export": hospital,
    "credit applicants": credit,
    "health survey": survey,
    "census": census,
    "payroll": payroll,
    "school": school,
    "sign-in log": sign_ins,
    "membership list": members,
    "questionnaire": questionnaire,
    "travel bookings": travel,
    "insurance claims": claims,
    "accident register": accidents,
    "parking permits": permits,
}


def table_of(name: str) -> Table:
    """A table, the same each time."""
    return TABLES[name](np.random.default_rng(list(TABLES).index(name)))
