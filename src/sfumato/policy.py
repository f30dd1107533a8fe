"""A policy: what is agreed about a release. How the table is recoded, what that must satisfy, who may be suppressed, and for which
table and schema it was agreed.

A policy is what a search comes out with, what `publish` carries out, what a certificate records and a recipe repeats.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sfumato.errors import NotVerified, UsageError, argument, several
from sfumato.frequency import FrequencySet
from sfumato.models import PrivacyModel
from sfumato.question import Question
from sfumato.table import Table
from sfumato.vocabulary.builders import Keyed
from sfumato.vocabulary.node import Levels, Node
from sfumato.vocabulary.recoding import AnyRecoding, LocalRecoding, Recoding
from sfumato.vocabulary.schema import Schema


@dataclass(frozen=True, slots=True, eq=False)
class Policy:
    """A recoding with the suppressed classes in it, what the release must satisfy, and the largest number of suppressed people.

    `question` holds the models and what they are judged with: the sensitive attributes, stated beliefs, a population. `floor` is the
    node at which the table is counted for it. `schema` and `table` are digests, None where nobody asked for them; `search` says how the
    recoding was chosen.
    """

    recoding: AnyRecoding
    floor: Node
    question: Question = field(default_factory=Question)
    limit: int = 0
    schema: str | None = None
    table: str | None = None
    search: Mapping[str, Any] | None = None

    @property
    def models(self) -> tuple[PrivacyModel, ...]:
        """What the release must satisfy."""
        return self.question.models

    @property
    def quasi(self) -> tuple[str, ...]:
        """The QIDs that are released."""
        return self.recoding.attributes

    def counts(self, table: Table) -> FrequencySet:
        """The table counted at the floor; refuses another table, or another schema, than it was agreed for."""
        if self.schema is not None and self.schema != table.declared.digest():
            raise NotVerified("the policy was agreed for another schema", where="policy")
        if self.table is not None and self.table != table.digest():
            raise NotVerified("the policy was agreed for another table", where="policy")
        return table.count(self.quasi, floor=self.floor.as_dict())

    @classmethod
    def at_node(
        cls,
        table: Table,
        node: Levels | Node,
        quasi: Sequence[str] | None = None,
        *,
        suppress: Sequence[int] = (),
        detailed: bool = False,
        floor: Node | None = None,
    ) -> Policy:
        """Every QID at a level. `suppress` are numbers of classes to leave out; `detailed`: the recoding lists every value; `floor` is
        where the table was counted already, level 0 if None."""
        chosen = node if isinstance(node, Node) else Node.of(node, table.schema, table.schema.choose_quasi(quasi))
        floor = _floor(table.schema, chosen, floor or Node.bottom(chosen.attributes), detailed=detailed)
        counts = table.count(chosen.attributes, floor=floor.as_dict()).roll_up(chosen)
        for number in suppress:
            if not 1 <= number <= counts.classes:
                raise UsageError(
                    f"no class {number}; the node has {several(counts.classes, 'class', 'classes')}", where=argument("suppress")
                )
        codes = frozenset(tuple(map(int, counts.codes[number - 1])) for number in suppress)
        hierarchies = dict(zip(chosen.attributes, counts.hierarchies, strict=True))
        return cls(Recoding(chosen, hierarchies, codes, table.schema.suppressed), floor, schema=table.declared.digest())

    @classmethod
    def local(cls, table: Table, recoding: LocalRecoding) -> Policy:
        """A local recoding, which knows its QIDs and suppresses nobody."""
        if tuple(table.schema.choose_quasi(recoding.attributes)) != recoding.attributes:
            raise UsageError("the recoding is not one of this table: its QIDs are others", where=argument("policy"))
        return cls(recoding, Node.bottom(recoding.attributes), schema=table.declared.digest())


def _floor(schema: Schema, node: Node, counted: Node, *, detailed: bool) -> Node:
    """Count no finer than needed where the engine computes labels by itself, or where nothing of the attribute shows; otherwise as it
    was counted before."""

    def level(name: str, at: int) -> int:
        if detailed:
            return 0
        computed = isinstance(schema[name].builder, Keyed) or at == schema[name].height()
        return at if computed else counted[name]

    return Node(node.attributes, tuple(level(name, at) for name, at in node.as_dict().items()))
