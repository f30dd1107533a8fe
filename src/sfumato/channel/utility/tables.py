"""The utility of a table (channel paper, 4.2): how much less is open about an attribute when the table is known, in bits.

U_1(A) = log2|A| - H(A); each attribute that is used besides lowers what is open: U_2 = log2|A| - H(A|B), and the gain U_2 - U_1 is
I(A;B); U_max uses all others. |A| is the size of the domain at the published level, so a withheld attribute has no utility.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sfumato.channel.utility.joint import Interest, Joint, interest_of
from sfumato.channel.utility.users import User, mean_background, population
from sfumato.errors import UsageError, argument
from sfumato.frequency import FrequencySet


@dataclass(frozen=True, slots=True)
class Step:
    """The utility of an attribute when so many others are used, and what the last of them adds: a (conditional) mutual information."""

    given: tuple[str, ...]
    utility: float
    gain: float


def attribute_utility(
    table: FrequencySet, attribute: str, given: Sequence[str] | None = None, *, sensitive: str | None = None
) -> float:
    """What a table tells about one of its attributes.

    Parameters
    ----------
    table : FrequencySet
        The table, counted at the published node.
    attribute : str
        The attribute that somebody wants to know about.
    given : sequence of str, optional
        The attributes that are used to predict it: none for U_1, one for U_2, two for U_3; all others (U_max) if not stated.
    sensitive : str, optional
        The sensitive attribute of the table; the only one by default.

    Returns
    -------
    float
        log2|A| - H(A | given), in bits.
    """
    joint = Joint.of(table, sensitive)
    others = joint.names if given is None else tuple(given)
    for name in (attribute, *others):
        joint.require(name)
    return joint.most(attribute) - joint.open(attribute, others)


def utility_steps(table: FrequencySet, attribute: str, order: Sequence[str], *, sensitive: str | None = None) -> tuple[Step, ...]:
    """U_1, U_2, U_3, …: the utility of an attribute while others are added one by one.

    Parameters
    ----------
    table : FrequencySet
        The table, counted at the published node.
    attribute : str
        The attribute that somebody wants to know about.
    order : sequence of str
        The others, in the order in which they are added.
    sensitive : str, optional
        The sensitive attribute of the table; the only one by default.

    Returns
    -------
    tuple of Step
        One for each number of others used, from none; the gain of the first is its utility.
    """
    if attribute in order or len(set(order)) < len(order):
        raise UsageError("name each other attribute once, and not the one that is predicted", where=argument("order"))
    steps: list[Step] = []
    for used in range(len(order) + 1):
        utility = attribute_utility(table, attribute, order[:used], sensitive=sensitive)
        steps.append(Step(tuple(order[:used]), utility, utility - (steps[-1].utility if steps else 0)))
    return tuple(steps)


def table_utility(
    table: FrequencySet, interest: Interest = None, users: Sequence[User] | User | None = None, *, sensitive: str | None = None
) -> float:
    """Utility_T: the mean over attributes of U_max, less what the users know already.

    Parameters
    ----------
    table : FrequencySet
        The table, counted at the published node.
    interest : dict, optional
        With which probability an attribute is the one that is wanted; all alike by default.
    users : User or sequence of User, optional
        Who gets the table; somebody who knows nothing by default.
    sensitive : str, optional
        The sensitive attribute of the table; the only one by default.

    Returns
    -------
    float
        Bits. It is negative for users who know more than the table tells.
    """
    joint, everybody = Joint.of(table, sensitive), population(users)
    wanted = interest_of(joint.names, interest)
    bits = {name: joint.most(name) - joint.open(name, joint.names) for name in joint.names}
    return sum(share * (bits[name] - mean_background(everybody, table.node, name)) for name, share in wanted.items())


def utility_degradation(
    original: FrequencySet,
    published: FrequencySet,
    interest: Interest = None,
    users: Sequence[User] | User | None = None,
    *,
    sensitive: str | None = None,
) -> float:
    """Utility_T - Utility_T': the utility that publishing costs.

    Parameters
    ----------
    original : FrequencySet
        The original table.
    published : FrequencySet
        What is published of it: the same attributes at another node.
    interest : dict, optional
        With which probability an attribute is the one that is wanted; all alike by default.
    users : User or sequence of User, optional
        Who gets the table; somebody who knows nothing by default.
    sensitive : str, optional
        The sensitive attribute of both; the only one by default.

    Returns
    -------
    float
        Bits.
    """
    if original.node.attributes != published.node.attributes:
        raise UsageError("the original and the published table have different QIDs", where=argument("published"))
    return table_utility(original, interest, users, sensitive=sensitive) - table_utility(
        published, interest, users, sensitive=sensitive
    )
