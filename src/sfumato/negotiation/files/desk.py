"""The owner's desk: a folder with the explored space, the rules, every offer that was made, and the records as they were last answered.

It is the owner's alone. It holds losses of all policies, and what accounts have been shown.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from sfumato import inputs
from sfumato.commit.call import may_be_changed
from sfumato.commit.locks import held
from sfumato.commit.writing import written_together
from sfumato.errors import DataError, NotVerified, UsageError, argument
from sfumato.frequency import Mask
from sfumato.inputs.files import MB
from sfumato.inputs.shape import Count, Digest, Misshapen, Number, Positive, require_nothing_more, shaped
from sfumato.models import PrivacyModel, models_of
from sfumato.negotiation.coalition import Coalitions, Deal
from sfumato.negotiation.events import Identity, Offer
from sfumato.negotiation.files.record import Record, document_of
from sfumato.negotiation.owner import Owner
from sfumato.negotiation.pricing import Price
from sfumato.search.space import PolicySpace
from sfumato.search.space.within import Bounds
from sfumato.signing.canonical import parsed

RULES, SPACE, OFFERS, RECORDS = "desk.json", "space.parquet", "offers.json", "negotiations"
SUFFIX = ".desk"
_LARGEST = 64 * MB


@dataclass(frozen=True, slots=True)
class Rules:
    """How the owner answers: the table and its digests, the bounds, the price, and what may be shown."""

    data: str
    schema: str
    table_digest: Digest
    schema_digest: Digest
    sheet: Digest
    quasi: tuple[str, ...]
    sensitive: str
    utility: str
    limit: Positive
    valid_for: Positive
    most_seen: Positive
    grid: Number
    models: tuple[str, ...] = ()
    epsilon: Number | None = None
    alpha: Number | None = None
    price: str | None = None
    expected: Number | None = None
    source: Mapping[str, Any] = field(default_factory=dict)

    @property
    def bounds(self) -> tuple[str, ...]:
        """Everything that a release keeps, as models."""
        losses = {"distribution-loss": self.epsilon, "entropy-loss": self.alpha}
        return (*(f"{name}:{bound:g}" for name, bound in losses.items() if bound is not None), *self.models)

    def within(self, space: PolicySpace) -> Mask:
        """The policies that keep all bounds."""
        kept = Bounds(self.epsilon, self.alpha).kept(space.evaluations)
        return kept & space.satisfying(self.models) if self.models else kept

    def monotone(self, space: PolicySpace) -> bool:
        """Whether it is proved that a policy above one that keeps the bounds keeps them: see SPEC's table, and `PrivacyModel.monotone`."""
        models: tuple[PrivacyModel, ...] = models_of(self.models)
        return self.alpha is None and space.about.basis == "row" and all(model.monotone for model in models)


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
        try:
            rules = _shaped(document_of(folder / RULES), Rules, folder / RULES)
            shown = [_shaped(each, Shown, folder / OFFERS) for each in document_of(folder / OFFERS)]
        except TypeError:
            raise DataError("not a list of offers", where=str(folder / OFFERS)) from None
        return cls(folder, rules, PolicySpace.read(folder / SPACE), tuple(shown))

    def owner(self) -> Owner:
        """The owner, with all offers so far."""
        rules, space = self.rules, self.space
        within = rules.within(space)
        coalitions = Coalitions(space.lattice, within, monotone=rules.monotone(space))
        for each in self.shown:
            levels = tuple(
                each.levels.get(name, height)
                for name, height in zip(space.lattice.attributes, space.lattice.heights, strict=True)
            )
            coalitions = coalitions.with_deal(Deal(each.offer, levels))
        return Owner(
            space,
            within,
            rules.utility,
            None if rules.price is None else Price.of(rules.price),
            rules.expected,
            rules.grid,
            rules.valid_for,
            rules.most_seen,
            coalitions,
        )

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
        names = (OFFERS, f"{RECORDS}/{record.transcript.id}.json")
        for name in names:
            may_be_changed(self.folder / name)
        with written_together(self.folder, names, force=True) as (offers, kept):
            offers.write_text(json.dumps([asdict(each) for each in shown], indent=1) + "\n", encoding="utf-8")
            kept.write_text(record.text(), encoding="utf-8")


@contextmanager
def desk_at(folder: Path) -> Iterator[Desk]:
    """A desk that nobody else answers from meanwhile: an offer counts from the moment it is chosen."""
    if not (folder / RULES).is_file():
        raise UsageError(
            f"no owner's desk; {argument('desk')} names the folder that 'negotiate open' has made", where=str(folder)
        )
    with held(folder):
        yield Desk.read(folder)


def desk_of(named: Path | None, record: Record, beside: Path) -> Path:
    """The folder of the desk: the one that is named, or the only one beside the record whose sheet is the record's."""
    if named is not None:
        return named
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
