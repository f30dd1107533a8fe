"""A random forest as plain arrays: kept in a file without code, checked before use, evaluated by compiled loops, with reasons."""

from sfumato.applications.ato.forest.file import read_model, write_model
from sfumato.applications.ato.forest.model import Model
from sfumato.applications.ato.forest.trees import Forest

__all__ = ["Forest", "Model", "read_model", "write_model"]
