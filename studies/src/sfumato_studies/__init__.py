"""Every table and figure of the sources that uses public data, reproduced: their printed values beside ours.

An exhibit is a function of the bundled data alone. Every value called ours is computed by the library on demand.
"""
