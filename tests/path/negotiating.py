"""A table to negotiate about, its owner and two users."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import sfumato as sf
from sfumato.negotiation import UtilityPattern
from sfumato.negotiation.files import Offering, open_desk, request
from sfumato.signing.keys import PrivateKey

SECRET = "Rumpelstilzchen"
SCHEMA = """
[attributes.age]
role = "quasi"
type = "integer"
hierarchy = { builder = "intervals", lower = 0, upper = 100, widths = [10, 50] }
[attributes.town]
role = "quasi"
hierarchy = { tree = { north = ["Kiel", "Rostock"], south = ["Ulm", "Passau"] } }
[attributes.sex]
role = "quasi"
[attributes.name]
role = "identifier"
[attributes.ill]
role = "sensitive"
"""


def table() -> pd.DataFrame:
    towns, ills = ("Kiel", "Rostock", "Ulm", "Passau"), ("flu", "gout", "cold")
    rows = [(20 + n * 7 % 60, towns[n * 5 % 4], "mf"[n % 2], SECRET, ills[(n * n + n // 7) % 3]) for n in range(240)]
    return pd.DataFrame(rows, columns=["age", "town", "sex", "name", "ill"])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SFUMATO_LEDGER", str(tmp_path / "ledger"))
    table().to_csv(tmp_path / "people.csv", index=False)
    (tmp_path / "people.toml").write_text(SCHEMA)
    for name in ("office", "ann", "bob"):
        sf.keys.new(tmp_path / name, name=name.title())
    return tmp_path


def key(folder: Path, name: str) -> PrivateKey:
    return PrivateKey.read(folder / f"{name}.key")


def opened(folder: Path, **more: Any) -> Path:
    offering = Offering(**{"epsilon": 0.45, "models": ("k-anonymity:2",), **more})
    return open_desk(folder / "people.csv", folder / "people.toml", key(folder, "office"), folder / "sheet.json", offering).sheet


def asked(folder: Path, pattern: str = "age,town,sex", shares: tuple[float, ...] = (1,), who: str = "ann", **more: Any) -> Path:
    record = folder / f"{who}.json"
    request(folder / "sheet.json", UtilityPattern.parse(pattern, shares), key(folder, who), record, force=True, **more)
    return record


def telling(folder: Path) -> None:
    """A table whose columns tell nothing, each alone, and everything together."""
    rows = [(n % 2, n // 2 % 2, "ab"[(n % 2) ^ (n // 2 % 2)]) for n in range(40)]
    pd.DataFrame(rows, columns=["age", "town", "ill"]).astype(str).to_csv(folder / "people.csv", index=False)
    roles = {"age": "quasi", "town": "quasi", "ill": "sensitive"}
    (folder / "people.toml").write_text("".join(f'[attributes.{name}]\nrole = "{role}"\n' for name, role in roles.items()))
