"""The report of a published log: one page for its owner, with counts and rates, and no query, URL or id."""
