"""Logs with a known truth: organizations, people with habits, shared addresses, services, mistakes, and campaigns that guess passwords.

Every event is a function of the seed, its stream (the daily life, or one campaign) and its number in it. So the log does not depend on
the pieces that it is made in, and any piece can be made alone. Parameters and their reasons: docs/decisions/0035.
"""
