"""Search: the policy space of a table, and the best release in it. Works on the frequency set alone, never on rows."""
