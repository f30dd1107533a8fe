"""The page about a sequence of releases: what they tell together, for whoever publishes the table."""
