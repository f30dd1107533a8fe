"""Local recoding by splitting: Mondrian."""
