"""From what columns look like to a suggested schema."""
