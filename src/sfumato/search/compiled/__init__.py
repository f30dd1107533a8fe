"""Evaluating nodes quickly: bit-packed partitions, compiled loops, batches and walks; each has a plain counterpart it is tested against."""
