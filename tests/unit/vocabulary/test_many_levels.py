"""The most levels that a hierarchy may have can be published, and verified again."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import sfumato as sf
from sfumato.errors import SchemaError
from sfumato.vocabulary.hierarchy import MOST_LEVELS

SCHEMA = '[attributes.code]\nrole = "quasi"\ntype = "text"\nhierarchy = {{ builder = "prefix", keep = {} }}\n'


def test_the_most_levels_can_be_published_and_verified(tmp_path: Path) -> None:
    schema = sf.Schema.parse(SCHEMA.format(list(range(MOST_LEVELS, 0, -1))))
    table = pd.DataFrame({"code": ["ab", "ac", "ab", "ac"]})
    sf.publish(table, schema, node=[MOST_LEVELS + 1], output=tmp_path / "out.csv", ledger=tmp_path / "ledger")
    assert sf.verify(tmp_path / "out.csv").classes == 1


def test_one_level_more_is_refused() -> None:
    with pytest.raises(SchemaError, match="501 levels; a hierarchy has at most 500"):
        sf.Schema.parse(SCHEMA.format(list(range(MOST_LEVELS + 1, 0, -1))))
