"""Models about what a class discloses of its people's sensitive values."""
