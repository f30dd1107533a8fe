"""What can be said about a release: verdicts, losses, risk, combinations."""
