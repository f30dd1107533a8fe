"""What the package is used for: applications that are built on its public names, one folder each."""
