"""Commands for negotiating."""
