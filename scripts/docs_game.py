"""The figures of the guide to the game, from the bundled sample: `docs/figures/game-*.svg`.

python scripts/docs_game.py
"""

from __future__ import annotations

from pathlib import Path

import sfumato as sf
from sfumato.negotiation import game
from sfumato.reporting.charts import chart_image

FIGURES = Path(__file__).parents[1] / "docs" / "figures"


def main() -> None:
    with sf.data.adult() as table:
        space = sf.explore(table, quasi=["age", "sex", "workclass", "education"], models=["k-anonymity:5"])
    rules = game.Rules(epsilon=0.7)
    drawn: dict[str, game.Game | game.Screening] = {
        "protocols": game.equilibrium(space, rules),
        "menu": game.menu(space, rules, types="uniform:0.5,1.5,5"),
    }
    for name, result in drawn.items():
        (FIGURES / f"game-{name}.svg").write_bytes(chart_image(result.spec(), ".svg"))


if __name__ == "__main__":
    main()
