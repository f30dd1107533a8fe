"""The report of a run: one page for those who look after accounts and for those who look after data. It names nobody."""
