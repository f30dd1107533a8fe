"""The rules of an owner's desk: the table, the bounds, the price; and the owner that they make."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from sfumato.errors import NotVerified, UsageError, argument
from sfumato.frequency import Mask
from sfumato.inputs.shape import Digest, Number, Positive
from sfumato.negotiation.coalition import Coalitions, proved_monotone
from sfumato.negotiation.owner import Owner
from sfumato.negotiation.pricing import Price
from sfumato.search.space import PolicySpace
from sfumato.search.space.within import Bounds
from sfumato.table import Table
from sfumato.table.source import SchemaLike, opened, source_of
from sfumato.vocabulary.kinds import Role


@dataclass(frozen=True, slots=True)
class Rules:
    """How the owner answers: the table and its digests, the bounds, the price, and what may be shown.

    `content` tells the table in whatever order and format. `users` are the fingerprints of the keys that may ask, all if there are none.
    `ledger` is the desk that keeps the answers: this one, or the first one beside it on the same table, so that all of them count.
    """

    data: str
    schema: str
    table_digest: Digest
    content: Digest
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
    users: tuple[str, ...] = ()
    ledger: str | None = None
    source: Mapping[str, Any] = field(default_factory=dict)

    @property
    def bounds(self) -> tuple[str, ...]:
        """Everything that a release keeps, as models."""
        losses = {"distribution-loss": self.epsilon, "entropy-loss": self.alpha}
        return (*(f"{name}:{_exactly(bound)}" for name, bound in losses.items() if bound is not None), *self.models)

    def within(self, space: PolicySpace) -> Mask:
        """The policies that keep all bounds."""
        kept = Bounds(self.epsilon, self.alpha).kept(space.evaluations)
        return kept & space.satisfying(self.models) if self.models else kept

    def monotone(self, space: PolicySpace) -> bool:
        """Whether it is proved that a policy above one that keeps the bounds keeps them."""
        return proved_monotone(space, self.alpha, self.models)

    def owner(self, space: PolicySpace, coalitions: Coalitions | None = None) -> Owner:
        """The owner; without coalitions, one who has made no offers yet."""
        within = self.within(space)
        ledger = coalitions or Coalitions(space.lattice, within, monotone=self.monotone(space))
        price = None if self.price is None else Price.of(self.price)
        return Owner(space, within, self.utility, price, self.expected, self.grid, self.valid_for, self.most_seen, ledger)

    def table(self) -> AbstractContextManager[Table]:
        """The table that is negotiated about, open."""
        return negotiated(self.data, self.schema, self.sensitive, dict(self.source))


def require_same_table(table: Table, rules: Rules) -> None:
    """Refuse a table that has changed since its sheet was made."""
    if table.digest() != rules.table_digest or table.declared.digest() != rules.schema_digest:
        raise NotVerified("the table or its schema has changed since the sheet was made; open a new one", where=table.source.name)


def _exactly(number: float) -> str:
    """A number in as few digits as give it back.

    >>> _exactly(0.6), _exactly(1.0), _exactly(0.5956964618900267)
    ('0.6', '1', '0.5956964618900267')
    """
    short = f"{number:g}"
    return short if float(short) == number else repr(number)


@contextmanager
def negotiated(data: Any, schema: SchemaLike | None, sensitive: str | None, source: Mapping[str, Any]) -> Iterator[Table]:
    """A table with one sensitive attribute; it is named where the schema has several. The others are withheld: no bound is about them."""
    given = source_of(data, schema, source)
    declared = given.declared()
    known = declared.sensitive
    if (len(known) != 1 and sensitive is None) or (sensitive is not None and sensitive not in known):
        raise UsageError(f"name one sensitive attribute; there are {', '.join(known) or 'none'}", where=argument("sensitive"))
    others = [name for name in known if name != (sensitive or known[0])]
    alone = replace(given, schema=declared.with_role(others, Role.IDENTIFIER)) if others else None
    with opened(data, schema, source) if alone is None else alone.open() as table:
        yield table
