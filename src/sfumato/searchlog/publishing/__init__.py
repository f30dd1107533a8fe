"""Publishing a search log: what is common enough, in bundles that say little about one person, or as counts with noise."""
