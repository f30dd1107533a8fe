"""What is asked of a table: models, suppression, attributes, beliefs and populations."""
