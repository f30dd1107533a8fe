"""Training: from labelled logins to detectors on original and generalized data, with the tables and figures of the thesis."""

from sfumato.applications.ato.training.labelled import Labelled
from sfumato.applications.ato.training.train import train
from sfumato.applications.ato.training.training import Trained, Variant, trained

__all__ = ["Labelled", "Trained", "Variant", "train", "trained"]
