"""The public verbs, one file each."""
