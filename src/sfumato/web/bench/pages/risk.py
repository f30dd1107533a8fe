"""Risk: what the table as it is gives away."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from sfumato.reporting.pictures import sizes_picture
from sfumato.web.bench.pages.common import bench_of
from sfumato.web.rendering import show

router = APIRouter()


@router.get("/risk")
def risk(request: Request) -> Response:
    bench = bench_of(request)
    if not bench.project.schema.quasi:
        return show(request, "bench/risk.html", step="risk", found=None, picture=None)
    found = bench.as_it_is()
    return show(request, "bench/risk.html", step="risk", found=found, picture=sizes_picture("sizes", found.sizes))
