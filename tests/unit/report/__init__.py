"""The report: its value, its charts, its page."""
