"""Making the certificate of a release that was written and read back: the public one, and what only the owner's copy holds."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any, cast

from sfumato._version import __version__
from sfumato.beliefs import Prior
from sfumato.frequency import FrequencySet
from sfumato.models import Verdict
from sfumato.policy import Policy
from sfumato.release.cells import CellClasses
from sfumato.release.certificate import Certificate, CertifiedPrior, PriorOf, sha256, size
from sfumato.release.disclosure import public_search, public_verdicts
from sfumato.release.kinds import KINDS
from sfumato.release.making import Making
from sfumato.release.numbering import by_value, recorded_order, shown_labels, shown_values
from sfumato.release.output import Output
from sfumato.release.shapes import CertifiedVerdict, Left, Owners, Searched, StatedPeople, ValuePeople
from sfumato.table import Table
from sfumato.vocabulary.kinds import Role
from sfumato.vocabulary.recoding import AnyRecoding, LocalRecoding
from sfumato.vocabulary.schema import Schema


def certify(
    file: Path,
    table: Table,
    policy: Policy,
    promised: FrequencySet,
    written: FrequencySet,
    output: Output,
    verdicts: Sequence[Verdict],
    *,
    shown: bool,
    made: Making | None = None,
) -> Certificate:
    """The certificate of a written file: `promised` are all classes of the recoding, `written` those that are kept, and `shown` says
    whether others may know the sensitive values of the suppressed. `made`: how the rows of the table were made from those of another."""
    schema, recoding = table.schema, policy.recoding
    original = made.original if made else table
    order, columns = _order(written), published_columns(table, policy)
    return Certificate(
        file=(output.path or file).name,
        sha256=sha256(file),
        bytes=size(file),
        schema_sha256=original.declared.digest(),
        recoding=recoding.kind,
        node=KINDS[recoding.kind].node(recoding),
        heights={name: original.schema[name].height() for name in policy.quasi},
        sensitive=list(schema.sensitive),
        columns=columns,
        withheld={a.name: a.role.value for a in original.schema.attributes if a.name not in columns},
        basis=written.basis,
        people=written.total_people,
        rows=written.total_rows,
        classes=written.classes,
        smallest_class=int(written.people.min()),
        suppressed=_left(promised, written, recoding.style.value, hidden=recoding.stars and not shown),
        prior=_prior(promised, written, shown=shown),
        types=_types(schema, policy),
        order=order,
        engine={"name": original.engine.name, "version": original.engine.version},
        version=__version__,
        seed=output.seed,
        time=output.time(),
        owners=_owners(written, order),
        models=cast("list[CertifiedVerdict]", public_verdicts(verdicts, policy.models, shown=shown)) or None,
        search=cast("Searched | None", public_search(policy.search, shown=shown)),
        method=made.method if made else None,
    )


def _left(promised: FrequencySet, written: FrequencySet, style: str, *, hidden: bool) -> Left:
    """The suppressed people, rows and classes; `hidden` says that their sensitive values stand as `*`, too."""
    left: Left = {
        "people": promised.total_people - written.total_people,
        "rows": promised.total_rows - written.total_rows,
        "classes": promised.classes - written.classes,
        "as": style,
    }
    return {**left, "sensitive": "withheld"} if hidden else left


def for_the_owner(
    table: Table,
    policy: Policy,
    promised: FrequencySet,
    output: Output,
    verdicts: Sequence[Verdict],
    made: Making | None = None,
    mapping: Path | None = None,
) -> dict[str, Any]:
    """What stands in the owner's copy instead of what the public certificate says, and besides: it knows the original. `mapping` is the
    written map."""
    original = made.original.count(policy.quasi) if made else promised
    more: dict[str, Any] = {
        "prior": {name: _named(Prior.of(original, name)) for name in original.payloads},
        "models": [verdict.as_dict() for verdict in verdicts] or None,
        "search": policy.search,
        "input_sha256": (made.original if made else table).digest(),
        "method": made.secret if made else None,
        "cells": _cells(policy.recoding),
        "output": str(output.path.resolve()) if output.path else None,
        "input": place_of(made.original if made else table),
        "dialect": (made.original if made else table).dialect.declared() or None,
        "beliefs": policy.question.prior is not None or None,
        "map_sha256": None if mapping is None else sha256(mapping),
    }
    return {name: value for name, value in more.items() if value is not None}


def _cells(recoding: AnyRecoding) -> dict[str, Any] | None:
    """Which class every cell is in, where the levels of a node do not say it."""
    kept = CellClasses.of(recoding) if isinstance(recoding, LocalRecoding) else None
    return None if kept is None else kept.as_dict()


def place_of(table: Table) -> str | None:
    """The file of a table, if it comes from one."""
    data = table.source.data
    path = Path(data) if isinstance(data, str | PathLike) else None
    return str(path.resolve()) if path is not None and path.exists() else None


def _named(prior: Prior) -> list[dict[str, Any]]:
    return [{"value": value, "people": int(people)} for value, people in zip(prior.values, prior.people, strict=True)]


def published_columns(table: Table, policy: Policy) -> list[str]:
    """The columns of the file, in the order of the source."""
    return [name for name in table.columns if _published(table.schema[name].role, name, policy)]


def _published(role: Role, name: str, policy: Policy) -> bool:
    return role in (Role.SENSITIVE, Role.PLAIN) or name in policy.quasi


def _types(schema: Schema, policy: Policy) -> dict[str, str]:
    """The types that the source gave the QIDs and the sensitive attributes: in CSV they do not show."""
    kinds = {name: schema[name].kind for name in (*policy.quasi, *schema.sensitive)}
    return {name: kind.value for name, kind in kinds.items() if kind is not None}


def _order(written: FrequencySet) -> dict[str, list[int]]:
    """The order of the labels of every column, where they do not suggest it by themselves."""
    shown = {name: shown_labels(written, place) for place, name in enumerate(written.node.attributes)}
    shown |= {name: shown_values(payload) for name, payload in written.payloads.items()}
    orders = {name: recorded_order(labels) for name, labels in shown.items()}
    return {name: labels for name, labels in orders.items() if labels is not None}


def _prior(promised: FrequencySet, written: FrequencySet, *, shown: bool) -> CertifiedPrior:
    """The prior for others. Where a row is a person and nobody is suppressed the file shows it; where people have several rows it does
    not show who they are."""
    if written.basis == "row" and promised.classes == written.classes:
        return CertifiedPrior(PriorOf.FILE.value)
    if not shown:
        return CertifiedPrior(PriorOf.WITHHELD.value)
    people = {name: _people(Prior.of(promised, name), Prior.of(written, name)) for name in promised.payloads}
    return CertifiedPrior(PriorOf.ORIGINAL.value, people)


def _people(prior: Prior, kept: Prior) -> StatedPeople:
    people = dict(zip(prior.values, prior.people.tolist(), strict=True))
    others: list[ValuePeople] = [{"value": value, "people": people[value]} for value in prior.values if value not in kept.values]
    return {"shown": [people[value] for value in kept.values], "others": others}


def _owners(counts: FrequencySet, order: dict[str, list[int]]) -> Owners | None:
    """What the file alone cannot show when people have several rows: people per class and per (class, value), in order."""
    if counts.basis == "row":
        return None
    per_value = {}
    for name, payload in counts.payloads.items():
        people = payload.people[by_value(payload, order.get(name))]
        per_value[name] = [people[a:b].tolist() for a, b in zip(payload.offsets[:-1], payload.offsets[1:], strict=True)]
    return {"people_per_class": counts.people.tolist(), "people_per_value": per_value}
