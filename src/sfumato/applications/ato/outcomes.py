"""How an attempt to sign in ended, by its operation and its error.

The status of a record does not tell: most failures of real logs say `ResultStatus = Success`. Errors are named as Office 365 names
them; the numbers are those of Entra's sign-in logs.
"""

from __future__ import annotations

OUTCOMES = ("success", "wrong-password", "right-password-failure", "other-failure")

WRONG_PASSWORD = {
    50056: "InvalidOrNullPassword",
    50126: "InvalidUserNameOrPassword",
}
# The password, or a session that it had opened, was accepted, and something else stopped the sign-in.
RIGHT_PASSWORD = {
    50055: "InvalidPasswordExpiredPassword",
    50072: "UserStrongAuthEnrollmentRequiredInterrupt",
    50074: "UserStrongAuthClientAuthNRequiredInterrupt",
    50076: "UserStrongAuthClientAuthNRequired",
    50078: "UserStrongAuthExpired",
    50079: "UserStrongAuthEnrollmentRequired",
    50097: "DeviceAuthenticationRequired",
    50105: "EntitlementGrantsNotFound",
    50125: "PasswordResetRegistrationRequiredInterrupt",
    50129: "DeviceIsNotWorkplaceJoined",
    50131: "ConditionalAccessFailed",
    50132: "SsoArtifactInvalidOrExpired",
    50133: "SsoArtifactRevoked",
    50140: "KmsiInterrupt",
    50144: "InvalidPasswordExpiredOnPremPassword",
    50158: "ExternalSecurityChallenge",
    53000: "DeviceNotCompliant",
    53001: "DeviceNotDomainJoined",
    53002: "ApplicationUsedIsNotAnApprovedApp",
    53003: "BlockedByConditionalAccess",
    53004: "ProofUpBlockedDueToRisk",
    65001: "DelegationDoesNotExist",
    65004: "UserDeclinedConsent",
    500121: "AuthenticationFailedDuringStrongAuthentication",
    530032: "BlockedByConditionalAccessOnSecurityPolicy",
}
# Neither is known: the account does not exist, or was locked or disabled before a password was looked at.
OTHER = {
    50034: "UserAccountNotFound",
    50053: "IdsLocked",
    50057: "UserDisabled",
    50058: "UserInformationNotProvided",
    50059: "MissingTenantRealmAndNoUserInformationProvided",
}
NAMES = {**WRONG_PASSWORD, **RIGHT_PASSWORD, **OTHER}


def outcome(operation: str = "Operation", error: str = "LogonError") -> str:
    """One of `OUTCOMES`, in SQL; an error that is not listed, or none, is another failure."""
    wrong, right = (", ".join(f"'{name}'" for name in names.values()) for names in (WRONG_PASSWORD, RIGHT_PASSWORD))
    return (
        f"CASE WHEN {operation} = 'UserLoggedIn' THEN 'success' WHEN {error} IN ({wrong}) THEN 'wrong-password' "
        f"WHEN {error} IN ({right}) THEN 'right-password-failure' ELSE 'other-failure' END"
    )
