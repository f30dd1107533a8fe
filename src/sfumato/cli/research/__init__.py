"""Commands for research."""
