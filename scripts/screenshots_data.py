"""A table of patients for the pictures: invented, and the same each time."""

from __future__ import annotations

from pathlib import Path
from random import Random

JOBS = ["baker", "carpenter", "clerk", "doctor", "driver", "farmer", "lawyer", "nurse", "retired", "student", "teacher"]
ILLNESSES = ["asthma", "back pain", "broken bone", "diabetes", "heart failure", "infection", "migraine"]
_YOUNG, _OLD = (6, 4, 7, 1, 1, 5, 4), (2, 5, 4, 6, 8, 4, 1)
_STREETS = ["10115", "10117", "10119", "10243", "10245", "10405", "10551", "10969", "12043", "12045", "13347", "13353"]


def write_patients(path: Path, people: int = 12_000) -> None:
    """One row per patient; older people have other illnesses and fewer jobs."""
    rng = Random(1503)
    lines = ["patient_id,age,sex,zip,job,nights,diagnosis"]
    for number in range(people):
        age = min(96, max(18, round(rng.gauss(55, 19))))
        job = (
            "retired"
            if age > 66
            else rng.choice([each for each in JOBS if each != "retired" and (each != "student" or age < 30)])
        )
        illness = rng.choices(ILLNESSES, _OLD if age > 60 else _YOUNG)[0]
        zip_code = rng.choice(_STREETS[: 4 + rng.randint(0, 8)])
        nights = min(30, round(rng.expovariate(0.25)))
        lines.append(f"{400_000 + 7 * number},{age},{rng.choice(['female', 'male'])},{zip_code},{job},{nights},{illness}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
