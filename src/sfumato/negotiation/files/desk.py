"""The owner's desk: a folder with the explored space, the rules, every offer that was made, and the records as they were last answered.

It is the owner's alone. It holds losses of all policies, and what accounts have been shown.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from sfumato import inputs
from sfumato.commit.call import may_be_changed
from sfumato.commit.journal import settle
from sfumato.commit.locks import held
from sfumato.commit.writing import written_together
from sfumato.errors import DataError, NotVerified, UsageError, argument
from sfumato.inputs.files import MB
from sfumato.inputs.shape import Count, Misshapen, require_nothing_more, shaped
from sfumato.negotiation.coalition import Deal
from sfumato.negotiation.events import Identity, Offer
from sfumato.negotiation.files.record import Record, document_of
from sfumato.negotiation.files.rules import Rules
from sfumato.negotiation.owner import Owner
from sfumato.search.space import PolicySpace
from sfumato.signing.canonical import parsed

RULES, SPACE, OFFERS, RECORDS = "desk.json", "space.parquet", "offers.json", "negotiations"
SUFFIX = ".desk"
_LARGEST = 64 * MB


@dataclass(frozen=True, slots=True)
class Shown:
    """An offer that an account was shown, taken or not."""

    negotiation: Identity
    offer: Identity
    account: str
    levels: Mapping[str, Count]


@dataclass(frozen=True, slots=True, eq=False)
class Desk:
    """An owner's desk as it was read."""

    folder: Path
    rules: Rules
    space: PolicySpace
    shown: tuple[Shown, ...] = ()

    @classmethod
    def read(cls, folder: Path) -> Desk:
        """A desk from its folder."""
        rules = read_rules(folder)
        offers = ledger_of(folder, rules) / OFFERS
        try:
            shown = [_shaped(each, Shown, offers) for each in document_of(offers)]
        except TypeError:
            raise DataError("not a list of offers", where=str(offers)) from None
        return cls(folder, rules, PolicySpace.read(folder / SPACE), tuple(shown))

    def owner(self) -> Owner:
        """The owner, with all offers so far."""
        return self.rules.owner(self.space, (Deal(each.offer, self._levels(each)) for each in self.shown))

    def _levels(self, shown: Shown) -> tuple[int, ...]:
        lattice = self.space.lattice
        return tuple(shown.levels.get(name, height) for name, height in zip(lattice.attributes, lattice.heights, strict=True))

    def seen_by(self, account: str, without: str) -> int:
        """How many different policies an account was shown in other negotiations."""
        others = [each for each in self.shown if each.account == account and each.negotiation != without]
        return len({tuple(sorted(each.levels.items())) for each in others})

    def record(self, negotiation: str) -> Record | None:
        """A negotiation as it was when the owner last said something."""
        path = self.folder / RECORDS / f"{negotiation}.json"
        return Record.read(path) if path.exists() else None

    def write(self, record: Record, event: Offer | None) -> None:
        """Keep what the owner has said now."""
        shown = list(self.shown)
        if event is not None:
            account = record.transcript.user.public.fingerprint
            shown.append(Shown(record.transcript.id, event.id, account, dict(event.terms.levels)))
        together = self.folder.parent
        names = (
            f"{ledger_of(self.folder, self.rules).name}/{OFFERS}",
            f"{self.folder.name}/{RECORDS}/{record.transcript.id}.json",
        )
        for name in names:
            may_be_changed(together / name)
        with written_together(together, names, force=True) as (offers, kept):
            offers.write_text(json.dumps([asdict(each) for each in shown], indent=1) + "\n", encoding="utf-8")
            kept.write_text(record.text(), encoding="utf-8")


@contextmanager
def desk_at(folder: Path) -> Iterator[Desk]:
    """A desk that nobody else answers from meanwhile: an offer counts from the moment it is chosen."""
    if not (folder / RULES).is_file():
        raise UsageError(
            f"no owner's desk; {argument('desk')} names the folder that 'negotiate open' has made", where=str(folder)
        )
    folder = folder.resolve()  # a desk has a name and a folder that it lies in, however it is called
    settle(folder, folder.parent)  # offers and records are written from there
    with held(folder, ledger_of(folder, read_rules(folder))):
        yield Desk.read(folder)


def read_rules(folder: Path) -> Rules:
    """The rules of a desk from its folder."""
    rules: Rules = _shaped(document_of(folder / RULES), Rules, folder / RULES)
    return rules


def ledger_of(folder: Path, rules: Rules) -> Path:
    """The desk that keeps the offers of a desk."""
    if rules.ledger is None:
        return folder
    if Path(rules.ledger).name != rules.ledger or not rules.ledger.endswith(SUFFIX):
        raise DataError("its ledger is no desk beside it", where=str(folder / RULES))
    return folder.parent / rules.ledger


def desk_of(named: str | PathLike[str] | None, record: Record, beside: Path) -> Path:
    """The folder of the desk: the one that is named, or the only one beside the record whose sheet is the record's."""
    if named is not None:
        return Path(named)
    found = [each.parent for each in sorted(beside.parent.glob(f"*{SUFFIX}/{RULES}"))]
    fitting = [folder for folder in found if _sheet_of(folder) == record.sheet.digest]
    if len(fitting) != 1:
        raise UsageError(
            f"the owner's desk is not beside the record; name its folder, which ends in {SUFFIX}", where=argument("desk")
        )
    return fitting[0]


def require_fitting(desk: Desk, record: Record) -> None:
    """Refuse a record about another sheet than the desk's."""
    if record.sheet.digest != desk.rules.sheet:
        raise NotVerified(
            "this negotiation is about another table: its sheet is not the one of this desk", where=str(desk.folder)
        )


def _sheet_of(folder: Path) -> str | None:
    try:
        document = parsed(inputs.text(folder / RULES, _LARGEST))
    except (ValueError, DataError):
        return None
    return document.get("sheet") if isinstance(document, dict) else None


def _shaped(document: Any, shape: type[Any], path: Path) -> Any:
    try:
        made = shaped(document, shape, path.name)
        require_nothing_more(document, asdict(made), path.name)
    except Misshapen as error:
        raise DataError(f"cannot be read: {error}", where=str(path)) from None
    return made
