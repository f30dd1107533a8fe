"""What the sources print, made again: their examples, tables and figures."""
