"""The second table of a release that publishes sensitive values by group: how many people of each group have which value."""

from __future__ import annotations

import csv
import hashlib
import io
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from sfumato.errors import NotVerified, raise_alone
from sfumato.inputs.files import MB, text
from sfumato.release.certificate import Certificate
from sfumato.release.output import Output
from sfumato.release.reading import Reading
from sfumato.release.release import Release
from sfumato.release.shapes import Method
from sfumato.table.source import Source
from sfumato.vocabulary.formulas import escaped, unescaped

GROUP = "group"
PEOPLE = "people"
LARGEST = 1024 * MB


def beside_release(output: Output, method: Method, content: str) -> tuple[Output, Method]:
    """The output with the second table as a further file, and the method with its digest; a release in memory has no files."""
    if output.path is None:
        return output, method
    name = groups_name(output.path)
    beside = {"file": name, "sha256": hashlib.sha256(content.encode()).hexdigest()}
    texts = {**output.texts, name: lambda certificate: content}
    return replace(output, texts=texts), cast("Method", {**method, "beside": beside})


def groups_name(path: Path) -> str:
    """What the second table of a release is called: `out.groups.csv` for `out.parquet`."""
    return path.name.partition(".")[0] + ".groups.csv"


def groups_text(groups: Any) -> str:
    """The second table as CSV: group, value, people; in the order of the groups, values in the order of their texts."""
    (value,) = (name for name in groups.column_names if name != GROUP)
    pairs = zip(groups[GROUP].to_pylist(), groups[value].to_pylist(), strict=True)
    counted = Counter((group, None if each is None else str(each)) for group, each in pairs)
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([GROUP, escaped(value), PEOPLE])
    for (group, each), people in sorted(counted.items(), key=lambda item: (item[0][0], item[0][1] is None, item[0][1] or "")):
        writer.writerow([group, None if each is None else escaped(each), people])
    return file.getvalue()


@dataclass(frozen=True, slots=True)
class Groups:
    """The second table as it was read: the sensitive attribute, and for each group how many of its people have which value, as texts; None
    is the missing value."""

    attribute: str
    people: Mapping[int, Mapping[str | None, int]]
    where: str

    @classmethod
    def of_text(cls, content: str, where: str) -> Groups:
        """From the text of the table; refuses what is none."""
        people: dict[int, dict[str | None, int]] = {}
        try:
            (_, name, _), *lines = csv.reader(io.StringIO(content))
            for group, value, count in lines:
                people.setdefault(int(group), {})[unescaped(value) or None] = int(count)
        except (ValueError, csv.Error):
            raise_alone(NotVerified("not a table of groups, their values and people", where=where))
        if not people or min(min(each.values()) for each in people.values()) < 1:
            raise NotVerified("a group or a value has nobody", where=where)
        return cls(unescaped(name), people, where)

    def sizes(self) -> dict[int, int]:
        """The people of each group."""
        return {group: sum(each.values()) for group, each in self.people.items()}

    def require_rows(self, rows: Mapping[int, int]) -> None:
        """Refuse other people than the rows that the file has of each group."""
        if self.sizes() != rows:
            raise NotVerified("the two tables of the release have other people in their groups", where=self.where)


def groups_of(published: Any, reading: Reading) -> Groups | None:
    """The second table of a release, from memory or from the file beside it; None if the release has no second one."""
    if isinstance(published, Release) and published.groups is not None:
        return Groups.of_text(published.groups, reading.name)
    return None if reading.path is None else _beside(reading.path, reading.method)


def _beside(path: Path, method: Method | None) -> Groups | None:
    """The certified second table of a file."""
    if method is None or "beside" not in method:
        return None
    beside = path.with_name(Path(method["beside"]["file"]).name)
    content = text(beside, LARGEST, missing="the second table of the release is not here")
    if hashlib.sha256(content.encode()).hexdigest() != method["beside"]["sha256"]:
        raise NotVerified("not the second table that was certified: its digest differs", where=str(beside))
    return Groups.of_text(content, str(beside))


def require_groups(source: Source, certificate: Certificate) -> None:
    """Refuse a release whose second table is not the certified one, counts others than the people of each group in the file, or has a group
    that is not as diverse as stated."""
    method = certificate.method
    groups = _beside(Path(source.data), method)
    if method is None or groups is None:
        return
    groups.require_rows(_people(source))
    diverse = method.get("l", 1)
    if any(max(each.values()) * diverse > sum(each.values()) for each in groups.people.values()):
        raise NotVerified(f"a group of the second table is not {diverse}-diverse", where=groups.where)


def _people(source: Source) -> dict[int, int]:
    """The rows of each group in the file."""
    engine = source.open_engine()
    try:
        batches = list(engine.distinct(GROUP))
    finally:
        engine.close()
    return {
        int(group): int(rows)
        for batch in batches
        for group, rows in zip(batch.column(0).to_pylist(), batch.column(1).to_pylist(), strict=True)
    }
