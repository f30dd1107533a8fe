"""When does a printed value agree with ours?

A number with d decimals agrees if it is ours rounded to d decimals: within half a unit of its last digit. Some sources cut digits off
instead of rounding; that is told apart. A printed formula or fraction must be ours to nine digits, a count exactly.
"""

from __future__ import annotations

from math import isclose

from sfumato_studies.exhibit import Agreement, Compared

_EXACT = 1e-9
# Half a unit, and what binary fractions may miss of it.
_HALF = 0.5 + 1e-9


def number(what: str, where: str, printed: str, ours: float, why: str = "") -> Compared:
    """A printed decimal number."""
    decimals = len(printed.partition(".")[2])
    return _compared(what, where, printed, _told(ours, max(decimals, 4)), _rounded(float(printed), ours, decimals), why)


def numbers(what: str, where: str, printed: str, ours: list[float], why: dict[int, str] | None = None) -> list[Compared]:
    """Printed decimal numbers of class 1, class 2, …, separated by blanks; `why` by class."""
    told = enumerate(zip(printed.split(), ours, strict=True), start=1)
    return [number(f"{what}, class {place}", where, text, value, (why or {}).get(place, "")) for place, (text, value) in told]


def formula(what: str, where: str, printed: str, value: float, ours: float, why: str = "") -> Compared:
    """A printed fraction or root, whose value is given."""
    same = Agreement.AGREES if isclose(value, ours, rel_tol=0, abs_tol=_EXACT) else Agreement.DIFFERS
    return _compared(what, where, f"{printed} = {_told(value, 4)}", _told(ours, 4), same, why)


def count(what: str, where: str, printed: int, ours: int, why: str = "") -> Compared:
    """A printed count."""
    return _compared(what, where, f"{printed:,}", f"{ours:,}", _holds(printed == ours), why)


def at_most(what: str, where: str, printed: float, ours: float, why: str = "") -> Compared:
    """A printed bound that ours must not pass."""
    return _compared(what, where, f"≤ {printed:g}", _told(ours, 4), _holds(ours <= printed + _EXACT), why)


def at_least(what: str, where: str, printed: int, ours: int, why: str = "") -> Compared:
    """A printed bound that ours must reach."""
    return _compared(what, where, f"≥ {printed:,}", f"{ours:,}", _holds(ours >= printed), why)


def claim(what: str, where: str, printed: str, ours: str, holds: bool, why: str = "") -> Compared:
    """Something that a source says in words, and what we find."""
    return _compared(what, where, printed, ours, _holds(holds), why)


def _rounded(printed: float, ours: float, decimals: int) -> Agreement:
    """Rounded, or cut off: ours goes on where the printed digits end. A number without decimals is never taken to be cut off."""
    unit = 10.0**-decimals
    if abs(printed - ours) <= _HALF * unit:
        return Agreement.AGREES
    beyond = abs(ours) - abs(printed)
    cut = decimals > 0 and printed * ours >= 0 and 0 < beyond < unit * (1 - _EXACT)
    return Agreement.CUT if cut else Agreement.DIFFERS


def _holds(true: bool) -> Agreement:
    return Agreement.AGREES if true else Agreement.DIFFERS


def _told(ours: float, decimals: int) -> str:
    return f"{ours:.{decimals}f}"


def _compared(what: str, where: str, printed: str, ours: str, agreement: Agreement, why: str) -> Compared:
    return Compared(what, where, printed, ours, agreement, why if agreement is Agreement.DIFFERS else "")
