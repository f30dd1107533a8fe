"""Losses: how much a release reveals, and how much it costs. Functions of class statistics or of the recoding alone."""

from sfumato.losses.base import LOSSES, ClassLoss, Summary, loss_named, register, summarize
from sfumato.losses.comparison import compare_metrics, independence

__all__ = ["LOSSES", "ClassLoss", "Summary", "compare_metrics", "independence", "loss_named", "register", "summarize"]
