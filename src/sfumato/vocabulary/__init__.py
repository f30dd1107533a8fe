"""The frozen values that all other modules use: schema, hierarchy, node, recoding. No engine, no row, no file handle."""
