"""Engines count and recode the rows of a table, wherever they lie. Nothing else in the house touches a row."""
