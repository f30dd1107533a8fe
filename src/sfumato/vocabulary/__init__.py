"""The frozen values everything else speaks of: schema, hierarchy, node, recoding. No engine, no row, no file handle."""
