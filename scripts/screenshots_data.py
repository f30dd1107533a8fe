"""A table of patients for the pictures: invented, and the same each time."""

from __future__ import annotations

from pathlib import Path
from random import Random

JOBS = ["student", "baker", "carpenter", "clerk", "doctor", "driver", "farmer", "lawyer", "nurse", "teacher"]
ILLNESSES = ["asthma", "back pain", "broken bone", "diabetes", "heart failure", "infection", "migraine"]
_BY_AGE = {35: (14, 3, 9, 1, 0.3, 6, 9), 62: (3, 12, 3, 5, 2, 4, 5), 200: (1, 3, 4, 9, 16, 4, 0.3)}  # younger than
_STREETS = ["10115", "10117", "10119", "10243", "10245", "10405", "10551", "10969", "12043", "12045", "13347", "13353"]


def write_patients(path: Path, people: int = 12_000) -> None:
    """One row per patient; older people have other illnesses and fewer jobs."""
    rng = Random(1503)
    lines = ["patient_id,age,sex,zip,job,nights,diagnosis"]
    for number in range(people):
        age = min(96, max(18, round(rng.gauss(55, 19))))
        job = "retired" if age > 66 else rng.choice(JOBS if age < 30 else JOBS[1:])
        illness = rng.choices(ILLNESSES, next(shares for limit, shares in _BY_AGE.items() if age < limit))[0]
        zip_code = rng.choice(_STREETS[: 4 + rng.randint(0, 8)])
        nights = min(30, round(rng.expovariate(0.25)))
        lines.append(f"{400_000 + 7 * number},{age},{rng.choice(['female', 'male'])},{zip_code},{job},{nights},{illness}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
