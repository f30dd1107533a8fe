"""The channel of a single record: what one value is published as, and what the best guesser gains from a release."""

from sfumato.channel.records.changed import guessing_changed
from sfumato.channel.records.channels import RecordChannel, Values, record_channel
from sfumato.channel.records.guessing import Guessing, class_channel, guessing
from sfumato.channel.records.noise import guessing_noise

__all__ = [
    "Guessing",
    "RecordChannel",
    "Values",
    "class_channel",
    "guessing",
    "guessing_changed",
    "guessing_noise",
    "record_channel",
]
