"""What more QIDs do to a table: its classes, losses and feasible nodes, QID by QID."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from sfumato.results import Printed, Rows
from sfumato.upward import above


@dataclass(frozen=True, slots=True)
class Step:
    """The first `qids` QIDs: the table as it is (classes, people who are alone in theirs, losses), and its feasible nodes.

    The losses are None where the table has no sensitive attribute.
    """

    qids: int
    added: str
    classes: int
    unique: float
    distribution: float | None
    utility_distribution: float | None
    nodes: int
    feasible: int

    @property
    def feasible_share(self) -> float:
        return self.feasible / self.nodes


@dataclass(frozen=True, slots=True)
class Dimensions(Printed):
    """One step per number of QIDs, in the order in which they were added; not `complete` where the time was up before the last."""

    models: tuple[str, ...]
    people: int
    steps: tuple[Step, ...]
    complete: bool = True

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        steps = [{**asdict(step), "feasible_share": step.feasible_share} for step in self.steps]
        end = {} if self.complete else {"complete": False}
        return {"models": list(self.models), "people": self.people, "steps": steps, **end}

    def plot(self) -> Any:
        """Classes, losses and feasible nodes as QIDs are added: an altair chart. Needs the extra `report`."""
        return above("Dimensions.plot")(self)

    def table(self) -> Rows:
        """One row per number of QIDs."""
        heads = ("QIDs", "added", "classes", "unique", "distribution", "utility-distribution", "nodes", "feasible", "share")
        rows = [
            (s.qids, s.added, s.classes, s.unique, s.distribution, s.utility_distribution, s.nodes, s.feasible, s.feasible_share)
            for s in self.steps
        ]
        return Rows(heads, tuple(rows))
