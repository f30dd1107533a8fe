"""`sfumato learn`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from sfumato.cli import options, show
from sfumato.errors import UsageError, argument, several

if TYPE_CHECKING:
    from sfumato.learn import Interval, Score, UtilityLoss, UtilityLosses

_NONE_WITHIN = 1


Nodes = Annotated[
    list[str] | None,
    typer.Option("--nodes", help="Nodes of the original, as in '[2,1] [1,1]' or age=2,sex=1. Repeatable.", show_default=False),
]
Published = Annotated[
    str | None,
    typer.Option("--releases", help="Published files, whoever made them, as in a.parquet,b.csv.", show_default=False),
]


def given_releases(nodes: list[str] | None, published: str | None) -> list[Any]:
    """Nodes as they are written, or the paths of files."""
    files: list[Any] = [Path(name) for name in options.names(published) or () if name]
    return files or [node for text in nodes or () for node in _nodes(text)]


def _nodes(text: str) -> list[str]:
    """The nodes of a text: `[2, 1] [1,1]` and `age=2, sex=1; age=1,sex=1` are two each. Spaces after a level end a node, others do not.

    >>> _nodes("[2, 1] [1,1]"), _nodes("age=2, sex=1 age=1,sex=1")
    (['[2, 1]', '[1,1]'], ['age=2, sex=1', 'age=1,sex=1'])
    """
    from sfumato.learn.given import is_node

    pieces = re.findall(r"\[[^\]]*\]|\{[^}]*\}|[^;\[{]+", text)
    parts = [part for piece in pieces for part in ([piece] if piece[0] in "[{" else re.split(r"(?<=\d)\s+(?!,)", piece))]
    found = [part.strip() for part in parts if part.strip()]
    for each in found:
        if not is_node(each):
            raise UsageError(f"cannot read {each!r}; write age=2,sex=1 or [2,1]", where=argument("nodes"))
    return found


def releases(
    nodes: Nodes = None,
    along_pareto: Annotated[
        int | None, typer.Option("--along-pareto", help="So many nodes along the Pareto front.", show_default=False, min=1)
    ] = None,
    published: Published = None,
    pareto: Annotated[
        str,
        typer.Option(
            "--pareto", help="The two losses of the front: NAME for the mean over people, NAME.max for the worst class."
        ),
    ] = "distribution.max,utility-distribution",
) -> options.Request:
    """What to learn from."""
    if sum(each is not None for each in (nodes or None, along_pareto, published)) != 1:
        choices = f"{argument('nodes')}, {argument('along_pareto')} or {argument('releases')}"
        raise UsageError(f"say what to learn from: {choices}, one of them", where="learn")
    if along_pareto is not None:
        return {"most": along_pareto, "pareto": options.names(pareto)}
    return {"releases": given_releases(nodes, published)}


def teaching(
    target: Annotated[str, typer.Option("--target", help="The column to predict.", show_default=False)],
    estimator: Annotated[
        str,
        typer.Option(
            "--estimator", help="random-forest, logistic-regression, nearest-neighbors, gradient-boosting or naive-bayes."
        ),
    ] = "random-forest",
    features: Annotated[
        str | None, typer.Option("--features", help="The columns to learn from.", show_default="all that are published")
    ] = None,
    positive: Annotated[
        str | None,
        typer.Option("--positive", help="The value whose precision and recall are given.", show_default="the rarer of two"),
    ] = None,
    repeats: Annotated[int, typer.Option("--repeats", help="How often the rows are divided anew.", min=1)] = 3,
    folds: Annotated[int, typer.Option("--folds", help="Folds of the search for settings.", min=2)] = 3,
    seed: Annotated[int, typer.Option("--seed", help="Seed of all that is random.", min=0)] = 0,
    jobs: Annotated[int, typer.Option("--jobs", help="How many models are trained at once; changes no digit.", min=1)] = 1,
) -> options.Request:
    """How to learn."""
    given = {"target": target, "estimator": estimator, "features": options.names(features), "positive": positive}
    return {**given, "repeats": repeats, "folds": folds, "seed": seed, "jobs": jobs}


@options.takes(options.table, options.reading, options.judging, options.releasing, releases, teaching)
def learn(
    request: options.Request,
    within: Annotated[
        str | None,
        typer.Option(
            "--within",
            help="A tolerance, as in 1% or 0.01: which release with less utility loss leaks least?",
            show_default=False,
        ),
    ] = None,
    results: Annotated[
        Path | None,
        typer.Option(
            "--results", help="Keep the result of each release in this folder, and go on from there.", show_default=False
        ),
    ] = None,
    output: options.Picture = None,
    page: Annotated[
        Path | None,
        typer.Option("--page", help="Write the explorer page of these nodes, with the loss as an axis.", show_default=False),
    ] = None,
    force: options.Force = False,
    json: options.Json = False,
) -> None:
    """Train a model on the original and on each release: what does a release cost those who learn from it, and what does it disclose?

    Accuracy, precision, recall, the loss (A_max - A_x) / A_max with a confidence interval, and a baseline that always says the majority.
    Needs the extra `learn`. Exit 1 if no release is within the tolerance.

    Example: `sfumato learn adult.parquet -s adult.toml --nodes '[4,2,3,2,1,1,1]' --target income --estimator naive-bayes --within 5%`
    """
    tolerance = None if within is None else _tolerance(within)
    _require_free(output, page, request, force=force)
    if output or page or within:
        _require_disclosure(request, page)
    with show.watching() as watch:
        found = _learned(dict(request), results, show.progress(watch, "learning"))
    chosen = None if tolerance is None else found.least_leaking(tolerance)
    if output:
        from sfumato.reporting.charts import write_chart
        from sfumato.reporting.learning import learning_chart

        write_chart(learning_chart(found, tolerance), output, force=force)
    if page:
        _write_page(found, page, request, force=force)
    written = [str(path) for path in (output, page) if path]
    if json:
        answer = {} if tolerance is None else {"within": tolerance, "least_leaking": chosen and chosen.name}
        show.emit(found.as_dict() | answer | ({"written": written} if written else {}))
    else:
        _show(found, within, chosen)
        for path in written:
            show.line(f"wrote {path}")
    if tolerance is not None and chosen is None:
        raise typer.Exit(_NONE_WITHIN)


def _require_free(output: Path | None, page: Path | None, request: options.Request, *, force: bool) -> None:
    """Refuse what cannot be written, before the work starts."""
    from sfumato.commit.places import require_free
    from sfumato.reporting.writing import place_of

    if output:
        require_free(output, force)
    if page:
        place_of(page, force)
        if any(isinstance(each, Path) for each in request.get("releases", ())):
            raise UsageError("only nodes are on the page; a published file has no place in the lattice", where=argument("page"))


def _require_disclosure(request: options.Request, page: Path | None) -> None:
    """Refuse to weigh what is disclosed where nothing is sensitive, before the work starts; the page is about one attribute."""
    from sfumato.vocabulary.kinds import Role
    from sfumato.vocabulary.schema import Schema

    judged = request.get("sensitive") or Schema.read(request["schema"]).names(Role.SENSITIVE)
    if not judged:
        asked = ", ".join(argument(name) for name in ("within", "output", "page"))
        raise UsageError(f"what is disclosed needs a sensitive attribute in the schema; leave out {asked}", where="learn")
    if page and len(judged) > 1:
        raise UsageError("the page is about one sensitive attribute; name it", where=argument("sensitive"))


def _write_page(found: UtilityLosses, page: Path, request: options.Request, *, force: bool) -> None:
    """The explorer of the nodes."""
    from sfumato.learn.exploring import ExploringOptions, learned_trade_off
    from sfumato.reporting.explorer.data import FileNames
    from sfumato.reporting.explorer.writing import write_explorer

    asked: Any = {name: request[name] for name in get_type_hints(ExploringOptions) if name in request}
    result = learned_trade_off(request["data"], found, request["schema"], **asked)
    write_explorer(result, page, FileNames(Path(request["data"]).name, request["schema"].name), force=force)


def _learned(request: options.Request, results: Path | None, progress: Any) -> UtilityLosses:
    from sfumato import learn as room  # by its own names: without the extra it says so

    original, given = request.pop("data"), {"results": results, "progress": progress}
    if "most" in request:
        return room.along_pareto(original, request.pop("most"), **request, **given)
    return room.utility_losses(original, request.pop("releases"), **request, **given)


def _tolerance(text: str) -> float:
    """A tolerance λ, written 1% or 0.01."""
    try:
        number = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1 or (number == 1 and "%" not in text):
        raise UsageError("a tolerance is a share between 0 and 1, as 1% or 0.01", where=argument("within"))
    return number


def _show(found: UtilityLosses, within: str | None, chosen: Any) -> None:
    console, plan = show.out(), found.plan
    repeats = several(plan["repeats"], "repeat")
    show.line(f"{plan['estimator']} predicts {found.target}: {repeats}, seed {plan['seed']}")
    heads = ["release", "ε max", "mean", "α max", "mean", "accuracy", "majority", "loss"]
    original = ("original", *("–",) * 4, *_right(found.original), "–")
    rows = [(each.name, *_leaks(each), *_right(each.released), _lost(each.loss)) for each in found.releases]
    console.print(show.unbroken(show.table(None, heads, [original, *rows], right=heads[1:])))
    if len(found.releases) == 1:
        _show_one(found.releases[0])
    if within is not None:
        _answer(within, chosen)


def _show_one(one: UtilityLoss) -> None:
    """Both readings, and the confusion matrix."""
    tests = [("original, by its own model", one.best, None), ("release", one.released, one.loss)]
    tests += [("original, mapped up", one.mapped, one.mapped_loss)] if one.mapped else []
    heads = ["tested on", "accuracy", "majority", "precision", "recall", "loss"]
    rows = [(name, *_right(score), score.precision, score.recall, _lost(loss)) for name, score, loss in tests]
    show.out().print(show.unbroken(show.table(None, heads, rows, right=heads[1:])))
    show.line(_about_precision(one))
    show.line("what is true, and what the model says of the release, all repeats together:")
    show.out().print(show.rows(one.confusion()))


def _about_precision(one: UtilityLoss) -> str:
    positive = one.released.positive
    of = "are means over all values" if positive is None else f"are those of {one.values[positive]}"
    return f"precision and recall {of}"


def _answer(within: str, chosen: UtilityLoss | None) -> None:
    """Which release within the tolerance leaks least."""
    if chosen is None or chosen.disclosure is None:
        show.line(f"no release loses less than {within} of the accuracy")
        return
    loss = chosen.loss
    beyond = "" if loss.high is None or loss.high < _tolerance(within) else "; its interval reaches beyond"
    show.line(f"within {within}, {chosen.name} leaks least: ε = {chosen.disclosure.epsilon:.4g}, loss {loss}{beyond}")


def _leaks(each: UtilityLoss) -> tuple[str, ...]:
    disclosure = each.disclosure
    if disclosure is None:
        return ("–",) * 4
    return tuple(
        f"{value:.3g}" for value in (disclosure.epsilon, disclosure.mean_distribution, disclosure.alpha, disclosure.mean_entropy)
    )


def _right(score: Score) -> tuple[str, str]:
    return f"{score.accuracy:.2%}", f"{score.baseline:.2%}"


def _lost(loss: Interval | None) -> str:
    """A loss with half of its interval, which is symmetric."""
    if loss is None:
        return "–"
    return f"{loss.value:.2%}" if loss.high is None else f"{loss.value:.2%} ± {100 * (loss.high - loss.value):.2f}"
