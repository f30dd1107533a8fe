"""Top and bottom coding: numbers beyond a bound are published as the bound."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from sfumato.errors import UsageError, argument
from sfumato.models.parameter import text
from sfumato.operations.base import Judged, Made, Operation, Task, numeric_columns
from sfumato.operations.copied import Copy, as_numbers, numbers_of, replaced
from sfumato.vocabulary.kinds import Kind, canonical
from sfumato.vocabulary.schema import Schema

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class Coding(Operation):
    """Bounds by column, as in `age=75,hours=60`."""

    bounds: str = field(metadata=text(example="age=75"))
    judged: ClassVar[Judged] = Judged.CLASSES
    above: ClassVar[bool]

    def check_parameters(self) -> None:
        self.limits()

    def limits(self) -> Mapping[str, float]:
        """The bound of each column."""
        pairs = [part.rpartition("=") for part in self.bounds.split(",")]
        limits = {name.strip(): canonical(Kind.DECIMAL, value.strip()) for name, _, value in pairs}
        if len(limits) < len(pairs) or not all(name and value for name, value in limits.items()):
            raise UsageError(f"{self.name} takes one number per column, as in {self.example}", where=argument("method"))
        return {name: float(value) for name, value in limits.items() if value}

    def chosen(self, schema: Schema, quasi: Sequence[str], columns: Sequence[str] | None) -> tuple[str, ...]:
        if columns:
            raise UsageError(f"{self.name} names its columns, as in {self.example}; leave it out", where=argument("columns"))
        chosen = numeric_columns(self.name, schema, quasi, tuple(self.limits()))
        for name, bound in self.limits().items():
            if schema[name].kind is Kind.INTEGER and bound != int(bound):
                raise UsageError(f"{name!r} holds whole numbers; its bound must be one", where=argument("method"))
        return chosen

    def apply(self, copy: Copy, task: Task) -> Made:
        limits, bound = self.limits(), np.minimum if self.above else np.maximum

        def change(batch: pa.RecordBatch, start: int) -> pa.RecordBatch:
            coded = {n: as_numbers(bound(numbers_of(batch.column(n), n), limits[n]), task.kind(n)) for n in task.columns}
            return replaced(batch, coded)

        return Made(copy.changed(change))


@dataclass(frozen=True, slots=True)
class TopCode(Coding):
    """Numbers above a bound are published as the bound: 75 then stands for 75 or more."""

    name: ClassVar[str] = "top-code"
    example: ClassVar[str] = "top-code:age=75"
    protects: ClassVar[str] = "those with unusually large values, who would stand out"
    exposes: ClassVar[str] = "everybody below the bound, as before"
    above: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class BottomCode(Coding):
    """Numbers below a bound are published as the bound: 18 then stands for 18 or less."""

    name: ClassVar[str] = "bottom-code"
    example: ClassVar[str] = "bottom-code:age=18"
    protects: ClassVar[str] = "those with unusually small values, who would stand out"
    exposes: ClassVar[str] = "everybody above the bound, as before"
    above: ClassVar[bool] = False
