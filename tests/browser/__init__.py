"""What a real browser makes of a page."""
