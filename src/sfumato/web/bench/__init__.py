"""The steps from a table to a release, each a page: a project folder, what is known of its table, and the work that takes long."""
