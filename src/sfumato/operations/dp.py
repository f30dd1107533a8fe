"""An epsilon-differentially private release: rows made from a noisy histogram over keys that are declared, never read off the data.

The noise is discrete Laplace noise, drawn by opendp from the system's source of randomness: it cannot be seeded, because whoever has the
seed could subtract it. What follows, leaving out counts below a threshold and writing out rows, looks at the noisy counts only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.errors import DataSayNo, UsageError, argument
from sfumato.frequency import packed
from sfumato.models.parameter import number, text
from sfumato.operations.base import Judged, Made, Operation, Task
from sfumato.operations.copied import Copy
from sfumato.operations.histogram import Histogram
from sfumato.operations.keys import Key, declared_key, observed_key
from sfumato.operations.laplace import delta_of, noisy, threshold_for, threshold_of_delta
from sfumato.vocabulary.kinds import Role
from sfumato.vocabulary.node import parse_levels
from sfumato.vocabulary.schema import Schema

if TYPE_CHECKING:
    import pyarrow as pa

MOST_KEYS = 1_000_000
WIDEST = 1_000_000  # scale of the noise: beyond it thresholds are not exact, and one empty cell may become millions of rows
_BATCH = 1 << 16
Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class DifferentialPrivacy(Operation):
    """Counts people per combination of declared labels, adds discrete Laplace noise of scale rows/epsilon, and writes out as many rows.

    `more` names levels of QIDs (level 0 where none is named), how many `rows` a person may have (1; further ones are not counted), and
    `delta`: then the combinations are those that occur, and only counts beyond a threshold are published, which is (epsilon, delta)-DP.
    Without it all combinations must be declared: QIDs with listed or bounded values, sensitive attributes with `values`.
    """

    epsilon: float = field(metadata=number(at_least=0, example=1.0))
    more: str = field(default="", metadata=text(example="age=2,rows=1"))
    name: ClassVar[str] = "dp"
    example: ClassVar[str] = "dp:1,age=2,sex=0"
    judged: ClassVar[Judged] = Judged.NOTHING
    protects: ClassVar[str] = "everybody, whatever others know: the release is nearly as likely without a person's rows"
    exposes: ClassVar[str] = "what is true of people like somebody, whether or not they are in the table"
    without_seed: ClassVar[str] = "draws its noise from the system, so that nobody can subtract it"

    def check_parameters(self) -> None:
        if not self.epsilon > 0:
            raise UsageError("epsilon must be more than 0, as in dp:1", where=f"method {self.name}")
        if self.rows < 1:
            raise UsageError("rows must be at least 1", where=f"method {self.name}")
        if self.rows / self.epsilon > WIDEST:
            raise UsageError(
                f"epsilon must be at least rows / {WIDEST:,}; nothing is seen in more noise", where=f"method {self.name}"
            )
        if self.delta is not None and not 0 < self.delta < 1:
            raise UsageError("delta must be more than 0 and less than 1, as in delta=1e-6", where=f"method {self.name}")

    def _named(self) -> dict[str, str]:
        pairs = [part.rpartition("=") for part in self.more.split(",")] if self.more else []
        named = {name.strip(): value.strip() for name, sign, value in pairs if sign}
        if len(named) < len(pairs):
            raise UsageError(f"write levels and settings by name, each once, as in {self.example}", where=argument("method"))
        return named

    @property
    def rows(self) -> int:
        """The most rows of one person that are counted."""
        text = self._named().get("rows", "1")
        return int(text) if text.isdecimal() else 0

    @property
    def delta(self) -> float | None:
        """The probability that what epsilon promises fails; None for declared keys, where it never does."""
        text = self._named().get("delta")
        try:
            return None if text is None else float(text)
        except ValueError:
            return -1.0

    def levels(self, quasi: Sequence[str]) -> dict[str, int]:
        """The level of each QID."""
        given = ",".join(f"{name}={value}" for name, value in self._named().items() if name not in ("rows", "delta"))
        named = parse_levels(given) if given else {}
        if not isinstance(named, dict):
            raise UsageError(f"write levels by name, as in {self.example}", where=argument("method"))
        for name in named:
            if name not in quasi:
                raise UsageError(f"{name!r} is none of the published QIDs ({', '.join(quasi)})", where=argument("method"))
        return {name: int(named.get(name, 0)) for name in quasi}

    def chosen(self, schema: Schema, quasi: Sequence[str], columns: Sequence[str] | None) -> tuple[str, ...]:
        if columns:
            raise UsageError(
                f"{self.name} counts all published columns; {argument('quasi')} chooses QIDs", where=argument("columns")
            )
        if schema.owner is None and self.rows > 1:
            raise UsageError("without an owner column every row is a person; leave rows out", where=argument("method"))
        if schema.owner is not None and "rows" not in self._named():
            raise UsageError("people may have several rows; declare how many count, as in dp:1,rows=3", where=argument("method"))
        for name, level in self.levels(quasi).items():
            if not 0 <= level <= schema[name].height():
                raise UsageError(
                    f"level {level} of {name!r} does not exist; it has 0 to {schema[name].height()}", where=argument("method")
                )
        return (*quasi, *schema.sensitive)

    def memory(self, rows: int, columns: int) -> int:
        return rows * (24 + 8 * columns)

    def apply(self, copy: Copy, task: Task) -> Made:
        levels = self.levels(task.quasi)
        key_of = declared_key if self.delta is None else observed_key
        keys = [key_of(copy, task, name, levels.get(name, 0)) for name in task.columns]
        _require_few(keys, counted=self.delta is None)
        cells, counts = self._counted(copy, keys)
        scale = self.rows / self.epsilon
        threshold = self._threshold(scale, len(cells))
        noised = noisy(counts, scale, self.rows, self.epsilon)
        shown, tally = cells[noised >= threshold], noised[noised >= threshold]
        if not int(tally.sum()):
            raise DataSayNo("no count is beyond the noise; take a larger epsilon, or coarser levels", where=argument("method"))
        plain = {a.name for a in task.schema.attributes if a.role is Role.PLAIN or a.role is Role.OWNER}
        facts = {"epsilon": self.epsilon, "node": levels}
        facts |= {"keys": len(counts)} if self.delta is None else {"delta": self.delta}  # how many occur depends on the data
        labels = frozenset(name for name, level in levels.items() if level)
        known = {key.name: key.labels for key in keys}
        histogram = Histogram(levels, known, shown, tally, int(counts.sum()), scale, threshold, self.delta is not None)
        return Made(_rows(shown, tally, keys), labels, frozenset(plain), facts=facts, histogram=histogram)

    def _counted(self, copy: Copy, keys: Sequence[Key]) -> tuple[Counts, Counts]:
        """Cells and the people in each: every declared one, or those that occur."""
        cell_of = packed([key.codes for key in keys], [key.width for key in keys], copy.rows)
        owners = copy.owners()
        counted = cell_of if owners is None else cell_of[bounded(owners, cell_of, self.rows)]
        if self.delta is None:
            size = _size(keys)
            return np.arange(size), np.bincount(counted, minlength=size)
        cells, counts = np.unique(counted, return_counts=True)
        return cells, counts

    def _threshold(self, scale: float, cells: int) -> int:
        """The least count that is published; what decides is known beforehand."""
        if self.delta is None:
            return threshold_for(scale, cells)
        least = threshold_of_delta(scale, self.delta, self.rows)
        assert delta_of(scale, least, self.rows) <= self.delta  # noqa: S101
        return least


def _size(keys: Sequence[Key]) -> int:
    size = 1
    for key in keys:
        size *= key.width
    return size


def _require_few(keys: Sequence[Key], *, counted: bool) -> None:
    """Refuse more declared combinations than can be counted, or than a key can number."""
    size, most = _size(keys), MOST_KEYS if counted else 2**62
    if size > most:
        raise UsageError(
            f"{size:,} combinations of declared values, and at most {most:,} can be counted; name coarser levels, as in dp:1,age=2, "
            f"or fewer columns ({argument('quasi')})",
            where=argument("method"),
        )


def bounded(owners: Counts, cell_of: Counts, rows: int) -> npt.NDArray[np.bool_]:
    """Which rows count: a few of every person, the first in the order of their cells. So which rows of a person count depends on nobody
    else, and with one person more or less the counts differ by this person's rows only."""
    order = np.lexsort((cell_of, owners))
    ordered = owners[order]
    kept = np.empty(len(owners), bool)
    kept[order] = np.arange(len(owners)) - np.searchsorted(ordered, ordered) < rows
    return kept


def _rows(cells: Counts, counts: Counts, keys: Sequence[Key]) -> Iterator[pa.RecordBatch]:
    """The cells written out, one row per person."""
    import pyarrow as pa

    ends = np.cumsum(counts)
    for start in range(0, int(ends[-1]), _BATCH):
        numbers = np.searchsorted(ends, np.arange(start, min(start + _BATCH, int(ends[-1]))), side="right")
        rest, columns = cells[numbers], []
        for key in reversed(keys):
            columns.append(key.column(rest % key.width))
            rest = rest // key.width
        yield pa.RecordBatch.from_arrays(columns[::-1], names=[key.name for key in keys])
