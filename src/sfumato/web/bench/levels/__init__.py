"""The levels of one column: who stands behind each label, and how one hierarchy becomes another. Pure, but for the history of changes."""
