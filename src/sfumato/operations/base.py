"""What an operation is: a way to change the rows of a table, with its parameters.

An operation sees a private copy of the rows and yields others; it knows no engine, no file of a release, and no certificate. It says which
columns it changes, what of the written file can be judged, and, where values are changed at random, with which probabilities.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from enum import Enum
from typing import TYPE_CHECKING, Any, ClassVar, Self

from sfumato.errors import UsageError, argument, unknown
from sfumato.models.parameter import parameter_of, validated, written
from sfumato.operations.channel import Channel
from sfumato.operations.copied import NUMERIC, Copy
from sfumato.operations.known import Known
from sfumato.progress import Progress
from sfumato.vocabulary.kinds import Kind, Role
from sfumato.vocabulary.schema import Attribute, Schema

if TYPE_CHECKING:
    import pyarrow as pa

    from sfumato.operations.histogram import Histogram


class Judged(Enum):
    """What of a written file models can judge: its classes, because every published QID still holds of the people under it; the
    distribution of sensitive values in groups, because QIDs are exact; or nothing, because values may be anybody's."""

    CLASSES = "classes"
    GROUPS = "groups"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """What an operation is asked to do: the schema with the types of the table, the published QIDs, the columns to change, the seed, and
    whom to tell how far it is."""

    schema: Schema
    quasi: tuple[str, ...]
    columns: tuple[str, ...]
    seed: int = 0
    progress: Progress = lambda done, total: None

    def kind(self, name: str) -> Kind:
        """The type of a column."""
        return self.schema[name].kind or Kind.TEXT


@dataclass(frozen=True, slots=True, eq=False)
class Made:
    """What an operation made: the rows; the QIDs that hold labels and no values of their type any more; columns that it dropped or added;
    what it tells everybody (`facts`); the channels through which values went; the groups within which sensitive values were mixed, as
    a table of the group and the values of each person; and the noisy histogram that the rows were made from."""

    batches: Iterator[pa.RecordBatch]
    labels: frozenset[str] = frozenset()
    dropped: frozenset[str] = frozenset()
    added: tuple[Attribute, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    channels: tuple[Channel, ...] = ()
    groups: pa.Table | None = None
    histogram: Histogram | None = None


class Operation(ABC):
    """An operation with its parameters: a frozen dataclass whose fields are given, in order, on the command line.

    `protects` and `exposes` say in a sentence each what it does for people and what it does not. `drawn`: it changes values at random.
    `by_row`: it takes every row for a person, so that it cannot keep its promise where people have several.
    """

    __slots__ = ()

    name: ClassVar[str]
    example: ClassVar[str]
    judged: ClassVar[Judged]
    protects: ClassVar[str]
    exposes: ClassVar[str]
    drawn: ClassVar[bool] = False
    without_seed: ClassVar[str] = "draws nothing at random"
    by_row: ClassVar[bool] = False

    def __post_init__(self) -> None:
        for declared in fields(self):  # type: ignore[arg-type]
            object.__setattr__(self, declared.name, validated(declared, getattr(self, declared.name), f"method {self.name}"))
        self.check_parameters()

    def check_parameters(self) -> None:  # noqa: B027  most have nothing to add
        """Refuse parameters that their type allows and the operation does not."""

    @classmethod
    def read(cls, text: str) -> Self:
        """From the text of its parameters; a share may be written 5%."""
        declared = [parameter for each in fields(cls) if (parameter := parameter_of(each))]  # type: ignore[arg-type]
        parts = text.split(",", len(declared) - 1 if declared and declared[-1].takes_commas else -1) if text.strip() else []
        needed = sum(each.default is MISSING for each in fields(cls))  # type: ignore[arg-type]
        if not needed <= len(parts) <= len(declared):
            raise UsageError(f"{cls.name} is written {cls.example}; {len(parts)} parameters given", where=argument("method"))
        return cls(*(parameter.read(_plain(part)) for parameter, part in zip(declared, parts, strict=False)))

    @abstractmethod
    def chosen(self, schema: Schema, quasi: Sequence[str], columns: Sequence[str] | None) -> tuple[str, ...]:
        """The columns that it changes: those asked for, or its own choice; refuses what it cannot change."""

    @abstractmethod
    def apply(self, copy: Copy, task: Task) -> Made:
        """Change the rows."""

    def channels(self, known: Known, columns: Sequence[str]) -> tuple[Channel, ...]:
        """The channels that some of its columns went through, as somebody knows them who knows the method; none if it draws nothing."""
        return ()

    def memory(self, rows: int, columns: int) -> int:
        """About how many bytes it needs at once, where it cannot work batch by batch; 0 where it can."""
        return 0

    @property
    def parameters(self) -> str:
        """As on the command line; parameters at their default are omitted at the end."""
        given = [(getattr(self, each.name), each.default) for each in fields(self)]  # type: ignore[arg-type]
        while given and given[-1][0] == given[-1][1]:
            given.pop()
        return ",".join(value if isinstance(value, str) else written(value) for value, _ in given)

    def __str__(self) -> str:
        return f"{self.name}:{self.parameters}" if self.parameters else self.name


def _plain(part: str) -> str:
    """A parameter without blanks, a percentage as a share."""
    text = part.strip()
    if not text.endswith("%"):
        return text
    try:
        return repr(float(text.removesuffix("%")) / 100)
    except ValueError:
        return text


def named_columns(method: str, columns: Sequence[str], within: Sequence[str], what: str) -> tuple[str, ...]:
    """Columns that were asked for, in the order of the table; refuses others than `what` the method takes."""
    for name in columns:
        if name not in within:
            raise UsageError(unknown(what, name, within, within=f"what {method} changes"), where=argument("columns"))
    return tuple(name for name in within if name in columns)


def numeric_columns(method: str, schema: Schema, quasi: Sequence[str], columns: Sequence[str] | None) -> tuple[str, ...]:
    """The numeric columns to change: those asked for, QIDs or sensitive; all numeric QIDs by default."""
    for name in columns or ():
        attribute = schema[name]
        if attribute.kind not in NUMERIC and attribute.role in (Role.QUASI, Role.SENSITIVE):
            kind = (attribute.kind or Kind.TEXT).value
            raise UsageError(f"{method} changes numbers; {name!r} holds {kind}", where=argument("columns"))
    numeric = [name for name in (*quasi, *schema.sensitive) if schema[name].kind in NUMERIC]
    chosen = named_columns(method, columns, numeric, "numeric attribute") if columns else [n for n in numeric if n in quasi]
    if not chosen:
        raise UsageError(f"{method} changes numbers, and no QID holds any; name columns", where=argument("columns"))
    return tuple(chosen)


def every_quasi(method: str, quasi: Sequence[str], columns: Sequence[str] | None) -> tuple[str, ...]:
    """All published QIDs; refuses a choice among them."""
    if columns:
        raise UsageError(f"{method} looks at all QIDs; {argument('quasi')} says which are published", where=argument("columns"))
    return tuple(quasi)


def require_people(method: str, least: int, people: int) -> None:
    """Refuse a number of people that the table does not have."""
    if least > people:
        raise UsageError(f"{method} asks for {least:,} people, and the table has {people:,}", where=argument("method"))
