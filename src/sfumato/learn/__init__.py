"""Learning from releases: what it costs to train a model on one (Algorithm 3 of the thesis), how well count queries are answered from one,
and a transformer for scikit-learn. Needs the extra `learn`."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from sfumato.errors import UsageError

if TYPE_CHECKING:
    from sfumato.learn.along import along_pareto
    from sfumato.learn.exploring import learned_trade_off
    from sfumato.learn.generalizer import Generalizer
    from sfumato.learn.results import Disclosure, UtilityLoss, UtilityLosses
    from sfumato.learn.scores import Interval, Score
    from sfumato.learn.utility import utility_loss, utility_losses
    from sfumato.learn.workload import QueryErrors, Workload, query_errors

__all__ = [
    "Disclosure",
    "Generalizer",
    "Interval",
    "QueryErrors",
    "Score",
    "UtilityLoss",
    "UtilityLosses",
    "Workload",
    "along_pareto",
    "learned_trade_off",
    "query_errors",
    "utility_loss",
    "utility_losses",
]

_HOMES = {
    "Disclosure": "results",
    "Generalizer": "generalizer",
    "Interval": "scores",
    "QueryErrors": "workload",
    "Score": "scores",
    "UtilityLoss": "results",
    "UtilityLosses": "results",
    "Workload": "workload",
    "along_pareto": "along",
    "learned_trade_off": "exploring",
    "query_errors": "workload",
    "utility_loss": "utility",
    "utility_losses": "utility",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'sfumato.learn' has no attribute {name!r}")
    try:
        return getattr(import_module(f"sfumato.learn.{_HOMES[name]}"), name)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("sklearn", "scipy", "threadpoolctl"):
            raise
        raise UsageError("needs the extra 'learn': pip install 'sfumato[learn]'", where="sfumato.learn") from None
