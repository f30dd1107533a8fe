"""The API: what the pages can do, for programs."""
