"""All operations by name, and how `NAME:PARAMETERS` becomes one. Each is loaded when it is first asked for."""

from __future__ import annotations

from importlib import import_module

from sfumato.errors import UsageError, argument, unknown
from sfumato.operations.base import Operation

# One line per operation: its module here, and its class there. The reference uses this order.
OPERATIONS = {
    "cell-suppression": ("cell_suppression", "CellSuppression"),
    "subtree": ("subtree", "Subtree"),
    "microaggregate": ("microaggregate", "Microaggregate"),
    "top-code": ("coding", "TopCode"),
    "bottom-code": ("coding", "BottomCode"),
    "anatomy": ("anatomy", "Anatomy"),
    "permute": ("permute", "Permute"),
    "rank-swap": ("swaps", "RankSwap"),
    "record-swap": ("swaps", "RecordSwap"),
    "noise": ("noise", "Noise"),
    "pram": ("pram", "Pram"),
    "dp": ("dp", "DifferentialPrivacy"),
}


def operation_named(name: str) -> type[Operation]:
    """The class of an operation."""
    if name not in OPERATIONS:
        raise UsageError(unknown("method", name, OPERATIONS, within="this version"), where=argument("method"))
    module, cls = OPERATIONS[name]
    found: type[Operation] = getattr(import_module(f"sfumato.operations.{module}"), cls)
    return found


def operation_of(method: str | Operation) -> Operation:
    """An operation from its text, as in `noise:gaussian,0.1`, or as it is.

    Parameters
    ----------
    method : str or Operation
        `NAME:PARAMETERS`.

    Returns
    -------
    Operation
        The operation with its parameters.
    """
    if isinstance(method, Operation):
        return method
    if not isinstance(method, str):
        raise UsageError(f"a text such as 'noise:gaussian,0.1', not a {type(method).__name__}", where=argument("method"))
    name, _, rest = method.partition(":")
    return operation_named(name).read(rest)
