"""One page per step. Whoever lets a request in says whose bench it is about (`request.state.bench`) and what stands round the page."""

from sfumato.web.bench.pages.steps import STEPS, around, steps

__all__ = ["STEPS", "around", "steps"]
