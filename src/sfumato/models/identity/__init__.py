"""Models about who somebody is, and whether they are in the table at all."""
