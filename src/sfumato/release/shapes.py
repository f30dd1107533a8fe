"""The shapes of what stands in a certificate: its kinds of numbers and texts, and its tables within tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, NotRequired, TypedDict

from msgspec import Meta

from sfumato.inputs.shape import Count, Digest, Number, Positive, one_of
from sfumato.models.base import AT_LEAST, AT_MOST
from sfumato.vocabulary.hierarchy import MOST_LEVELS
from sfumato.vocabulary.kinds import Kind, Role
from sfumato.vocabulary.schema import Suppressed

Name = Annotated[str, Meta(min_length=1)]
Level = Annotated[int, Meta(ge=0, le=MOST_LEVELS + 1)]  # the root stands above all levels that are declared
KindName = Annotated[str, one_of(*(kind.value for kind in Kind))]
RoleName = Annotated[str, one_of(*(role.value for role in Role))]
StyleName = Annotated[str, one_of(*(style.value for style in Suppressed))]
Direction = Annotated[str, one_of(AT_LEAST, AT_MOST)]

Left = TypedDict(
    "Left",
    {
        "people": Count,
        "rows": Count,
        "classes": Count,
        "as": StyleName,
        "sensitive": NotRequired[Annotated[str, one_of("withheld")]],
    },
)
Witness = TypedDict("Witness", {"class": Positive, "size": Positive})


class ValuePeople(TypedDict):
    """A sensitive value, None for the missing one, and how many people have it."""

    value: str | None
    people: Positive


class StatedPeople(TypedDict):
    """People per value of an attribute: of the values in the file, in order, and of the others."""

    shown: Sequence[Positive]
    others: Sequence[ValuePeople]


class Owners(TypedDict):
    """What a file with several rows per person does not show."""

    people_per_class: Sequence[Positive]
    people_per_value: Mapping[str, Sequence[Sequence[Positive]]]


class Engine(TypedDict):
    """What counted and recoded the rows."""

    name: str
    version: str


class CertifiedVerdict(TypedDict):
    """What a model says of the file; where it would disclose something, without its value."""

    model: Name
    direction: Direction
    threshold: Number | None
    satisfied: bool | Annotated[str, one_of("not_applicable")]
    value: NotRequired[Number | None]
    witness: NotRequired[Witness | None]
    reason: NotRequired[str]
    sensitive: NotRequired[Name]


class Beside(TypedDict):
    """A second table of the release, in a file beside it."""

    file: Name
    sha256: Digest


class Method(TypedDict):
    """The operation that made the rows: its name and parameters, the columns it changed, what of the file models can judge, and what it
    states about the file."""

    name: Name
    parameters: str
    columns: Sequence[str]
    judged: Annotated[str, one_of("classes", "groups", "nothing")]
    k: NotRequired[Positive]
    l: NotRequired[Positive]  # noqa: E741  the letter of the literature
    cells: NotRequired[Count]
    groups: NotRequired[Positive]
    swapped: NotRequired[Count]
    epsilon: NotRequired[Number]
    delta: NotRequired[Number]
    keys: NotRequired[Positive]
    node: NotRequired[Mapping[str, Level]]
    beside: NotRequired[Beside]
    m: NotRequired[Positive]
    counterfeits: NotRequired[Mapping[str, Positive]]


class Searched(TypedDict):
    """How the recoding was found."""

    algorithm: Name
    minimize: NotRequired[Name]
    nodes: NotRequired[Count]
    limit: NotRequired[Count]
    visited: NotRequired[Count]
    toward: NotRequired[Name]
    complete: NotRequired[bool]
    floor: NotRequired[Mapping[str, Level]]
