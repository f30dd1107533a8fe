"""The explorer of a trade-off: one HTML page with every node of a policy space, and the same as a picture."""
