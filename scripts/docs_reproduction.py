"""The page of the reproduction, written from a run: `docs/reproduction/index.md` and its figures.

Run it after a change to the exhibits. A test holds the page to what this writes; the build of the documentation does not run it.
"""

from __future__ import annotations

from pathlib import Path

from sfumato.reporting.charts import write_chart
from sfumato_studies.run import Reproduction, reproduce
from sfumato_studies.summary import LEGEND, overview, sections

HEAD = """\
% Written by scripts/docs_reproduction.py from a run of sfumato reproduce. Changes made here are lost.

# The sources, reproduced

The losses, models and trade-offs of this package come from publications. `sfumato reproduce` makes their tables and figures again, from
what is bundled with the package, and puts what is printed beside what we compute. It comes with the extra `studies`:
`pip install "sfumato[studies]"`.

```console
$ sfumato reproduce --only leakage-fig-2 --only leakage-example-4 -o out
┏━━━━━━━━━━━━━━━━━━━┳━━━━━━━━┳━━━━━━━┳━━━━━━━━┓
┃ exhibit           ┃ values ┃ agree ┃ differ ┃
┡━━━━━━━━━━━━━━━━━━━╇━━━━━━━━╇━━━━━━━╇━━━━━━━━┩
│ leakage-example-4 │      7 │     4 │      3 │
│ leakage-fig-2     │      6 │     6 │      0 │
└───────────────────┴────────┴───────┴────────┘
...
wrote summary.md, summary.json and 1 figure to out
13 values: 10 agree, 3 differ (all explained)
```

`--all`, the default, makes all of them in half a minute. `--list` shows what there is: an exhibit that several publications show has a
name for each, and any of them will do. `--png` draws the figures as PNG too. The command ends with 1 if a value differs and nothing
explains it.

In Python:

```python
>>> from sfumato_studies.run import reproduce
>>> found = reproduce(["thesis-example-8"])
>>> found.counts()
'13 values: 11 agree, 2 differ (all explained)'
```

The sources are those of {doc}`the errata </errata>`, where the differences are derived: the leakage paper, the negotiation paper, the
thesis, the lecture and the channel paper. A printed number *agrees* if it is ours rounded to as many decimals, that is within half a
unit of its last digit; some sources cut digits off instead, which is told. A printed fraction or root must be ours to nine
digits, a count exactly.

The sign-in logs of the thesis's chapter 5 are private. Its tables and figures are made from a log of our own
({doc}`/guides/detect-takeovers`): what follows from printed counts must agree; of the rest, only the pattern can. The channel
paper prints one worked matrix and one count; its other equations are evaluated on its example of five rows, where all inputs are enumerated
({doc}`/guides/channel-mechanisms`). Not here are diagrams that show no data, such as its Figures 1 to 3, and attacks, which come with their
part of the package.

"""


def page(found: Reproduction) -> str:
    """The whole page."""
    return (
        HEAD
        + "\n".join([f"## All exhibits\n\n{found.counts()}. {LEGEND}\n", *overview(found.exhibits), *sections(found.exhibits)])
        + "\n"
    )


def write(folder: Path) -> None:
    """Write the page and its figures into the documentation; figures of exhibits that are gone are removed."""
    found, target = reproduce(), folder / "reproduction"
    target.mkdir(exist_ok=True)
    for old in target.glob("*.svg"):
        old.unlink()
    for exhibit in found.exhibits:
        if exhibit.chart:
            write_chart(exhibit.chart, target / f"{exhibit.name}.svg", force=True)
    (target / "index.md").write_text(page(found), encoding="utf-8")


if __name__ == "__main__":
    write(Path(__file__).parent.parent / "docs")
