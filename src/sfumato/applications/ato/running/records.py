"""The record of a step: what it was made from, the digests of its files, and its result in numbers. It holds no value of a login."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, TypedDict

from sfumato._version import __version__
from sfumato.inputs import opened
from sfumato.inputs.shape import Digest, Number, shaped
from sfumato.signing.canonical import digest_of, finite

# The steps in their order, and the files of each; a step stages its files in the folder that the first one is in.
FILES = {
    "log": (
        "logs/events.parquet",
        "logs/known-bad.txt",
        "logs/known-good.txt",
        "logs/truth/truth.parquet",
        "logs/truth/campaigns.parquet",
        "logs/truth/parameters.json",
    ),
    "features": tuple(f"features/features-{level}.parquet" for level in ("ip", "subnet", "country")),
    "reputation": ("reputation/reputation.parquet",),
    "train": (*(f"models/model-{level}.parquet" for level in ("ip", "subnet", "country")), "models/training.json"),
    "detect": ("found/scores.parquet", "found/alerts.parquet"),
    "timeline": ("timeline/timeline.json",),
    "report": ("report.html",),
}
_PIECE = 1 << 20
_LIBRARIES = ("numpy", "pyarrow", "scikit-learn")  # whose versions may change bytes


@dataclass(frozen=True, slots=True)
class Step:
    """A step to be done: its settings, the digests of what it reads, and what makes its files and returns its result."""

    name: str
    settings: Mapping[str, Any]
    inputs: Mapping[str, str]
    make: Callable[[], Mapping[str, Any]]

    def made_from(self) -> dict[str, Any]:
        """Everything that its files depend on; neither the engine nor the number of threads is among it."""
        return dict(_plain({"settings": self.settings, "inputs": self.inputs, "versions": _versions()}))


class _Document(TypedDict):
    step: str
    made_from: dict[str, Any]
    files: dict[str, Digest]
    result: dict[str, Any]
    seconds: Number
    digest: Digest


@dataclass(frozen=True, slots=True)
class Record:
    """A step that was done."""

    step: str
    made_from: Mapping[str, Any]
    files: Mapping[str, str]
    result: Mapping[str, Any]
    seconds: float

    @classmethod
    def of(cls, step: Step, folder: Path, result: Mapping[str, Any], seconds: float) -> Record:
        """Of a step whose files are in place."""
        files = {name: file_digest(folder / name) for name in FILES[step.name]}
        return cls(step.name, step.made_from(), files, _plain(result), round(seconds, 3))

    @classmethod
    def parsed(cls, text: str) -> Record:
        """From its file; ValueError if that is none, or one that was damaged or changed."""
        document: dict[str, Any] = {**shaped(json.loads(text), _Document, "record")}
        if document.pop("digest") != digest_of(document):
            raise ValueError("another digest")
        return cls(**document)

    def text(self) -> str:
        """As its file holds it."""
        document = {name: getattr(self, name) for name in ("step", "made_from", "files", "result", "seconds")}
        return json.dumps(document | {"digest": digest_of(document)}, indent=1, sort_keys=True, allow_nan=False) + "\n"

    def intact(self, folder: Path) -> bool:
        """Whether all files of the step are there, as they were made."""
        return set(self.files) == set(FILES[self.step]) and all(_is(folder / name, digest) for name, digest in self.files.items())


def file_digest(path: Path) -> str:
    """The SHA-256 digest of a file."""
    found = hashlib.sha256()
    with opened(path) as file:
        while piece := file.read(_PIECE):
            found.update(piece)
    return found.hexdigest()


def _is(path: Path, digest: str) -> bool:
    return path.is_file() and file_digest(path) == digest


def _plain(value: Any) -> Any:
    """A value as it is read back from JSON."""
    return json.loads(json.dumps(finite(value), allow_nan=False))


def _versions() -> dict[str, str | None]:
    return {"sfumato": __version__} | {name: _version(name) for name in _LIBRARIES}


def _version(name: str) -> str | None:
    """Without loading the library: that takes longer than a run with nothing to do."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None
