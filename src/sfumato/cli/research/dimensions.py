"""`sfumato dimensions`."""

from __future__ import annotations

from sfumato.cli import options, show
from sfumato.errors import several


@options.takes(options.table, options.reading, options.judging, options.releasing, options.starting, options.limiting)
def dimensions(
    request: options.Request, output: options.Picture = None, force: options.Force = False, json: options.Json = False
) -> None:
    """Show the curse of dimensionality: classes, losses and feasible nodes against the number of QIDs, in the order of --quasi.

    Example: `sfumato dimensions adult.parquet -s adult.toml -m k-anonymity:5 -o curse.svg`
    """
    from sfumato.verbs.dimensions import dimensions as explore_dimensions

    if output:
        from sfumato.commit.places import require_free

        require_free(output, force)
    with show.watching() as watch:
        result = explore_dimensions(**request, progress=show.progress(watch, "exploring"))
    if output:
        from sfumato.reporting.charts import write_chart
        from sfumato.reporting.dimensions import dimensions_chart

        write_chart(dimensions_chart(result), output, force=force)
    if json:
        show.emit(result.as_dict() | ({"written": str(output)} if output else {}))
        return
    show.out().print(show.rows(result.table(), title=f"feasible: {', '.join(result.models)}"))
    if not result.complete:
        show.amber(f"it ended after {several(len(result.steps), 'QID')}: more of them have more nodes than could be evaluated")
    if output:
        show.line(f"wrote {output}")
