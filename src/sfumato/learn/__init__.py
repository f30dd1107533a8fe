"""sfumato within scikit-learn: a transformer that learns a recoding and applies it to new rows. Needs the extra `learn`."""

from sfumato.errors import UsageError

try:
    from sfumato.learn.generalizer import Generalizer
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] != "sklearn":
        raise
    raise UsageError("needs the extra 'learn': pip install 'sfumato[learn]'", where="sfumato.learn") from None

__all__ = ["Generalizer"]
