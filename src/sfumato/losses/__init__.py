"""Losses: how much a release gives away, and how much it costs. Functions of class statistics or of the recoding alone."""

from sfumato.losses.base import LOSSES, ClassLoss, Summary, loss_named, register, summarize

__all__ = ["LOSSES", "ClassLoss", "Summary", "loss_named", "register", "summarize"]
