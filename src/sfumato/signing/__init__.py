"""Who made a document, and that nobody has changed it: canonical JSON and its digest, keys, signatures."""
