"""Making the certificate of a release that was written and read back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sfumato._version import __version__
from sfumato.beliefs import Prior
from sfumato.frequency import FrequencySet
from sfumato.models import Verdict
from sfumato.naming import FEW
from sfumato.policy import Policy
from sfumato.release.certificate import Certificate, sha256
from sfumato.release.kinds import KINDS
from sfumato.release.output import Output
from sfumato.table import Table
from sfumato.vocabulary.kinds import Role


def certify(
    file: Path,
    table: Table,
    policy: Policy,
    promised: FrequencySet,
    written: FrequencySet,
    output: Output,
    verdicts: Sequence[Verdict],
) -> Certificate:
    """The certificate of a written file: `promised` are all classes of the recoding, `written` those that are kept."""
    schema, recoding = table.schema, policy.recoding
    published = [a.name for a in schema.attributes if a.role in (Role.SENSITIVE, Role.PLAIN) or a.name in policy.quasi]
    return Certificate(
        file=file.name,
        sha256=sha256(file),
        bytes=file.stat().st_size,
        schema_sha256=table.declared.digest(),
        recoding=recoding.kind,
        node=KINDS[recoding.kind].node(recoding),
        heights={name: schema[name].height() for name in policy.quasi},
        sensitive=list(schema.sensitive),
        columns=[name for name in table.columns if name in published],
        withheld={a.name: a.role.value for a in schema.attributes if a.name not in published},
        basis=written.basis,
        people=written.total_people,
        rows=written.total_rows,
        classes=written.classes,
        smallest_class=int(written.people.min()),
        suppressed={
            "people": promised.total_people - written.total_people,
            "rows": promised.total_rows - written.total_rows,
            "classes": promised.classes - written.classes,
            "as": recoding.style.value,
        },
        prior={name: _prior(Prior.of(promised, name), Prior.of(written, name)) for name in promised.payloads},
        engine={"name": table.engine.name, "version": table.engine.version},
        version=__version__,
        seed=output.seed,
        time=output.time(),
        owners=_owners(written),
        models=[verdict.as_dict() for verdict in verdicts] or None,
        search=policy.search,
    )


def _prior(prior: Prior, kept: Prior) -> list[dict[str, Any]]:
    """The prior for the certificate: values held by few are not named, and marked where the release does not show them."""
    shown = set(kept.values)
    return [
        {"value": value, "people": int(people)}
        if people >= FEW
        else {"unnamed": True, "released": value in shown, "people": int(people)}
        for value, people in zip(prior.values, prior.people, strict=True)
    ]


def _owners(counts: FrequencySet) -> dict[str, Any] | None:
    """What the file alone cannot show when people have several rows: people per class and per (class, value), in order."""
    if counts.basis == "row":
        return None
    return {
        "people_per_class": counts.people.tolist(),
        "people_per_value": {
            name: [payload.people[a:b].tolist() for a, b in zip(payload.offsets[:-1], payload.offsets[1:], strict=True)]
            for name, payload in counts.payloads.items()
        },
    }
