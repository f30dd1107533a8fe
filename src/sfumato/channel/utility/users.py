"""Users of a release, and what they know already (channel paper, 4.2.4). What a user knows is worth nothing to them in a release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sfumato.channel.utility.joint import Joint
from sfumato.errors import UsageError, argument, several
from sfumato.frequency import FrequencySet
from sfumato.statistics import TOLERANCE
from sfumato.vocabulary.node import Node


@dataclass(frozen=True, slots=True, eq=False)
class User:
    """Somebody who gets a release with probability `share` and has seen the distributions of some attributes: each of `knows` is the
    count of a table, such as an earlier release. No attribute is in two of them. All other attributes are uniform to the user."""

    knows: tuple[FrequencySet, ...] = ()
    share: float = 1.0

    def __post_init__(self) -> None:
        names = [name for each in self.knows for name in (*each.node.attributes, *each.payloads)]
        if len(names) > len(set(names)):
            raise UsageError("a user knows an attribute from one table only; project the others", where=argument("users"))
        if any(len(each.payloads) > 1 for each in self.knows):
            raise UsageError("what a user knows has at most one sensitive attribute per table", where=argument("users"))

    def background(self, node: Node, name: str) -> float:
        """U_Bg: what the user knows about an attribute, at the level of a published table; 0 if nothing."""
        for counts in self.knows:
            if name in (*counts.node.attributes, *counts.payloads):
                joint = Joint.of(_at(counts, node))
                return joint.most(name) - joint.open(name, joint.names)
        return 0.0


def _at(counts: FrequencySet, node: Node) -> FrequencySet:
    """What a user knows, at the levels of a published table; what is not in the table stays as it is."""
    published = node.as_dict()
    levels = {name: published.get(name, level) for name, level in counts.node.as_dict().items()}
    wanted = Node(counts.node.attributes, tuple(levels.values()))
    if not wanted.covers(counts.node):
        raise UsageError(
            f"what a user knows is coarser than the table ({counts.node} and {node}); count it at the table's levels or below",
            where=argument("users"),
        )
    return counts.roll_up(wanted)


def population(users: Sequence[User] | User | None) -> tuple[User, ...]:
    """The users of a release, whose shares add up to one; without any, one who knows nothing."""
    everybody = (users,) if isinstance(users, User) else tuple(users or (User(),))
    total = sum(user.share for user in everybody)
    if min(user.share for user in everybody) < 0 or abs(total - 1) > TOLERANCE:
        raise UsageError(
            f"the shares of {several(len(everybody), 'user')} add up to {total:.12g} and not to 1", where=argument("users")
        )
    return everybody


def mean_background(users: Sequence[User], node: Node, name: str) -> float:
    """What the population knows about an attribute, on average."""
    return sum(user.share * user.background(node, name) for user in users)
