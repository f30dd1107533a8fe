"""The owner's desk: a folder with the explored space, the rules, every answer that was given, and the records as they were last answered.

It is the owner's alone. It holds losses of all policies, and what accounts were answered.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from sfumato import inputs
from sfumato.commit.call import may_be_changed
from sfumato.commit.journal import flush, flush_folders, settle
from sfumato.commit.locks import held
from sfumato.commit.places import unwritable
from sfumato.commit.writing import written_together
from sfumato.errors import DataError, NotVerified, UsageError, argument
from sfumato.inputs.files import MB
from sfumato.inputs.shape import Count, Misshapen, require_nothing_more, shaped
from sfumato.negotiation.events import Event, Identity, Offer, RequestRejected
from sfumato.negotiation.files.record import Record, document_of
from sfumato.negotiation.files.rules import Rules
from sfumato.negotiation.files.turns import owner_after
from sfumato.negotiation.owner import TOO_MANY, Owner
from sfumato.search.space import PolicySpace
from sfumato.signing.canonical import parsed

RULES, SPACE, ANSWERS, RECORDS = "desk.json", "space.parquet", "answers.json", "negotiations"
INTENDED = ".{}.delivery"  # of the number of a negotiation: hidden, and gone when it is delivered
SUFFIX = ".desk"
_LARGEST = 64 * MB


@dataclass(frozen=True, slots=True)
class Given:
    """An answer that an account got, from which desk: the levels of an offer, taken or not, or None for a refusal."""

    negotiation: Identity
    event: Identity
    account: str
    desk: str
    levels: Mapping[str, Count] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Desk:
    """An owner's desk as it was read, and all answers that were given on its table."""

    folder: Path
    rules: Rules
    space: PolicySpace
    given: tuple[Given, ...] = ()

    @classmethod
    def read(cls, folder: Path) -> Desk:
        """A desk from its folder."""
        rules = read_rules(folder)
        answers = ledger_of(folder, rules) / ANSWERS
        require_answers(answers)
        document = document_of(answers)
        if not isinstance(document, list):
            raise DataError("not a list of answers", where=str(answers))
        given = tuple(_shaped(each, Given, answers) for each in document)
        return cls(folder, rules, PolicySpace.read(folder / SPACE), given)

    @property
    def offers(self) -> dict[str, Given]:
        """All offers by the id of their event."""
        return {each.event: each for each in self.given if each.levels is not None}

    def owner(self) -> Owner:
        """The owner, with all offers so far. Their coalitions must keep the bounds of every desk that has made one of them."""
        names = sorted({each.desk for each in self.offers.values()} - {self.folder.name})
        others = [(read_rules(place), PolicySpace.read(place / SPACE)) for place in map(self._beside, names)]
        return owner_after(self.rules, self.space, {key: each.levels or {} for key, each in self.offers.items()}, others)

    def _beside(self, name: str) -> Path:
        """Another desk on the same table; refuses one that has gone, since its bounds count."""
        folder = self.folder.parent / name
        if Path(name).name != name or not (folder / RULES).is_file():
            raise NotVerified("a desk that has made offers on this table is not beside this one", where=str(folder))
        return folder

    def answers_to(self, account: str, without: str) -> int:
        """How many answers an account got in other negotiations."""
        here = (without, self.folder.name)  # the number of a negotiation is the user's: another desk may have the same
        return sum(each.account == account and (each.negotiation, each.desk) != here for each in self.given)

    def record(self, negotiation: str) -> Record | None:
        """A negotiation as it was when the owner last said something."""
        path = self.folder / RECORDS / f"{negotiation}.json"
        return Record.read(path) if path.exists() else None

    def destination(self, negotiation: str) -> Path | None:
        """The folder that a negotiation was about to be delivered into when somebody was interrupted."""
        try:
            noted = parsed((self.folder / RECORDS / INTENDED.format(negotiation)).read_text(encoding="utf-8"))
        except (OSError, ValueError):  # there is none, or nothing was delivered yet when it was written
            return None
        return Path(noted["folder"]) if isinstance(noted, dict) and isinstance(noted.get("folder"), str) else None

    def intend(self, negotiation: str, folder: Path) -> None:
        """Note where a negotiation is about to be delivered: whoever is interrupted finds it again."""
        path = self.folder / RECORDS / INTENDED.format(negotiation)
        try:
            path.write_text(json.dumps({"folder": str(folder.resolve())}), encoding="utf-8")
            flush(path)
            flush_folders([path.parent])
        except OSError as error:
            self.forget(negotiation)
            raise unwritable(path.parent, error) from None

    def forget(self, negotiation: str) -> None:
        """The desk knows what was delivered, or nothing was."""
        with suppress(OSError):
            (self.folder / RECORDS / INTENDED.format(negotiation)).unlink(missing_ok=True)

    def require_continued(self, record: Record) -> None:
        """Refuse a record that is about another sheet, or does not continue what the owner said last."""
        if record.sheet.digest != self.rules.sheet:
            raise NotVerified(
                "this negotiation is about another table: its sheet is not the one of this desk", where=str(self.folder)
            )
        kept = self.record(record.transcript.id)
        if kept is not None and not record.continues(kept):
            raise NotVerified("the record does not continue what the owner said last", where=str(self.folder))

    def write(self, record: Record, event: Event) -> None:
        """Keep what the owner has said now."""
        given = list(self.given)
        refused = isinstance(event, RequestRejected) and event.reason != TOO_MANY  # which tells nothing of the table
        if refused or isinstance(event, Offer):
            account = record.transcript.user.public.fingerprint
            levels = dict(event.terms.levels) if isinstance(event, Offer) else None
            given.append(Given(record.transcript.id, event.id, account, self.folder.name, levels))
        together = self.folder.parent
        names = (
            f"{ledger_of(self.folder, self.rules).name}/{ANSWERS}",
            f"{self.folder.name}/{RECORDS}/{record.transcript.id}.json",
        )
        for name in names:
            may_be_changed(together / name)
        with written_together(together, names, force=True) as (answers, kept):
            answers.write_text(json.dumps([asdict(each) for each in given], indent=1) + "\n", encoding="utf-8")
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


def require_answers(path: Path) -> None:
    """Refuse to go on without the list of answers that were given on a table."""
    if not os.path.lexists(path):
        raise NotVerified(
            "the answers on this table are lost; restore this desk from your backup, for nobody knows what was offered",
            where=str(path.parent),
        )


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
