"""Opening a table for negotiation: explored once, then a sheet for users and a desk for the owner."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.commit.call import one_call
from sfumato.commit.locks import held
from sfumato.commit.places import require_free
from sfumato.commit.writing import written_together
from sfumato.errors import OutputError, UsageError, argument
from sfumato.inputs.address import is_address
from sfumato.models import models_of
from sfumato.negotiation.files.clock import SYSTEM, Clock
from sfumato.negotiation.files.desk import ANSWERS, RULES, SPACE, SUFFIX, read_rules, require_answers
from sfumato.negotiation.files.identity import content_digest
from sfumato.negotiation.files.moves import Place, private_key
from sfumato.negotiation.files.rules import Rules, negotiated
from sfumato.negotiation.files.sheet import Offered, Sheet
from sfumato.negotiation.owner import DAY, GRID, MOST_SEEN, Owner
from sfumato.negotiation.transcript import Speaker
from sfumato.progress import Progress
from sfumato.search.space import PolicySpace
from sfumato.search.space.within import Bounds
from sfumato.signing.keys import PrivateKey, PublicKey
from sfumato.statistics import that_works
from sfumato.table import Table
from sfumato.table.source import SchemaLike
from sfumato.verbs.explore import explore
from sfumato.vocabulary.kinds import Role

LIMIT = 10
WEEK = 7 * DAY
WHERE = "negotiate open"


@dataclass(frozen=True, slots=True)
class Offering:
    """What an owner offers, and how.

    Parameters
    ----------
    epsilon, alpha : float, optional
        Bounds on the distribution and the entropy loss of the worst class.
    models : tuple of str
        Privacy models that every release keeps besides.
    quasi : tuple of str, optional
        The attributes that can be asked for; all QIDs by default.
    sensitive : str, optional
        The sensitive attribute; needed where the schema has several.
    utility : str
        The loss that offers state and that prices depend on.
    price : str, optional
        The price as a function of the loss; with it, the rate is variable.
    expected : float, optional
        The profit that the owner would like of a release; the largest by default.
    limit : int
        How often the owner answers in one negotiation.
    valid_for : int
        How many seconds an offer is open.
    grid : float
        What losses are rounded up to.
    most_seen : int
        How many answers one account gets on the table, offers and refusals.
    title : str, optional
        What the table is called; the name of its file by default.
    users : tuple of str
        The public keys, or their files, of those who may ask; anybody by default.
    """

    epsilon: float | None = None
    alpha: float | None = None
    models: tuple[str, ...] = ()
    quasi: tuple[str, ...] | None = None
    sensitive: str | None = None
    utility: str = "utility-distribution"
    price: str | None = None
    expected: float | None = None
    limit: int = LIMIT
    valid_for: int = WEEK
    grid: float = GRID
    most_seen: int = MOST_SEEN
    title: str | None = None
    users: tuple[PublicKey | Place, ...] = ()

    def __post_init__(self) -> None:
        if self.epsilon is None and self.alpha is None and not self.models:
            wanted = f"{argument('epsilon')}, {argument('alpha')} or {argument('models')}"
            raise UsageError(f"say what every release must keep: {wanted}", where=WHERE)
        for name in ("limit", "valid_for", "most_seen"):
            if getattr(self, name) < 1:
                raise UsageError("a whole number from 1 up", where=argument(name))


@dataclass(frozen=True, slots=True)
class Opened:
    """What was written: the sheet for users, and the owner's desk; how many policies there are, and how many keep the bounds; the
    columns that no release has; and the desk whose offers on the same table count, if this is not the first."""

    sheet: Path
    desk: Path
    policies: int
    within: int
    withheld: tuple[str, ...] = ()
    ledger: str | None = None


@one_call()
def open_desk(
    data: Any,
    schema: SchemaLike,
    key: PrivateKey | Place,
    output: Place,
    offering: Offering,
    clock: Clock = SYSTEM,
    progress: Progress | None = None,
    **source: Any,
) -> Opened:
    """Explore a table once, and write the sheet for users and the desk that answers them.

    Parameters
    ----------
    data, schema : path
        The table and its schema.
    key : PrivateKey or path
        The owner's key, which signs the sheet and every answer.
    output : path
        The sheet, `NAME.json`; the desk is the folder `NAME.desk` beside it.
    offering : Offering
        What is offered, and how.
    clock : Clock
        The time, and the number of the sheet.
    progress : callable, optional
        Called with the nodes done and all nodes.
    **source
        The fields of `Source`.

    Returns
    -------
    Opened
        What was written.
    """
    if not isinstance(data, str | os.PathLike) or not isinstance(schema, str | os.PathLike):
        raise UsageError("the table and its schema are files, so that a release can be delivered", where=WHERE)
    key, output = private_key(key), Path(output)
    if not output.name:
        raise OutputError("a folder; name the sheet, as in sheet.json", where=str(output))
    desk = output.with_suffix(SUFFIX)
    for path in (output, desk):
        if os.path.lexists(path):
            raise OutputError("exists already; choose another name for the sheet", where=str(path))
        require_free(path, force=False)
    with negotiated(data, schema, offering.sensitive, source) as table:
        place = table.source.data  # an address, without its password, or a file
        files = (place if is_address(place) else str(Path(place).absolute()), str(Path(schema).absolute()))
        made = prepared(table, offering, key, files, source, clock, progress)
    with held(output.parent):  # two desks on one table that are opened at once must know of each other
        ledger = _ledger(output.parent, made.rules)
        _write(output, desk, replace(made.rules, ledger=ledger), made.space, made.sheet)
    return Opened(output, desk, len(made.space), made.within, made.withheld, ledger)


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """A table that can be asked for: how the owner answers, the explored space, the sheet for users; how many policies keep the bounds,
    and the columns that no release has."""

    rules: Rules
    space: PolicySpace
    sheet: Sheet
    within: int
    withheld: tuple[str, ...]


def prepared(
    table: Table,
    offering: Offering,
    key: PrivateKey,
    files: tuple[str, str],
    source: Mapping[str, Any],
    clock: Clock,
    progress: Progress | None = None,
) -> Prepared:
    """Explore a table, and say what can be asked for. `files` and `source` say how the table is read again for a delivery."""
    space = explore(table, quasi=offering.quasi, models=offering.models, progress=progress)
    rules = rules_of(table, space, offering, files, source)
    require_kept(rules, space)
    owner = rules.owner(space)
    sheet = _sheet(table, rules, owner, offering, key, clock)
    rules = replace(rules, sheet=sheet.digest)
    return Prepared(rules, space, sheet, int(owner.within.sum()), _withheld(table, rules))


def rules_of(
    table: Table,
    space: PolicySpace,
    offering: Offering,
    files: tuple[str, str] = ("", ""),
    source: Mapping[str, Any] | None = None,
) -> Rules:
    """How the owner answers. `files` are the table and its schema, and `source` says how they are read, if it is to be read again."""
    return Rules(
        data=files[0],
        schema=files[1],
        table_digest=table.digest(),
        content=content_digest(table),
        schema_digest=table.declared.digest(),
        sheet="0" * 64,
        quasi=space.lattice.attributes,
        sensitive=table.schema.sensitive[0],
        utility=offering.utility,
        limit=offering.limit,
        valid_for=offering.valid_for,
        most_seen=offering.most_seen,
        grid=offering.grid,
        models=offering.models,
        epsilon=offering.epsilon,
        alpha=offering.alpha,
        price=offering.price,
        expected=offering.expected,
        users=tuple((each if isinstance(each, PublicKey) else PublicKey.read(each)).fingerprint for each in offering.users),
        source={
            name: value for name, value in (source or {}).items() if isinstance(value, int | float | bool) or type(value) is str
        },
    )


def _sheet(table: Table, rules: Rules, owner: Owner, offering: Offering, key: PrivateKey, clock: Clock) -> Sheet:
    return Sheet(
        id=clock.fresh,
        made=clock.time,
        title=offering.title or _title(table),
        sensitive=rules.sensitive,
        utility=rules.utility,
        bounds=rules.bounds,
        rate=owner.rate.value,
        limit=rules.limit,
        valid_for=rules.valid_for,
        grid=rules.grid,
        attributes=tuple(Offered.of(table.schema[name]) for name in rules.quasi),
        owner=Speaker.of(key.public),
        plain=table.schema.names(Role.PLAIN),
        price=rules.price,
    ).signed(key)


def _title(table: Table) -> str:
    """What to call a table: never the address of a server."""
    source = table.source
    return source.name if not is_address(source.data) else source.table or "a table of a database"


def _write(output: Path, desk: Path, rules: Rules, space: PolicySpace, sheet: Sheet) -> None:
    import pyarrow.parquet as pq

    parts = (
        f"{desk.name}/{RULES}",
        f"{desk.name}/{SPACE}",
        output.name,
        *([f"{desk.name}/{ANSWERS}"] if rules.ledger is None else []),
    )
    with written_together(output.parent, parts, force=False, mode=0o700) as (at_rules, at_space, at_sheet, *at_answers):
        at_rules.write_text(json.dumps(asdict(rules), indent=1) + "\n", encoding="utf-8")
        pq.write_table(space.to_arrow(), at_space)
        for each in at_answers:
            each.write_text("[]\n", encoding="utf-8")
        at_sheet.write_text(json.dumps(sheet.as_dict(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _withheld(table: Table, rules: Rules) -> tuple[str, ...]:
    published = (*rules.quasi, rules.sensitive, *table.schema.names(Role.PLAIN))
    return tuple(each.name for each in table.schema.attributes if each.name not in published)


def _ledger(folder: Path, rules: Rules) -> str | None:
    """The desk beside a new one that keeps the offers on the same table; none if it is the first."""
    for path in sorted(folder.glob(f"*{SUFFIX}/{RULES}")):
        other, beside = read_rules(path.parent), path.parent.name
        if rules.content != other.content and rules.table_digest != other.table_digest:
            continue
        require_alike(rules, other, beside)
        require_answers(folder / (other.ledger or beside) / ANSWERS)
        return other.ledger or beside
    return None


def require_alike(rules: Rules, other: Rules, name: str) -> None:
    """Refuse to offer a table in another shape than before: what was offered then could not be compared with what is offered now."""
    if (other.schema_digest, other.quasi) != (rules.schema_digest, rules.quasi):
        raise UsageError(
            f"{name} is open on this table with other attributes, hierarchies or another sensitive attribute, and its offers "
            f"count; open it alike, with {argument('quasi')} {','.join(other.quasi)}",
            where=WHERE,
        )


def require_kept(rules: Rules, space: PolicySpace) -> None:
    """Refuse bounds that no policy keeps; say what would be kept."""
    if rules.within(space).any():
        return
    bounds = Bounds(rules.epsilon, rules.alpha)
    allowed = space.satisfying(rules.models) if rules.models else np.ones(len(space), bool)
    nearest = [
        f"{each.parameter} {that_works(each.least, upwards=True):g}"
        for each in bounds.least(space.evaluations, allowed)
        if each.least is not None
    ]
    models = models_of(rules.models)
    for model in models:
        others = [str(each) for each in models if each is not model]
        allowed = bounds.kept(space.evaluations) & (space.satisfying(others) if others else True)
        values = space[f"value:{model}"]
        found = values[allowed & np.isfinite(values)]
        if len(found):  # a model gets better towards the root, where everybody is in one class
            rising = bool(values[-1] >= values[0])
            best = that_works(float(found.max() if rising else found.min()), upwards=not rising)
            nearest.append(f"{model.name} {best:.12g}")
    would = f"the others as they are, {' or '.join(nearest)} would work" if nearest else "loosen several of them"
    raise UsageError(f"no policy keeps these bounds; {would}", where=WHERE)
