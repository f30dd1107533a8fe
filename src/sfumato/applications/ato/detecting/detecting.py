"""`detect`: score every login of some logs, choose alerts within a budget, and group them into campaigns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from sfumato.applications.ato.detecting.alerts import ALERTS, Suspects, suspects_of
from sfumato.applications.ato.detecting.budget import Alerts, Logins, alerts_of, by_campaign, by_day, by_login
from sfumato.applications.ato.detecting.doubt import doubt_of
from sfumato.applications.ato.detecting.scoring import SCORES, SUSPICIOUS, Batch, Keys, query, scored
from sfumato.applications.ato.files import write_rows
from sfumato.applications.ato.forest import Model, read_model
from sfumato.applications.ato.forest.model import kind_of
from sfumato.applications.ato.opening import each_once, opened_events
from sfumato.commit.writing import written_together
from sfumato.errors import UsageError, argument
from sfumato.results import Printed, Rows

FILES = ("scores.parquet", "alerts.parquet")
_NUMBERS = ("Good", "Unseen")
_TRUTH = ("Fraudulent", "Takeover", "Campaign")


@dataclass(frozen=True, slots=True)
class Detected(Printed):
    """What was found: `unseen` logins came from keys that the features do not know and were scored as if nothing had happened there;
    `right` of the suspicious ones had the right password; `alerts` has one entry per unit."""

    level: str
    logins: int
    days: int
    unseen: int
    suspicious: int
    right: int
    keys: int
    campaigns: int
    budget: float
    alerts: tuple[Alerts, ...]
    reasons: dict[str, int]

    def table(self) -> Rows:
        """Alerts of each unit at the budget."""
        names = ("unit", "threshold", "alerts", "left", "per_day", "precision", "recall", "takeovers", "campaigns")
        known = names if any(each.precision is not None or each.recall is not None for each in self.alerts) else names[:5]
        heads = tuple({"unit": "an alert is", "left": "left out", "per_day": "a day"}.get(name, name) for name in known)
        return Rows(heads, tuple(tuple(getattr(each, name) for name in known) for each in self.alerts))

    @property
    def doubt(self) -> str | None:
        """Why the detector is to be doubted, if so much is suspicious that it is."""
        return doubt_of(self.logins, self.suspicious, self.right)

    def as_dict(self) -> dict[str, Any]:
        """For machines; it names no address."""
        counts = ("level", "logins", "days", "unseen", "suspicious", "right", "doubt", "keys", "campaigns", "budget")
        return {name: getattr(self, name) for name in counts} | {
            "alerts": [each.as_dict() for each in self.alerts],
            "reasons": self.reasons,
        }


def detect(
    logs: Any,
    model: Model | str | PathLike[str],
    output: str | PathLike[str],
    *,
    features: pa.Table | None = None,
    online: bool = False,
    truth: pa.Table | None = None,
    budget: float = 100,
    force: bool = False,
    watch: Callable[[str, Any], None] | None = None,
    **options: Any,
) -> Detected:
    """Score logins and raise alerts.

    Parameters
    ----------
    logs : path, frame or Arrow table
        The events; also a folder that `generate` has written.
    model : Model or path
        One that `train` has written.
    output : path
        The folder for `scores.parquet` (every login: `Id`, `Score`, `Reason`) and `alerts.parquet` (every suspicious key, by campaign).
    features : Arrow table, optional
        What is known of the keys; else it is counted in the logs themselves.
    online : bool
        Score each login by what was before it alone.
    truth : Arrow table, optional
        To score the alerts by; nothing else looks at it.
    budget : float
        Alerts a day that somebody can look at.
    force : bool
        Replace what is there.
    watch : function, optional
        Called with each step and the engine.
    **options
        Those of a `Source`: `engine`, `memory`, `threads`, `temp`, `master`, `conf`.

    Returns
    -------
    Detected
        Thresholds and alerts, and how good they are if the truth was given.
    """
    if not 0 < budget < np.inf:
        raise UsageError("must be a number of alerts a day above 0; 100 would work", where=argument("budget"))
    if online and features is not None:
        raise UsageError(f"counts what was before each login; leave {argument('features')} out", where=argument("online", "True"))
    model = _model(model)
    watch, keys, collected = watch or (lambda step, engine: None), Keys(), _Collected()
    with opened_events(logs, options) as events, written_together(Path(output), FILES, force=force) as (scores, alerts):
        watch("counting", events.engine)
        table, _ = each_once(events)
        asked = query(events, table, model.level, features, online=online, truth=truth)
        watch("scoring", events.engine)
        write_rows(scores, SCORES, collected.noting(scored(events, asked, model, keys, online=online)))
        watch("looking for campaigns", events.engine)
        logins = collected.logins()
        suspects = suspects_of(logins, events, keys.names(), model.level)
        write_rows(alerts, ALERTS, suspects.table(keys.names(), collected.reasons).to_batches())
    return _found(logins, suspects, model.level, budget, collected, len(keys.names()))


def _model(model: Any) -> Model:
    if isinstance(model, Model):
        return model
    if isinstance(model, str | PathLike):
        return read_model(model)
    raise UsageError(f"a model, or the file of one; not of type {type(model).__name__}", where=argument("model"))


class _Collected:
    """What is kept of the logins that have streamed by: a few numbers of each, and one reason for each suspicious key."""

    def __init__(self) -> None:
        self.reasons: dict[int, str] = {}
        self._highest: dict[int, float] = {}
        self.counted: dict[str, int] = {}
        self.columns: dict[str, list[Any]] = {}

    def noting(self, batches: Iterator[Batch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            self._note("scores", batch.scores)
            self._note("keys", batch.keys)
            self._note("days", batch.days())
            for name in (*_NUMBERS, *(each for each in _TRUTH if each in batch.rows.schema.names)):
                self._note(name, batch.column(name).astype(np.int32 if name == "Campaign" else bool))
            self._explain(batch)
            yield batch.written()

    def _explain(self, batch: Batch) -> None:
        """Keep for each key the reason of its highest score, of the first such login."""
        places = np.flatnonzero(batch.scores > SUSPICIOUS)
        highest = places[np.lexsort((places, -batch.scores[places], batch.keys[places]))]
        _, first = np.unique(batch.keys[highest], return_index=True)
        for place in highest[first]:
            key, score = int(batch.keys[place]), float(batch.scores[place])
            if score > self._highest.get(key, SUSPICIOUS):
                self._highest[key], self.reasons[key] = score, batch.reasons[place] or ""

    def _note(self, name: str, values: Any) -> None:
        self.columns.setdefault(name, []).append(values)

    def logins(self) -> Logins:
        found = {name: np.concatenate(pieces) for name, pieces in self.columns.items()}
        truth = (found[name] for name in _TRUTH) if _TRUTH[0] in found else (None, None, None)
        self.counted["unseen"] = int(found["Unseen"].sum())
        return Logins(found["scores"], found["keys"], found["days"], found["Good"], *truth)


def _found(logins: Logins, suspects: Suspects, level: str, budget: float, collected: _Collected, keys: int) -> Detected:
    units = {"a login": by_login(logins), f"a day of one {_NOUNS[level]}": by_day(logins)}
    if level != "country":
        units["a campaign"] = by_campaign(logins, suspects.of_keys(keys))
    suspicious = logins.scores > SUSPICIOUS
    return Detected(
        level=level,
        logins=len(logins.scores),
        days=logins.day_count(),
        unseen=collected.counted["unseen"],
        suspicious=int(suspicious.sum()),
        right=int((suspicious & logins.good).sum()),
        keys=len(suspects.numbers),
        campaigns=suspects.groups,
        budget=budget,
        alerts=tuple(alerts_of(unit, logins, group, budget) for unit, group in units.items()),
        reasons=_counted(collected.reasons),
    )


_NOUNS = {"ip": "address", "subnet": "subnet", "country": "country"}


def _counted(reasons: dict[int, str]) -> dict[str, int]:
    """How many keys are suspicious for each kind of reason."""
    kinds: dict[str, int] = {}
    for reason in reasons.values():
        kind = kind_of(reason)
        kinds[kind] = kinds.get(kind, 0) + 1
    return dict(sorted(kinds.items(), key=lambda item: (-item[1], item[0])))
