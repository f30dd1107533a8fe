"""The releases of a project, each with what its certificate says."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sfumato.errors import SfumatoError, several
from sfumato.models.base import AT_LEAST
from sfumato.release.certificate import Certificate, certificate_path
from sfumato.reporting.markup import shown
from sfumato.web.bench.project import FORMATS, RELEASES, Project

WHAT = {
    ".certificate.json": "the certificate: goes with the release",
    "report.html": "the report",
    "recipe.toml": "the recipe: makes the release again",
    ".csv": "the release",
    ".parquet": "the release",
}


@dataclass(frozen=True, slots=True)
class Made:
    """A release: its files with what each is, and what its certificate says, in words."""

    number: str
    files: tuple[tuple[str, str], ...]
    size: str
    said: tuple[tuple[str, bool], ...]
    facts: tuple[str, ...]


def made_in(project: Project) -> list[Made]:
    """All releases, the last one first."""
    folders = sorted((project.folder / RELEASES).glob("*"), reverse=True)
    return [_made(folder, release) for folder in folders if (release := _release(folder))]


def _release(folder: Path) -> Path | None:
    return next((folder / name for name in FORMATS.values() if (folder / name).is_file()), None)


def _made(folder: Path, release: Path) -> Made:
    files = tuple((path.name, _what(path.name)) for path in sorted(folder.iterdir()) if not path.name.startswith("."))
    try:
        certificate = Certificate.read(certificate_path(release))
    except SfumatoError as error:
        return Made(folder.name, files, "", ((str(error), False),), ())
    return Made(folder.name, files, certificate.size(), _said(certificate), _facts(certificate))


def _what(name: str) -> str:
    return next((words for end, words in WHAT.items() if name.endswith(end)), "")


def _said(certificate: Certificate) -> tuple[tuple[str, bool], ...]:
    """What every model said of the written file."""
    said = []
    for each in certificate.models or ():
        known = each.get("value")  # withheld where it would disclose something
        must = "at least" if each["direction"] == AT_LEAST else "at most"
        value = "satisfied" if known is None else f"{shown(known)}, must be {must} {shown(each['threshold'])}"
        of = f" of {each['sensitive']}" if each.get("sensitive") else ""
        said.append((f"{each['model']}{of}: {value}", each["satisfied"] is True))
    return tuple(said)


def _facts(certificate: Certificate) -> tuple[str, ...]:
    left = int(certificate.suppressed["people"]) if "people" in certificate.suppressed else 0
    withheld = list(certificate.withheld)
    facts = [f"The smallest group of people who look alike has {several(certificate.smallest_class, 'person', 'people')}."]
    facts += [f"{several(left, 'person was', 'people were')} left out."] if left else ["Nobody was left out."]
    facts += [f"Not in the file: {', '.join(withheld)}."] if withheld else []
    return (*facts, f"SHA-256 of the file: {certificate.sha256}")
