"""Who may be whom: matching people to classes and rows, by labels, by distance, and by the method that changed the values."""
