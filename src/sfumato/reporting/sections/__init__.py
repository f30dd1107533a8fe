"""The sections of the page, one function each: from a report to markup."""
