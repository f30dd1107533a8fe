"""When does a printed value agree with ours?

A number with d decimals agrees if it is ours rounded to d decimals: within half a unit of its last digit. Some sources cut digits off
instead of rounding; that is reported separately. A printed formula or fraction must equal ours to nine digits, a count exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isclose

from sfumato.statistics import TOLERANCE
from sfumato_studies.exhibit import Agreement, Compared

# Half a unit, and the rounding error of binary fractions.
_HALF = 0.5 + TOLERANCE


def number(what: str, where: str, printed: str, ours: float, why: str = "") -> Compared:
    """A printed decimal number."""
    decimals = len(printed.partition(".")[2])
    return _compared(what, where, printed, _decimal(ours, max(decimals, 4)), _rounded(float(printed), ours, decimals), why)


def numbers(what: str, where: str, printed: str, ours: list[float], why: dict[int, str] | None = None) -> list[Compared]:
    """Printed decimal numbers of class 1, class 2, …, separated by blanks; `why` by class."""
    pairs = enumerate(zip(printed.split(), ours, strict=True), start=1)
    return [number(f"{what}, class {place}", where, text, value, (why or {}).get(place, "")) for place, (text, value) in pairs]


def formula(what: str, where: str, printed: str, value: float, ours: float, why: str = "") -> Compared:
    """A printed fraction or root, whose value is given."""
    same = Agreement.AGREES if isclose(value, ours, rel_tol=0, abs_tol=TOLERANCE) else Agreement.DIFFERS
    return _compared(what, where, f"{printed} = {_decimal(value, 4)}", _decimal(ours, 4), same, why)


def formulas(what: str, where: str, printed: Sequence[tuple[str, float]], ours: list[float], why: str = "") -> list[Compared]:
    """Printed fractions or roots of class 1, class 2, …, each with its value."""
    pairs = enumerate(zip(printed, ours, strict=True), start=1)
    return [formula(f"{what}, class {place}", where, text, value, own, why) for place, ((text, value), own) in pairs]


def count(what: str, where: str, printed: int, ours: int, why: str = "") -> Compared:
    """A printed count."""
    return _compared(what, where, f"{printed:,}", f"{ours:,}", _holds(printed == ours), why)


def at_most(what: str, where: str, printed: float, ours: float, why: str = "") -> Compared:
    """A printed bound that ours must not exceed."""
    return _compared(what, where, f"≤ {printed:g}", _decimal(ours, 4), _holds(ours <= printed + TOLERANCE), why)


def at_least(what: str, where: str, printed: int, ours: int, why: str = "") -> Compared:
    """A printed bound that ours must reach."""
    return _compared(what, where, f"≥ {printed:,}", f"{ours:,}", _holds(ours >= printed), why)


def claim(what: str, where: str, printed: str, ours: str, holds: bool, why: str = "") -> Compared:
    """A claim that a source makes in words, and our result."""
    return _compared(what, where, printed, ours, _holds(holds), why)


def _rounded(printed: float, ours: float, decimals: int) -> Agreement:
    """Whether the printed digits are ours rounded, or ours cut off. A number without decimals never counts as cut off."""
    unit = 10.0**-decimals
    if abs(printed - ours) <= _HALF * unit:
        return Agreement.AGREES
    beyond = abs(ours) - abs(printed)
    cut = decimals > 0 and printed * ours >= 0 and 0 < beyond < unit * (1 - TOLERANCE)
    return Agreement.CUT if cut else Agreement.DIFFERS


def _holds(true: bool) -> Agreement:
    return Agreement.AGREES if true else Agreement.DIFFERS


def _decimal(ours: float, decimals: int) -> str:
    return f"{ours:.{decimals}f}"


def _compared(what: str, where: str, printed: str, ours: str, agreement: Agreement, why: str) -> Compared:
    return Compared(what, where, printed, ours, agreement, why if agreement is Agreement.DIFFERS else "")
