"""What is said of a release: verdicts, losses, risk, combinations."""
