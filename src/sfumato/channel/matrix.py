"""The channel matrix: for each input, how likely each output is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.channel.needs import scipy_part
from sfumato.errors import UsageError, several
from sfumato.results import Rows
from sfumato.statistics import TOLERANCE
from sfumato.upward import above

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.integer]
WHERE = "channel"


@dataclass(frozen=True, eq=False, repr=False)
class ChannelMatrix:
    """P(output | input) of a mechanism, one row per input.

    `rows` is a read-only `scipy.sparse.csr_array` of the positive entries, in the order of the columns within each row, each at most
    once. Every row adds up to one, within 1e-9. Made by `ChannelMatrix.of`, which checks this.
    """

    rows: Any
    input_labels: tuple[str, ...] | None = None
    output_labels: tuple[str, ...] | None = None

    @classmethod
    def of(cls, values: Any, inputs: Sequence[str] | None = None, outputs: Sequence[str] | None = None) -> ChannelMatrix:
        """Make a channel matrix.

        Parameters
        ----------
        values : array or sparse matrix
            One row per input: the probabilities of the outputs. They are copied.
        inputs : sequence of str, optional
            The names of the inputs.
        outputs : sequence of str, optional
            The names of the outputs.

        Returns
        -------
        ChannelMatrix
            The matrix.
        """
        rows = _sparse(values)
        _check(rows)
        named = _labels(inputs, rows.shape[0], "inputs"), _labels(outputs, rows.shape[1], "outputs")
        return cls(_frozen(rows), *named)

    @property
    def inputs(self) -> int:
        """How many inputs there are."""
        return int(self.rows.shape[0])

    @property
    def outputs(self) -> int:
        """How many outputs there are, also those that no input leads to."""
        return int(self.rows.shape[1])

    @property
    def entries(self) -> int:
        """How many probabilities are positive."""
        return int(self.rows.nnz)

    @cached_property
    def columns(self) -> Any:
        """The same entries by output: a read-only `scipy.sparse.csc_array`."""
        return _locked(self.rows.tocsc())

    @property
    def input_of(self) -> Places:
        """The input of each entry."""
        return np.repeat(np.arange(self.inputs), np.diff(self.rows.indptr))

    def added(self, terms: Floats) -> Floats:
        """Terms of the entries, added up for each input."""
        return np.asarray(np.bincount(self.input_of, terms, self.inputs), np.float64)

    def dense(self) -> Floats:
        """The whole matrix, zeros included; for small channels."""
        return np.asarray(self.rows.toarray(), np.float64)

    def input(self, number: int) -> str:
        """The name of an input; its number, from 1, if it has none."""
        return self.input_labels[number] if self.input_labels else str(number + 1)

    def output(self, number: int) -> str:
        """The name of an output; its number, from 1, if it has none."""
        return self.output_labels[number] if self.output_labels else str(number + 1)

    def table(self) -> Rows:
        """One row per input, a column per output; for small channels."""
        heads = ("input", *(self.output(place) for place in range(self.outputs)))
        return Rows(heads, tuple((self.input(place), *row) for place, row in enumerate(self.dense().tolist())))

    def plot(self) -> Any:
        """The matrix as a heat map: an altair chart. Needs the extra `report`."""
        return above("ChannelMatrix.plot")(self)

    def __repr__(self) -> str:
        entries = several(self.entries, "positive entry", "positive entries")
        return f"ChannelMatrix({several(self.inputs, 'input')}, {several(self.outputs, 'output')}, {entries})"


def _sparse(values: Any) -> Any:
    """A private copy of the values by rows, zeros left out and repeated entries added up."""
    sparse = scipy_part("sparse")
    try:
        if not sparse.issparse(values):
            values = np.asarray(values, np.float64)
            if values.ndim != 2:
                raise UsageError(
                    f"a channel matrix has rows and columns; this has {several(values.ndim, 'dimension')}", where=WHERE
                )
        rows = sparse.csr_array(values, dtype=np.float64, copy=True)
    except (TypeError, ValueError):
        raise UsageError(
            "a channel matrix is a table of numbers, one row per input and all rows equally long", where=WHERE
        ) from None
    if not (rows.shape[0] and rows.shape[1]):
        raise UsageError("a channel matrix has at least one input and one output", where=WHERE)
    rows.sum_duplicates()
    return rows


def _check(rows: Any) -> None:
    """Refuse what is no probability, and rows that do not add up to one. Inputs are counted from 1."""
    bad = np.flatnonzero(~(rows.data >= 0) | ~np.isfinite(rows.data))
    if len(bad):
        row = int(np.searchsorted(rows.indptr, bad[0], side="right"))
        kind = "a negative probability" if rows.data[bad[0]] < 0 else "an entry that is not a finite number"
        raise UsageError(f"row {row:,} has {kind}; probabilities lie between 0 and 1", where=WHERE)
    sums = np.asarray(rows.sum(axis=1)).ravel()
    off = np.flatnonzero(np.abs(sums - 1) > TOLERANCE)
    if len(off):
        more = f" ({several(len(off), 'row')} in all)" if len(off) > 1 else ""
        raise UsageError(f"row {off[0] + 1:,} adds up to {sums[off[0]]:.12g} and not to 1{more}", where=WHERE)


def _labels(given: Sequence[str] | None, count: int, what: str) -> tuple[str, ...] | None:
    if given is None:
        return None
    names = tuple(str(each) for each in given)
    if len(names) != count:
        raise UsageError(f"{several(len(names), 'name')} for {count:,} {what}", where=WHERE)
    if len(set(names)) != count:
        raise UsageError(f"the names of the {what} must differ", where=WHERE)
    return names


def _frozen(rows: Any) -> Any:
    rows.eliminate_zeros()
    return _locked(rows)


def _locked(matrix: Any) -> Any:
    for part in (matrix.data, matrix.indices, matrix.indptr):
        part.setflags(write=False)
    return matrix
