"""What an attacker has: a frozen value whose fields are keyword arguments of `attack` and options of the command."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, TypedDict

from sfumato.errors import UsageError, argument


class HoldingOptions(TypedDict, total=False):
    """The fields of `Holdings` that `attack` takes as keyword arguments."""

    attacker: str | None
    holds: Sequence[str] | None
    external: Any
    control: Any
    others: Sequence[Any]
    naive: bool


@dataclass(frozen=True, slots=True, eq=False)
class Holdings:
    """What an attacker has.

    Parameters
    ----------
    attacker : str, optional
        Who attacks: `neighbor`, `journalist`, `insider` or `data-broker`. Each knows other columns.
    holds : list of str, optional
        The QIDs that the attacker knows of people, in the place of a preset; all if None.
    external : path, frame, Source, optional
        A table about people that the attacker holds; the original's own QIDs if None.
    control : path, frame, Source, optional
        People like those of the original who are not in the release, with their sensitive values.
    others : list of paths, frames or releases
        Further releases with people of the same table.
    naive : bool
        Take published values at their word, although a method has changed them. Otherwise the attacker knows the method, as the
        certificate tells everybody.
    """

    attacker: str | None = None
    holds: Sequence[str] | None = None
    external: Any = None
    control: Any = None
    others: Sequence[Any] = ()
    naive: bool = False

    def __post_init__(self) -> None:
        if self.attacker is not None and self.holds is not None:
            raise UsageError(
                f"name an attacker or the columns, not both; leave {argument('attacker')} out", where=argument("holds")
            )
        if isinstance(self.holds, str):
            raise UsageError("a list of columns, as in ['age', 'sex']", where=argument("holds"))
        if not isinstance(self.others, list | tuple):
            raise UsageError("a list of releases", where=argument("others"))


HOLDING_OPTIONS: Sequence[str] = tuple(each.name for each in fields(Holdings))
