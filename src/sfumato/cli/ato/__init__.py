"""`sfumato ato`: account takeover, found in sign-in logs. One file per command."""
