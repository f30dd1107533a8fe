"""`sfumato ato reputation`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from sfumato.cli import options, show
from sfumato.cli.ato.given import Seed, Truth
from sfumato.errors import UsageError, argument


@options.takes(options.running)
def reputation(
    request: options.Request,
    features: Annotated[
        Path, typer.Argument(metavar="FEATURES", help="The folder of 'ato features', or features-ip.parquet.", show_default=False)
    ],
    bad: Annotated[Path, typer.Option("--bad", help="Addresses known to be bad, one a line.", show_default=False)],
    good: Annotated[Path, typer.Option("--good", help="Addresses known to be good, one a line.", show_default=False)],
    output: Annotated[Path, typer.Option("--output", "-o", help="The Parquet file to write.", show_default=False)],
    truth: Truth = None,
    logs: Annotated[
        str | None, typer.Option("--logs", help="The events, for --truth: it knows events by their ids.", show_default=False)
    ] = None,
    seed: Seed = 0,
    force: options.Force = False,
    json: options.Json = False,
) -> None:
    """Learn from a few known addresses which of all are bad: two k-nearest-neighbor models, then rules that can be read.

    Example: `sfumato ato reputation features --bad logs/known-bad.txt --good logs/known-good.txt -o reputation.parquet`
    """
    from sfumato.applications.ato.reputation import read_known
    from sfumato.applications.ato.reputation import reputation as judge
    from sfumato.applications.ato.tables import read_features
    from sfumato.commit.places import require_free

    require_free(output, force)
    with show.watching() as watch:
        watch("reading", None)
        known = read_known(bad), read_known(good)
        fraudulent = _fraudulent(logs, truth, request)
        watch("learning", None)
        found = judge(read_features(features, "ip"), *known, fraudulent=fraudulent, seed=seed)
        found.write(output, force=force)
    if json:
        show.emit(found.as_dict() | {"written": str(output)})
        return
    show.out().print(show.rows(found.table()))
    for rule in found.rules.lines():
        show.line(rule)
    show.line(f"and only if {found.rules.mistakes}")
    show.line("Good: all others")
    if found.score is not None:
        score = found.score
        show.line(
            f"against the truth: {score.true_positives:,} bad addresses found, {score.false_negatives:,} missed, "
            f"{score.false_positives:,} good ones called bad (precision {show.cell(score.precision)}, recall {show.cell(score.recall)})"
        )
    show.line(f"wrote {output}")


def _fraudulent(logs: str | None, truth: Path | None, request: dict[str, Any]) -> list[str] | None:
    if truth is None:
        return None
    if logs is None:
        raise UsageError(f"also needs {argument('logs')}: the truth knows events by their ids", where=argument("truth"))
    from sfumato.applications.ato.tables import read_truth
    from sfumato.applications.ato.training.drawing import fraudulent_addresses

    return fraudulent_addresses(logs, read_truth(truth), {name: value for name, value in request.items() if name != "loops"})
