"""A negotiation by files: two parties who send each other a record, and the owner's desk. `sfumato negotiate` is its command."""

from sfumato.negotiation.files.clock import Clock
from sfumato.negotiation.files.delivering import Delivered, deliver
from sfumato.negotiation.files.moves import Answered, answer, decide, read_sheet, request, verify
from sfumato.negotiation.files.opening import Offering, Opened, open_desk
from sfumato.negotiation.files.record import Record
from sfumato.negotiation.files.sheet import Sheet
from sfumato.negotiation.files.simulating import simulated
from sfumato.negotiation.files.story import following, story

__all__ = [
    "Answered",
    "Clock",
    "Delivered",
    "Offering",
    "Opened",
    "Record",
    "Sheet",
    "answer",
    "decide",
    "deliver",
    "following",
    "open_desk",
    "read_sheet",
    "request",
    "simulated",
    "story",
    "verify",
]
