"""Results as charts and HTML pages."""
