"""What a user names besides the data: small files that are read whole, and the shape that a document in them must have."""

from sfumato.inputs.files import content, opened, text
from sfumato.inputs.toml import parsed_toml, read_toml

__all__ = ["content", "opened", "parsed_toml", "read_toml", "text"]
