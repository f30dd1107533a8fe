"""What is asked of a table: models, suppression, attributes, beliefs and populations."""

from sfumato.question.problem import problem_of
from sfumato.question.question import Question

__all__ = ["Question", "problem_of"]
