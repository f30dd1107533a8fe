"""The commands that reproduce a release, as far as the certificate records them. Unknown names are in capitals."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from decimal import ROUND_CEILING, Decimal
from typing import Any

from sfumato.release.certificate import Certificate
from sfumato.release.reading import Reading
from sfumato.vocabulary.node import Node


def commands_of(reading: Reading, schema: str, original: str | None, models: Sequence[str]) -> tuple[str, ...]:
    """Make the release, verify it, judge it, report on it."""
    certificate = reading.certificate
    source = original or "TABLE"
    release = reading.name if reading.path else certificate.file if certificate else "RELEASE"
    certified = [str(entry["model"]) for entry in (certificate.models if certificate else None) or ()]
    asked = list(dict.fromkeys((*certified, *models)))
    options = [word for model in asked for word in ("-m", model)]
    commands = [_release_command(certificate, source, schema)] if certificate else []
    commands += [["sfumato", "verify", release]] if certificate else []
    commands += [["sfumato", "check", release, "-s", schema, *options]] if asked else []
    beside = ["--original", source] if original else []
    added = [word for model in models for word in ("-m", model)]
    commands.append(["sfumato", "report", release, "-s", schema, *beside, *added, "-o", "report.html"])
    return tuple(shlex.join(words) for words in commands)


def _release_command(certificate: Certificate, source: str, schema: str) -> list[str]:
    verb = "publish" if certificate.search is None else "anonymize"
    words = ["sfumato", verb, source, "-s", schema, "--quasi", names_of(certificate.quasi)]
    words += (
        _search_options(certificate, certificate.search)
        if certificate.search is not None
        else ["--node", _node(certificate.node)]
    )
    return [*words, "--seed", str(certificate.seed), "-o", certificate.file]


def _search_options(certificate: Certificate, search: Mapping[str, Any]) -> Iterator[str]:
    for model in dict.fromkeys(str(entry["model"]) for entry in certificate.models or ()):
        yield from ("-m", model)
    people = certificate.people + int(certificate.suppressed["people"])
    if limit := int(search.get("limit", 0)):
        yield from ("--suppress", share_of(limit, people))
    options = () if search.get("algorithm") == "mondrian" else ("minimize",)
    for name in (*options, "toward" if "toward" in search else "algorithm"):
        if name in search:
            yield from (f"--{name}", str(search[name]))


def share_of(limit: int, people: int) -> str:
    """The shortest percentage that allows this many people and no more.

    >>> share_of(1508, 30162), share_of(1, 3), share_of(5, 100)
    ('5%', '34%', '5%')
    """
    for digits in range(20):
        share = (Decimal(limit) * 100 / people).quantize(Decimal(1).scaleb(-digits), ROUND_CEILING)
        if int(share / 100 * people) == limit:
            return f"{share}%"
    return f"{limit / people:%}"


def names_of(names: Sequence[str]) -> str:
    """Names separated by commas, or a JSON list where a comma or a space in a name would be ambiguous."""
    simple = all(name.strip() == name and "," not in name and name for name in names) and not names[0].startswith("[")
    return ",".join(names) if simple else json.dumps(list(names), ensure_ascii=False)


def _node(levels: Mapping[str, int]) -> str:
    simple = all(not set(name) & set(",=[ ") for name in levels)
    node = Node(tuple(levels), tuple(levels.values()))
    return str(node) if simple else node.brief()
