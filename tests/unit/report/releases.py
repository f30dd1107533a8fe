"""Small releases to report on, written into a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import sfumato as sf

SCHEMA = """
[attributes.town]
role = "quasi"

[attributes.age]
role = "quasi"
type = "integer"

[attributes.illness]
role = "sensitive"
"""

# Awkward in markup, in a script, and in an attribute.
AWKWARD = ("</script><script>alert(1)</script>", "<b>&amp;\"'`", "a & b", "\u2028ende")


def people(counts: dict[tuple[str, int, str], int]) -> pd.DataFrame:
    """One row per person from (town, age, illness) and how many."""
    rows = [cell for cell, many in counts.items() for _ in range(many)]
    return pd.DataFrame(rows, columns=["town", "age", "illness"])


def written(folder: Path, frame: pd.DataFrame, **more: Any) -> tuple[Path, Path]:
    """A release at level 0 and its schema."""
    folder.mkdir(exist_ok=True)
    schema = folder / "schema.toml"
    schema.write_text(SCHEMA, encoding="utf-8")
    sf.publish(frame, schema, node=[0, 0], output=folder / "out.parquet", **more)
    return folder / "out.parquet", schema


def many_classes(classes: int) -> pd.DataFrame:
    """As many classes as asked, of five and more people."""
    rows = []
    for number in range(classes):
        town, age = f"town {number // 100:03d}", number % 100
        rows += [(town, age, f"illness {(number * 7 + person * person) % 12:02d}") for person in range(5 + number % 9)]
    return pd.DataFrame(rows, columns=["town", "age", "illness"])


def twenty_columns(folder: Path, people: int = 2000) -> tuple[Path, Path, Path]:
    """A release of twenty columns, its original and its schema: long and German names, numbers, dates, many values, two sensitive
    columns of which one is a continuous number."""
    folder.mkdir(exist_ok=True)
    random = np.random.default_rng(7)
    days = pd.Timestamp("1930-01-01") + pd.to_timedelta(random.integers(0, 27_000, people), unit="D")
    columns: dict[str, Any] = {
        "Alter": random.integers(18, 95, people),
        "Postleitzahl": [f"{code:05d}" for code in random.integers(1000, 99_999, people)],
        "Geburtsdatum": days.date,
        "Körpergröße_cm": random.normal(172, 9, people).round(1),
        "Beschäftigungsverhältnis_im_Befragungszeitraum": random.choice(["Vollzeit", "geringfügig beschäftigt"], people),
        "Höchster_allgemeinbildender_Schulabschluss": random.choice(["Mittlere Reife / Realschulabschluss", "Abitur"], people),
    }
    columns |= {f"Merkmal Nummer {number}": random.choice([f"Wert {v}" for v in range(60)], people) for number in range(11)}
    columns["Jahreseinkommen_brutto_EUR"] = np.exp(random.normal(10.4, 0.6, people)).round(2)
    columns["Diagnose"] = random.choice([f"ICD {place}" for place in range(90)], people)
    columns["Bemerkung"] = random.choice(["a", "b"], people)
    builders = {
        "Alter": 'hierarchy = { builder = "intervals", lower = 0, upper = 100, widths = [5, 50] }',
        "Postleitzahl": 'hierarchy = { builder = "prefix", keep = [3, 1] }',
        "Geburtsdatum": 'hierarchy = { builder = "dates", units = ["year", "decade"] }',
        "Körpergröße_cm": 'hierarchy = { builder = "intervals", widths = [5, 20] }',
    }
    roles = {"Jahreseinkommen_brutto_EUR": "sensitive", "Diagnose": "sensitive", "Bemerkung": "plain"}
    tables = [f'[attributes."{name}"]\nrole = "{roles.get(name, "quasi")}"\n{builders.get(name, "")}\n' for name in columns]
    original, schema, release = folder / "original.parquet", folder / "schema.toml", folder / "out.parquet"
    pd.DataFrame(columns).to_parquet(original)
    schema.write_text("\n".join(tables), encoding="utf-8")
    sf.publish(original, schema, node=[2, 3, 2, 3, 0, *[1] * 12], output=release)
    return release, original, schema
