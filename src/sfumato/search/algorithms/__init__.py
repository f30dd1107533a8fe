"""The searches: one file each, and their register."""
