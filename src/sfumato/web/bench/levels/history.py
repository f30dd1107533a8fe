"""The changes of levels that were made on the page, so that they can be taken back: in a file of the project, several steps."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from sfumato.commit.writing import write_text
from sfumato.vocabulary.schema import Attribute, Schema
from sfumato.vocabulary.toml import schema_text

FILE = "history.json"
VERSION = 1
MOST_STEPS, MOST_SIZE = 50, 16_000_000  # steps, characters


@dataclass(frozen=True, slots=True)
class Step:
    """One change of one attribute: what was done, in words, and the attribute before and after it, as TOML."""

    name: str
    words: str
    before: str
    after: str

    @property
    def size(self) -> int:
        return len(self.before) + len(self.after)


@dataclass(frozen=True, slots=True)
class History:
    """The steps that were made and those that were taken back, the last one last."""

    done: tuple[Step, ...] = ()
    undone: tuple[Step, ...] = ()

    def with_step(self, step: Step) -> History:
        """After another step; what was taken back before it cannot come again. The oldest steps are forgotten."""
        kept, room = [step], MOST_SIZE - step.size
        for each in reversed(self.done[-MOST_STEPS + 1 :]):
            room -= each.size
            if room < 0:
                break
            kept.append(each)
        return History(tuple(reversed(kept)))

    def back(self) -> History:
        """After the last step was taken back."""
        return History(self.done[:-1], (*self.undone, self.done[-1]))

    def again(self) -> History:
        """After the step that was taken back last was made again."""
        return History((*self.done, self.undone[-1]), self.undone[:-1])

    @classmethod
    def read(cls, folder: Path) -> History:
        """The history of a project; an empty one if there is none, or none that this version can read."""
        try:
            document = json.loads((folder / FILE).read_text(encoding="utf-8"))
            if document["version"] != VERSION:
                return cls()
            done, undone = (tuple(Step(**each) for each in document[key]) for key in ("done", "undone"))
        except (FileNotFoundError, ValueError, KeyError, TypeError):
            return cls()
        return cls(done, undone)

    def write(self, folder: Path) -> None:
        """Into its file."""
        document = {
            "version": VERSION,
            "done": [asdict(each) for each in self.done],
            "undone": [asdict(each) for each in self.undone],
        }
        write_text(folder / FILE, json.dumps(document, ensure_ascii=False), force=True)


def text_of(attribute: Attribute) -> str:
    """An attribute as TOML; two are alike if their texts are."""
    return schema_text(Schema((attribute,)))


def attribute_of(text: str, folder: Path) -> Attribute:
    """An attribute from its TOML."""
    return Schema.parse(text, folder=folder).attributes[0]
