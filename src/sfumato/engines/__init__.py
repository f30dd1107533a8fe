"""Engines count and recode the rows of a table, wherever they are stored. No other part of the library touches a row."""
