"""The commands of `sfumato searchlog`."""
