"""Logs in any table: which column is what."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sfumato.applications.ato.importing.cleaning import error_name, plain
from sfumato.applications.ato.importing.rows import NO_OUTCOME, Aside, Placed, Said
from sfumato.applications.ato.importing.times import Days, reader_of_times
from sfumato.errors import UsageError, argument, unknown

REQUIRED = ("time", "user", "ip", "outcome")
OPTIONAL = ("id", "error", "organization", "country", "agent")
# Portals export in the language of whoever asks: English, German, French, Spanish.
_SUCCESS = {"userloggedin", "success", "succeeded", "successful", "true", "1", "ok", "allow", "allowed", "yes"}
_SUCCESS |= {"erfolg", "erfolgreich", "ja", "succès", "réussite", "réussi", "oui", "éxito", "correcto", "sí"}
_FAILURE = {"userloginfailed", "failure", "failed", "fail", "false", "0", "error", "deny", "denied", "no"}
_FAILURE |= {"fehlgeschlagen", "fehler", "abgelehnt", "nein", "échec", "échoué", "refusé", "non", "fallo", "fallido", "denegado"}
_EXAMPLE = "time=When,user=Who,ip=From,outcome=Result"


def mapping_of(columns: Mapping[str, str] | str | None) -> dict[str, str]:
    """A map of columns, `time=When,user=Who,…`; refuses one that lacks what every event has."""
    if columns is None:
        raise UsageError(f"say which column is what, as in {_EXAMPLE}", where=argument("columns"))
    if isinstance(columns, str):
        pairs = [pair.partition("=") for pair in columns.split(",")]
        if any(not equals for _, equals, _ in pairs):
            raise UsageError(f"write what and which column, as in {_EXAMPLE}", where=argument("columns"))
        if len({name.strip() for name, _, _ in pairs}) < len(pairs):
            raise UsageError("names a field twice; each is in one column", where=argument("columns"))
        columns = {name.strip(): column.strip() for name, _, column in pairs}
    for name in columns:
        if name not in (*REQUIRED, *OPTIONAL):
            raise UsageError(unknown("field", name, (*REQUIRED, *OPTIONAL), within="an event"), where=argument("columns"))
    missing = [name for name in REQUIRED if name not in columns]
    if missing:
        raise UsageError(f"says nothing of {', '.join(missing)}; write {_EXAMPLE}", where=argument("columns"))
    return dict(columns)


def reader(columns: Mapping[str, str], days: Days | None) -> Callable[[Mapping[str, Any], int], Said | Aside]:
    """What a row says. Without a column of ids, an id is made of its place and what it says, so that nothing is taken for doubled, also
    among several imports, and the same table imported twice is. `days`: how dates are written, if that was said."""
    time_of = reader_of_times(days)

    def read(row: Mapping[str, Any], place: int) -> Said | Aside:
        given = {name: row.get(column) for name, column in columns.items()}
        outcome = _word(given["outcome"])
        if outcome not in _SUCCESS | _FAILURE:
            return NO_OUTCOME
        return Said(
            given.get("id") if "id" in columns else Placed(place),
            time_of(given["time"]),
            outcome in _FAILURE,
            error_name(given.get("error")),
            given["user"],
            given.get("organization"),
            given["ip"],
            given.get("country"),
            given.get("agent"),
        )

    return read


def _word(value: Any) -> str:
    """An outcome as a word in small letters: truth values and numbers, too."""
    return (str(value) if isinstance(value, bool) else plain(value) or "").casefold()
