"""Explore: every way to generalize the table by two losses, live under other models and bounds, and each of them looked at closely."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse

from sfumato.errors import SfumatoError, UsageError, unknown
from sfumato.models import models_of
from sfumato.reporting.explorer.data import MOST_ROWS, flags, plot_data
from sfumato.reporting.explorer.naming import loss_words, named_nodes
from sfumato.reporting.explorer.page import spread
from sfumato.reporting.explorer.parts import controls_part, legend_part, reading_part
from sfumato.reporting.explorer.thinning import losses_in
from sfumato.reporting.markup import shown
from sfumato.search.space.exploring import MOST_NODES
from sfumato.search.space.trade_off import TradeOff
from sfumato.web.bench.asking import ASKED, Wish, question_of, rows_of, wish_in
from sfumato.web.bench.bench import Bench
from sfumato.web.bench.exploring import LONG, SPACE, Explored, nodes_of, require_explorable
from sfumato.web.bench.nodes import node_view
from sfumato.web.bench.pages.common import bench_of, start
from sfumato.web.bench.tasks import EXPLORE
from sfumato.web.rendering import show

router = APIRouter()


@router.get("/explore")
def explore(request: Request) -> Response:
    bench = bench_of(request)
    schema, known = bench.project.schema, bench.project.recipe.question
    if not schema.quasi:
        return show(request, "bench/explore.html", step="explore", nodes=0, result=None)
    wish, wrong = _wish(request, bench)
    rows, others = rows_of(wish.question.models)
    nodes = nodes_of(schema, known)
    values: dict[str, Any] = {
        "nodes": nodes,
        "too_many": MOST_NODES if nodes > MOST_NODES else 0,
        "long": nodes > LONG,
        "before": (bench.project.folder / SPACE).is_file(),
        "rows": rows,
        "others": "\n".join(others),
        "suppress": f"{100 * float(wish.question.suppress):g}%",
        "result": None,
        "again": wrong,
    }
    explored = bench.explored()
    if explored is not None:
        values |= _result_parts(request, bench, explored, wish, wrong)
    return show(request, "bench/explore.html", step="explore", **values)


@router.post("/explore")
async def explore_again(request: Request) -> Response:
    bench, sent = bench_of(request), await request.form()
    wish = wish_in(sent, bench.project.recipe.question)
    require_explorable(bench.project.schema, wish.question)
    bench.project.ask(wish.question)
    return start(request, EXPLORE, "explore")


@router.get("/explore/data")
def data(request: Request) -> Response:
    """What the plot needs, of the nodes that it shows."""
    bench = bench_of(request)
    explored = _explored(bench)
    result, _ = _weighed(explored, wish_in(request.query_params, bench.project.recipe.question))
    return JSONResponse(plot_data(result, explored.shown))


@router.get("/explore/answer")
def answer(request: Request) -> Response:
    """Which nodes satisfy other models; or why they have to be explored again."""
    bench = bench_of(request)
    explored = _explored(bench)
    try:
        wish = wish_in(request.query_params, bench.project.recipe.question)
        result = explored.weighed(wish.question, wish.bounds, explored.axes)
    except SfumatoError as error:
        return JSONResponse({"again": str(error)})
    feasible = result.feasible
    answered = {
        "feasible": flags(feasible[explored.shown]),
        "satisfying": int(feasible.sum()),
        "models": bool(wish.question.models),
    }
    return JSONResponse(answered)


@router.get("/explore/node")
def node(request: Request) -> Response:
    """One node, or two side by side: a part of the page."""
    bench = bench_of(request)
    explored = _explored(bench)
    wish = wish_in(request.query_params, bench.project.recipe.question)
    result, _ = _weighed(explored, wish)
    return show(request, "bench/node.html", **_nodes(bench, result, wish, request))


def _explored(bench: Bench) -> Explored:
    explored = bench.explored()
    if explored is None:
        raise UsageError("the table has to be explored first", where="explore")
    return explored


def _wish(request: Request, bench: Bench) -> tuple[Wish, str | None]:
    """What is asked; a wish that cannot be read leaves what the project asks for, and says why."""
    known = bench.project.recipe.question
    try:
        return wish_in(request.query_params, known), None
    except SfumatoError as error:
        return wish_in(type(request.query_params)({}), known), str(error)


def _weighed(explored: Explored, wish: Wish) -> tuple[TradeOff, str | None]:
    """The nodes under the wish; where it was not explored, under what was, and why."""
    axes = wish.axes or explored.axes
    losses = losses_in(explored.space)
    for name in axes:
        if name not in losses:
            raise UsageError(unknown("loss", name, losses, within="this space"), where="axes")
    try:
        return explored.weighed(wish.question, wish.bounds, axes), None
    except UsageError as error:
        about = explored.space.about
        known = question_of(wish.question, models_of(about.models), explored.suppress)
        return explored.weighed(known, wish.bounds, axes), str(error)


def _result_parts(request: Request, bench: Bench, explored: Explored, wish: Wish, wrong: str | None) -> dict[str, Any]:
    result, again = _weighed(explored, wish)
    shown_nodes = len(explored.shown)
    values = {
        "result": result,
        "again": wrong or again,
        "explored_models": list(explored.space.about.models),
        "controls": controls_part(result),
        "legend": legend_part(),
        "reading": reading_part(result),
        "front": _front(request, result),
        "left_out": max(len(result.front) - MOST_ROWS, 0),
        "heads": [loss_words(name) for name in result.axes],
        "thinned": shown_nodes if shown_nodes < len(result.space) else 0,
        "within": int(result.within.sum()),
        "knee": named_nodes(result, [result.knee])[0] if result.knee is not None else None,
    }
    return values | _nodes(bench, result, wish, request)


def _front(request: Request, result: TradeOff) -> list[dict[str, Any]]:
    """The rows of the front: a link that looks at the node, the two losses, its classes."""
    places = [int(result.front[place]) for place in spread(len(result.front))]
    rows, columns = [], result.space.evaluations.named()
    for place, words in zip(places, named_nodes(result, places), strict=True):
        levels = _written(result, place)
        numbers = [shown(columns[name][place].item()) for name in (*result.axes, "classes", "smallest")]
        rows.append({"words": words, "address": _address(request, node=levels), "numbers": numbers, "levels": levels})
    return rows


def _written(result: TradeOff, place: int) -> str:
    return f"[{','.join(map(str, result.space.evaluations.levels[place].tolist()))}]"


def _address(request: Request, **changed: str | None) -> str:
    """The same page with something else."""
    kept = [(name, value) for name, value in request.query_params.multi_items() if name not in changed]
    return "?" + urlencode([*kept, *((name, value) for name, value in changed.items() if value)])


def _nodes(bench: Bench, result: TradeOff, wish: Wish, request: Request) -> dict[str, Any]:
    """The node that is looked at, the knee unless one is chosen, and the one that it is compared with."""
    levels = wish.node
    if levels is None and result.knee is not None:
        levels = tuple(result.space.evaluations.levels[result.knee].tolist())
    chosen = None if levels is None else node_view(result, levels, bench.project.schema, "one")
    beside = node_view(result, wish.beside, bench.project.schema, "two") if wish.beside and chosen else None
    return {
        "views": [each for each in (chosen, beside) if each],
        "attributes": list(zip(result.space.lattice.attributes, result.space.lattice.heights, strict=True)),
        "pin": _address(request, beside=chosen.written) if chosen else "",
        "unpin": _address(request, beside=None),
        "asked_models": [str(model) for model in result.space.about.models],
        "asked_suppress": str(wish.question.suppress),
        "marker": ASKED,
    }
