"""What records of known logs say. Failure or success is decided by the operation and the error, never by a status."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from sfumato.applications.ato.events import FAILED, OPERATIONS
from sfumato.applications.ato.importing.cleaning import error_name, plain
from sfumato.applications.ato.importing.rows import NO_OUTCOME, NO_RECORD, NO_SIGN_IN, NOT_DONE, Aside, Said

Record = Mapping[str, Any]
_OPERATIONS = {name.casefold(): name for name in OPERATIONS}  # some tools that pass records on change their letters


def o365(record: Record) -> Said | Aside:
    """The unified audit log. An export has each record as a text in `AuditData`."""
    if isinstance(record.get("AuditData"), str):
        inner = _parsed(record["AuditData"])
        if not isinstance(inner, dict):
            return NO_RECORD
        record = inner
    operation = (plain(record.get("Operation")) or "").casefold()
    if operation not in _OPERATIONS:
        return NO_SIGN_IN
    properties = _pairs(record.get("ExtendedProperties"))
    return Said(
        record.get("Id"),
        record.get("CreationTime"),
        _OPERATIONS[operation] == FAILED,
        error_name(record.get("LogonError") or properties.get("LogonError") or record.get("ErrorNumber")),
        record.get("UserId"),
        record.get("OrganizationId"),
        record.get("ClientIP") or record.get("ActorIpAddress"),
        record.get("Country"),
        properties.get("UserAgent"),
    )


def entra(record: Record) -> Said | Aside:
    """Sign-in logs of Entra; what a diagnostic setting sends has the record in `properties`."""
    outer, inner = record, record.get("properties")
    record = inner if isinstance(inner, dict) else record
    if "status" not in record and "createdDateTime" not in record:
        return NO_SIGN_IN
    code = plain(_within(record, "status").get("errorCode")) or ""
    if not (code.isascii() and code.isdigit()):
        return NO_OUTCOME
    return Said(
        record.get("id"),
        record.get("createdDateTime"),
        int(code) != 0,
        error_name(code),
        record.get("userPrincipalName") or record.get("userId"),
        outer.get("tenantId") or record.get("homeTenantId") or record.get("resourceTenantId"),
        record.get("ipAddress"),
        _within(record, "location").get("countryOrRegion"),
        record.get("userAgent"),
    )


_OKTA = {"user.session.start", "user.authentication.auth_via_mfa"}
_DONE, _FAILED, _OPEN = {"SUCCESS", "ALLOW"}, {"FAILURE", "DENY"}, {"CHALLENGE", "SKIPPED", "UNKNOWN"}
_REASONS = {
    "INVALID_CREDENTIALS": "InvalidUserNameOrPassword",
    "PASSWORD_EXPIRED": "InvalidPasswordExpiredPassword",
    "LOCKED_OUT": "IdsLocked",
    "MFA_REQUIRED": "UserStrongAuthClientAuthNRequired",
    "MFA_ENROLL": "UserStrongAuthEnrollmentRequired",
}
_CODE = re.compile(r"[A-Z][A-Z_]{0,60}")


def okta(record: Record) -> Said | Aside:
    """Okta's system log. A second factor is asked for after the password was right, and passing it is no second sign-in."""
    kind, result = plain(record.get("eventType")), plain(_within(record, "outcome").get("result"))
    second = kind == "user.authentication.auth_via_mfa"
    if kind not in _OKTA or (second and result in _DONE):
        return NO_SIGN_IN
    if result in _OPEN:
        return NOT_DONE
    if result not in _DONE | _FAILED:
        return NO_OUTCOME
    client, actor = _within(record, "client"), _within(record, "actor")
    return Said(
        record.get("uuid"),
        record.get("published"),
        result in _FAILED,
        "AuthenticationFailedDuringStrongAuthentication" if second else _okta_error(_within(record, "outcome").get("reason")),
        actor.get("alternateId") or actor.get("id"),
        record.get("organizationId"),
        client.get("ipAddress"),
        _within(client, "geographicalContext").get("country"),
        _within(client, "userAgent").get("rawUserAgent"),
    )


def _okta_error(reason: Any) -> str | None:
    """A reason that is a code; prose may say anything."""
    if not isinstance(reason, str) or not _CODE.fullmatch(reason):
        return None
    return _REASONS.get(reason, reason)


def _within(record: Record, key: str) -> Record:
    found = record.get(key)
    return found if isinstance(found, dict) else {}


def _parsed(text: str) -> Any:
    """What a text of JSON says; None if it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _pairs(listed: Any) -> dict[str, Any]:
    """A list of names and values as one object; some exports have the list as a text, or the object."""
    listed = _parsed(listed) if isinstance(listed, str) else listed
    if isinstance(listed, dict):
        return listed
    pairs = listed if isinstance(listed, list) else []
    return {str(each["Name"]): each.get("Value") for each in pairs if isinstance(each, dict) and "Name" in each}


FORMATS: dict[str, Callable[[Record], Said | Aside]] = {"o365": o365, "entra": entra, "okta": okta}
