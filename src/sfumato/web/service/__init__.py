"""A team's service: accounts, tables that are worked on and offered, and negotiations about them."""
