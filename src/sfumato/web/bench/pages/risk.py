"""Risk: what the table as it is gives away."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Form, Request, Response

from sfumato.errors import UsageError
from sfumato.reporting.markup import Html
from sfumato.reporting.pictures import size_rows, sizes_picture
from sfumato.reporting.svg import bars
from sfumato.web.bench.asking import question_of
from sfumato.web.bench.pages.common import bench_of, go_to
from sfumato.web.bench.telling import Telling
from sfumato.web.rendering import show

router = APIRouter()


@router.get("/risk")
def risk(request: Request) -> Response:
    bench = bench_of(request)
    if not bench.project.schema.quasi:
        return show(request, "bench/risk.html", step="risk", found=None)
    question = bench.project.recipe.question
    found = bench.as_it_is()
    return show(
        request,
        "bench/risk.html",
        step="risk",
        found=found,
        owner=bench.project.schema.owner,
        picture=sizes_picture("sizes", found.sizes),
        sizes=size_rows(found.sizes),
        population_size=question.population_size,
        population=question.population,
        single=_picture("single", "one column", found.single, found.people),
        pairs=_picture("pairs", "two columns together", found.pairs, found.people),
        more=_picture("more", "three and more columns together", found.more, found.people),
    )


@router.post("/risk/population")
def population(request: Request, people: Annotated[str, Form()] = "") -> Response:
    """Keep the size of the population that the table is drawn from, in the recipe."""
    project = bench_of(request).project
    known, text = project.recipe.question, people.replace(",", "").replace(" ", "")
    if text and not (text.isdecimal() and len(text) <= 15):
        raise UsageError("the size of a population is a whole number, as in 83000000", where="population")
    size = int(text) if text else None
    least = bench_of(request).counts().total_people
    if size is not None and size < least:
        raise UsageError(f"{size:,} people cannot hold the {least:,} of the table", where="population")
    project.ask(question_of(known, known.models, str(known.suppress), population_size=size))
    return go_to(request, "risk")


def _picture(name: str, what: str, found: Sequence[Telling], people: int) -> Html | None:
    """The share of people who are alone with what somebody knows."""
    if not found:
        return None
    rows = [(each.name, 100 * each.alone / people, f"{each.alone / people:.1%}") for each in found]
    about = "; ".join(f"{label}: {text}" for label, _, text in rows)
    return bars(f"telling-{name}", f"People who are alone, for somebody who knows {what}", about, rows, "% of the people")
