"""What the first screen shows, one module per part: from counts to values that may be shown."""
