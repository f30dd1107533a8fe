"""A simulation on a table: explored once, then many random users against its owner; written as JSON, CSV and a chart."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

from sfumato.commit.call import one_call
from sfumato.commit.places import require_free
from sfumato.commit.writing import written_together
from sfumato.errors import UsageError, argument, unknown
from sfumato.negotiation.files.moves import Place
from sfumato.negotiation.files.opening import Offering, require_kept, rules_of
from sfumato.negotiation.files.rules import negotiated
from sfumato.negotiation.protocol import Rate
from sfumato.negotiation.simulation import Outcome, Simulated, simulate
from sfumato.progress import Progress
from sfumato.reporting.charts import BLUE, GRAY, altair, chart_image, finished
from sfumato.table.source import SchemaLike
from sfumato.verbs.explore import explore

PRICE = "linear:100,80"
FILES = ("simulation.json", "outcomes.csv", "simulation.svg")


@one_call()
def simulated(
    data: Any,
    schema: SchemaLike | None,
    offering: Offering,
    *,
    users: int = 1000,
    seed: int = 1,
    rate: str | None = None,
    output: Place | None = None,
    force: bool = False,
    progress: Progress | None = None,
    **source: Any,
) -> Simulated:
    """Random users against the owner of a table, with the ledger of offers and without.

    Parameters
    ----------
    data, schema : path, frame, Source, Table
        The table and its schema.
    offering : Offering
        What the owner offers, and how.
    users : int
        How many users there are.
    seed : int
        The same users come from the same seed.
    rate : str, optional
        `flat` or `variable`; by default variable if there is a price.
    output : path, optional
        A folder for `simulation.json`, `outcomes.csv` and `simulation.svg`.
    force : bool
        Replace what exists.
    progress : callable, optional
        Called with the negotiations done and all of them.
    **source
        The fields of `Source`.

    Returns
    -------
    Simulated
        Every outcome, with the ledger and without.
    """
    if users < 1:
        raise UsageError("a whole number from 1 up", where=argument("users"))
    offering = replace(offering, price=_price(offering, rate))
    folder = None if output is None else Path(output)
    if folder is not None and folder.is_dir():
        for name in FILES:
            require_free(folder / name, force)
    with negotiated(data, schema, offering.sensitive, source) as table:
        space = explore(table, quasi=offering.quasi, models=offering.models)
        rules = rules_of(table, space, offering)
    require_kept(rules, space)
    owner = rules.owner(space)
    result = simulate(owner, users, seed, offering.limit, progress)
    if folder is not None:
        _write(result, folder, force=force)
    return result


def _price(offering: Offering, rate: str | None) -> str | None:
    if rate is not None and rate not in list(Rate):
        raise UsageError(unknown("rate", rate, list(Rate), within="a negotiation"), where=argument("rate"))
    if rate == Rate.FLAT and offering.price is not None:
        raise UsageError("a flat rate has no price", where=argument("price"))
    return offering.price or (PRICE if rate == Rate.VARIABLE else None)


def _write(result: Simulated, folder: Path, *, force: bool) -> None:
    image = chart_image(simulation_chart(result), ".svg")
    text = io.StringIO()
    names = [each.name for each in fields(Outcome)]
    writer = csv.DictWriter(text, ["user", "ledger", *names])
    writer.writeheader()
    for side, outcomes in ((True, result.ledger), (False, result.free)):
        for number, each in enumerate(outcomes, start=1):
            node = None if each.node is None else list(each.node)  # as --node takes it
            writer.writerow({"user": number, "ledger": side, **asdict(each), "node": node})
    with written_together(folder, FILES, force=force) as (summary, outcomes_file, chart):
        summary.write_text(json.dumps(result.as_dict(), indent=2) + "\n", encoding="utf-8")
        outcomes_file.write_text(text.getvalue(), encoding="utf-8")
        chart.write_bytes(image)


def simulation_chart(result: Simulated) -> dict[str, Any]:
    """Deals so far and policies that can still be offered over the users, with the ledger and without; and the loss of every deal above
    the best policy."""
    alt = altair()
    names = ("with the ledger", "without it")
    steps, distances = [], []
    for name, outcomes in zip(names, (result.ledger, result.free), strict=True):
        agreed = 0
        steps.append({"user": 0, "deals": 0, "left": result.free[0].left, "owner": name})  # without the ledger it stays as it is
        every = max(1, len(outcomes) // 200)
        for number, each in enumerate(outcomes, start=1):
            agreed += each.agreed
            if number % every == 0 or number == len(outcomes):
                steps.append({"user": number, "deals": agreed, "left": each.left, "owner": name})
            if each.distance is not None:
                distances.append({"distance": round(each.distance, 3), "owner": name})
    color = alt.Color("owner:N", scale=alt.Scale(domain=list(names), range=[BLUE, GRAY]), title=None)
    lines = (
        alt.Chart(alt.Data(values=steps), width=360, height=240, title="Deals so far")
        .mark_line()
        .encode(x=alt.X("user:Q", title="users"), y=alt.Y("deals:Q", title="deals"), color=color)
    )
    room = (
        alt.Chart(alt.Data(values=steps), width=360, height=240, title="Policies that can still be offered")
        .mark_line(interpolate="step-after")
        .encode(x=alt.X("user:Q", title="users"), y=alt.Y("left:Q", title="policies"), color=color)
    )
    bars = (
        alt.Chart(alt.Data(values=distances), width=360, height=240, title="Utility loss above that of the best policy")
        .mark_bar(opacity=0.6)
        .encode(
            x=alt.X("distance:Q", bin=alt.Bin(maxbins=30), title="difference of losses"),
            y=alt.Y("count()", stack=None, title="deals"),
            color=color,
        )
    )
    return finished(alt.hconcat(lines, room, bars))
