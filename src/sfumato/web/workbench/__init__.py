"""One person's workbench: this computer, one project, a token, no account."""
