"""A hierarchy from a file in ARX's format that somebody uploads."""

from __future__ import annotations

from sfumato.errors import SchemaError, UsageError, raise_alone
from sfumato.inputs.files import MB
from sfumato.vocabulary.arx import parse_paths
from sfumato.vocabulary.builders import Listed

LARGEST = 4 * MB  # the schema that holds it has to stay small, too


def uploaded(content: bytes) -> Listed:
    """The tree that a file lists, which is UTF-8."""
    if len(content) > LARGEST:
        raise UsageError(f"larger than {LARGEST // MB} MB, the most that a hierarchy file may have here", where="the file")
    try:
        return Listed(parse_paths(content.decode("utf-8-sig")))
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise_alone(SchemaError(f"not UTF-8 in line {line}", where="the file"))
    except SchemaError as error:
        raise_alone(SchemaError(error.message, where="the file"))
