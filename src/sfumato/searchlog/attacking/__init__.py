"""Attacks on a search log: whose are these searches, given a few things that somebody knows? On the log with new ids alone, as AOL
published one, and on the release."""
