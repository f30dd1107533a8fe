"""Methods side by side: each as strong as it must be for the same privacy loss, or for the same utility loss, and what it then gives away
and costs."""

from sfumato.methods.comparing import compare_methods
from sfumato.methods.results import MethodsCompared, Outcome
from sfumato.methods.strengths import FAMILIES, Family

__all__ = ["FAMILIES", "Family", "MethodsCompared", "Outcome", "compare_methods"]
